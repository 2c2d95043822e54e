// How a line is quoted in a comment.

import assert from "node:assert/strict";
import { test } from "node:test";

import { quote, setIn } from "../../frontend/static/js/quoting.js";

test("a line is called by its number, and by its text where two are compared", () => {
  assert.equal(quote("7"), "l. 7:");
  assert.equal(quote("7", "A"), "A, l. 7:");
});

test("a quotation stands apart from the words around it", () => {
  assert.equal(setIn("", 0, "l. 7:"), "l. 7: ");
  assert.equal(setIn("It limps.", 9, "l. 7:"), " l. 7: ");
  assert.equal(setIn("It limps.\n", 10, "l. 7:"), "l. 7: ");
  assert.equal(setIn("See  for this.", 4, "l. 7:"), "l. 7:");
});
