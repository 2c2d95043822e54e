// What a browser keeps of a draft, and for how long.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Copy, adopt, forget, leftovers, placeOf } from "../../frontend/static/js/copy.js";
import { MemoryStorage } from "./standins.js";

const DAY = 24 * 3600 * 1000;
const HERE = "/api/desk/key/poem/abc/draft/";

test("a copy gives back the answers, the version they began from and the time in view", () => {
  const storage = new MemoryStorage();
  const copy = new Copy(storage, HERE, { now: () => 5, elapsed: () => 9000 });
  copy.write({ form: "4" }, 2);
  const { answers, version, milliseconds, at } = new Copy(storage, HERE).read();
  assert.deepEqual([answers, version, milliseconds, at], [{ form: "4" }, 2, 9000, 5]);
});

test("a cleared copy is gone", () => {
  const copy = new Copy(new MemoryStorage(), HERE);
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
  const texts = ["", "{", "null", "3", "{}", "[]", '[{"answers": null, "version": 1}]', '[{"answers": {}}]'];
  for (const text of texts) {
    const storage = new MemoryStorage();
    storage.setItem(`blindverse:${HERE}`, text);
    assert.equal(new Copy(storage, HERE).read(), null, text);
  }
});

test("leftovers are a minute to a month old", () => {
  const storage = new MemoryStorage();
  storage.setItem("of another program", "untouched");
  const written = { fresh: 100 * DAY, left: 100 * DAY - 90_000, old: 69 * DAY };
  for (const [address, at] of Object.entries(written)) {
    new Copy(storage, address, { now: () => at }).write({ form: "1" }, 3);
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

test("what was put aside or is being changed is never among what is sent, and grows old, too", () => {
  const storage = new MemoryStorage();
  for (const kind of ["aside", "change"]) {
    new Copy(storage, "old", { kind, now: () => 0 }).write({ form: "1" }, 0);
    new Copy(storage, "left", { kind, now: () => 99 * DAY }).write({ form: "1" }, 0);
  }
  assert.deepEqual(
    leftovers(storage, () => 100 * DAY),
    [],
  );
  assert.equal(Object.keys(storage).length, 2);
});

test("the page, the draft and the change page of a poem share one place", () => {
  const addresses = [HERE, "/desk/key/poem/abc/", "/desk/key/poem/abc/change/"];
  assert.deepEqual(addresses.map(placeOf), Array(3).fill("/desk/key/poem/abc/"));
});

test("a new link takes over what was left under an earlier one to the same poem", () => {
  const storage = new MemoryStorage();
  const earlier = "/api/desk/expired/poem/abc/draft/";
  const other = "/api/desk/expired/poem/xyz/draft/";
  new Copy(storage, earlier, { elapsed: () => 9000 }).write({ form: "4" }, 2);
  new Copy(storage, other).write({ form: "1" }, 1);
  adopt(storage, HERE);
  const { answers, version, milliseconds } = new Copy(storage, HERE).read();
  assert.deepEqual([answers, version, milliseconds], [{ form: "4" }, 2, 9000]);
  assert.equal(new Copy(storage, earlier).read(), null);
  assert.ok(new Copy(storage, other).read());
});

test("taking over replaces nothing", () => {
  const storage = new MemoryStorage();
  const earlier = "/api/desk/expired/poem/abc/draft/";
  new Copy(storage, HERE).write({ form: "5" }, 3);
  new Copy(storage, earlier).write({ form: "4" }, 2);
  adopt(storage, HERE);
  assert.deepEqual(new Copy(storage, HERE).read().answers, { form: "5" });
  assert.ok(new Copy(storage, earlier).read());
});

test("what was put aside or is being changed is there under a new link, too", () => {
  const storage = new MemoryStorage();
  for (const kind of ["aside", "change"]) {
    new Copy(storage, "/desk/expired/poem/abc/", { kind }).write({ form: "3" }, 2);
    const { answers } = new Copy(storage, "/desk/key/poem/abc/", { kind }).read();
    assert.deepEqual(answers, { form: "3" });
    assert.equal(new Copy(storage, "/desk/key/poem/xyz/", { kind }).read(), null);
  }
});

test("what another tab keeps is put aside before it is written over, each tab's once", () => {
  const storage = new MemoryStorage();
  const [one, other] = [new Copy(storage, HERE), new Copy(storage, HERE)];
  one.write({ comment: "A whole para" }, 0);
  one.write({ comment: "A whole paragraph." }, 0);
  other.write({ comment: "B" }, 0);
  one.write({ comment: "A whole paragraph. And more." }, 0);
  other.write({ comment: "Be" }, 0);
  assert.deepEqual(new Copy(storage, HERE).read().answers, { comment: "Be" });
  assert.deepEqual(aside(storage), ["A whole paragraph. And more.", "B"]);
});

test("what was taken up from an earlier visit is written over, but not what its tab adds to it", () => {
  const storage = new MemoryStorage();
  const [earlier, later] = [new Copy(storage, HERE), new Copy(storage, HERE)];
  earlier.write({ comment: "Once" }, 0);
  later.claim();
  later.write({ comment: "Once upon" }, 0);
  assert.deepEqual(aside(storage), []);
  earlier.write({ comment: "Once more" }, 0);
  assert.deepEqual(aside(storage), ["Once upon"]);
});

test("a page clears its own copy and no other tab's", () => {
  const storage = new MemoryStorage();
  const [one, other] = [new Copy(storage, HERE), new Copy(storage, HERE)];
  one.write({ form: "4" }, 0);
  other.clear();
  assert.deepEqual(other.read().answers, { form: "4" });
  other.claim();
  other.clear();
  assert.equal(one.read(), null);
});

test("five versions are kept aside, the newest first, and none twice", () => {
  const storage = new MemoryStorage();
  let at = 0;
  const shelf = new Copy(storage, HERE, { kind: "aside", now: () => ++at });
  for (const form of ["1", "2", "3", "4", "5", "6", "4"]) shelf.write({ form }, 0);
  assert.deepEqual(
    shelf.all().map(({ answers }) => answers.form),
    ["4", "6", "5", "3", "2"],
  );
});

test("clearing what is aside leaves what no judge has decided on", () => {
  const shelf = new Copy(new MemoryStorage(), HERE, { kind: "aside" });
  shelf.write({ form: "1" }, 0);
  shelf.write({ form: "2" }, 0, { decided: true });
  shelf.clear();
  assert.deepEqual(
    shelf.all().map(({ answers }) => answers.form),
    ["1"],
  );
});

test("forgetting removes every copy of one judge, under whichever link, and no other's", () => {
  const storage = new MemoryStorage();
  const others = "/api/desk/another/poem/xyz/draft/";
  new Copy(storage, "/desk/first/poem/abd/", { kind: "aside" }).write({ form: "3" }, 2);
  new Copy(storage, "/desk/first/poem/abc/", { kind: "change" }).write({ form: "3" }, 2);
  new Copy(storage, others).write({ form: "1" }, 1);
  new Copy(storage, placeOf(others), { kind: "aside" }).write({ form: "2" }, 1);
  const left = Object.keys(storage).filter((name) => /another|xyz/.test(name));
  adopt(storage, HERE);
  new Copy(storage, HERE).write({ form: "4" }, 2);
  const ids = forget(storage, "key");
  assert.deepEqual([...ids].sort(), ["abc", "abd", "first", "key"]);
  assert.deepEqual(Object.keys(storage).sort(), left.sort());
});

function aside(storage) {
  const shelf = new Copy(storage, placeOf(HERE), { kind: "aside" });
  return shelf.all().map(({ answers }) => answers.comment);
}
