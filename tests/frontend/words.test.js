// What a judge is told about a draft.

import assert from "node:assert/strict";
import { test } from "node:test";

import { words } from "../../frontend/static/js/words.js";

test("a save is told quietly with its time", () => {
  const { text, loud } = words("saved", new Date(2026, 10, 20, 14, 2).toISOString());
  assert.equal(text, "Saved 14:02");
  assert.ok(!loud);
});

test("only what keeps answers from the server is loud", () => {
  const turns = ["ready", "saved", "unsaved", "newer", "answered", "refused"];
  const now = new Date().toISOString();
  const loud = turns.filter((turn) => words(turn, now).loud);
  assert.deepEqual(loud, ["unsaved", "newer", "answered", "refused"]);
});
