// What a key means, and where it means nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { meaning } from "../../frontend/static/js/keys.js";

const press = (key, type, more = {}) => meaning({ key, target: { type }, ...more });

test("a digit chooses a point on a scale and nowhere else", () => {
  assert.equal(press("4", "radio"), "point");
  for (const type of ["textarea", "text", "number", "checkbox", "submit", undefined]) {
    assert.equal(press("4", type), null);
  }
  assert.equal(press("4", "radio", { ctrlKey: true }), null);
});

test("Ctrl or Cmd with Enter submits from anywhere, once however long it is held", () => {
  for (const type of ["radio", "textarea", "text", undefined]) {
    assert.equal(press("Enter", type, { ctrlKey: true }), "submit");
    assert.equal(press("Enter", type, { metaKey: true }), "submit");
  }
  assert.equal(press("Enter", "textarea"), null);
  assert.equal(press("Enter", "textarea", { ctrlKey: true, repeat: true }), null);
});

test("a question mark shows the hint, except where it is typed", () => {
  assert.equal(press("?", "radio"), "hint");
  for (const type of ["textarea", "text", "number", "select-one"]) assert.equal(press("?", type), null);
});

test("keys that compose a character mean nothing", () => {
  assert.equal(press("4", "radio", { isComposing: true }), null);
  assert.equal(press("Enter", "textarea", { ctrlKey: true, isComposing: true }), null);
});
