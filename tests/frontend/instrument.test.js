// Where an example goes in the text of an instrument.

import assert from "node:assert/strict";
import { test } from "node:test";

import { inserted, listEnd } from "../../frontend/static/js/instrument.js";

const EXAMPLE = '{\n  "key": "new"\n}';
const keys = (text) => JSON.parse(text).questions.map(({ key }) => key);

test("an example goes into an empty list", () => {
  const text = '{"questions": []}';
  assert.deepEqual(keys(inserted(text, text.indexOf("]"), EXAMPLE).text), ["new"]);
});

test("an example goes before, between and after others, with the commas that it needs", () => {
  const text = '{"questions": [\n  {"key": "a"},\n  {"key": "b"}\n]}';
  const at = (place) => keys(inserted(text, place, EXAMPLE).text);
  assert.deepEqual(at(text.indexOf("[") + 1), ["new", "a", "b"]);
  assert.deepEqual(at(text.indexOf("},") + 1), ["a", "new", "b"]);
  assert.deepEqual(at(text.indexOf("},") + 2), ["a", "new", "b"]);
  assert.deepEqual(at(text.indexOf("]")), ["a", "b", "new"]);
});

test("an example goes to the end of the questions if no place was chosen", () => {
  const text = '{"questions": [{"key": "a", "points": [[1, "x"]]}]}';
  assert.deepEqual(keys(inserted(text, listEnd(text), EXAMPLE).text), ["a", "new"]);
  assert.equal(listEnd("no list"), 7);
});

test("the cursor stands behind what was put in", () => {
  const { text, end } = inserted("[]", 1, EXAMPLE);
  assert.equal(text.slice(end), "\n]");
});
