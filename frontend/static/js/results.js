// The page of results: links to its tables open them, and two buttons open or fold them all.

import { reveal, setAll } from "./folds.js";

const buttons = document.getElementById("folds");

function show() {
  reveal(document, location.hash);
}

window.addEventListener("hashchange", show);
// A link followed again changes no address.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link) reveal(document, link.hash);
});
show();

if (buttons) {
  buttons.hidden = false;
  buttons.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) setAll(document.querySelectorAll("details.folded"), button.dataset.set === "open");
  });
}
