// How the pages look: shown at once, kept in the background.

const QUIET = 400; // milliseconds: a walk through the sizes by arrow key is one choice

/** Return what the choices of a form make of the page, as its root's data. */
export function looks(choices) {
  return {
    theme: choices.get("theme") ?? "system",
    size: choices.get("text_size") ?? "3",
    numbers: choices.get("line_numbers") === "yes" ? "yes" : "no",
  };
}

/** Return the color-scheme that goes with a theme. */
export function schemeOf(theme) {
  if (theme === "dark") return "dark";
  return theme === "light" || theme === "sepia" ? "light" : "light dark";
}

/** Sends the newest choices, one request at a time; what failed goes with the next. */
export class Keeper {
  #timer = null;
  #busy = false;
  #due = null;

  constructor({ post, clock = globalThis }) {
    Object.assign(this, { post, clock });
  }

  change(choices) {
    this.#due = choices;
    this.#later();
  }

  async send() {
    this.clock.clearTimeout(this.#timer);
    if (this.#busy || !this.#due) return;
    this.#busy = true;
    const sent = this.#due;
    const kept = await this.post(sent).catch(() => false);
    this.#busy = false;
    if (this.#due !== sent) this.#later();
    else if (kept) this.#due = null;
  }

  #later() {
    this.clock.clearTimeout(this.#timer);
    this.#timer = this.clock.setTimeout(() => this.send(), QUIET);
  }
}

/** Bind the form of the settings to the page. */
export function bindSettings(form, root) {
  const keeper = new Keeper({ post: (choices) => post(form.action, choices) });

  form.addEventListener("change", ({ target }) => {
    if (target.name === "language") {
      form.requestSubmit(); // the page comes back in it
      return;
    }
    const choices = new FormData(form);
    // A box that is not ticked would send nothing.
    if (!choices.has("line_numbers")) choices.set("line_numbers", "no");
    apply(root, choices);
    keeper.change(choices);
  });
  window.addEventListener("online", () => keeper.send());
  window.addEventListener("pagehide", () => keeper.send());
  form.querySelector("button[type=submit]").hidden = true;
}

function apply(root, choices) {
  const { theme, size, numbers } = looks(choices);
  Object.assign(root.dataset, { theme, size, numbers });
  const scheme = document.querySelector("meta[name=color-scheme]");
  if (scheme) scheme.content = schemeOf(theme);
}

async function post(address, choices) {
  const reply = await fetch(address, {
    method: "POST",
    credentials: "same-origin",
    keepalive: true, // it may be the last thing on this page
    redirect: "manual", // where a form would go back to is where we are
    body: new URLSearchParams(choices),
  });
  return reply.ok || reply.type === "opaqueredirect";
}

const form = globalThis.document?.querySelector("#settings form");
if (form) bindSettings(form, document.documentElement);
