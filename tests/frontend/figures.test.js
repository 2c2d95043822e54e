// Figures that renew themselves: when they are asked for, and what they leave alone.

import assert from "node:assert/strict";
import { test } from "node:test";

import { EVERY, follow, renew } from "../../frontend/static/js/figures.js";
import { Clock } from "./standins.js";

function watched({ hidden = false, answers = () => "new" } = {}) {
  const clock = new Clock();
  const seen = { asked: [], shown: [], lost: [], hidden };
  const look = follow({
    ask: async () => {
      seen.asked.push(clock.time);
      return answers(clock);
    },
    show: (figures) => seen.shown.push(figures),
    lost: (is) => seen.lost.push(is),
    hidden: () => seen.hidden,
    wait: clock.setTimeout,
  });
  return { clock, seen, look };
}

test("figures are asked for every quarter of a minute, and shown", async () => {
  const { clock, seen } = watched();
  await clock.pass(3 * EVERY);
  assert.deepEqual(seen.asked, [15_000, 30_000, 45_000]);
  assert.deepEqual(seen.shown, ["new", "new", "new"]);
  assert.deepEqual(seen.lost, [false, false, false]);
});

test("nobody is asked while the page is hidden, and at once when it is seen again", async () => {
  const { clock, seen, look } = watched({ hidden: true });
  await clock.pass(4 * EVERY + 1);
  assert.deepEqual(seen.asked, []);
  seen.hidden = false;
  await look();
  assert.deepEqual(seen.asked, [60_001]);
  await clock.pass(EVERY);
  assert.deepEqual(seen.asked, [60_001, 75_000]);
});

test("a question that fails is said to have failed, and asked again", async () => {
  let fails = true;
  const { clock, seen } = watched({
    answers: () => {
      if (fails) throw new Error("no network");
      return "new";
    },
  });
  await clock.pass(EVERY);
  fails = false;
  await clock.pass(EVERY);
  assert.deepEqual(seen.lost, [true, false]);
  assert.deepEqual(seen.shown, ["new"]);
});

test("one question waits for the answer to the other", async () => {
  const answered = [];
  const { clock, seen, look } = watched({ answers: () => new Promise((done) => answered.push(done)) });
  await clock.pass(EVERY);
  look();
  await clock.pass(EVERY);
  assert.equal(seen.asked.length, 1);
  answered[0]("late");
  await clock.pass(EVERY);
  assert.deepEqual(seen.shown, ["late"]);
  assert.equal(seen.asked.length, 2);
});

/** An element as `renew` uses one, which counts what is written to it. */
class Figure {
  written = 0;
  constructor(name, text, attributes = {}) {
    this.dataset = { figure: name };
    this.text = text;
    this.attributes = attributes;
  }
  get textContent() {
    return this.text;
  }
  set textContent(text) {
    this.text = text;
    this.written += 1;
  }
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
    this.written += 1;
  }
}

const page = (...figures) => ({ querySelectorAll: () => figures });

test("new figures are written where the old ones stand, and only where they differ", () => {
  const done = new Figure("done", "3");
  const bar = new Figure("bar", "", { x: "0", width: "30", id: "mine" });
  const free = new Figure("free", "7");
  const fresh = page(
    new Figure("done", "4"),
    new Figure("bar", "", { x: "0", width: "40", id: "other" }),
    new Figure("free", "7"),
  );
  assert.equal(renew(page(done, bar, free), fresh), true);
  assert.deepEqual([done.text, bar.attributes, free.text], ["4", { x: "0", width: "40", id: "mine" }, "7"]);
  assert.deepEqual([done.written, bar.written, free.written], [1, 1, 0]);
});

test("figures of others are not written among those that stand there", () => {
  const old = new Figure("ada", "3");
  assert.equal(renew(page(old), page(new Figure("ben", "4"))), false);
  assert.equal(renew(page(old), page(new Figure("ada", "4"), new Figure("ben", "4"))), false);
  assert.equal(renew(page(old), page()), false);
  assert.equal(old.text, "3");
});
