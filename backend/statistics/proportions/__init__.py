"""Shares of yes-or-no answers, how far two of them are apart, and exact tests of them."""

from backend.statistics.proportions.exact import Test, fisher_exact, mcnemar_exact
from backend.statistics.proportions.score import newcombe, newcombe_paired, wilson

__all__ = ["Test", "fisher_exact", "mcnemar_exact", "newcombe", "newcombe_paired", "wilson"]
