"""How well a panel tells human poems from machine poems."""

from backend.statistics.detection.area import auc, auc_interval

__all__ = ["auc", "auc_interval"]
