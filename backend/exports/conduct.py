"""How a study was conducted: what it was fixed to, who opened its key and when, and its log."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.activity.models import Entry
from annotation.activity.services import Kind, canonical
from backend.corpus.spreadsheets import Value
from backend.design.surface_check import opened_on
from backend.exports.ratings import CHUNK
from backend.exports.sources import Sources
from backend.exports.variables import DATE, TEXT, WHOLE, DataFile, Variable
from backend.panel import withdrawing

# Reading and exporting change no data; with their entries no two packages would be the same.
READINGS = (Kind.RESULTS_VIEWED, Kind.DEBRIEF_VIEWED, Kind.EXPORT_MADE)


def versions(sources: Sources) -> list[dict[str, Any]]:
    """Return what the study was fixed to at its opening, and at each later change."""
    found = sources.study.versions.select_related("made_by").order_by("number")
    return [
        {
            "number": one.number,
            "fingerprint": one.fingerprint,
            "reason": one.reason,
            "by": one.made_by.username if one.made_by else None,
            "at": one.made_at.isoformat(),
            "content": one.content,
        }
        for one in found
    ]


def plan(sources: Sources) -> dict[str, Any]:
    """Return what the design fixed of the dealing and of the analysis."""
    study, design = sources.study, sources.design
    fixed = (
        "dealing", "twins", "apart", "lease_hours", "late", "repeats", "repeat_after_days",
        "attention_every",
    )  # fmt: skip
    return {
        **{name: getattr(study, name) for name in fixed},
        "groups": [
            {"name": group.name, "judges_per_item": group.judges_per_item}
            for group in study.groups.order_by("pk")
        ],
        "exclusions": design.exclusions,
        "analysis_plan_in_words": design.analysis_plan,
        "interim_looks_allowed": design.interim_looks,
        "unsealing_needs": design.unsealing_needs,
        "pilot_of": design.pilot_of.slug if design.pilot_of else None,
    }


def openings(sources: Sources) -> dict[str, Any]:
    """Return who opened the key or looked before, who was left out when, how alike texts looked.

    An expert stands in it by code and day; the code is null once the expert is deleted.
    """
    design = sources.design
    return {
        "unblinded_by": design.unblinded_by.username if design.unblinded_by else None,
        "unsealings": [
            {"by": one.by.username, "at": one.at.isoformat(), "reason": one.reason}
            for one in design.unsealings.select_related("by")
        ],
        "interim_looks": [
            {
                "number": one.number,
                "by": one.by.username,
                "at": one.at.isoformat(),
                "reason": one.reason,
                "judgments": one.judgments,
            }
            for one in design.looks.select_related("by")
        ],
        "experts_withdrawn_or_restored": [
            {
                "judge": one.code or None,
                "what": "restored" if one.restored else "withdrawn",
                "on": one.at.date().isoformat(),
                "after_looks": one.after_looks,
            }
            for one in withdrawing.changes(sources.study)
        ],
        "surface_limit": design.surface_limit,
        "surface_reason": design.surface_reason,
        "surface_check": _surface(sources),
    }


def _surface(sources: Sources) -> dict[str, Any] | None:
    found = opened_on(sources.study)
    if found is None:
        return None
    told = (
        "auc", "low", "high", "human", "machine", "reason", "giveaways", "ids", "items_sha256",
    )  # fmt: skip
    return {"made_at": found.made_at.isoformat(), **{name: getattr(found, name) for name in told}}


def _entries(sources: Sources) -> Iterator[Sequence[Value]]:
    log = Entry.objects.of_study(sources.study.slug).exclude(kind__in=READINGS).order_by("pk")
    entries = log.select_related("seal").iterator(CHUNK)
    for number, entry in enumerate(entries, start=1):
        yield (
            number,
            entry.kind,
            entry.at.date().isoformat(),
            entry.actor,
            entry.subject,
            entry.digest,
            canonical(entry.details).decode() if entry.details else "",
            entry.seal.number if entry.seal else None,
            entry.seal.sha256 if entry.seal else "",
        )


_NOT_JUDGED = "about nothing that a judge gave"

ACTIVITY = DataFile(
    "activity.csv",
    "The study's activity log: what was done, by which member of staff, on which day. Reading "
    "results and making packages are in the log, and not here.",
    (
        Variable("entry", WHOLE, "Number of the entry within this package."),
        Variable("what", TEXT, "What was done.", allowed="; ".join(Kind)),
        Variable("on", DATE, "Day on which it was done (UTC).", allowed="YYYY-MM-DD"),
        Variable("by", TEXT, "Name by which staff sign in.", empty="no member of staff"),
        Variable(
            "about",
            TEXT,
            "Keyed digest of what it is about; its key is in no package.",
            empty=_NOT_JUDGED,
        ),
        Variable("digest", TEXT, "Keyed digest of what was given.", empty=_NOT_JUDGED),
        Variable("details", "JSON", "Counts, reasons of staff, fingerprints.", empty="none"),
        Variable("seal", WHOLE, "Block of the log that holds it.", empty="not sealed yet"),
        Variable(
            "seal_sha256", TEXT, "SHA-256 of that block and all before it.", empty="not sealed yet"
        ),
    ),
    _entries,
)
