"""The fingerprint: one SHA-256 over all that a study fixes when it opens, its sealed key included.

The key enters as a salted digest, so the fingerprint binds it without telling anything of it.
"""

import hashlib
import json
from typing import Any

from annotation.studies.models import Study
from backend.design.models import Design, Placement

# 2: consent in versions and languages, what else experts are told or asked, pairs, conflicts.
# A study opened under format 1 keeps the fingerprint it was given then; none is computed twice.
FORMAT = 2
# What the first result pages compute; fixed into the fingerprint so that it cannot be chosen later.
ANALYSIS_PLAN = {
    "version": 1,
    "judgments": "in time only; extra ones are exported, not analysed",
    "not_applicable": "left out of means, a category of its own in PAo",
    "experts_and_machines": "never pooled",
    "detection": "ROC-AUC, human positive, ties half, per judgment and per poem mean",
    "paired": "Wilcoxon signed-rank on title-matched means, two-sided, zeros dropped",
    "agreement": "PAo = 2A / (nA + nB) over pairs of ratings of one item and question",
}


def fingerprint(study: Study) -> str:
    """Return the SHA-256, in hexadecimal, over the study as it stands.

    Of the consent it holds the first version: later ones are agreed to under hashes of their own.
    """
    design = study.design
    items = study.items.values_list(
        "text", "second", "title", "brief", "language", "stratum", "twin", "conflicts"
    )
    consent = study.consent_wordings.filter(version=1).values_list("language", "text")
    return _sha256(
        {
            "format": FORMAT,
            "title": study.title,
            "contact": study.contact,
            "language": study.language,
            "instrument": study.instrument_data,
            "consent": sorted(consent),
            "promise": study.promise,
            "honorarium": study.honorarium,
            "asks_background": study.asks_background,
            "debriefs": study.debriefs,
            "judges_per_item": study.judges_per_item,
            "batch_size": study.batch_size,
            "seed": study.seed,
            "items": sorted(items),
            "recipe": design.recipe,
            "analysis_plan": ANALYSIS_PLAN,
            "sealed_key": _sealed(design),
        }
    )


def _sealed(design: Design) -> str:
    key = Placement.objects.filter(item__study=design.study).order_by("item_id")
    rows = key.values_list(
        "item_id", "item__text", "item__second", "poem__fingerprint", "generation_id",
        "generation__model__name", "human_second",
    )  # fmt: skip
    return _sha256({"salt": design.key_salt, "key": list(rows)})


def _sha256(content: Any) -> str:
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
