// How long a poem was in view.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Stopwatch } from "../../frontend/static/js/stopwatch.js";

function clock() {
  const it = { time: 1000, now: () => it.time };
  return it;
}

test("only the time in view counts", () => {
  const it = clock();
  const watch = new Stopwatch(0, it.now);
  watch.start();
  it.time += 300;
  watch.stop();
  it.time += 5000;
  watch.start();
  it.time += 40;
  assert.equal(watch.milliseconds, 340);
});

test("earlier views of the poem count too", () => {
  const it = clock();
  const watch = new Stopwatch(7000, it.now);
  watch.start();
  it.time += 0.6;
  assert.equal(watch.milliseconds, 7001);
});

test("starting twice counts once", () => {
  const it = clock();
  const watch = new Stopwatch(0, it.now);
  watch.start();
  it.time += 100;
  watch.start();
  it.time += 100;
  assert.equal(watch.milliseconds, 200);
});
