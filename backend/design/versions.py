"""The versions that a study was fixed to, as its page shows them."""

from dataclasses import dataclass

from annotation.studies.models import Study
from backend.design.freezing import changed
from backend.design.models import DesignVersion

NAMES = {
    "judges_per_item": "judges for each text (K)",
    "items": "texts, or how many judges each is to have",
    "groups": "groups",
    "batch_size": "size of a set",
    "lease_hours": "how long texts wait",
    "analysis_plan": "analysis plan",
    "sealed_key": "key",
    "attention": "tests of attention",
    "surface": "figures of the surface check",
}


@dataclass(frozen=True)
class Version:
    """A version, and in words what it changed of the one before."""

    stored: DesignVersion
    changes: tuple[str, ...]


def shown(study: Study) -> list[Version]:
    """Return the study's versions, newest first, each with what it changed."""
    stored = list(study.versions.select_related("made_by"))
    found = [
        Version(one, tuple(_named(name) for name in changed(before, one)) if before else ())
        for before, one in zip([None, *stored], stored, strict=False)
    ]
    return found[::-1]


def fingerprint_as_opened(study: Study) -> str:
    """Return the fingerprint of the first version, or the only one of an older study."""
    first = study.versions.first()
    return first.fingerprint if first else study.fingerprint


def _named(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))
