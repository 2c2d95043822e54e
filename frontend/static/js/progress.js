// Keeps the counts of long work up to date; the page itself is right whenever it is loaded.

const EVERY = 2000; // milliseconds

const panel = document.querySelector("[data-progress]");
const lost = panel.querySelector("[data-lost]");

function show(rows) {
  for (const [key, counts] of Object.entries(rows)) {
    for (const [name, count] of Object.entries(counts)) {
      const cell = panel.querySelector(`[data-row="${key}"] [data-count="${name}"]`);
      if (cell) cell.textContent = count;
    }
  }
  panel.querySelector("[data-bar]").value = rows.all.done;
}

async function look() {
  if (document.hidden) return;
  const answer = await fetch(panel.dataset.progress, { headers: { Accept: "application/json" } });
  // Signed out: the page says so itself.
  if (answer.redirected) location.reload();
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { rows, unfinished } = await answer.json();
  show(rows);
  if (unfinished === 0) location.reload();
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
