// Brings back answers that gave way to others, one version after the other.

import { same } from "./answers.js";
import { gettext } from "./language.js";

const TRACE = /\.(first|moves|touched)$/; // how a probability was placed, which nobody typed

/**
 * Take the first of what was put aside, and put what is `here` behind the last.
 *
 * Returns {answers, rest}: what the page can show, or null, and the text of what it `knows` no field
 * for. That stays aside, too.
 */
export function takeAside(aside, here, knows) {
  const [kept, ...others] = aside.all();
  const [answers, unknown] = divided(kept.answers, knows);
  const rest = { ...kept, answers: unknown, decided: false };
  const left = filled(unknown) ? [...others, rest] : others;
  aside.keep(left);
  if (!filled(answers)) return { answers: null, rest: textOf(rest) };
  if (filled(here) && !same(here, answers)) putLast(aside, here);
  return { answers, rest: textOf(rest) };
}

/** Return the answers that have a field, and those that have none. */
export function divided(answers, knows) {
  const part = (wanted) =>
    Object.fromEntries(Object.entries(answers).filter(([name]) => knows(name) === wanted));
  return [part(true), part(false)];
}

export const filled = (answers) => Object.keys(answers).length > 0;

/** Return how a form calls answers: by field name, the question and the point of its scale. */
export function wordsOf(questions, answers) {
  return Object.fromEntries(
    questions
      .filter(({ name }) => name in answers)
      .map(({ name, question, points }) => [name, { question, point: points.get(String(answers[name])) }]),
  );
}

/** Show a text above a form, to copy from, and go there; an empty one hides it. Returns whether it shows. */
export function showRest(form, text) {
  const box = document.getElementById("rest") ?? madeAbove(form);
  const field = box.querySelector("textarea");
  field.value = text;
  box.hidden = text === "";
  if (box.hidden) return false;
  field.focus({ preventScroll: true });
  box.scrollIntoView(); // its first line says what it is
  return true;
}

function putLast(aside, answers) {
  aside.write(answers, 0, { decided: true });
  const [written, ...others] = aside.all();
  aside.keep([...others, written]);
}

function textOf({ answers, words = {} }) {
  return Object.entries(answers)
    .filter(([name]) => !TRACE.test(name))
    .map(([name, answer]) => `${words[name]?.question || name}\n${words[name]?.point ?? answer}`)
    .join("\n\n");
}

function madeAbove(form) {
  const box = document.createElement("div");
  box.id = "rest";
  box.className = "notice warning";
  const label = document.createElement("label");
  label.htmlFor = "rest-text";
  label.textContent = gettext(
    "These answers cannot be put back, as this page does not ask their questions. Copy from here what you need.",
  );
  const field = document.createElement("textarea");
  Object.assign(field, { id: "rest-text", readOnly: true, rows: 4 });
  box.append(label, field);
  form.before(box);
  return box;
}
