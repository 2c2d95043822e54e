// Once everything of a judge is deleted, this browser forgets what it had kept for them, too.

import { attempt } from "./attempt.js";
import { browserStorage, forget } from "./copy.js";
import { erase } from "./journal.js";

const LEAVING = "blindverse-leaving";

/** Remember whose copies go, when the deletion is asked for at /desk/<key>/leave/. */
export function remember(visit, path, choice) {
  const key = path.match(/^\/(?:desk|invitation)\/([^/]+)\//)?.[1];
  if (key && choice === "delete") attempt(() => visit.setItem(LEAVING, key));
}

/** Forget them, on the receipt that says it is done. */
export function forgetLeaver(visit, storage) {
  const key = attempt(() => visit.getItem(LEAVING));
  if (!key) return;
  const ids = [...forget(storage, key)];
  erase(ids);
  const noted = Object.keys(visit).filter((name) => ids.some((id) => name.includes(`/${id}/`)));
  for (const name of [LEAVING, ...noted]) attempt(() => visit.removeItem(name));
}

if (globalThis.document) {
  const visit = browserStorage("sessionStorage");
  if (location.pathname.startsWith("/deleted/")) {
    forgetLeaver(visit, browserStorage("localStorage"));
  }
  document.addEventListener("submit", ({ target }) => {
    remember(visit, location.pathname, new FormData(target).get("choice"));
  });
}
