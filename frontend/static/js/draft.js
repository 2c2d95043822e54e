// Saves a draft while it is typed, and loses nothing to a bad line or a second tab.

import { fingerprint, same } from "./answers.js";
import { passing, shut } from "./door.js";

const PAUSE = 1200; // milliseconds between a change and its save
const LONGEST_WAIT = 15_000;

/**
 * One draft on its way to the server.
 *
 * `tell` hears of each turn: "saved" (with the time), "unsaved" (will be tried again), "newer"
 * (another tab or device saved other answers; the judge must choose), "ahead" (there later questions
 * are being answered), "answered" (it is submitted already), "stale" (the link does not open it),
 * "refused" (it cannot be saved as it is). Answers that give way to others are put `aside`.
 */
export class Draft {
  #timer = null;
  #busy = false;
  #over = false;
  #failures = 0;
  #unconfirmed = new Set();
  #newer = null;

  /**
   * `saved` is what the server holds, or null if that is not known; `knows` says whether a name is
   * that of a field of this page; `stage` is the part of the questions it asks, if that is known.
   */
  constructor({ put, copy, aside, tell, version, saved, stage, knows = () => true, clock = globalThis }) {
    Object.assign(this, { put, copy, aside, tell, version, saved, stage, knows, clock });
    this.latest = saved;
  }

  /** The answers saved elsewhere, while the judge has not chosen; else null. */
  get newer() {
    return this.#newer?.answers ?? null;
  }

  get unsaved() {
    return this.latest !== null && (this.saved === null || !same(this.latest, this.saved));
  }

  /** Take up the copy that an earlier visit left. Return the answers to show, or null. */
  restore() {
    const kept = this.copy.read();
    if (!kept) return null;
    // Of a copy from before earlier answers were fixed, only what is still asked can be shown.
    const answers = Object.fromEntries(
      Object.entries(kept.answers).filter(([name]) => this.knows(name)),
    );
    if (same(answers, this.saved)) {
      this.copy.clear();
      return null;
    }
    this.latest = answers;
    if (kept.version >= this.version) this.#later(0);
    else this.#disagree({ answers: this.saved, version: this.version });
    return answers;
  }

  change(answers) {
    if (this.#over || (this.latest !== null && same(answers, this.latest))) return;
    this.latest = answers;
    this.copy.write(answers, this.version);
    if (this.#newer) this.#putAside(answers, this.#newer.answers);
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

  /** Return the answers saved elsewhere, which from now on are this draft's; put aside what was here. */
  takeNewer() {
    const { answers, version } = this.#newer;
    this.#newer = null;
    this.#putAside(this.latest, answers);
    this.latest = answers;
    this.#confirm(answers, version);
    this.copy.clear();
    return answers;
  }

  /** Let what is typed here replace what was saved elsewhere, which is put aside. */
  keepMine() {
    this.#putAside(this.#newer.answers, this.latest);
    this.saved = this.#newer.answers;
    this.version = this.#newer.version;
    this.#newer = null;
    this.copy.write(this.latest, this.version);
    return this.save();
  }

  /** Return what was put aside, to be shown and saved; what was here is put aside in its place. */
  bringBack() {
    const { answers } = this.aside.read();
    this.#putAside(this.latest ?? {}, answers);
    this.change(answers);
    return answers;
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
      // Another tab may have left its own there, which are not saved yet.
      else if (same(this.copy.read()?.answers ?? sent, sent)) this.copy.clear();
      if (!this.#over) this.tell("saved", body.saved_at);
    } else if (this.#over) {
      // Overtaken by the submission, whose own reply says what became of the answers.
    } else if (status === 409) {
      this.#meet(body);
    } else if (passing(status)) {
      this.#failures += 1;
      this.#later(Math.min(PAUSE * 2 ** this.#failures, LONGEST_WAIT));
      this.tell("unsaved");
    } else {
      this.tell(shut(status) ? "stale" : "refused");
    }
  }

  #meet(stored) {
    if (!stored.answers) return this.#end("answered");
    if (this.#isAhead(stored)) return this.#end("ahead");
    // A save whose reply was lost comes back as somebody's newer answers: they are ours.
    if (!this.#unconfirmed.has(fingerprint(stored.answers))) return this.#disagree(stored);
    this.#confirm(stored.answers, stored.version);
    return this.#later(0);
  }

  #isAhead({ answers, stage }) {
    if (!Object.keys(answers).every((name) => this.knows(name))) return true;
    return [stage, this.stage].every((one) => one !== undefined) && String(stage) !== String(this.stage);
  }

  #end(turn) {
    this.rest();
    this.aside.write(this.latest, this.version);
    this.copy.clear();
    this.tell(turn);
  }

  #putAside(answers, others) {
    if (!same(answers, others)) this.aside.write(answers, this.version);
  }

  #disagree(stored) {
    this.#newer = stored;
    // The page may go before its judge has chosen, and the other tab writes the copy anew.
    this.#putAside(this.latest, stored.answers);
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
