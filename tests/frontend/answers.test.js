// How a form's answers are read, set and compared.

import assert from "node:assert/strict";
import { test } from "node:test";

import { given, read, same, write } from "../../frontend/static/js/answers.js";

const radio = (name, value, checked = false) => ({
  type: "radio",
  name,
  value,
  checked,
  defaultChecked: checked,
});
const text = (name, value) => ({ type: "textarea", name, value, defaultValue: value });

test("answers are the filled fields and nothing else that the page sends", () => {
  const entries = [
    ["csrfmiddlewaretoken", "secret"],
    ["milliseconds", "1200"],
    ["edits", "3"],
    ["shown", "b"],
    ["go", "0.2"],
    ["done", "2"],
    ["form", "4"],
    ["comment", ""],
    ["quality_comment", "  two spaces stay"],
  ];
  assert.deepEqual(read(entries), { form: "4", quality_comment: "  two spaces stay" });
});

test("what a browser typed back in is not what the page came with", () => {
  const fields = [radio("form", "1"), radio("form", "2", true), text("comment", "as sent")];
  fields[2].value = "typed back in";
  assert.deepEqual(given(fields), { form: "2", comment: "as sent" });
});

test("a button has no answer", () => {
  assert.deepEqual(given([{ type: "submit", name: "" }]), {});
});

test("setting answers chooses their points and empties the rest", () => {
  const fields = [radio("form", "0"), radio("form", "4", true), text("comment", "old")];
  write(fields, { form: 0 });
  assert.deepEqual(
    fields.map(({ checked, value }) => checked ?? value),
    [true, false, ""],
  );
});

test("setting answers leaves the token and the time alone", () => {
  const fields = [text("csrfmiddlewaretoken", "secret"), text("milliseconds", "1200")];
  write(fields, {});
  assert.deepEqual(
    fields.map(({ value }) => value),
    ["secret", "1200"],
  );
});

test("answers are the same in any order and as number or text", () => {
  assert.ok(same({ form: "4", theme: "2" }, { theme: 2, form: 4 }));
  assert.ok(!same({ form: "4" }, { form: "4", theme: "2" }));
});

const box = (name, value, checked = false) => ({ ...radio(name, value, checked), type: "checkbox" });

test("a ticked box answers for its text field, and an unticked one does not", () => {
  const field = text("author", "");
  assert.deepEqual(given([field, box("author", "cannot_tell")]), {});
  assert.deepEqual(given([field, box("author", "cannot_tell", true)]), { author: "cannot_tell" });
  const entries = [
    ["author", "0.35"],
    ["author", "cannot_tell"],
  ];
  assert.deepEqual(read(entries), { author: "cannot_tell" });
});

test("setting answers ticks the box or fills the field, never both", () => {
  const fields = [text("author", "0.1"), box("author", "cannot_tell")];
  write(fields, { author: "cannot_tell" });
  assert.deepEqual([fields[0].value, fields[1].checked], ["", true]);
  write(fields, { author: "0.35" });
  assert.deepEqual([fields[0].value, fields[1].checked], ["0.35", false]);
});
