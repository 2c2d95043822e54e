// The one line that says how it stands with the answers.

import { words } from "./words.js";

/** Return a function that says a turn in this element. */
export function statusLine(element) {
  return (turn, savedAt) => {
    const { text, loud } = words(turn, savedAt);
    // A screen reader repeats what is written anew, even if it is the same.
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle("loud", loud);
  };
}
