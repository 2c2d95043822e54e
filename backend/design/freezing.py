"""The fingerprint: one SHA-256 over all that a study fixes when it opens, its sealed key included.

The key enters as a salted digest, so the fingerprint binds it without telling anything of it.
"""

import hashlib
from typing import Any

from django.db import transaction

from annotation.activity.services import Kind, canonical, record
from annotation.studies.models import Item, Study
from backend.accounts.models import User
from backend.design.models import Design, DesignVersion, Placement
from backend.design.states import WrongState
from backend.design.surface_check import opened_on
from backend.generation.models import LanguageModel

# 2: consent in versions and languages, what else experts are told or asked, pairs, conflicts.
# 3: ways of dealing, groups, leases, repeats, attention, rules of the analysis, the surface; long
# texts and items as digests, so that the content can be stored beside its fingerprint.
# 4: intervals, verdicts and the margin of equivalence in the analysis plan.
# A study opened under format 3 stays under it through all its versions, with the plan of that time;
# one opened under an earlier format keeps the fingerprint it was given then.
FORMAT = 4
UNNAMED = 3  # of versions whose contents name no format, or were not kept
MARGINS_SINCE = 4
_PLAN = {
    "version": 1,
    "not_applicable": "left out of means, a category of its own in PAo",
    "experts_and_machines": "never pooled",
    "detection": "ROC-AUC, human positive, ties half, per judgment and per poem mean",
    "paired": "Wilcoxon signed-rank on title-matched means, two-sided, zeros dropped",
    "agreement": "PAo = 2A / (nA + nB) over pairs of ratings of one item and question",
}
# What result pages compute, by format; in the fingerprint, so that it cannot be chosen later.
ANALYSIS_PLANS = {
    3: _PLAN,
    4: {
        **_PLAN,
        "version": 2,
        "detection": "ROC-AUC of each model, human positive, ties half: per judgment for the "
        "verdict; per poem mean and within judges beside it",
        "intervals": "95 %, robust to clusters of titles and of judges, with t on one degree of "
        "freedom fewer than there are judges; of one machine judge, of titles alone",
        "verdict": "equivalent to chance where the 90 % interval of the AUC lies within 0.5 plus "
        "or minus the margin; else different where its 95 % interval leaves out 0.5; else "
        "inconclusive; without a margin never equivalent",
        "many_models": "p-values by Holm over the models of a table",
    },
}
ANALYSED = {
    Study.Late.OUT: "in time only; extra ones are exported, not analysed",
    Study.Late.IN: "those that came before the study closed, extra ones among them; later ones are "
    "exported, not analysed",
}
PLAIN = (
    "title", "contact", "language", "promise", "honorarium", "asks_background", "debriefs",
    "judges_per_item", "batch_size", "dealing", "twins", "apart", "lease_hours", "late", "repeats",
    "repeat_after_days", "attention_every", "seed",
)  # fmt: skip
DESIGNED = (
    "recipe", "exclusions", "interim_looks", "unsealing_needs", "surface_limit", "surface_reason",
)  # fmt: skip
LONGEST_REASON = 500


class Unexplained(ValueError):
    """A change of what was fixed was given no reason."""


def content_of(study: Study) -> dict[str, Any]:
    """Return what the fingerprint of the study as it stands is of.

    Of the consent it holds the first version: later ones are agreed to under hashes of their own.
    """
    design = study.design
    consent = study.consent_wordings.filter(version=1).values_list("language", "text")
    instrument = study.instrument_data
    return {
        "format": _format(study),
        **{name: getattr(study, name) for name in PLAIN},
        **{name: getattr(design, name) for name in DESIGNED},
        "instrument": {
            "key": instrument["key"],
            "version": instrument["version"],
            "sha256": sha256(instrument),
        },
        "consent": {language: sha256(text) for language, text in consent},
        "groups": dict(study.groups.values_list("name", "judges_per_item")),
        "items": _items(study),
        "attention": _attention(study),
        "analysis_plan": {**analysis_plan(study), "in_words": design.analysis_plan},
        "surface": _surface(study),
        "pilot_of": design.pilot_of.slug if design.pilot_of else "",
        "sealed_key": _sealed(design),
    }


def analysis_plan(study: Study) -> dict[str, Any]:
    """Return what the result pages are to compute, by which margin, and of which judgments."""
    under = _format(study)
    plan = {**ANALYSIS_PLANS[under], "judgments": ANALYSED[Study.Late(study.late)]}
    return plan | ({"margin": study.design.margin} if under >= MARGINS_SINCE else {})


def fingerprint(study: Study) -> str:
    """Return the SHA-256, in hexadecimal, over the study as it stands."""
    return sha256(content_of(study))


