// What is typed into a form stays over a change of language.

import assert from "node:assert/strict";
import { test } from "node:test";

import { entriesOf, keepEntries, putBack } from "../../frontend/static/js/entries.js";
import { MemoryStorage } from "./standins.js";

const PATH = "/desk/key/consent/";

/** A form of a consent page in some language, with a box to agree and one to choose. */
function form(language, values = {}) {
  const fields = [
    { type: "hidden", name: "language", value: language },
    { type: "checkbox", name: "agree", value: "yes", checked: false },
    { type: "checkbox", name: "may", value: "quote", checked: false },
    { type: "checkbox", name: "may", value: "thank", checked: true },
    { type: "textarea", name: "conflicts", value: "" },
    { type: "submit", name: "", value: "" },
  ];
  const [, agree, quote, thank, conflicts] = fields;
  Object.assign(agree, { checked: values.agree ?? false });
  Object.assign(quote, { checked: values.quote ?? false });
  Object.assign(thank, { checked: values.thank ?? true });
  Object.assign(conflicts, { value: values.conflicts ?? "" });
  const acts = {};
  return { elements: fields, acts, addEventListener: (name, act) => (acts[name] = act) };
}

const held = ({ elements }) =>
  elements.slice(1, 5).map((field) => (field.type === "checkbox" ? field.checked : field.value));

test("what was typed and ticked is there again on the page in another language", () => {
  const visit = new MemoryStorage();
  const before = form("en");
  keepEntries(before, PATH, visit);
  before.elements[2].checked = true;
  before.elements[3].checked = false;
  before.elements[4].value = "An old friend\nand a new one";
  before.acts.input();
  const after = form("zh-hans");
  keepEntries(after, PATH, visit);
  assert.deepEqual(held(after), [false, true, false, "An old friend\nand a new one"]);
  assert.equal(after.elements[0].value, "zh-hans");
});

test("what is agreed to is agreed to in the words that were shown", () => {
  const kept = entriesOf(form("en", { agree: true }).elements);
  const [same, other] = [form("en"), form("zh-hans")];
  for (const one of [same, other]) putBack(one.elements, kept, ["agree"]);
  assert.deepEqual([held(same)[0], held(other)[0]], [true, false]);
});

test("another page's form, or one that was sent, is not filled", () => {
  const visit = new MemoryStorage();
  const before = form("en", { conflicts: "A friend" });
  keepEntries(before, PATH, visit);
  before.acts.input();
  const other = form("en");
  keepEntries(other, "/desk/another/consent/", visit);
  assert.equal(held(other)[3], "");
  before.acts.submit();
  assert.deepEqual(Object.keys(visit), []);
});

test("a browser that forbids its storage has forms all the same", () => {
  const one = form("en", { conflicts: "A friend" });
  keepEntries(one, PATH, null);
  one.acts.input();
  assert.equal(held(one)[3], "A friend");
});
