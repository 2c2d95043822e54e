// What a judge is told.

import assert from "node:assert/strict";
import { test } from "node:test";

import { gettext, interpolate, ngettext } from "../../frontend/static/js/language.js";
import { words } from "../../frontend/static/js/words.js";

const QUIET = ["ready", "saved", "sending", "editing"];
const LOUD = [
  "unsaved",
  "newer",
  "answered",
  "ahead",
  "stale",
  "refused",
  "waiting",
  "unchosen",
  "withdrawn",
  "unsubmitted",
  "shut",
  "problems",
  "offline",
  "restored",
];
const afternoon = new Date(2026, 10, 20, 14, 2).toISOString();

test("a save is told quietly with its time, in every language", () => {
  assert.equal(words("saved", afternoon, "en").text, "Saved 14:02");
  assert.equal(words("saved", afternoon, "zh-hans").text, "Saved 14:02");
});

test("only what asks for the judge's attention is loud", () => {
  const loud = [...QUIET, ...LOUD].filter((turn) => words(turn, afternoon).loud);
  assert.deepEqual(loud, LOUD);
});

test("every turn has its own words", () => {
  const texts = [...QUIET, ...LOUD].map((turn) => words(turn, afternoon).text);
  assert.equal(new Set(texts).size, texts.length);
});

test("a page without a catalogue speaks English, one with it its language", () => {
  assert.equal(gettext("Saved %(time)s"), "Saved %(time)s");
  assert.equal(ngettext("one", "many", 2), "many");
  globalThis.gettext = (text) => ({ "Saved %(time)s": "%(time)s 已保存" })[text] ?? text;
  try {
    assert.equal(words("saved", afternoon, "zh-hans").text, "14:02 已保存");
  } finally {
    delete globalThis.gettext;
  }
});

test("values are put in by name", () => {
  assert.equal(interpolate("%(text)s, l. %(line)s:", { text: "A", line: 7 }), "A, l. 7:");
  assert.equal(interpolate("100 %, %(unknown)s", {}), "100 %, %(unknown)s");
});
