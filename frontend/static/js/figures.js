// Renews figures on a page now and then; what is typed, open or focused there stays as it is.

export const EVERY = 15_000; // milliseconds

const COPIED = ["class", "datetime", "width", "x"];

/**
 * Ask for new figures again and again, one question at a time, but not while nobody looks.
 *
 * `ask` resolves to what `show` takes; `lost` is told whether the last question failed. Return a
 * function that asks at once.
 */
export function follow({ ask, show, lost, hidden, wait = setTimeout, every = EVERY }) {
  let asking = false;
  async function look() {
    if (asking || hidden()) return;
    asking = true;
    try {
      show(await ask());
      lost(false);
    } catch {
      lost(true);
    } finally {
      asking = false;
    }
  }
  async function turn() {
    await look();
    wait(turn, every);
  }
  wait(turn, every);
  return look;
}

/** Copy new figures to where the old ones stand. False, and nothing done, if they are not the same ones. */
export function renew(place, fresh) {
  const [old, now] = [place, fresh].map(byName);
  if (old.size !== now.size || [...now.keys()].some((name) => !old.has(name))) return false;
  for (const [name, figure] of now) copy(figure, old.get(name));
  return true;
}

function byName(place) {
  return new Map([...place.querySelectorAll("[data-figure]")].map((one) => [one.dataset.figure, one]));
}

function copy(from, to) {
  if (to.textContent !== from.textContent) to.textContent = from.textContent;
  for (const name of COPIED) {
    const value = from.getAttribute(name);
    if (value !== null && value !== to.getAttribute(name)) to.setAttribute(name, value);
  }
}
