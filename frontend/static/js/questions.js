// Brings the questions of a form to life: tracks, gate, quoting, keys.

import { bindGate } from "./gate.js";
import { bindKeys } from "./keys.js";
import { bindQuoting } from "./quoting.js";
import { bindTrack } from "./track.js";

/**
 * Bind all questions of a form; `elapsed` is the time in view in milliseconds.
 *
 * Returns `settle`, to be called before answers are sent, and `refresh`, after fields were set by
 * others.
 */
export function bindQuestions(form, elapsed) {
  const tracks = [...form.querySelectorAll("[data-probability]")].map((box) =>
    bindTrack(box, elapsed),
  );
  const gate = bindGate(form);
  bindQuoting(document, form);
  bindKeys(form);
  return {
    settle: () => tracks.forEach((track) => track.settle()),
    refresh: () => [...tracks, gate].forEach((one) => one.refresh()),
  };
}
