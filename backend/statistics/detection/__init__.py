"""How well a panel tells human poems from machine poems."""

from backend.statistics.detection.area import auc, auc_interval
from backend.statistics.detection.brier import Brier, brier
from backend.statistics.detection.calibration import Bin, Calibration, ece
from backend.statistics.detection.delong import delong_interval
from backend.statistics.detection.difference import Difference, auc_difference
from backend.statistics.detection.line import Line, calibration_line
from backend.statistics.detection.signal import Sensitivity, dprime, dprime_from_scores
from backend.statistics.detection.within import within_judge_auc

__all__ = [
    "Bin",
    "Brier",
    "Calibration",
    "Difference",
    "Line",
    "Sensitivity",
    "auc",
    "auc_difference",
    "auc_interval",
    "brier",
    "calibration_line",
    "delong_interval",
    "dprime",
    "dprime_from_scores",
    "ece",
    "within_judge_auc",
]
