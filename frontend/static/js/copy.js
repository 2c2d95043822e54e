// A copy of a draft in this browser, kept until the server has confirmed it.

const PREFIX = "blindverse:";
const KEPT_FOR = 30 * 24 * 3600 * 1000; // milliseconds
const AT_WORK = 60_000; // younger than this, another tab may be about to send it

/** The copy of one draft, named by the address that the draft is saved at. */
export class Copy {
  constructor(storage, address, now = Date.now) {
    this.storage = storage;
    this.key = PREFIX + address;
    this.now = now;
  }

  /** Return what is kept, as {answers, version}, or null. */
  read() {
    return parse(attempt(() => this.storage.getItem(this.key)));
  }

  write(answers, version) {
    const kept = JSON.stringify({ answers, version, at: this.now() });
    attempt(() => this.storage.setItem(this.key, kept));
  }

  clear() {
    attempt(() => this.storage.removeItem(this.key));
  }
}

/** Return the copies that were left here unsent, and forget those that are too old. */
export function leftovers(storage, now = Date.now) {
  const keys = attempt(() => Object.keys(storage)) ?? [];
  const left = [];
  for (const key of keys.filter((one) => one.startsWith(PREFIX))) {
    const address = key.slice(PREFIX.length);
    const copy = new Copy(storage, address, now);
    const kept = copy.read();
    const age = kept ? now() - kept.at : Infinity;
    if (!(age < KEPT_FOR)) copy.clear();
    else if (age > AT_WORK) left.push({ address, copy, ...kept });
  }
  return left;
}

function parse(text) {
  try {
    const kept = JSON.parse(text);
    const whole = typeof kept?.answers === "object" && kept.answers && Number.isInteger(kept.version);
    return whole ? kept : null;
  } catch {
    return null;
  }
}

/** A browser may forbid or fill its storage at any moment; then there simply is no copy. */
function attempt(act) {
  try {
    return act() ?? null;
  } catch {
    return null;
  }
}
