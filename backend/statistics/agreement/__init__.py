"""How often, and how far beyond chance, judges give the same answers."""

from backend.statistics.agreement.alpha import Metric, krippendorff_alpha
from backend.statistics.agreement.comparing import Form, NotApplicable, Pool
from backend.statistics.agreement.concordance import Concordance, kendall_w
from backend.statistics.agreement.dyads import Judges
from backend.statistics.agreement.gwet import AcWeights, gwet_ac
from backend.statistics.agreement.intraclass import IccForm, icc, judges_per_poem
from backend.statistics.agreement.kappa import KappaWeights, cohen_kappa
from backend.statistics.agreement.observed import pao, pao_by_item
from backend.statistics.agreement.pairwise import OneSide, pair_agreement

__all__ = [
    "AcWeights",
    "Concordance",
    "Form",
    "IccForm",
    "Judges",
    "KappaWeights",
    "Metric",
    "NotApplicable",
    "OneSide",
    "Pool",
    "cohen_kappa",
    "gwet_ac",
    "icc",
    "judges_per_poem",
    "kendall_w",
    "krippendorff_alpha",
    "pair_agreement",
    "pao",
    "pao_by_item",
]
