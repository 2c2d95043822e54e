// Which keys leaf through poems, and where they mean something else.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bindLeafing, way } from "../../frontend/static/js/leafing.js";

const within = (selector) => ({
  closest: (list) => (list.split(", ").includes(selector) ? {} : null),
});
const press = (key, more = {}) => way({ key, target: within("main"), ...more });

test("the arrow keys leaf back and forth, and no other key does", () => {
  assert.equal(press("ArrowLeft"), "prev");
  assert.equal(press("ArrowRight"), "next");
  for (const key of ["ArrowUp", "ArrowDown", "n", " ", "Enter"]) assert.equal(press(key), null);
});

test("with another key held they are the browser's", () => {
  for (const held of ["ctrlKey", "metaKey", "altKey", "shiftKey", "isComposing"]) {
    assert.equal(press("ArrowLeft", { [held]: true }), null);
  }
});

test("in a field or a box that scrolls they move what is there", () => {
  for (const place of ["input", "textarea", "select", ".scroll"]) {
    assert.equal(press("ArrowRight", { target: within(place) }), null);
  }
});

test("a key follows the link there is, and the hint is shown", () => {
  const followed = [];
  const hint = { hidden: true };
  const page = new EventTarget();
  bindLeafing({
    ownerDocument: page,
    querySelectorAll: () => [hint],
    querySelector: (selector) =>
      selector === 'a[rel="next"]' ? { click: () => followed.push("next") } : null,
  });
  for (const key of ["ArrowLeft", "ArrowRight"]) {
    const event = Object.assign(new Event("keydown", { cancelable: true }), { key });
    Object.defineProperty(event, "target", { value: within("main") });
    page.dispatchEvent(event);
    assert.equal(event.defaultPrevented, key === "ArrowRight");
  }
  assert.deepEqual(followed, ["next"]);
  assert.equal(hint.hidden, false);
});
