// Keeps the counts of long work up to date; the page itself is right whenever it is loaded.

const EVERY = 2000; // milliseconds

const panel = document.querySelector("[data-progress]");
const lost = panel.querySelector("[data-lost]");

function show({ rows, said }) {
  for (const [key, counts] of Object.entries(rows)) {
    for (const [name, count] of Object.entries(counts)) {
      const cell = panel.querySelector(`[data-row="${key}"] [data-count="${name}"]`);
      if (cell) cell.textContent = count;
    }
  }
  panel.querySelector("[data-bar]").value = rows.all.done;
  if (said) tell(said);
}

// Where the page has no place for it, as of judges, nothing is told.
function tell({ waits, ...words }) {
  for (const [name, text] of Object.entries(words)) {
    const place = panel.querySelector(`[data-said="${name}"]`);
    if (place && place.textContent !== text) place.textContent = text;
  }
  const list = panel.querySelector("[data-waits]");
  if (!list) return;
  list.replaceChildren(
    ...waits.map((wait) => Object.assign(document.createElement("li"), { textContent: wait })),
  );
  list.hidden = waits.length === 0;
}

async function look() {
  if (document.hidden) return;
  const answer = await fetch(panel.dataset.progress, { headers: { Accept: "application/json" } });
  // Signed out: the page says so itself.
  if (answer.redirected) location.reload();
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const now = await answer.json();
  show(now);
  // What can be done now is another thing then, unless something is being filled in.
  const changed = panel.dataset.state && now.state !== panel.dataset.state;
  if (now.unfinished === 0 || (changed && !isFilledIn())) location.reload();
}

function isFilledIn() {
  return Boolean(document.activeElement?.closest("form") || panel.querySelector("details[open]"));
}

async function follow() {
  try {
    await look();
    lost.hidden = true;
  } catch {
    lost.hidden = false;
  }
  setTimeout(follow, EVERY);
}

setTimeout(follow, EVERY);
