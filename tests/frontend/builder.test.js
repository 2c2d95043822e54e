import assert from "node:assert/strict";
import test from "node:test";

import { calm, written } from "../../frontend/static/js/builder.js";

/** A clock that runs what is due when told to. */
function clock() {
  const due = new Map();
  let last = 0;
  return {
    setTimeout(act) {
      due.set(++last, act);
      return last;
    },
    clearTimeout(timer) {
      due.delete(timer);
    },
    run() {
      for (const act of due.values()) act();
      due.clear();
    },
  };
}

test("many changes in a row are counted once", () => {
  const time = clock();
  let counted = 0;
  const changed = calm(() => counted++, 600, time);
  changed();
  changed();
  changed();
  assert.equal(counted, 0);
  time.run();
  assert.equal(counted, 1);
  changed();
  time.run();
  assert.equal(counted, 2);
});

test("counts are written as the server gives them", () => {
  const said = written({ items: 9, hours: 0 }, ["items", "hours"]);
  assert.deepEqual(said, { counts: { items: "9", hours: "0" }, problem: "", precision: "" });
});

test("what is lacking is said beside the counts", () => {
  const said = written({ items: 9, note: "No machine text." }, ["items"]);
  assert.deepEqual(said, { counts: { items: "9" }, problem: "No machine text.", precision: "" });
});

test("a problem takes the place of all counts", () => {
  const said = written({ problem: "Choose a collection." }, ["items"]);
  assert.deepEqual(said, { counts: { items: "–" }, problem: "Choose a collection.", precision: "" });
});

test("how exact results will be is shown as the server sets it", () => {
  const said = written({ items: 9, precision: "<p>±0.070</p>" }, ["items"]);
  assert.equal(said.precision, "<p>±0.070</p>");
});
