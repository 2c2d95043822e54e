// Leafs through poems by the arrow keys; the links do it without.

const TYPED_IN = "input, textarea, select, [contenteditable]";

/** Return which way a key leafs: "prev", "next" or null. */
export function way({ key, target, ctrlKey, metaKey, altKey, shiftKey, isComposing }) {
  if (ctrlKey || metaKey || altKey || shiftKey || isComposing) return null;
  // In a field they move the cursor, in a box that scrolls what is seen of it.
  if (target.closest(`${TYPED_IN}, .scroll`)) return null;
  return { ArrowLeft: "prev", ArrowRight: "next" }[key] ?? null;
}

/** Bind the keys for as long as the page is there. */
export function bindLeafing(nav) {
  for (const hint of nav.querySelectorAll("[data-keys]")) hint.hidden = false;
  nav.ownerDocument.addEventListener("keydown", (event) => {
    const link = nav.querySelector(`a[rel="${way(event)}"]`);
    if (!link) return;
    event.preventDefault();
    link.click();
  });
}

const nav = globalThis.document?.querySelector("[data-leafing]");
if (nav) bindLeafing(nav);
