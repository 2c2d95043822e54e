// Writes down at once what is kept in this browser: localStorage may reach the disk only a minute
// later, and a browser that is killed before then has lost what it held.

import { attempt } from "./attempt.js";

export const KEPT_FOR = 30 * 24 * 3600 * 1000; // milliseconds

const NAME = "blindverse";
const STORE = "copies";
const PATIENCE = 1000; // milliseconds; some browsers leave an opening without an answer

let opening = null;

/** Write down that `key` holds this text since `at`; or, if it is null, nothing any more. */
export async function writeDown(key, text, at) {
  const store = await open("readwrite");
  attempt(() => store?.put({ text, at }, key));
}

/** Put back into `storage` what it has lost, or not let go, of what was written down. */
export async function recover(storage) {
  const late = new Promise((done) => setTimeout(done, PATIENCE, new Map()));
  const noted = await Promise.race([entries(), late]);
  await drop(reconcile(storage, noted));
}

/** Remove all that was written down under keys that hold one of these. */
export async function erase(ids) {
  const keys = [...(await entries()).keys()].filter((key) => ids.some((id) => key.includes(id)));
  await drop(keys);
}

/** Let the newer of both count, by key. Return the keys that are too old to be kept. */
export function reconcile(storage, noted, now = Date.now) {
  const outdated = [];
  for (const [key, { text, at }] of noted) {
    if (!(now() - at < KEPT_FOR)) outdated.push(key);
    else if (at < writtenAt(attempt(() => storage.getItem(key)))) continue;
    else if (text === null) attempt(() => storage.removeItem(key));
    else attempt(() => storage.setItem(key, text));
  }
  return outdated;
}

async function drop(keys) {
  if (!keys.length) return;
  const store = await open("readwrite");
  for (const key of keys) attempt(() => store?.delete(key));
}

function writtenAt(text) {
  return attempt(() => Math.max(...[JSON.parse(text)].flat().map(({ at }) => at))) ?? -Infinity;
}

async function entries() {
  const store = await open("readonly");
  if (!store) return new Map();
  const [keys, values] = await Promise.all([
    answer(store.getAllKeys()),
    answer(store.getAll()),
  ]);
  return new Map((keys ?? []).map((key, index) => [key, values[index]]));
}

async function open(mode) {
  opening ??= attempt(() => {
    const request = globalThis.indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    return answer(request);
  });
  const database = await opening;
  return attempt(() => database.transaction(STORE, mode).objectStore(STORE));
}

function answer(request) {
  return new Promise((done) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => done(null);
  });
}
