// Tables that are folded away are opened by a link to them, and all at once.

import assert from "node:assert/strict";
import { test } from "node:test";

import { reveal, setAll } from "../../frontend/static/js/folds.js";

function fold() {
  return { open: false, shown: 0, scrollIntoView() { this.shown += 1; } };
}

const page = (places) => ({ getElementById: (id) => places[id] ?? null });

test("a link into a folded table opens it and shows it", () => {
  const folded = fold();
  const inside = { closest: () => folded };
  assert.equal(reveal(page({ "table-plan": inside }), "#table-plan"), true);
  assert.deepEqual([folded.open, folded.shown], [true, 1]);
});

test("a link to what is not folded, or is not there, is left to the browser", () => {
  const plain = { closest: () => null };
  const places = page({ "table-auc": plain });
  for (const fragment of ["#table-auc", "#nowhere", "#", ""]) {
    assert.equal(reveal(places, fragment), false);
  }
});

test("all are opened, and all are folded", () => {
  const folds = [fold(), fold()];
  folds[0].open = true;
  setAll(folds, true);
  assert.deepEqual(folds.map(({ open }) => open), [true, true]);
  setAll(folds, false);
  assert.deepEqual(folds.map(({ open }) => open), [false, false]);
});
