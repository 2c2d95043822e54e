"""P-values beside those that allow for how many tests a table has."""

from collections.abc import Sequence

from backend.analytics.tables import Cell, Column, number
from backend.statistics.multiplicity import Adjusted, benjamini_hochberg, holm

HOLM = "p (Holm) is corrected over the m tests of this table that have a p-value"
BH = "p (BH) by Benjamini and Hochberg holds down the share of false findings, for screening"


def p_holm(p: Sequence[float], reasons: Sequence[str]) -> tuple[Column, list[Cell]]:
    """Return the column of p-values corrected by Holm's method, headed by m, and its cells."""
    return _column("p_holm", "p (Holm)", holm(p), reasons)


def p_bh(p: Sequence[float], reasons: Sequence[str]) -> tuple[Column, list[Cell]]:
    """Return the column of p-values adjusted by Benjamini and Hochberg, and its cells."""
    return _column("p_bh", "p (BH)", benjamini_hochberg(p), reasons)


def _column(
    key: str, label: str, found: Adjusted, reasons: Sequence[str]
) -> tuple[Column, list[Cell]]:
    cells = [number(p, reason) for p, reason in zip(found.p, reasons, strict=True)]
    return Column(key, label, "p", unit=f"m = {found.n}"), cells
