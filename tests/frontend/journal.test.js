// What a browser puts back after it was killed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { reconcile } from "../../frontend/static/js/journal.js";
import { MemoryStorage } from "./standins.js";

const KEY = "blindverse:/api/desk/key/poem/abc/draft/";
const copy = (form, at) => JSON.stringify([{ answers: { form }, version: 1, at }]);

function after(noted, held) {
  const storage = new MemoryStorage();
  if (held) storage.setItem(KEY, held);
  const outdated = reconcile(storage, new Map([[KEY, noted]]), () => 5000);
  return { held: storage.getItem(KEY), outdated };
}

test("what did not reach the disk in time is put back", () => {
  const noted = { text: copy("4", 200), at: 200 };
  assert.equal(after(noted, null).held, copy("4", 200));
  assert.equal(after(noted, copy("3", 100)).held, copy("4", 200));
});

test("what was let go does not come back", () => {
  assert.equal(after({ text: null, at: 200 }, copy("3", 100)).held, null);
});

test("what was kept since counts", () => {
  assert.equal(after({ text: copy("3", 100), at: 100 }, copy("4", 200)).held, copy("4", 200));
  assert.equal(after({ text: null, at: 100 }, copy("4", 200)).held, copy("4", 200));
});

test("what nobody came back to for thirty days is forgotten", () => {
  const at = 4999 - 30 * 24 * 3600 * 1000;
  assert.deepEqual(after({ text: copy("3", at), at }, null), { held: null, outdated: [KEY] });
});
