// What a browser forbids is as if it were not there.

/** A browser may forbid or fill its storage at any moment; then there simply is no copy. */
export function attempt(act) {
  try {
    return act() ?? null;
  } catch {
    return null;
  }
}
