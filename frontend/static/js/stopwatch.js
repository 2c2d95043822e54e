// Measures how long a poem was in view.

import { attempt } from "./attempt.js";

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

/**
 * Return a stopwatch that runs while the page is in view, on top of the time that was `before`.
 *
 * `visit` is a storage that lasts as long as the tab, so that a reload goes on from here.
 */
export function watchTime(address, before, visit) {
  const kept = Number(attempt(() => visit.getItem(address))) || 0;
  const stopwatch = new Stopwatch(Math.max(before, kept));
  const watch = () => {
    if (document.visibilityState === "visible") return stopwatch.start();
    stopwatch.stop();
    return attempt(() => visit.setItem(address, String(stopwatch.milliseconds)));
  };
  document.addEventListener("visibilitychange", watch);
  watch();
  return stopwatch;
}
