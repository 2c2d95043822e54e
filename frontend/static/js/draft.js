// Saves a draft while it is typed, and loses nothing to a bad line or a second tab.

import { fingerprint, same } from "./answers.js";

const PAUSE = 1200; // milliseconds between a change and its save
const LONGEST_WAIT = 60_000;
const TRY_AGAIN = new Set([408, 425, 429]);

/**
 * One draft on its way to the server.
 *
 * `tell` hears of each turn: "saved" (with the time), "unsaved" (will be tried again), "newer"
 * (another tab or device saved other answers; the judge must choose), "answered" (it is submitted
 * already), "refused" (it cannot be saved as it is).
 */
export class Draft {
  #timer = null;
  #busy = false;
  #over = false;
  #failures = 0;
  #unconfirmed = new Set();
  #newer = null;

  /** `saved` is what the server holds, or null if that is not known. */
  constructor({ put, copy, tell, version, saved, clock = globalThis }) {
    Object.assign(this, { put, copy, tell, version, saved, clock });
    this.latest = saved;
  }

  get unsaved() {
    return this.latest !== null && (this.saved === null || !same(this.latest, this.saved));
  }

  /** Take up the copy that an earlier visit left. Return the answers to show, or null. */
  restore() {
    const kept = this.copy.read();
    if (!kept) return null;
    if (same(kept.answers, this.saved)) {
      this.copy.clear();
      return null;
    }
    this.latest = kept.answers;
    if (kept.version >= this.version) this.#later(0);
    else this.#disagree({ answers: this.saved, version: this.version });
    return kept.answers;
  }

  change(answers) {
    if (this.#over || (this.latest !== null && same(answers, this.latest))) return;
    this.latest = answers;
    this.copy.write(answers, this.version);
    if (this.#timer === null) this.#later(PAUSE); // else one is due, perhaps after a failure
  }

  /** Save at once what is not saved yet. */
  async save() {
    this.#cancel();
    if (this.#busy || this.#over || this.#newer || !this.unsaved) return;
    this.#busy = true;
    const sent = this.latest;
    this.#unconfirmed.add(fingerprint(sent));
    const reply = await this.put(sent, this.version).catch(() => ({ status: 0, body: {} }));
    this.#busy = false;
    this.#hear(reply, sent);
  }

  /** Return the answers saved elsewhere, which from now on are this draft's too. */
  takeNewer() {
    const { answers, version } = this.#newer;
    this.#newer = null;
    this.#confirm(answers, version);
    this.latest = answers;
    this.copy.clear();
    return answers;
  }

  /** Let what is typed here replace what was saved elsewhere. */
  keepMine() {
    this.saved = this.#newer.answers;
    this.version = this.#newer.version;
    this.#newer = null;
    this.copy.write(this.latest, this.version);
    return this.save();
  }

  /** Send nothing more: the answers are being submitted. */
  rest() {
    this.#over = true;
    this.#cancel();
  }

  /** Go on after a submission that did not get through. */
  wake() {
    this.#over = false;
    if (this.unsaved) this.#later(0);
  }

  #hear({ status, body }, sent) {
    if (status === 200) {
      this.#failures = 0;
      this.#confirm(sent, body.version);
      if (this.unsaved) this.#later(PAUSE);
      else this.copy.clear();
      this.tell("saved", body.saved_at);
    } else if (status === 409 && body.answers) {
      this.#meet(body);
    } else if (status === 409) {
      this.rest();
      this.copy.clear();
      this.tell("answered");
    } else if (status === 0 || status >= 500 || TRY_AGAIN.has(status)) {
      this.#failures += 1;
      this.#later(Math.min(PAUSE * 2 ** this.#failures, LONGEST_WAIT));
      this.tell("unsaved");
    } else {
      this.tell("refused");
    }
  }

  #meet(stored) {
    // A save whose reply was lost comes back as somebody's newer answers: they are ours.
    if (!this.#unconfirmed.has(fingerprint(stored.answers))) return this.#disagree(stored);
    this.#confirm(stored.answers, stored.version);
    return this.#later(0);
  }

  #disagree(stored) {
    this.#newer = stored;
    this.tell("newer");
  }

  #confirm(answers, version) {
    this.saved = answers;
    this.version = version;
    this.#unconfirmed.clear();
    if (this.unsaved) this.copy.write(this.latest, version);
  }

  #later(wait) {
    if (this.#over) return;
    this.#cancel();
    this.#timer = this.clock.setTimeout(() => this.save(), wait);
  }

  #cancel() {
    this.clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}
