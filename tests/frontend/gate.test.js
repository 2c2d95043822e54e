// The questions that wait for the recognition of the poem.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bindGate } from "../../frontend/static/js/gate.js";

function page(levels) {
  const listeners = [];
  const after = { inert: null, waiting: null };
  const parts = {
    ".gate": {
      querySelectorAll: () => levels,
      addEventListener: (kind, act) => listeners.push(act),
    },
    ".after-gate": {
      toggleAttribute: (name, on) => (after[name] = on),
      classList: { toggle: (name, on) => (after[name] = on) },
    },
  };
  const form = { querySelector: (selector) => parts[selector] };
  return { form, after, answer: () => listeners.forEach((act) => act()) };
}

test("what comes after the gate waits until it is answered", () => {
  const levels = [{ checked: false }, { checked: false }];
  const { form, after, answer } = page(levels);
  bindGate(form);
  assert.deepEqual(after, { inert: true, waiting: true });
  levels[1].checked = true;
  answer();
  assert.deepEqual(after, { inert: false, waiting: false });
});

test("answers that were set from a copy open the gate", () => {
  const levels = [{ checked: false }];
  const { form, after } = page(levels);
  const gate = bindGate(form);
  levels[0].checked = true;
  gate.refresh();
  assert.equal(after.inert, false);
});

test("a form without a gate has nothing that waits", () => {
  const gate = bindGate({ querySelector: () => null });
  assert.doesNotThrow(gate.refresh);
});
