// The questions as an expert finds them, for a coordinator who looks at a study; nothing is kept.

import { bindQuestions } from "./questions.js";

const form = document.querySelector("form.questions");
if (form) {
  bindQuestions(form, () => performance.now());
  form.addEventListener("submit", (event) => event.preventDefault());
}
