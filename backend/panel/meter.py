"""How exact the AUC of one model can be with the judgments in so far: from counts alone.

No answer is read, and no key: what is shown would be the same whatever had been answered.
"""

from dataclasses import dataclass
from math import floor

from django.db.models import Count, Sum

from annotation.judgments.models import Judgment
from annotation.studies.models import Judge, Study
from backend.accounts.models import User
from backend.design.models import Design
from backend.design.precision import Half, half, has_auc
from backend.design.sizes import experts_needed

NOTHING_YET = "No judgment is in yet."


@dataclass(frozen=True)
class Reach:
    """A study at one moment, and how far the 95 % interval of one model's AUC then reaches.

    Attributes
    ----------
    titles : int
        Poems by each author that have a judgment, on the average of authors.
    judges : int
    per_poem : float
        Judgments of each of these poems.
    half : Half
    """

    titles: int
    judges: int
    per_poem: float
    half: Half


@dataclass(frozen=True)
class Meter:
    """The study as it is, and as it will be once all places are answered."""

    now: Reach
    whole: Reach


def meter(study: Study, user: User) -> Meter | None:
    """Return the meter of a study that was opened, for researchers while its key is sealed.

    For others it is None, and once the key is unsealed for all: results say it from the answers.
    """
    if study.state == Study.State.DRAFT or not has_auc(study) or not _may_see(study, user):
        return None
    planned = study.items.judged().aggregate(items=Count("pk"), places=Sum("places"))
    if not planned["items"]:
        return None
    titles = _titles(study)
    counted = Judgment.objects.counted(study).filter(assignment__judge__kind=Judge.Kind.EXPERT)
    done = counted.aggregate(
        judgments=Count("pk"),
        items=Count("assignment__item", distinct=True),
        judges=Count("assignment__judge", distinct=True),
    )
    so_far = floor(titles * done["items"] / planned["items"])
    return Meter(
        now=_reach(so_far, done["judges"], done["judgments"] / max(done["items"], 1)),
        whole=_reach(titles, _judges(study), planned["places"] / planned["items"]),
    )


def _reach(titles: int, judges: int, per_poem: float) -> Reach:
    known = half(titles, judges, per_poem) if judges else Half(None, NOTHING_YET)
    return Reach(titles, judges, per_poem, known)


def _may_see(study: Study, user: User) -> bool:
    sealed = Design.objects.filter(study=study, unblinded_at=None)
    return user.researches and sealed.exists()


def _titles(study: Study) -> int:
    """Return how many poems the author has who has fewest; 0 where there is one author alone."""
    sizes = study.items.judged().order_by().values_list("stratum").annotate(n=Count("pk"))
    found = [number for _, number in sizes]
    return min(found) if len(found) > 1 else 0


def _judges(study: Study) -> int:
    """Return how many experts take part or took part, or how few can do it, if these are more."""
    there = set(Judge.objects.at_work().filter(study=study).values_list("pk", flat=True))
    answered = Judgment.objects.counted(study).filter(assignment__judge__kind=Judge.Kind.EXPERT)
    there |= set(answered.values_list("assignment__judge", flat=True))
    return max(len(there), experts_needed(study))
