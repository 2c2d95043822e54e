"""What stands between a judge and the next poem, and which poem that is."""

from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, QuerySet, Subquery

from annotation.prepared import Prepared
from annotation.studies.models import (
    Assignment,
    Background,
    Consent,
    ConsentWording,
    Judge,
    Study,
)

READY, GONE = "ready", "gone"


class Standing(NamedTuple):
    """Where a judge stands.

    Attributes
    ----------
    state : str
        "ready", "consent" or "background" (they come first), "paused", "left", the state of a study
        that is not open; "gone" if they were deleted meanwhile.
    next_token : str
        Of the poem that waits; empty if none does.
    row : list
        What is still to be drawn in their set.
    group : int or None
        Whose items they judge.
    """

    state: str
    next_token: str
    row: list[list[Any]]
    group: int | None

    @property
    def ready(self) -> bool:
        return self.state == READY


def standing(judge: Judge) -> Standing:
    """Return where the judge stands now, whatever was known of them before."""
    now = _NOW.first(pk=judge.pk)
    if now is None:  # deleted meanwhile
        return Standing(GONE, "", [], None)
    return Standing(_state(now), now.next_token or "", now.row, now.group_id)


def _state(now: Any) -> str:
    holds = (
        (str(now.study_state), now.study_state != Study.State.OPEN),
        ("left", now.left_at or now.withdrawn_at),
        ("paused", now.paused_at),
        ("consent", not now.agreed),
        ("background", now.asks and not now.told),
        (READY, True),
    )
    return next(state for state, holding in holds if holding)


def _ask(pk: int) -> QuerySet[Judge]:
    texts = ConsentWording.objects.filter(study=OuterRef(OuterRef("study"))).order_by("-version")
    consents = Consent.objects.filter(
        judge=OuterRef("pk"), version=Subquery(texts.values("version")[:1])
    )
    waiting = Assignment.objects.waiting().filter(judge=OuterRef("pk")).order_by("position")
    return (
        Judge.objects.filter(pk=pk)
        .only("left_at", "withdrawn_at", "paused_at", "row", "group")
        .annotate(
            study_state=F("study__state"),
            asks=F("study__asks_background"),
            agreed=Exists(consents),
            told=Exists(Background.objects.filter(judge=OuterRef("pk"))),
            next_token=Subquery(waiting.values("token")[:1]),
        )
        .order_by()
    )


_NOW: Prepared[Any] = Prepared(_ask, pk=-1)
