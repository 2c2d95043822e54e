// The language of the page: what Django's catalogue says of a text, or the text itself without it.

export const gettext = (text) => (globalThis.gettext ? globalThis.gettext(text) : text);

export const ngettext = (one, many, count) =>
  globalThis.ngettext ? globalThis.ngettext(one, many, count) : count === 1 ? one : many;

/** Put values into the `%(name)s` places of a text. */
export const interpolate = (text, values) =>
  text.replace(/%\((\w+)\)s/g, (place, name) => (name in values ? String(values[name]) : place));
