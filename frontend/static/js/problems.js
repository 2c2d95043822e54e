// Shows in place what is wrong with answers that were not accepted.

import { gettext, interpolate, ngettext } from "./language.js";

/** Return a list of ids with one of them put in or left out; null if none is left. */
export function listed(ids, id, present) {
  const others = (ids ?? "").split(/\s+/).filter((one) => one && one !== id);
  return (present ? [id, ...others] : others).join(" ") || null;
}

/** Show each problem at its question, and all of them in a summary that takes the focus. */
export function showProblems(form, problems) {
  clearProblems(form);
  const shown = Object.entries(problems).map(([key, problem]) => {
    mark(form, key, problem);
    return { key, problem: String(problem), number: numberOf(form, key) };
  });
  const box = summaryOf(form);
  box.replaceChildren(
    element("h2", gettext("Not submitted yet")),
    element("p", said(shown.length)),
    list(shown),
  );
  box.hidden = false;
  box.focus();
}

/** A question that is being answered is no longer wrong; the server will say if it still is. */
export function clearProblem(question) {
  const wrong = question?.querySelector(".wrong");
  if (!wrong) return;
  for (const field of [question, ...question.querySelectorAll("[aria-invalid]")]) {
    field.removeAttribute("aria-invalid");
    setDescription(field, wrong.id, false);
  }
  wrong.remove();
}

export function clearProblems(form) {
  form.querySelectorAll(".question").forEach(clearProblem);
  const box = document.getElementById("problems");
  if (box) box.hidden = true;
}

function said(count) {
  const text = ngettext(
    "%(count)s question needs another look. Everything you wrote is kept.",
    "%(count)s questions need another look. Everything you wrote is kept.",
    count,
  );
  return interpolate(text, { count });
}

function mark(form, key, problem) {
  const field = fieldOf(form, key);
  if (!field) return;
  const wrong = element("p", String(problem));
  wrong.className = "wrong";
  wrong.id = `wrong-${key}`;
  wrong.lang = document.documentElement.lang; // the questions may be in another language
  const invalid = field.type === "radio" ? field.closest("fieldset") : field;
  const called = invalid === field ? field.labels?.[0] : invalid.querySelector("legend");
  (called ?? field).after(wrong);
  invalid.setAttribute("aria-invalid", "true");
  setDescription(invalid, wrong.id, true);
}

function setDescription(field, id, present) {
  const ids = listed(field.getAttribute("aria-describedby"), id, present);
  if (ids) field.setAttribute("aria-describedby", ids);
  else field.removeAttribute("aria-describedby");
}

function fieldOf(form, key) {
  const byId = document.getElementById(`q-${key}`);
  if (form.contains(byId)) return byId;
  return [...form.elements].find(({ name }) => name === key);
}

const numberOf = (form, key) =>
  fieldOf(form, key)?.closest(".question")?.querySelector(".ordinal")?.textContent.trim();

function list(shown) {
  const items = shown.map(({ key, problem, number }) => {
    const item = document.createElement("li");
    const link = number
      ? element("a", interpolate(gettext("Question %(number)s: %(problem)s"), { number, problem }))
      : element("span", problem);
    if (number) link.href = `#q-${key}`;
    item.append(link);
    return item;
  });
  const all = document.createElement("ul");
  all.append(...items);
  return all;
}

function summaryOf(form) {
  const there = document.getElementById("problems");
  if (there) return there;
  const box = document.createElement("div");
  box.className = "problem";
  box.id = "problems";
  box.tabIndex = -1;
  box.setAttribute("role", "alert");
  form.prepend(box);
  return box;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
