// A probability placed on an empty track, or typed: nothing is shown before the judge has placed it.

const STEPS = {
  ArrowRight: 10,
  ArrowUp: 10,
  ArrowLeft: -10,
  ArrowDown: -10,
  PageUp: 100,
  PageDown: -100,
};
const ENDS = { Home: 0, End: 1000 };
const SECOND_DIGIT = 1000; // milliseconds in which a second digit refines the first

/** Return a number as the server reads it, in thousandths, or null. */
export function parse(text) {
  const written = text.trim().replace(",", ".");
  const fits = /^(0?\.[0-9]{1,3}0*|0\.?|1(\.0*)?)$/.test(written);
  return fits ? Math.round(Number(written) * 1000) : null;
}

/** Return thousandths as they are written: 0.35. */
export const written = (thousandths) =>
  (thousandths / 1000).toFixed(thousandths % 10 === 0 ? 2 : 3);

/**
 * One answer and how the judge came to it.
 *
 * `value` is in thousandths, or null. The trace, as the form sends it: `first` is the first number
 * placed, `moves` how often another one was settled on since, `touched` when the question was first
 * touched, in milliseconds of `elapsed`. A drag, a run of keys or a typed number is settled as one.
 */
export class Probability {
  #digit = null;
  #placed;
  #before = null;

  constructor({ elapsed, now = () => performance.now(), text = "", cannotTell = false, ...trace }) {
    const { first = "", moves = "", touched = "" } = trace;
    Object.assign(this, { elapsed, now, text, cannotTell, first, moves, touched });
    this.value = cannotTell ? null : parse(text);
    this.#placed = this.value ?? (first === "" ? null : parse(first));
  }

  /** Place at a fraction of the track's length, in hundredths. */
  placeAt(fraction) {
    this.#place(Math.round(fraction * 100) * 10);
  }

  /** Take one key of the track; return whether it was one. */
  press(key) {
    const digit = /^[0-9]$/.test(key) ? Number(key) : null;
    const tens = this.#digit;
    this.#digit = null;
    if (digit !== null) this.#typeDigit(digit, tens);
    else if (key in STEPS) this.#step(STEPS[key]);
    else if (key in ENDS) this.#place(ENDS[key]);
    else if (key === "Delete" || key === "Backspace") this.clear();
    else return false;
    return true;
  }

  /** Take what is typed in the field, which need not be a number yet. */
  type(text) {
    this.touch();
    this.text = text;
    this.value = parse(text);
    if (text !== "") this.cannotTell = false;
  }

  /** Say, or take back, that one cannot tell. */
  tick(cannotTell) {
    this.clear();
    this.cannotTell = cannotTell;
  }

  clear() {
    this.touch();
    Object.assign(this, { text: "", value: null, cannotTell: false });
  }

  touch() {
    if (this.touched === "") this.touched = String(Math.round(this.elapsed()));
  }

  /** Remember the answer: a pointer went down, perhaps only to scroll the page. */
  hold() {
    const { text, value, cannotTell, touched } = this;
    this.#before = { text, value, cannotTell, touched };
  }

  /** It was a scroll: let the answer be what it was. */
  letGo() {
    Object.assign(this, this.#before);
  }

  /** The hand rests: what is placed now counts. */
  settle() {
    if (this.value === null || this.value === this.#placed) return;
    if (this.first !== "" || this.#placed !== null) this.moves = String(Number(this.moves) + 1);
    else this.moves = "0";
    // A number that came without its trace, from a page without script, was the first one.
    if (this.first === "") this.first = written(this.#placed ?? this.value);
    this.#placed = this.value;
  }

  #typeDigit(digit, tens) {
    const refines = tens !== null && this.now() - tens.at < SECOND_DIGIT;
    this.#place(refines ? tens.digit * 100 + digit * 10 : digit * 100);
    if (!refines) this.#digit = { digit, at: this.now() };
  }

  #step(step) {
    // Without a number there is no place to move from: it comes in from the end.
    if (this.value === null) this.#place(step > 0 ? 0 : 1000);
    else this.#place(this.value + step);
  }

  #place(thousandths) {
    this.touch();
    this.value = Math.min(1000, Math.max(0, thousandths));
    this.text = written(this.value);
    this.cannotTell = false;
  }
}
