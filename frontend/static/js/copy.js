// Copies of answers in this browser, kept until the server has confirmed them.

import { same } from "./answers.js";
import { attempt } from "./attempt.js";
import { KEPT_FOR, writeDown } from "./journal.js";

const AT_WORK = 60_000; // younger than this, another tab may be about to send it

// Only a draft is ever sent unasked; what was put aside or is being changed waits for its judge.
// A poem's token outlives the link that led to it, so only a draft, to be sent, needs an address.
const KINDS = {
  draft: { prefix: "blindverse:", room: 1, nameOf: (address) => address },
  aside: { prefix: "blindverse-aside:", room: 5, nameOf: (address) => tokenOf(address) ?? address },
  change: { prefix: "blindverse-change:", room: 1, nameOf: (address) => tokenOf(address) ?? address },
  // Under which links a poem was here that has something of the two above.
  place: { prefix: "blindverse-place:", room: 1, nameOf: placeOf },
};
const KEPT_BY_TOKEN = ["aside", "change"];

/**
 * What is kept of the answers to one poem, named by an address: one copy of them, or (of kind
 * "aside") the few last ones that gave way to others.
 *
 * `describe` returns how the page calls each of some answers, so that they can be shown where their
 * questions are not asked.
 */
export class Copy {
  #claimed = null;

  constructor(
    storage,
    address,
    { kind = "draft", now = Date.now, elapsed = () => 0, describe = () => ({}) } = {},
  ) {
    Object.assign(this, { storage, address, kind, now, elapsed, describe });
    this.page = unique();
    this.key = KINDS[kind].prefix + KINDS[kind].nameOf(address);
  }

  /** Return what is kept, the newest first, each as {answers, version, milliseconds, ...}. */
  all() {
    return parse(attempt(() => this.storage.getItem(this.key)));
  }

  /** Return the newest of what is kept, or null. */
  read() {
    return this.all()[0] ?? null;
  }

  /** As `read`; from now on it is this page's own, to write over and to clear. */
  claim() {
    const kept = this.read();
    this.#claimed = kept && nameOf(kept);
    return kept;
  }

  /**
   * Keep these answers. What another tab wrote is put aside first.
   *
   * Of what is put aside, `by` names what is to be replaced; `decided` says that the judge has seen
   * it and chosen others; `words` are those of the page that it comes from.
   */
  write(answers, version, { by = this.#author(), decided = false, words = this.describe(answers) } = {}) {
    const entry = { answers, version, milliseconds: this.elapsed(), at: this.now(), by, decided, words };
    const others = this.all().filter((one) => one.by !== by && !same(one.answers, answers));
    if (this.kind === "aside") return this.keep([entry, ...others]);
    for (const other of others) if (!this.#owns(other)) this.#rescue(other);
    return this.keep([entry]);
  }

  /** Forget what this page kept; or, of what was put aside, what its judge has decided on. */
  clear() {
    const done = (one) => (this.kind === "aside" ? one.decided : this.#owns(one));
    this.keep(this.all().filter((one) => !done(one)));
  }

  /** Forget what is too old. */
  expire() {
    const all = this.all();
    const young = all.filter(({ at }) => this.now() - at < KEPT_FOR);
    if (young.length < all.length || !young.length) this.keep(young);
  }

  /** Keep these entries, or as many of the newest as there is room for. */
  keep(entries) {
    const newest = [...entries].sort((one, other) => other.at - one.at).slice(0, KINDS[this.kind].room);
    const kept = newest.length ? JSON.stringify(entries.filter((one) => newest.includes(one))) : null;
    attempt(() => (kept ? this.storage.setItem(this.key, kept) : this.storage.removeItem(this.key)));
    writeDown(this.key, kept, this.now());
    if (newest.length && KEPT_BY_TOKEN.includes(this.kind)) note(this);
  }

  #rescue({ answers, version, milliseconds, by, words }) {
    const elapsed = () => milliseconds;
    const aside = new Copy(this.storage, this.address, { kind: "aside", now: this.now, elapsed });
    aside.write(answers, version, { by, words });
  }

  #owns(one) {
    return one.by === this.page || nameOf(one) === this.#claimed;
  }

  #author() {
    return this.kind === "aside" ? unique() : this.page;
  }
}

