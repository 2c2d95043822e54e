"""Whether two authors differ on the same titles."""

from backend.statistics.paired.signed_rank import SignedRank, wilcoxon_signed_rank

__all__ = ["SignedRank", "wilcoxon_signed_rank"]
