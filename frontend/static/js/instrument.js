// The pages about instruments: examples go where the cursor is, and a preview changes its theme.

const INDENT = "    "; // of a question in the list of questions

/** Return `text` with the example put in at `at`, with the commas that a list needs; and its end. */
export function inserted(text, at, example) {
  const before = text.slice(0, at).trimEnd();
  const after = text.slice(at).trimStart();
  const comma = /[}\]"\w]$/.test(before) ? "," : "";
  const next = /^[{["]/.test(after) ? "," : "";
  const start = `${before}${comma}\n${example.replace(/^/gm, INDENT)}${next}`;
  return { text: `${start}\n${after}`, end: start.length };
}

/** Return where a question goes if no place was chosen: at the end of the last list. */
export function listEnd(text) {
  const end = text.lastIndexOf("]");
  return end < 0 ? text.length : end;
}

function bindExamples(area, buttons) {
  let chosen = false;
  area.addEventListener("focus", () => {
    chosen = true;
  });
  for (const button of buttons) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const example = document.getElementById(button.dataset.insert).textContent;
      const at = chosen ? area.selectionEnd : listEnd(area.value);
      const { text, end } = inserted(area.value, at, example);
      area.value = text;
      area.focus();
      area.setSelectionRange(end, end);
    });
  }
}

function bindThemes(choice) {
  choice.hidden = false;
  choice.addEventListener("change", (event) => {
    document.documentElement.dataset.theme = event.target.value;
  });
}

if (globalThis.document) {
  const area = document.querySelector("#instrument textarea");
  if (area) bindExamples(area, document.querySelectorAll("[data-insert]"));
  const themes = document.querySelector("[data-themes]");
  if (themes) bindThemes(themes);
}
