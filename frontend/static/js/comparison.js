// Lays the answers that were saved elsewhere beside those here, so that one can choose.

import { isAnswer } from "./answers.js";
import { gettext } from "./language.js";

/** Return {question, answer, differs} for each question, by what it and its points are called. */
export function compare(questions, theirs, mine) {
  return questions.map(({ name, question, points }) => {
    const [their, own] = [String(theirs[name] ?? ""), String(mine[name] ?? "")];
    const answer = points.get(their) ?? their;
    return { question, answer: answer || gettext("No answer"), differs: their !== own };
  });
}

/** Return {name, question, points} for each question of a form that a judge sees. */
export function questionsIn(fields) {
  const found = new Map();
  for (const field of fields) {
    if (!isAnswer(field.name) || ["hidden", "submit", "button"].includes(field.type)) continue;
    const known = found.get(field.name) ?? { name: field.name, question: "", points: new Map() };
    const ticked = field.type === "radio" || field.type === "checkbox";
    if (ticked) known.points.set(field.value, wordsOf(field.labels?.[0]));
    known.question ||= wordsOf(ticked ? legendOf(field) : field.labels?.[0]);
    found.set(field.name, known);
  }
  return [...found.values()];
}

/** Show the comparison in a <details>. */
export function showComparison(details, rows) {
  const list = details.querySelector("dl") ?? details.appendChild(document.createElement("dl"));
  list.replaceChildren(
    ...rows.flatMap(({ question, answer, differs }) => {
      const term = element("dt", question);
      const description = element("dd", answer);
      description.classList.toggle("differs", differs);
      return [term, description];
    }),
  );
}

const legendOf = (field) => field.closest("fieldset")?.querySelector("legend");

/** Return what a question or a point is called, without the mark that it may be left out. */
function wordsOf(node) {
  const parts = [...(node?.childNodes ?? [])].filter(({ classList }) => !classList?.contains("optional"));
  return parts.map(({ textContent }) => textContent).join("").replace(/\s+/g, " ").trim();
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
