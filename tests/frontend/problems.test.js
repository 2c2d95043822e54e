// How a field names what describes it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { listed } from "../../frontend/static/js/problems.js";

test("a description joins those that are there and leaves without them", () => {
  assert.equal(listed(null, "wrong-form", true), "wrong-form");
  assert.equal(listed("ends hint", "wrong-form", true), "wrong-form ends hint");
  assert.equal(listed("wrong-form ends", "wrong-form", true), "wrong-form ends");
  assert.equal(listed("wrong-form ends", "wrong-form", false), "ends");
  assert.equal(listed("wrong-form", "wrong-form", false), null);
});