/** Return the part of a poem's addresses that page, draft and change page share. */
export function placeOf(address) {
  return address.match(/\/desk\/[^/]+\/poem\/[^/]+\//)?.[0] ?? address;
}

/** Return a name that no other page has. */
export function unique() {
  return Math.random().toString(36).slice(2); // crypto.randomUUID is there on https only
}

/** Return the drafts that were left here unsent, and forget whatever is too old. */
export function leftovers(storage, now = Date.now) {
  const left = [];
  for (const { kind, address } of addresses(storage)) {
    const copy = new Copy(storage, address, { kind, now });
    copy.expire();
    const kept = copy.claim();
    if (kind === "draft" && kept && now() - kept.at > AT_WORK) left.push({ address, copy, ...kept });
  }
  return left;
}

/** Remember that what is kept of a poem now belongs to this link, too. */
export function noteLink(storage, address, now = Date.now) {
  const copies = KEPT_BY_TOKEN.map((kind) => new Copy(storage, address, { kind, now }));
  copies.filter((copy) => copy.read()).forEach(note);
}

/** Take over what was left unsent under an earlier link to the same poem. */
export function adopt(storage, address, now = Date.now) {
  noteLink(storage, address, now);
  const mine = new Copy(storage, address, { now });
  const [earlier] = addresses(storage)
    .filter((other) => other.kind === "draft" && other.address !== address)
    .filter((other) => tokenOf(other.address) && tokenOf(other.address) === tokenOf(address))
    .map((other) => new Copy(storage, other.address, { now }))
    .filter((copy) => copy.claim());
  if (!earlier || mine.read()) return;
  const { answers, version, milliseconds, words } = earlier.read();
  new Copy(storage, address, { now, elapsed: () => milliseconds }).write(answers, version, { words });
  if (mine.read()) earlier.clear();
}

/**
 * Remove every copy of the judge whose link has this key, under whichever link it was made.
 *
 * Return the keys and tokens by which this browser knew them. A token belongs to one judge, so
 * links that led to the same poem are the same judge's.
 */
export function forget(storage, key) {
  const known = new Set([key]);
  const all = addresses(storage).map((one) => ({ ...one, ids: idsOf(one.address) }));
  const theirs = ({ ids }) => ids.some((id) => known.has(id));
  for (let before = 0; before < known.size; ) {
    before = known.size;
    for (const id of all.filter(theirs).flatMap(({ ids }) => ids)) known.add(id);
  }
  for (const { name } of all.filter(theirs)) attempt(() => storage.removeItem(name));
  return known;
}

/** Return a storage of this browser, or null where it is forbidden; every use copes with that. */
export function browserStorage(kind) {
  return attempt(() => globalThis[kind]);
}

/** Remember under which link a poem was here, so that a deletion finds all that was kept of it. */
function note({ storage, address, now }) {
  if (tokenOf(address)) new Copy(storage, address, { kind: "place", now }).write({}, 0);
}

function addresses(storage) {
  const names = attempt(() => Object.keys(storage)) ?? [];
  return names.flatMap((name) =>
    Object.entries(KINDS)
      .filter(([, { prefix }]) => name.startsWith(prefix))
      .map(([kind, { prefix }]) => ({ kind, name, address: name.slice(prefix.length) })),
  );
}

function tokenOf(address) {
  return address.match(/\/poem\/([^/]+)\//)?.[1];
}

/** Return the key and the token that an address holds, or the token that it is. */
function idsOf(address) {
  const [, key, token] = address.match(/\/desk\/([^/]+)\/poem\/([^/]+)\//) ?? [];
  return key ? [key, token] : [address];
}

const nameOf = ({ by, at }) => `${by} ${at}`;

function parse(text) {
  try {
    return [JSON.parse(text)] // one alone, as copies were kept before there could be several
      .flat()
      .filter(({ answers, version }) => answers && typeof answers === "object" && Number.isInteger(version))
      .map((one) => ({ ...one, milliseconds: Number(one.milliseconds) || 0 }));
  } catch {
    return [];
  }
}