def fixes_name(model: LanguageModel) -> bool:
    """Whether the fingerprint of a study that was opened is of this language model's name."""
    placed = Placement.objects.filter(generation__model=model)
    return placed.exclude(item__study__state=Study.State.DRAFT).exists()


def _hold_names(study: Study) -> None:
    """Let nobody rename a model of this study until the transaction ends."""
    placed = Placement.objects.filter(item__study=study, generation__isnull=False)
    models = LanguageModel.objects.filter(pk__in=placed.values("generation__model"))
    list(models.order_by("pk").select_for_update(no_key=True).values_list("pk"))


@transaction.atomic
def freeze(study: Study, *, by: User | None, reason: str = "") -> DesignVersion:
    """Store what the study is fixed to as its next version. The caller holds the study.

    Of a study that was opened, the new fingerprint becomes the study's.
    """
    _hold_names(study)
    content = content_of(study)
    made = DesignVersion.objects.create(
        study=study,
        number=study.versions.count() + 1,
        fingerprint=sha256(content),
        content=content,
        reason=reason,
        made_by=by,
    )
    if study.state != Study.State.DRAFT:
        Study.objects.filter(pk=study.pk).update(fingerprint=made.fingerprint)
        study.fingerprint = made.fingerprint
    return made


@transaction.atomic
def amend(study: Study, *, reason: str, by: User | None) -> DesignVersion:
    """Fix what was changed of an open study as a new version, in the transaction of the change.

    Without a change of what is fixed the newest version stands, and is returned.

    Raises
    ------
    Unexplained
        If no reason is given.
    WrongState
        If the study is not open.
    """
    if not reason.strip():
        raise Unexplained("Say why; the reason stays with the new version.")
    Study.objects.hold(study.pk)
    study = Study.objects.select_related("design").get(pk=study.pk)
    if study.state != Study.State.OPEN:
        raise WrongState("Only an open study is changed: a draft is built again.")
    newest = _newest(study)
    if newest.fingerprint == fingerprint(study):
        return newest
    made = freeze(study, by=by, reason=reason.strip()[:LONGEST_REASON])
    record(
        Kind.STUDY_AMENDED,
        study=study.slug,
        actor=by.username if by else "",
        version=made.number,
        fingerprint=made.fingerprint,
        reason=made.reason,
        changed=changed(newest, made),
    )
    return made


def changed(before: DesignVersion, after: DesignVersion) -> list[str]:
    """Return in what two versions differ, by name; nothing if the earlier is only a hash."""
    if "format" not in before.content:
        return []
    names = before.content.keys() | after.content.keys()
    return sorted(name for name in names if before.content.get(name) != after.content.get(name))


def sha256(content: Any) -> str:
    """Return the SHA-256, in hexadecimal, of a content written down as JSON in the one way."""
    return hashlib.sha256(canonical(content)).hexdigest()


def _newest(study: Study) -> DesignVersion:
    """Return the newest version: of a study opened before there were any, what is known of it."""
    newest = study.versions.last()
    if newest is None:
        newest = DesignVersion.objects.create(
            study=study, number=1, fingerprint=study.fingerprint, content={}
        )
    return newest


def _format(study: Study) -> int:
    """Return the format of the study's versions: a draft's is the newest."""
    newest = study.versions.last()
    if newest is None:
        return FORMAT if study.state == Study.State.DRAFT else UNNAMED
    found: int = newest.content.get("format", UNNAMED)
    return found


def _items(study: Study) -> dict[str, Any]:
    rows = [
        [*row, group or ""]
        for *row, group in Item.objects.judged().filter(study=study).values_list(
            "text", "second", "title", "brief", "language", "stratum", "twin", "form",
            "conflicts", "places", "group__name",
        )
    ]  # fmt: skip
    places = sum(row[9] for row in rows)
    return {"number": len(rows), "places": places, "sha256": sha256(sorted(rows))}


def _attention(study: Study) -> dict[str, Any]:
    rows = study.items.filter(attention=True).values_list(
        "text", "second", "title", "brief", "attention_check__expected"
    )
    digests = sorted(sha256(list(row)) for row in rows)
    return {"number": len(digests), "sha256": sha256(digests)}


def _surface(study: Study) -> dict[str, Any] | None:
    found = opened_on(study)
    if found is None:
        return None
    return {
        "auc": found.auc,
        "low": found.low,
        "high": found.high,
        "human": found.human,
        "machine": found.machine,
        "reason": found.reason,
    }


def _sealed(design: Design) -> str:
    key = Placement.objects.filter(item__study=design.study).order_by("item_id")
    rows = key.values_list(
        "item_id", "item__text", "item__second", "poem__fingerprint", "generation_id",
        "generation__model__name", "human_second",
    )  # fmt: skip
    return sha256({"salt": design.key_salt, "key": [list(row) for row in rows]})
