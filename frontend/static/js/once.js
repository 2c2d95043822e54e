// A form is sent once, however often its button is pressed while the answer is on its way.

import "./entries.js";

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  else form.dataset.sent = "yes";
});

// Back on the page by the back button: what was sent then is no reason to refuse now.
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
