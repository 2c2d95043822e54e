// Keys of the answer form: a digit chooses its point, Ctrl+Enter submits, "?" shows the hint.

const TYPED_IN = new Set(["text", "search", "number", "email", "textarea", "select-one"]);

/** Return what a key means where it was pressed: "point", "submit", "hint" or null. */
export function meaning({ key, target, ctrlKey, metaKey, altKey, isComposing, repeat }) {
  if (isComposing) return null;
  if (key === "Enter" && (ctrlKey || metaKey)) return repeat ? null : "submit";
  if (ctrlKey || metaKey || altKey) return null;
  if (/^\d$/.test(key) && target.type === "radio") return "point";
  return key === "?" && !TYPED_IN.has(target.type) ? "hint" : null;
}

/** Bind the keys of a form. They work while the focus is in it, and nowhere else. */
export function bindKeys(form) {
  const acts = {
    point: (event) => choose(form, event),
    hint: toggleHint,
    submit: () => form.requestSubmit(form.querySelector("button[type=submit]")),
  };
  const toggle = form.querySelector(".keys");

  function toggleHint() {
    if (toggle) toggle.hidden = !toggle.hidden;
    return true;
  }

  form.addEventListener("keydown", (event) => {
    const act = acts[meaning(event)];
    if (!act || act(event) === false) return;
    event.preventDefault();
  });
}

function choose(form, { target, key }) {
  const point = [...form.querySelectorAll("input[type=radio]")].find(
    (one) => one.name === target.name && one.value === key,
  );
  if (!point) return false;
  point.focus();
  point.click();
  return true;
}
