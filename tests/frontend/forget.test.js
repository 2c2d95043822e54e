// What a browser forgets after a deletion.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Copy } from "../../frontend/static/js/copy.js";
import { forgetLeaver, remember } from "../../frontend/static/js/forget.js";
import { MemoryStorage } from "./standins.js";

const DRAFT = "/api/desk/key/poem/abc/draft/";

function browser() {
  const [visit, storage] = [new MemoryStorage(), new MemoryStorage()];
  new Copy(storage, DRAFT).write({ form: "4" }, 1);
  return { visit, storage };
}

test("after a deletion nothing of the judge is left in this browser", () => {
  const { visit, storage } = browser();
  visit.setItem(DRAFT, "12000"); // the time in view
  remember(visit, "/desk/key/leave/", "delete");
  forgetLeaver(visit, storage);
  assert.deepEqual([Object.keys(storage), Object.keys(visit)], [[], []]);
});

test("what was kept under an earlier link of the same judge goes, too", () => {
  const { visit, storage } = browser();
  new Copy(storage, "/desk/first/poem/abc/", { kind: "aside" }).write({ form: "3" }, 1);
  visit.setItem("/api/desk/first/poem/abc/draft/", "12000");
  visit.setItem("/api/desk/another/poem/xyz/draft/", "9000");
  remember(visit, "/desk/key/leave/", "delete");
  forgetLeaver(visit, storage);
  assert.deepEqual(Object.keys(storage), []);
  assert.deepEqual(Object.keys(visit), ["/api/desk/another/poem/xyz/draft/"]);
});

test("a pause, or another's receipt, forgets nothing", () => {
  const { visit, storage } = browser();
  remember(visit, "/desk/key/leave/", "pause");
  forgetLeaver(visit, storage);
  assert.ok(new Copy(storage, DRAFT).read());
});
