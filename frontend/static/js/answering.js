// Answering a poem: keeps the draft, times the reading, submits once.

import { given, read, same, write } from "./answers.js";
import { showRest, wordsOf } from "./asides.js";
import { Copy, adopt, browserStorage, placeOf } from "./copy.js";
import { compare, questionsIn, showComparison } from "./comparison.js";
import { counter, door } from "./door.js";
import { Draft } from "./draft.js";
import { clearProblem, clearProblems, showProblems } from "./problems.js";
import { bindQuestions } from "./questions.js";
import { statusLine } from "./status.js";
import { watchTime } from "./stopwatch.js";
import { Submission, postFrom } from "./submission.js";
import { sendUnsent } from "./unsent.js";

/** Bind the form with which a poem is answered. */
export function answering(form) {
  const storage = browserStorage("localStorage");
  const address = form.dataset.draft;
  adopt(storage, address);

  const elapsed = () => stopwatch.milliseconds;
  const describe = (some) => wordsOf(questionsIn(form.elements), some);
  const copy = new Copy(storage, address, { elapsed, describe });
  const aside = new Copy(storage, placeOf(address), { kind: "aside", elapsed, describe });
  const before = Number(form.elements.milliseconds.defaultValue) || 0;
  const stopwatch = watchTime(
    address,
    Math.max(before, copy.read()?.milliseconds ?? 0),
    browserStorage("sessionStorage"),
  );
  const questions = bindQuestions(form, elapsed);
  const button = form.querySelector("button[type=submit]");
  const newer = document.getElementById("newer");
  const bringBack = document.getElementById("bring-back");
  const say = statusLine(document.getElementById("saved"));

  const answers = () => read(new FormData(form));
  const show = (some) => {
    write(form.elements, some);
    questions.refresh();
  };

  const draft = new Draft({
    put: door(address, elapsed),
    copy,
    aside,
    tell: (turn, savedAt) => {
      say(turn, savedAt);
      arrange();
    },
    version: Number(form.dataset.version),
    saved: form.dataset.refused ? null : given(form.elements),
    stage: form.dataset.part,
    knows: (name) => form.elements.namedItem(name) !== null,
  });

  const submission = new Submission({
    post: postFrom(
      draft,
      Number(form.dataset.part),
      counter(form.dataset.stage ?? form.dataset.judgment),
    ),
    tell: (turn, detail) => {
      button.setAttribute("aria-disabled", String(submission.busy));
      if (turn === "arrived") return arrive(detail);
      if (turn === "unchosen") return yieldTo(detail);
      if (turn === "problems") showProblems(form, detail);
      if (turn === "sending") clearProblems(form);
      say(turn);
      if (!submission.asked) draft.wake();
      return arrange();
    },
  });

  /** Show what the judge can choose between. */
  function arrange() {
    if (draft.newer) {
      const rows = compare(questionsIn(form.elements), draft.newer, answers());
      showComparison(document.getElementById("theirs"), rows);
    }
    newer.hidden = draft.newer === null;
    bringBack.hidden = aside.read() === null || draft.newer !== null;
  }

  function arrive({ next, status, sent }) {
    // What was not recorded as it stands here is offered again where answers can be changed.
    if (status === 409 || !same(answers(), sent)) aside.write(answers(), 0);
    else aside.clear();
    copy.clear();
    location.assign(next);
  }

  /** A newer draft stands: nothing is submitted before the judge has chosen. */
  function yieldTo(stored) {
    say("withdrawn");
    draft.wake();
    draft.meet(stored);
    if (draft.newer) askToChoose();
  }

  function askToChoose() {
    say("unchosen");
    newer.querySelector("summary").focus();
  }

  function changed() {
    submission.withdraw();
    draft.change(answers());
  }

  function save() {
    if (submission.asked) submission.again();
    else draft.save();
  }

  function leave() {
    questions.settle();
    draft.change(answers());
    draft.save(); // on phones a hidden page may never come back
  }

  function choose(act) {
    const elsewhere = act();
    say("ready");
    arrange();
    if (!elsewhere) form.querySelector("h2")?.focus();
  }

  function goBack() {
    const { answers: back, rest } = draft.bringBack();
    if (back) show(back);
    return showRest(form, rest);
  }

  form.addEventListener("input", ({ target }) => {
    const question = target.closest(".question");
    // While a track is held, nothing may move it under the finger.
    if (!question?.querySelector(".held")) clearProblem(question);
    changed();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (submission.busy) return;
    questions.settle();
    draft.change(answers());
    if (draft.newer) return askToChoose();
    draft.rest();
    submission.send(answers(), stopwatch.milliseconds);
  });
  window.addEventListener("online", save);
  window.addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") save();
    else leave();
  });
  window.addEventListener("pageshow", (event) => {
    questions.refresh();
    draft.change(answers()); // some browsers put back what was typed before a reload
    if (!event.persisted) return;
    submission.reopen();
    draft.wake();
  });
  document.getElementById("take-newer").addEventListener("click", () => {
    choose(() => void show(draft.takeNewer()));
  });
  document.getElementById("keep-mine").addEventListener("click", () => {
    choose(() => void draft.keepMine());
  });
  bringBack.addEventListener("click", () => choose(goBack));

  say("ready");
  if (form.dataset.refused) {
    draft.change(answers()); // what was submitted is the newest there is
    document.getElementById("problems").focus();
  } else {
    const kept = draft.restore();
    if (kept) show(kept);
  }
  arrange();
  if (document.readyState === "complete") draft.change(answers()); // typed before this was bound
  sendUnsent(storage, address);
}
