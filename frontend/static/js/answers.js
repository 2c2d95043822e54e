// The answers of a form as plain text, by field name.

const NO_ANSWERS = new Set(["csrfmiddlewaretoken", "milliseconds", "edits", "shown", "go", "done"]);
const TICKED = new Set(["radio", "checkbox"]);

/** Return whether a field of this name holds an answer. */
export const isAnswer = (name) => Boolean(name) && !NO_ANSWERS.has(name);

/**
 * Return the answers among a form's entries; what is empty is left out.
 *
 * Where a box stands for an answer that its text field cannot say, the box comes later and counts.
 */
export function read(entries) {
  const answers = {};
  for (const [key, value] of entries) {
    if (isAnswer(key) && value !== "") answers[key] = value;
  }
  return answers;
}

/** Return the answers that a form came with, whatever a browser has put back into it since. */
export function given(fields) {
  const chosen = [...fields].filter((field) => !TICKED.has(field.type) || field.defaultChecked);
  return read(
    chosen
      .filter((field) => field.name && !field.disabled)
      .map((field) => [field.name, TICKED.has(field.type) ? field.value : field.defaultValue]),
  );
}

/** Set a form's fields to these answers, and empty those that have none. */
export function write(fields, answers) {
  const named = [...fields].filter((field) => isAnswer(field.name));
  const boxes = named.filter((field) => field.type === "checkbox");
  for (const field of named) {
    const answer = String(answers[field.name] ?? "");
    const boxed = boxes.some(({ name, value }) => name === field.name && value === answer);
    if (TICKED.has(field.type)) field.checked = field.value === answer;
    else field.value = boxed ? "" : answer;
  }
}

/** Return one text for equal answers, whatever the order of their keys. */
export function fingerprint(answers) {
  return JSON.stringify(
    Object.keys(answers)
      .sort()
      .map((key) => [key, String(answers[key])]),
  );
}

export function same(some, others) {
  return fingerprint(some) === fingerprint(others);
}
