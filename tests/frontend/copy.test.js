// What a browser keeps of a draft, and for how long.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Copy, leftovers } from "../../frontend/static/js/copy.js";

const DAY = 24 * 3600 * 1000;
const HERE = "/api/assignments/abc/draft/";

/** A browser's storage: its entries are its own enumerable properties. */
class Storage {
  getItem(key) {
    return Object.hasOwn(this, key) ? this[key] : null;
  }
  setItem(key, value) {
    this[key] = value;
  }
  removeItem(key) {
    delete this[key];
  }
}

test("a copy gives back the answers and the version they began from", () => {
  const storage = new Storage();
  new Copy(storage, HERE, () => 5).write({ form: "4" }, 2);
  assert.deepEqual(new Copy(storage, HERE).read(), { answers: { form: "4" }, version: 2, at: 5 });
});

test("a cleared copy is gone", () => {
  const copy = new Copy(new Storage(), HERE);
  copy.write({ form: "4" }, 2);
  copy.clear();
  assert.equal(copy.read(), null);
});

test("a browser that forbids its storage has no copies and no errors", () => {
  const copy = new Copy(null, HERE);
  copy.write({ form: "4" }, 2);
  copy.clear();
  assert.equal(copy.read(), null);
  assert.deepEqual(leftovers(null), []);
});

test("what is not a copy is not read as one", () => {
  for (const text of ["", "{", "null", "3", '{"answers": null, "version": 1}', '{"answers": {}}']) {
    const storage = new Storage();
    storage.setItem(`blindverse:${HERE}`, text);
    assert.equal(new Copy(storage, HERE).read(), null, text);
  }
});

test("leftovers are a minute to a month old", () => {
  const storage = new Storage();
  storage.setItem("of another program", "untouched");
  const written = { fresh: 100 * DAY, left: 100 * DAY - 90_000, old: 69 * DAY };
  for (const [address, at] of Object.entries(written)) {
    new Copy(storage, address, () => at).write({ form: "1" }, 3);
  }
  const found = leftovers(storage, () => 100 * DAY);
  assert.deepEqual(
    found.map(({ address, answers, version }) => ({ address, answers, version })),
    [{ address: "left", answers: { form: "1" }, version: 3 }],
  );
  assert.deepEqual(Object.keys(storage), [
    "of another program",
    "blindverse:fresh",
    "blindverse:left",
  ]);
});
