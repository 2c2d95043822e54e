// Tables that are folded away: a link to one opens it, and all are opened or folded at once.

/** Open what a fragment of the address points into, and show it from its title on. */
export function reveal(page, fragment) {
  const fold = page.getElementById(fragment.slice(1))?.closest("details");
  if (!fold) return false;
  fold.open = true;
  fold.scrollIntoView();
  return true;
}

/** Open all tables, or fold them all. */
export function setAll(folds, open) {
  for (const one of folds) one.open = open;
}
