// Sends what other poems' pages had to leave unsent.

import { Copy, leftovers, placeOf } from "./copy.js";
import { door } from "./door.js";

/** Try each draft that was left in this browser, but the one that is open here. */
export function sendUnsent(storage, here, { fetch = globalThis.fetch, now = Date.now } = {}) {
  const others = leftovers(storage, now).filter(({ address }) => address !== here);
  return Promise.all(others.map((other) => sendOne(storage, other, { fetch, now })));
}

async function sendOne(storage, { address, copy, answers, version, milliseconds }, { fetch, now }) {
  const put = door(address, () => milliseconds, fetch);
  const { status, body } = await put(answers, version).catch(() => ({ status: 0, body: {} }));
  if (status === 409 && !body.answers) {
    // It was submitted meanwhile: the page that changes answers offers what came too late.
    new Copy(storage, placeOf(address), { kind: "aside", now }).write(answers, version);
  }
  // Newer answers wait for the judge's choice; an address that is shut, for the next link.
  if (status === 200 || (status === 409 && !body.answers)) copy.clear();
}
