// Copies of answers in this browser, kept until the server has confirmed them.

const KEPT_FOR = 30 * 24 * 3600 * 1000; // milliseconds
const AT_WORK = 60_000; // younger than this, another tab may be about to send it

// Only a draft is ever sent unasked; what was put aside or is being changed waits for its judge.
const PREFIXES = {
  draft: "blindverse:",
  aside: "blindverse-aside:",
  change: "blindverse-change:",
};

/** One copy of answers to one poem, named by an address. */
export class Copy {
  constructor(storage, address, { kind = "draft", now = Date.now, elapsed = () => 0 } = {}) {
    Object.assign(this, { storage, now, elapsed });
    this.key = PREFIXES[kind] + address;
  }

  /** Return what is kept, as {answers, version, milliseconds}, or null. */
  read() {
    return parse(attempt(() => this.storage.getItem(this.key)));
  }

  write(answers, version) {
    const at = this.now();
    const kept = JSON.stringify({ answers, version, milliseconds: this.elapsed(), at });
    attempt(() => this.storage.setItem(this.key, kept));
  }

  clear() {
    attempt(() => this.storage.removeItem(this.key));
  }
}

/** Return the part of a poem's addresses that page, draft and change page share. */
export function placeOf(address) {
  return address.match(/\/desk\/[^/]+\/poem\/[^/]+\//)?.[0] ?? address;
}

/** Return the drafts that were left here unsent, and forget whatever is too old. */
export function leftovers(storage, now = Date.now) {
  const left = [];
  for (const { kind, address } of addresses(storage)) {
    const copy = new Copy(storage, address, { kind, now });
    const kept = copy.read();
    const age = kept ? now() - kept.at : Infinity;
    if (!(age < KEPT_FOR)) copy.clear();
    else if (kind === "draft" && age > AT_WORK) left.push({ address, copy, ...kept });
  }
  return left;
}

/** Take over what was left unsent under an earlier link to the same poem. */
export function adopt(storage, address, now = Date.now) {
  const mine = new Copy(storage, address, { now });
  const [earlier] = addresses(storage)
    .filter((other) => other.kind === "draft" && other.address !== address)
    .filter((other) => tokenOf(other.address) && tokenOf(other.address) === tokenOf(address))
    .map((other) => new Copy(storage, other.address, { now }))
    .filter((copy) => copy.read());
  if (!earlier || mine.read()) return;
  const { answers, version, milliseconds } = earlier.read();
  new Copy(storage, address, { now, elapsed: () => milliseconds }).write(answers, version);
  if (mine.read()) earlier.clear();
}

/** Remove every copy that was made under the link with this key. */
export function forget(storage, key) {
  for (const { kind, address } of addresses(storage)) {
    if (address.includes(`/desk/${key}/`)) new Copy(storage, address, { kind }).clear();
  }
}

/** Return a storage of this browser, or null where it is forbidden; every use copes with that. */
export function browserStorage(kind) {
  return attempt(() => globalThis[kind]);
}

/** A browser may forbid or fill its storage at any moment; then there simply is no copy. */
export function attempt(act) {
  try {
    return act() ?? null;
  } catch {
    return null;
  }
}

function addresses(storage) {
  const keys = attempt(() => Object.keys(storage)) ?? [];
  return keys.flatMap((key) =>
    Object.entries(PREFIXES)
      .filter(([, prefix]) => key.startsWith(prefix))
      .map(([kind, prefix]) => ({ kind, address: key.slice(prefix.length) })),
  );
}

function tokenOf(address) {
  return address.match(/\/poem\/([^/]+)\//)?.[1];
}

function parse(text) {
  try {
    const kept = JSON.parse(text);
    const whole = typeof kept?.answers === "object" && kept.answers && Number.isInteger(kept.version);
    return whole ? { ...kept, milliseconds: Number(kept.milliseconds) || 0 } : null;
  } catch {
    return null;
  }
}
