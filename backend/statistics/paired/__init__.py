"""Whether two authors differ on the same titles, by how much, and whether they are alike."""

from backend.statistics.paired.effects import rank_biserial
from backend.statistics.paired.equivalence import Equivalence, tost_paired
from backend.statistics.paired.shift import hodges_lehmann
from backend.statistics.paired.signed_rank import SignedRank, wilcoxon_signed_rank

__all__ = [
    "Equivalence",
    "SignedRank",
    "hodges_lehmann",
    "rank_biserial",
    "tost_paired",
    "wilcoxon_signed_rank",
]
