// Keeps the other questions waiting until the judge has said whether the poem is known.

/** Bind the gate of a form, if it has one. Returns `refresh`, for when answers were set by others. */
export function bindGate(form) {
  const gate = form.querySelector(".gate");
  const after = form.querySelector(".after-gate");
  const refresh = () => {
    if (!gate || !after) return;
    const open = [...gate.querySelectorAll("input[type=radio]")].some(({ checked }) => checked);
    after.toggleAttribute("inert", !open);
    after.classList.toggle("waiting", !open);
  };
  gate?.addEventListener("input", refresh);
  refresh();
  return { refresh };
}
