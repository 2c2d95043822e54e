// Changing submitted answers: what is typed stays in this browser until the server has it.

import { given, read, same, write } from "./answers.js";
import { showRest, takeAside, wordsOf } from "./asides.js";
import { questionsIn } from "./comparison.js";
import { Copy, browserStorage, noteLink, placeOf } from "./copy.js";
import { bindQuestions } from "./questions.js";
import { statusLine } from "./status.js";

/** Bind the form with which submitted answers are changed; it is sent as any form is. */
export function changing(form) {
  const storage = browserStorage("localStorage");
  const place = placeOf(location.pathname);
  noteLink(storage, place);
  const describe = (some) => wordsOf(questionsIn(form.elements), some);
  const copy = new Copy(storage, place, { kind: "change", describe });
  const aside = new Copy(storage, place, { kind: "aside", describe });
  const edits = Number(form.elements.edits.defaultValue) || 0;
  const questions = bindQuestions(form, () => performance.now());
  const bringBack = document.getElementById("bring-back");
  const say = statusLine(document.getElementById("saved"));
  let sent = false;

  const answers = () => read(new FormData(form));
  const show = (some) => {
    write(form.elements, some);
    questions.refresh();
  };
  const keep = () => copy.write(answers(), edits);

  form.addEventListener("input", keep);
  form.addEventListener("submit", (event) => {
    questions.settle();
    keep();
    if (navigator.onLine && !sent) {
      sent = true;
      return;
    }
    event.preventDefault();
    if (!sent) say("offline");
  });
  window.addEventListener("pageshow", () => {
    sent = false; // back on the page: what was sent then is no reason to refuse now
    questions.refresh();
  });
  bringBack.addEventListener("click", () => {
    const knows = (name) => form.elements.namedItem(name) !== null;
    const { answers: back, rest } = takeAside(aside, answers(), knows);
    if (back) {
      show(back);
      keep();
      say("restored");
    }
    showRest(form, rest);
    bringBack.hidden = aside.read() === null;
  });

  say("editing");
  const turn = takeUp({ copy, aside, edits, saved: given(form.elements) }, form.dataset.refused);
  if (turn) {
    show(turn);
    say("restored");
  }
  if (form.dataset.refused) document.getElementById("problems").focus();
  bringBack.hidden = aside.read() === null;
}

/**
 * Return the changes of an earlier visit that are to be shown again, or null.
 *
 * `edits` tells whether the answers were changed since. Changes that began from others than those
 * that stand now are put aside, for the judge to bring back.
 */
export function takeUp({ copy, aside, edits, saved }, refused) {
  if (refused) {
    copy.write(saved, edits); // what was just sent is the newest there is
    return null;
  }
  const kept = copy.claim();
  if (!kept) return null;
  if (kept.version === edits && !same(kept.answers, saved)) return kept.answers;
  copy.clear();
  if (!same(kept.answers, saved)) aside.write(kept.answers, edits);
  else if (kept.version !== edits) aside.clear(); // the change got through
  return null;
}
