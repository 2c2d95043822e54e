// Copies a personal link; where the browser gives no clipboard, the field is there to copy from.

import { gettext } from "./language.js";

const address = document.getElementById("address");
const copy = document.getElementById("copy");
const copied = document.getElementById("copied");

address.addEventListener("focus", () => address.select());
copy.hidden = !navigator.clipboard; // only on https and localhost
copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(address.value);
    copied.textContent = gettext("Copied.");
  } catch {
    copied.textContent = gettext("Not copied: the browser forbids it. Copy it from the field.");
    address.focus();
  }
});
