// How the pages look, and that it is kept.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Keeper, looks, schemeOf } from "../../frontend/static/js/settings.js";
import { Clock } from "./standins.js";

const choices = (theme) => new Map([["theme", theme]]);

test("the choices become the looks of the page", () => {
  const chosen = new Map([
    ["theme", "sepia"],
    ["text_size", "5"],
    ["line_numbers", "yes"],
  ]);
  assert.deepEqual(looks(chosen), { theme: "sepia", size: "5", numbers: "yes" });
  assert.equal(looks(new Map([["line_numbers", "no"]])).numbers, "no");
});

test("a theme brings the browser's own colours with it", () => {
  assert.deepEqual(["system", "light", "sepia", "dark"].map(schemeOf), [
    "light dark",
    "light",
    "light",
    "dark",
  ]);
});

test("of a quick walk through the themes the last is kept, once", async () => {
  const clock = new Clock();
  const posts = [];
  const post = async (sent) => posts.push(sent.get("theme"));
  const keeper = new Keeper({ post, clock });
  for (const theme of ["light", "sepia", "dark"]) {
    keeper.change(choices(theme));
    await clock.pass(100);
  }
  await clock.pass(5000);
  assert.deepEqual(posts, ["dark"]);
});

test("what failed goes again when the line is back", async () => {
  const clock = new Clock();
  let posts = 0;
  const post = async () => {
    posts += 1;
    if (posts === 1) throw new TypeError("Failed to fetch");
    return true;
  };
  const keeper = new Keeper({ post, clock });
  keeper.change(choices("dark"));
  await clock.pass(5000);
  await keeper.send();
  await keeper.send();
  assert.equal(posts, 2);
});

test("a choice made while another is on its way follows it", async () => {
  const clock = new Clock();
  const posts = [];
  let arrive;
  const post = (sent) => {
    posts.push(sent.get("theme"));
    return new Promise((done) => (arrive = done));
  };
  const keeper = new Keeper({ post, clock });
  keeper.change(choices("dark"));
  await clock.pass(1000);
  keeper.change(choices("sepia"));
  await clock.pass(1000);
  assert.deepEqual(posts, ["dark"]);
  arrive(true);
  await clock.pass(1000);
  assert.deepEqual(posts, ["dark", "sepia"]);
});
