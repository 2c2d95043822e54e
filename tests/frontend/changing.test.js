// What is kept of changes to submitted answers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { takeUp } from "../../frontend/static/js/changing.js";
import { MemoryCopy } from "./standins.js";

function page(kept, version) {
  const [copy, aside] = [new MemoryCopy(), new MemoryCopy()];
  copy.write(kept, version);
  return { copy, aside, edits: 8, saved: { form: "2" } };
}

test("changes that were not saved are shown again", () => {
  assert.deepEqual(takeUp(page({ form: "4" }, 8)), { form: "4" });
});

test("changes that got through are forgotten, with what they had replaced", () => {
  const one = page({ form: "2" }, 7);
  one.aside.write({ form: "1" }, 7);
  assert.equal(takeUp(one), null);
  assert.deepEqual([one.copy.kept, one.aside.kept], [null, null]);
});

test("changes to answers that were changed elsewhere since are put aside", () => {
  const one = page({ form: "4" }, 7);
  assert.equal(takeUp(one), null);
  assert.equal(one.copy.kept, null);
  assert.deepEqual(one.aside.kept.answers, { form: "4" });
});

test("changes that were just refused stay as they were typed", () => {
  const one = page({ form: "4" }, 7);
  one.saved = { form: "9" };
  assert.equal(takeUp(one, "yes"), null);
  assert.deepEqual(one.copy.kept, { answers: { form: "9" }, version: 8 });
});
