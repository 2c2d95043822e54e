// The page of one poem: keeps the draft, times the reading, submits once.

import { given, read, write } from "./answers.js";
import { Copy, leftovers } from "./copy.js";
import { door } from "./door.js";
import { Draft } from "./draft.js";
import { Stopwatch } from "./stopwatch.js";
import { words } from "./words.js";

const form = document.getElementById("answers");
const saved = document.getElementById("saved");
const newer = document.getElementById("newer");
const submit = form.querySelector("button[type=submit]");
const address = form.dataset.draft;
const csrf = form.elements.csrfmiddlewaretoken.value;
const storage = browserStorage("localStorage");
const visit = browserStorage("sessionStorage");

const answers = () => read(new FormData(form));

function browserStorage(kind) {
  try {
    return window[kind];
  } catch {
    return null; // forbidden here; every use of it copes
  }
}

function tell(turn, savedAt) {
  const { text, loud } = words(turn, savedAt);
  // A screen reader repeats what is written anew, even if it is the same.
  if (saved.textContent !== text) saved.textContent = text;
  saved.classList.toggle("loud", loud);
  newer.hidden = turn !== "newer";
}

const draft = new Draft({
  put: door(address, csrf),
  copy: new Copy(storage, address),
  tell,
  version: Number(form.dataset.version),
  saved: form.dataset.refused ? null : given(form.elements),
});

tell("ready");
if (form.dataset.refused) {
  draft.change(answers()); // what was submitted is the newest there is
  document.getElementById("problems").focus();
} else {
  const kept = draft.restore();
  if (kept) write(form.elements, kept);
}

form.addEventListener("input", () => draft.change(answers()));
window.addEventListener("online", () => draft.save());
window.addEventListener("pagehide", () => draft.save());

document.getElementById("take-newer").addEventListener("click", () => {
  write(form.elements, draft.takeNewer());
  tell("ready");
  form.querySelector("h2").focus();
});
document.getElementById("keep-mine").addEventListener("click", () => {
  tell("ready");
  form.querySelector("h2").focus();
  draft.keepMine();
});

const stopwatch = new Stopwatch(
  Math.max(Number(form.elements.milliseconds.value) || 0, Number(visit?.getItem(address))),
);

function watch() {
  if (document.visibilityState === "visible") {
    stopwatch.start();
  } else {
    stopwatch.stop();
    visit?.setItem(address, stopwatch.milliseconds); // a reload goes on from here
    draft.save(); // on phones a hidden page may never come back
  }
}

document.addEventListener("visibilitychange", watch);
watch();

form.addEventListener("submit", (event) => {
  if (submit.disabled) {
    event.preventDefault();
    return;
  }
  form.elements.milliseconds.value = stopwatch.milliseconds;
  submit.disabled = true;
  draft.rest();
});
window.addEventListener("pageshow", (event) => {
  draft.change(answers()); // some browsers put back what was typed before a reload
  if (!event.persisted) return;
  submit.disabled = false;
  draft.wake();
});

// A digit chooses its point while a scale has the focus; nowhere else.
form.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (target.type !== "radio" || !/^\d$/.test(key) || event.ctrlKey || event.altKey || event.metaKey)
    return;
  const point = [...form.elements[target.name]].find((one) => one.value === key);
  if (!point) return;
  event.preventDefault();
  point.focus();
  point.click();
});

// What an earlier poem could not send, this one sends.
for (const other of leftovers(storage)) {
  if (other.address === address) continue;
  door(other.address, csrf)(other.answers, other.version)
    .then(({ status, body }) => {
      const gone = status === 404 || (status === 409 && !body.answers);
      if (status === 200 || gone) other.copy.clear();
    })
    .catch(() => {}); // no connection: the copy stays for next time
}
