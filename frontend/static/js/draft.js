// Saves a draft while it is typed, and loses nothing to a bad line or a second tab.

import { fingerprint, same } from "./answers.js";
import { divided, filled, takeAside } from "./asides.js";
import { unique } from "./copy.js";
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
  #flight = null;
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
    const kept = this.copy.claim();
    if (!kept) return null;
    // Of a copy from before earlier answers were fixed, only what is still asked can be shown.
    const [answers, rest] = divided(kept.answers, this.knows);
    if (filled(rest)) this.aside.write(rest, kept.version, { words: kept.words });
    if (same(answers, this.saved) || (filled(rest) && !filled(answers))) {
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
    if (this.#newer) this.#putAside(answers, this.#newer.answers, { by: this.#newer.name });
    if (this.#timer === null) this.#later(PAUSE); // else one is due, perhaps after a failure
  }

  /** Save at once what is not saved yet. */
  async save() {
    this.#cancel();
    if (this.#flight || this.#over || this.#newer || !this.unsaved) return;
    this.#flight = this.#send(this.latest);
    await this.#flight;
  }

  /** Wait until no save is under way, so that `version` is the newest this page can know. */
  async landed() {
    await this.#flight;
  }

  /** Return whether stored answers are this page's own, and if so, go on from their version. */
  recognise(stored) {
    if (!stored.answers || this.#isAhead(stored)) return false;
    const own = [...this.#unconfirmed, fingerprint(this.latest ?? {})];
    if (!own.includes(fingerprint(stored.answers))) return false;
    this.#confirm(stored.answers, stored.version);
    return true;
  }

  /** Return the answers saved elsewhere, which from now on are this draft's; put aside what was here. */
  takeNewer() {
    const { answers, version, name } = this.#newer;
    this.#newer = null;
    this.#putAside(this.latest, answers, { by: name, decided: true });
    this.latest = answers;
    this.#confirm(answers, version);
    this.copy.clear();
    return answers;
  }

  /** Let what is typed here replace what was saved elsewhere, which is put aside. */
  keepMine() {
    const { answers, version, name } = this.#newer;
    this.#newer = null;
    this.#putAside(answers, this.latest, { by: name, decided: true });
    Object.assign(this, { saved: answers, version });
    this.copy.write(this.latest, this.version);
    return this.save();
  }

  /**
   * Take up the first of what was put aside; what was here is put behind the last.
   *
   * Returns {answers, rest}: answers to show, or null, and the text of what has no field here.
   */
  bringBack() {
    const back = takeAside(this.aside, this.latest ?? {}, this.knows);
    if (back.answers) this.change(back.answers);
    return back;
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

  /** Meet what is stored instead of what this page sent: the judge has to choose, or it is over. */
  meet(stored) {
    if (!stored.answers) return this.#end("answered");
    if (this.#isAhead(stored)) return this.#end("ahead");
    // A save whose reply was lost comes back as somebody's newer answers: they are ours.
    return this.recognise(stored) ? this.#later(0) : this.#disagree(stored);
  }

  async #send(sent) {
    this.#unconfirmed.add(fingerprint(sent));
    const reply = await this.put(sent, this.version).catch(() => ({ status: 0, body: {} }));
    this.#flight = null;
    this.#hear(reply, sent);
  }

  #hear({ status, body }, sent) {
    if (status === 200) {
      this.#failures = 0;
      this.#confirm(sent, body.version);
      if (this.unsaved) this.#later(PAUSE);
      else this.copy.clear();
      if (!this.#over) this.tell("saved", body.saved_at);
    } else if (this.#over) {
      // Overtaken by the submission, whose own reply says what became of the answers.
    } else if (status === 409) {
      this.meet(body);
    } else if (passing(status)) {
      this.#failures += 1;
      this.#later(Math.min(PAUSE * 2 ** this.#failures, LONGEST_WAIT));
      this.tell("unsaved");
    } else {
      this.tell(shut(status) ? "stale" : "refused");
    }
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

  #putAside(answers, others, as) {
    if (filled(answers) && !same(answers, others)) this.aside.write(answers, this.version, as);
  }

  #disagree(stored) {
    this.#newer = { ...stored, name: unique() };
    // The page may go before its judge has chosen, and the other tab writes the copy anew.
    this.#putAside(this.latest, stored.answers, { by: this.#newer.name });
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
