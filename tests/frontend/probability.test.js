// A probability that is placed, dragged, typed or left open, and its trace.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Probability, parse, written } from "../../frontend/static/js/probability.js";

function track(given = {}) {
  const time = { view: 0, now: 0 };
  const one = new Probability({ elapsed: () => time.view, now: () => time.now, ...given });
  return { one, time };
}

const trace = ({ first, moves, touched }) => ({ first, moves, touched });

test("an untouched track has no number and no trace", () => {
  const { one } = track();
  one.settle();
  assert.equal(one.value, null);
  assert.equal(one.text, "");
  assert.deepEqual(trace(one), { first: "", moves: "", touched: "" });
});

test("a place is rounded to hundredths and stays on the track", () => {
  const { one } = track();
  const placed = [
    [0.3549, "0.35"],
    [0.355001, "0.36"],
    [-0.2, "0.00"],
    [1.7, "1.00"],
  ];
  for (const [fraction, text] of placed) {
    one.placeAt(fraction);
    assert.equal(one.text, text);
  }
});

test("the first touch is timed by the time in view, once", () => {
  const { one, time } = track();
  time.view = 4200.4;
  one.placeAt(0.2);
  time.view = 9000;
  one.placeAt(0.4);
  assert.equal(one.touched, "4200");
});

test("a drag is one move and its first rest is the first placement", () => {
  const { one } = track();
  for (const at of [0.9, 0.7, 0.35]) one.placeAt(at);
  one.settle();
  assert.deepEqual([one.first, one.moves], ["0.35", "0"]);
  for (const at of [0.4, 0.5, 0.6]) one.placeAt(at);
  one.settle();
  one.settle();
  assert.deepEqual([one.first, one.moves, one.text], ["0.35", "1", "0.60"]);
});

test("two digits within a second are one number; later ones begin anew", () => {
  const { one, time } = track();
  one.press("3");
  assert.equal(one.text, "0.30");
  time.now = 900;
  one.press("5");
  assert.equal(one.text, "0.35");
  time.now = 1000;
  one.press("7");
  assert.equal(one.text, "0.70");
  time.now = 2500;
  one.press("2");
  assert.equal(one.text, "0.20");
});

test("keys move by steps and stop at the ends", () => {
  const { one } = track({ text: "0.95" });
  const keys = ["ArrowRight", "ArrowDown", "PageUp", "PageDown", "Home", "ArrowLeft", "End"];
  const texts = keys.map((key) => one.press(key) && one.text);
  assert.deepEqual(texts, ["0.96", "0.95", "1.00", "0.90", "0.00", "0.00", "1.00"]);
});

test("a first arrow comes in from the end it moves away from", () => {
  const ends = { ArrowRight: 0, ArrowUp: 0, PageUp: 0, ArrowLeft: 1000, ArrowDown: 1000, PageDown: 1000 };
  for (const [key, end] of Object.entries(ends)) {
    const { one } = track();
    one.press(key);
    assert.equal(one.value, end, key);
  }
});

test("other keys are left alone", () => {
  const { one } = track();
  for (const key of ["Tab", "Enter", "a", "F5", " "]) assert.equal(one.press(key), false);
  assert.equal(one.touched, "");
});

test("clearing takes the number back and keeps the trace", () => {
  const { one } = track();
  one.placeAt(0.35);
  one.settle();
  one.press("Delete");
  one.settle();
  assert.deepEqual([one.value, one.text, one.first, one.moves], [null, "", "0.35", "0"]);
  one.placeAt(0.4);
  one.settle();
  assert.equal(one.moves, "1");
});

test("a typed number is as good as a placed one", () => {
  const { one } = track();
  for (const text of ["0", "0.", "0.3", "0.35", "0.355"]) one.type(text);
  one.settle();
  assert.deepEqual([one.value, one.text, one.first, one.moves], [355, "0.355", "0.355", "0"]);
  one.type("zero");
  assert.deepEqual([one.value, one.text], [null, "zero"]);
});

test("cannot tell is neither a number nor untouched", () => {
  const { one, time } = track();
  time.view = 700;
  one.tick(true);
  one.settle();
  assert.deepEqual([one.value, one.cannotTell, one.first, one.touched], [null, true, "", "700"]);
  one.placeAt(0.5);
  assert.deepEqual([one.value, one.cannotTell], [500, false]);
  one.tick(true);
  one.type("0.5");
  assert.equal(one.cannotTell, false);
});

test("a restored answer goes on with its trace", () => {
  const { one } = track({ text: "0.60", first: "0.35", moves: "2", touched: "4200" });
  one.settle();
  assert.equal(one.moves, "2");
  one.placeAt(0.1);
  one.settle();
  assert.deepEqual(trace(one), { first: "0.35", moves: "3", touched: "4200" });
});

test("a number that came without its trace is the first one", () => {
  const { one } = track({ text: "0.60" });
  one.placeAt(0.1);
  one.settle();
  assert.deepEqual([one.first, one.moves], ["0.60", "1"]);
});

test("a finger that only scrolls leaves no answer and no trace", () => {
  const { one } = track();
  one.hold();
  one.placeAt(0.5);
  one.letGo();
  one.settle();
  assert.equal(one.value, null);
  assert.deepEqual(trace(one), { first: "", moves: "", touched: "" });
});

test("numbers are read as the server reads them", () => {
  const read = { 0.35: 350, ".5": 500, "0,125": 125, 1: 1000, "1.00": 1000, 0: 0, "0.": 0, "0.3500": 350 };
  for (const [text, value] of Object.entries(read)) assert.equal(parse(text), value, text);
  for (const text of ["", "1.2", "0.1234", "35%", "-0.1", "1e-1", "."]) {
    assert.equal(parse(text), null, text);
  }
  assert.deepEqual([0, 350, 125, 1000].map(written), ["0.00", "0.35", "0.125", "1.00"]);
});
