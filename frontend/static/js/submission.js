// Brings finished answers to the server once, however bad the line and however often it is asked.

import { passing, shut } from "./door.js";

const FIRST_WAIT = 2000; // milliseconds
const LONGEST_WAIT = 15_000;
const NOT_SENT = { status: 0, body: {} };

/**
 * Return a function that posts answers as those of a stage, from the newest version of their draft.
 *
 * `wanted` tells whether they are still to be submitted: it may take a while to get there.
 */
export function postFrom(draft, stage, post) {
  const hand = (sent) => post({ ...sent, version: draft.version, stage });
  return async (sent, wanted) => {
    await draft.landed(); // or a save of our own would look like another's
    if (!wanted()) return NOT_SENT;
    const reply = await hand(sent);
    // A save whose reply was lost is no other tab's, either.
    return reply.status === 409 && wanted() && draft.recognise(reply.body) ? hand(sent) : reply;
  };
}

/**
 * The submission of one page.
 *
 * `tell` hears of each turn: "sending", "waiting" (no connection; it is tried again), "withdrawn"
 * (an answer changed, so it is not), "problems" (with a message by question key), "arrived" (with
 * the reply and what was sent), "unchosen" (with a newer draft, so it is not submitted), "ahead" (other
 * answers were fixed elsewhere), "shut" (the link does not open the poem), "unsubmitted" (it cannot be
 * sent as it is).
 */
export class Submission {
  #timer = null;
  #busy = false;
  #asked = null;
  #failures = 0;
  #arrived = false;

  constructor({ post, tell, clock = globalThis }) {
    Object.assign(this, { post, tell, clock });
  }

  get busy() {
    return this.#busy;
  }

  /** Whether the judge has asked for it and it is not through yet. */
  get asked() {
    return this.#asked !== null;
  }

  /** Submit these answers. While they are on their way, asking again changes nothing. */
  async send(answers, milliseconds) {
    if (this.#busy || this.#arrived) return;
    this.#asked = { answers, milliseconds };
    await this.again();
  }

  /** Try at once what has been asked for. */
  async again() {
    if (this.#busy || this.#arrived || !this.#asked) return;
    this.#cancel();
    this.#busy = true;
    this.tell("sending");
    const sent = this.#asked;
    const reply = await this.post(sent, () => this.#asked === sent).catch(() => NOT_SENT);
    this.#busy = false;
    this.#hear(reply, sent);
  }

  /** An answer changed: what was asked for is no longer what would be sent. */
  withdraw() {
    if (!this.#asked) return;
    this.#asked = null;
    this.#cancel();
    this.tell("withdrawn");
  }

  /** The page is shown again after it was left. */
  reopen() {
    this.#arrived = false;
  }

  #hear({ status, body }, sent) {
    if (body.next && (status < 300 || status === 409)) {
      this.#asked = null;
      this.#arrived = true;
      this.tell("arrived", { next: body.next, status, sent: sent.answers });
    } else if (passing(status)) {
      this.#wait();
    } else {
      this.#asked = null;
      this.#failures = 0;
      this.tell(...refusal(status, body));
    }
  }

  #wait() {
    if (!this.#asked) return this.tell("withdrawn");
    this.#failures += 1;
    const wait = Math.min(FIRST_WAIT * 2 ** (this.#failures - 1), LONGEST_WAIT);
    this.#timer = this.clock.setTimeout(() => this.again(), wait);
    return this.tell("waiting");
  }

  #cancel() {
    this.clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function refusal(status, body) {
  if (status === 400 && body.answers) return ["problems", body.answers];
  if (status === 409) return body.answers ? ["unchosen", body] : ["ahead"];
  return [shut(status) ? "shut" : "unsubmitted"];
}
