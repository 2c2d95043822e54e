// Measures how long a poem was in view.

export class Stopwatch {
  /** `before` is what earlier views of the same poem took, in milliseconds. */
  constructor(before = 0, now = () => performance.now()) {
    this.before = before;
    this.now = now;
    this.since = null;
  }

  get milliseconds() {
    return Math.round(this.before + (this.since === null ? 0 : this.now() - this.since));
  }

  start() {
    this.since ??= this.now();
  }

  stop() {
    this.before = this.milliseconds;
    this.since = null;
  }
}
