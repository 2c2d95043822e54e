// The answers of a form as plain text, by question key.

const NO_ANSWERS = new Set(["csrfmiddlewaretoken", "milliseconds"]);

/** Return the answers among a form's entries; what is empty is left out. */
export function read(entries) {
  const answers = {};
  for (const [key, value] of entries) {
    if (!NO_ANSWERS.has(key) && value !== "") answers[key] = value;
  }
  return answers;
}

/** Return the answers that a form came with, whatever a browser has put back into it since. */
export function given(fields) {
  const chosen = [...fields].filter((field) => field.type !== "radio" || field.defaultChecked);
  return read(
    chosen
      .filter((field) => field.name)
      .map((field) => [field.name, field.type === "radio" ? field.value : field.defaultValue]),
  );
}

/** Set a form's fields to these answers, and empty those that have none. */
export function write(fields, answers) {
  for (const field of fields) {
    if (!field.name || NO_ANSWERS.has(field.name)) continue;
    const answer = String(answers[field.name] ?? "");
    if (field.type === "radio") field.checked = field.value === answer;
    else field.value = answer;
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
