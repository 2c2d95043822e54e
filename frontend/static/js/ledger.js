// Keeps the figures of the ledger page up to date; the page itself is right whenever it is loaded.

import { follow, renew } from "./figures.js";

const place = document.querySelector("[data-figures]");

async function ask() {
  const answer = await fetch(place.dataset.figures, { headers: { Accept: "text/html" } });
  // Signed out: the page says so itself.
  if (answer.redirected) location.reload();
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html").body;
}

function show(fresh) {
  // Whoever is reading there with the keyboard would lose their place.
  if (!renew(place, fresh) && !place.contains(document.activeElement)) {
    place.replaceChildren(...fresh.childNodes);
  }
}

function lost(is) {
  document.getElementById("lost").hidden = !is;
}

if (place) {
  document.getElementById("renewed").hidden = false;
  const look = follow({ ask, show, lost, hidden: () => document.hidden });
  document.addEventListener("visibilitychange", look);
}
