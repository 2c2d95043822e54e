// What the scripts find in a browser, as small as a test needs it.

/** A clock whose time passes only when told, and lets replies arrive in between. */
export class Clock {
  time = 0;
  timers = new Map();
  now = () => this.time;
  setTimeout = (act, wait) => {
    const key = Symbol("timer");
    this.timers.set(key, { act, at: this.time + wait });
    return key;
  };
  clearTimeout = (key) => this.timers.delete(key);
  async pass(milliseconds) {
    const end = this.time + milliseconds;
    await settle();
    for (;;) {
      const due = [...this.timers].filter(([, { at }]) => at <= end);
      if (!due.length) break;
      const [key, { act, at }] = due.reduce((a, b) => (b[1].at < a[1].at ? b : a));
      this.timers.delete(key);
      this.time = at;
      act();
      await settle();
    }
    this.time = end;
  }
}

const settle = () => new Promise((done) => setImmediate(done));

/** A browser's storage: its entries are its own enumerable properties. */
export class MemoryStorage {
  getItem(key) {
    return Object.hasOwn(this, key) ? this[key] : null;
  }
  setItem(key, value) {
    this[key] = String(value);
  }
  removeItem(key) {
    delete this[key];
  }
}

/** Room for one copy of answers, and for one page. */
export class MemoryCopy {
  kept = null;
  all() {
    return this.kept ? [this.kept] : [];
  }
  read() {
    return this.kept;
  }
  claim() {
    return this.kept;
  }
  keep([newest = null]) {
    this.kept = newest;
  }
  write(answers, version) {
    this.kept = { answers, version };
  }
  clear() {
    this.kept = null;
  }
}

/** A line to the server that replies what it is told, one reply after another. */
export function line(...replies) {
  const calls = [];
  const fetch = async (address, options) => {
    calls.push({ address, ...options, content: JSON.parse(options.body) });
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply === "no line") throw new TypeError("Failed to fetch");
    return reply.clone();
  };
  return { calls, fetch };
}
