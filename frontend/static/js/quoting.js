// Quotes lines of the poem in comments: "l. 7: ", by a click on the line or by its number.

import { gettext, interpolate } from "./language.js";

/** Return how a comment names a line, of text A or B where two are compared. */
export function quote(line, text = "") {
  return text
    ? interpolate(gettext("%(text)s, l. %(line)s:"), { text, line })
    : interpolate(gettext("l. %(line)s:"), { line });
}

/** Return a quotation as it is set into a comment at the cursor, apart from what stands around it. */
export function setIn(comment, cursor, quotation) {
  const before = comment.slice(0, cursor);
  const after = comment.slice(cursor);
  const gap = before === "" || /\s$/.test(before) ? "" : " ";
  return gap + quotation + (/^\s/.test(after) ? "" : " ");
}

/** Bind the comments of a form to the lines of the poem on the page. */
export function bindQuoting(page, form) {
  let last = null; // the comment that a click on a line goes to
  const attend = (comment) => {
    last = comment;
    page.body.classList.toggle("quoting", comment !== null);
  };

  page.addEventListener("focusin", ({ target }) => {
    if (target.matches("textarea[data-comment]")) attend(target);
    // Focus in the poem or on the page's own controls leaves the comment that was being written.
    else if (form.contains(target) && !target.closest(".quote")) attend(null);
  });
  page.addEventListener("click", ({ target, detail }) => {
    const line = target.closest?.(".line[data-line]");
    // A selection, or the second click of one that selects a word, is the judge's own business.
    if (!line || !last || detail > 1 || !page.getSelection().isCollapsed) return;
    insert(last, quote(line.dataset.line, textOf(line)));
  });
  for (const comment of form.querySelectorAll("textarea[data-comment]")) bindNumber(page, comment);
}

function bindNumber(page, comment) {
  const box = comment.parentElement.querySelector(".quote");
  const [number, button] = [box?.querySelector("input"), box?.querySelector("button")];
  if (!number || !button) return;
  const text = box.querySelector("select"); // which of two texts the line is in
  number.max = String(lines(page));
  const act = () => {
    if (number.value === "" || !number.checkValidity()) return number.reportValidity();
    insert(comment, quote(number.value, text?.value));
    return (number.value = "");
  };
  button.addEventListener("click", act);
  number.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // it would submit the whole form
    act();
  });
  box.hidden = false;
}

function insert(comment, quotation) {
  const at = comment.selectionEnd;
  comment.focus();
  comment.setRangeText(setIn(comment.value, at, quotation), at, at, "end");
  comment.dispatchEvent(new Event("input", { bubbles: true }));
}

function textOf(line) {
  const section = line.closest(".pair > .text");
  if (!section) return "";
  return section.classList.contains("a") ? "A" : "B";
}

function lines(page) {
  const numbers = [...page.querySelectorAll(".line[data-line]")].map(({ dataset }) => Number(dataset.line));
  return Math.max(1, ...numbers);
}
