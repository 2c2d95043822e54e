// What is typed into a form outlives a change of the page's language, until the form is sent.

import { attempt } from "./attempt.js";
import { browserStorage } from "./copy.js";

const PLACES = /^\/(join\/[^/]+|desk\/[^/]+\/(consent|about-you))\/$/;
const PREFIX = "blindverse-entries:";
const UNTYPED = new Set(["hidden", "submit", "button"]);
const TICKED = new Set(["radio", "checkbox"]);

/** Return what a form's fields hold: {given: what is chosen, as [name, value] pairs, about}. */
export function entriesOf(fields) {
  const typed = [...fields].filter(isTyped);
  const given = typed.filter((field) => !TICKED.has(field.type) || field.checked);
  return { given: pairs(given), about: aboutOf(fields) };
}

/**
 * Put entries back into a form's fields.
 *
 * What is agreed to is agreed to in the words that were shown, which the hidden fields name (`about`):
 * under other words the boxes of `agreed` stay as they are.
 */
export function putBack(fields, { given, about }, agreed = []) {
  const reworded = JSON.stringify(about) !== JSON.stringify(aboutOf(fields));
  for (const field of [...fields].filter(isTyped)) {
    if (reworded && agreed.includes(field.name)) continue;
    const values = given.filter(([name]) => name === field.name).map(([, value]) => value);
    if (TICKED.has(field.type)) field.checked = values.includes(field.value);
    else if (values.length) [field.value] = values;
  }
}

/** Keep the form of this page in `visit`, which lasts as long as the tab, until it is sent. */
export function keepEntries(form, path, visit) {
  const name = PREFIX + path;
  const kept = attempt(() => JSON.parse(visit.getItem(name)));
  if (kept) putBack(form.elements, kept, ["agree", "promise"]);
  form.addEventListener("input", () => {
    attempt(() => visit.setItem(name, JSON.stringify(entriesOf(form.elements))));
  });
  form.addEventListener("submit", () => {
    if (globalThis.navigator?.onLine !== false) attempt(() => visit.removeItem(name));
  });
}

const isTyped = ({ name, type }) => Boolean(name) && !UNTYPED.has(type);
const pairs = (fields) => fields.map(({ name, value }) => [name, value]);
const aboutOf = (fields) => pairs([...fields].filter(({ type }) => type === "hidden"));

const form = globalThis.document?.querySelector("main form[method=post]");
if (form && PLACES.test(location.pathname)) {
  keepEntries(form, location.pathname, browserStorage("sessionStorage"));
}
