// Answers from elsewhere, laid beside those here.

import assert from "node:assert/strict";
import { test } from "node:test";

import { compare, questionsIn } from "../../frontend/static/js/comparison.js";

const optional = { textContent: "optional", classList: { contains: (name) => name === "optional" } };
const label = (textContent, ...others) => ({ childNodes: [{ textContent }, ...others] });
const legend = { querySelector: () => label("1  Form\n ", optional) };
const point = (value, words) => ({
  type: "radio",
  name: "form",
  value,
  labels: [label(words)],
  closest: () => legend,
});
const fields = [
  { type: "hidden", name: "milliseconds" },
  point("0", " 0 very bad "),
  point("4", "4 very good"),
  { type: "text", name: "author", labels: [label("2 Probability")] },
  { type: "checkbox", name: "author", value: "cannot_tell", labels: [label("Cannot tell")], closest: () => null },
  { type: "hidden", name: "author.first" },
  { type: "textarea", name: "comment", labels: [label("3 Comment")] },
  { type: "submit", name: "go" },
];

test("questions are called as on the page, once each, with no mark, and what is hidden is not shown", () => {
  const called = questionsIn(fields).map(({ name, question }) => [name, question]);
  assert.deepEqual(called, [
    ["form", "1 Form"],
    ["author", "2 Probability"],
    ["comment", "3 Comment"],
  ]);
});

test("an answer is told in the words of its point", () => {
  const rows = compare(questionsIn(fields), { form: "4", author: "cannot_tell" }, { form: "0" });
  assert.deepEqual(
    rows.map(({ answer, differs }) => [answer, differs]),
    [
      ["4 very good", true],
      ["Cannot tell", true],
      ["No answer", false],
    ],
  );
});
