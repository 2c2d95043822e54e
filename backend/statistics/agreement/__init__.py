"""How often, and how far beyond chance, judges give the same answers."""

from backend.statistics.agreement.observed import NotApplicable, pao, pao_by_item

__all__ = ["NotApplicable", "pao", "pao_by_item"]
