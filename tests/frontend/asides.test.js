// What gave way to other answers comes back, one version after the other.

import assert from "node:assert/strict";
import { test } from "node:test";

import { takeAside, wordsOf } from "../../frontend/static/js/asides.js";
import { Copy } from "../../frontend/static/js/copy.js";
import { MemoryStorage } from "./standins.js";

const HERE = "/desk/key/poem/abc/";
const anything = () => true;
const authorship = (name) => name === "author";

function shelf(...versions) {
  let at = 0;
  const aside = new Copy(new MemoryStorage(), HERE, { kind: "aside", now: () => ++at });
  for (const answers of versions) aside.write(answers, 0);
  return aside;
}

const forms = (aside) => aside.all().map(({ answers }) => answers.form);

test("all versions come round, the newest first, and what was here is the last", () => {
  const aside = shelf({ form: "1" }, { form: "2" }, { form: "3" });
  let here = { form: "4" };
  const seen = [];
  for (let time = 0; time < 5; time += 1) {
    here = takeAside(aside, here, anything).answers;
    seen.push(here.form);
  }
  assert.deepEqual(seen, ["3", "2", "1", "4", "3"]);
});

test("an empty page, or the same answers, are not put aside", () => {
  for (const here of [{}, { form: "1" }]) {
    const aside = shelf({ form: "1" });
    takeAside(aside, here, anything);
    assert.equal(aside.read(), null);
  }
});

test("what the page does not ask is told as text and stays aside; the page stays as it is", () => {
  const aside = shelf({ author: "0.2" }, { form: "1", comment: "late" });
  assert.deepEqual(takeAside(aside, { author: "0.7" }, authorship), {
    answers: null,
    rest: "form\n1\n\ncomment\nlate",
  });
  assert.deepEqual(
    aside.all().map(({ answers }) => answers),
    [{ author: "0.2" }, { form: "1", comment: "late" }],
  );
});

test("of a version for more than this page, each part goes its way", () => {
  const aside = shelf({ form: "1", author: "0.2" });
  const { answers, rest } = takeAside(aside, { author: "0.7" }, authorship);
  assert.deepEqual([answers, rest], [{ author: "0.2" }, "form\n1"]);
  aside.clear();
  assert.deepEqual(forms(aside), ["1"]);
});

test("the text speaks with the words of the page where the answers were given", () => {
  const points = new Map([["1", "poor"]]);
  const questions = [
    { name: "form", question: "How good is its form?", points },
    { name: "comment", question: "Why?", points: new Map() },
    { name: "theme", question: "And its theme?", points },
  ];
  const describe = (answers) => wordsOf(questions, answers);
  const aside = new Copy(new MemoryStorage(), HERE, { kind: "aside", describe });
  aside.write({ form: "1", comment: "It limps.", "p.moves": "3" }, 0);
  const { rest } = takeAside(aside, {}, () => false);
  assert.equal(rest, "How good is its form?\npoor\n\nWhy?\nIt limps.");
});

test("answers that another tab kept bring their words with them", () => {
  const storage = new MemoryStorage();
  const questions = [{ name: "comment", question: "Why?", points: new Map() }];
  const describe = (answers) => wordsOf(questions, answers);
  new Copy(storage, "/api" + HERE + "draft/", { describe }).write({ comment: "It limps." }, 0);
  new Copy(storage, "/api" + HERE + "draft/").write({ author: "0.2" }, 0);
  const aside = new Copy(storage, HERE, { kind: "aside" });
  assert.equal(takeAside(aside, {}, authorship).rest, "Why?\nIt limps.");
});
