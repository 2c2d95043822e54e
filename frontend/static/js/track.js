// Sets one probability's track, field and box, and keeps them at one.

import { gettext } from "./language.js";
import { Probability, written } from "./probability.js";

const REST = 1000; // milliseconds without a key after which what is placed counts

/**
 * Bring a probability's track to life.
 *
 * Returns `settle`, to be called before the answer is sent, and `refresh`, after the fields were set
 * by others. A change made on the track reaches the form as an input event of the field's trace.
 */
export function bindTrack(box, elapsed, clock = globalThis) {
  const parts = partsOf(box);
  const { track, typed, cannot } = parts;
  let one = answerIn(parts, elapsed);
  let timer = null;

  const show = () => render(parts, one);
  const changed = () => {
    show();
    parts.touched.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const settle = () => {
    clock.clearTimeout(timer);
    const before = one.first + one.moves;
    one.settle();
    if (one.first + one.moves !== before) changed();
  };

  typed.addEventListener("input", () => {
    one.type(typed.value);
    show();
  });
  typed.addEventListener("change", settle);
  cannot?.addEventListener("input", () => {
    one.tick(cannot.checked);
    show();
  });
  track.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !one.press(event.key)) return;
    event.preventDefault();
    clock.clearTimeout(timer);
    timer = clock.setTimeout(settle, REST);
    changed();
  });
  track.addEventListener("blur", settle);
  bindPointer(track, { get: () => one, changed, settle });

  track.hidden = false;
  // A slider must have a value, and axe says so; a spin button may be empty.
  track.setAttribute("role", "spinbutton");
  show();
  return {
    settle,
    refresh() {
      one = answerIn(parts, elapsed);
      show();
    },
  };
}

function bindPointer(track, { get, changed, settle }) {
  const isHeld = () => track.classList.contains("held");
  const hold = (held) => track.classList.toggle("held", held);
  const place = (event) => {
    const { left, width } = track.getBoundingClientRect();
    get().placeAt((event.clientX - left) / width);
    changed();
  };
  track.style.touchAction = "pan-y"; // else the browser takes every drag for a scroll
  track.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    hold(true);
    get().hold();
    track.setPointerCapture(event.pointerId);
    track.focus({ preventScroll: true });
    event.preventDefault(); // no selection of the text around it
    place(event);
  });
  track.addEventListener("pointermove", (event) => {
    if (isHeld()) place(event);
  });
  track.addEventListener("pointerup", () => {
    if (!isHeld()) return;
    hold(false);
    settle();
  });
  track.addEventListener("pointercancel", () => {
    if (!isHeld()) return;
    hold(false);
    get().letGo();
    changed();
  });
}

function partsOf(box) {
  const key = box.dataset.probability;
  const named = [...box.querySelectorAll("input")];
  const hidden = (part) => named.find(({ name }) => name === `${key}.${part}`);
  return {
    track: box.querySelector(".track"),
    typed: named.find(({ name, type }) => name === key && type !== "checkbox"),
    cannot: named.find(({ name, type }) => name === key && type === "checkbox"),
    first: hidden("first"),
    moves: hidden("moves"),
    touched: hidden("touched"),
  };
}

function answerIn({ typed, cannot, first, moves, touched }, elapsed) {
  return new Probability({
    elapsed,
    text: typed.value,
    cannotTell: cannot?.checked ?? false,
    first: first.value,
    moves: moves.value,
    touched: touched.value,
  });
}

function render({ track, typed, cannot, ...trace }, one) {
  if (typed.value !== one.text) typed.value = one.text;
  if (cannot) cannot.checked = one.cannotTell;
  for (const [part, field] of Object.entries(trace)) field.value = one[part];
  const placed = one.value !== null;
  track.classList.toggle("placed", placed);
  track.setAttribute("aria-valuetext", placed ? written(one.value) : gettext("not placed yet"));
  if (placed) {
    track.setAttribute("aria-valuenow", String(one.value / 10));
    track.style.setProperty("--at", `${one.value / 10}%`);
    track.dataset.value = written(one.value);
  } else {
    track.removeAttribute("aria-valuenow");
    track.style.removeProperty("--at");
    delete track.dataset.value;
  }
}
