"""What stands between a judge and the next poem, and which poem that is."""

from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, Subquery
from django.db.models.functions import Coalesce

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
    return standing_in(now) if now is not None else Standing(GONE, "", [], None)  # deleted


def facts(judge: str = "") -> dict[str, Any]:
    """Return what a query of judges, or of what has a `judge`, is to be annotated with."""
    path, key = (f"{judge}__", judge) if judge else ("", "pk")
    study = OuterRef(OuterRef(f"{path}study"))
    texts = ConsentWording.objects.filter(study=study).order_by("-version")
    consents = Consent.objects.filter(
        judge=OuterRef(key), version=Subquery(texts.values("version")[:1])
    )
    waiting = Assignment.objects.waiting().filter(judge=OuterRef(key)).order_by("position")
    return {
        "now_study": F(f"{path}study__state"),
        "now_asks": F(f"{path}study__asks_background"),
        "now_left": Coalesce(f"{path}withdrawn_at", f"{path}left_at"),
        "now_paused": F(f"{path}paused_at"),
        "now_row": F(f"{path}row"),
        "now_group": F(f"{path}group_id"),
        "now_agreed": Exists(consents),
        "now_told": Exists(Background.objects.filter(judge=OuterRef(key))),
        "now_next": Subquery(waiting.values("token")[:1]),
    }


def standing_in(row: Any) -> Standing:
    """Return where the judge of a row stands that was annotated with the facts."""
    holds = (
        (str(row.now_study), row.now_study != Study.State.OPEN),
        ("left", row.now_left),
        ("paused", row.now_paused),
        ("consent", not row.now_agreed),
        ("background", row.now_asks and not row.now_told),
        (READY, True),
    )
    state = next(state for state, holding in holds if holding)
    return Standing(state, row.now_next or "", row.now_row, row.now_group)


_NOW: Prepared[Any] = Prepared(
    lambda pk: Judge.objects.filter(pk=pk).only("pk").annotate(**facts()).order_by(), pk=-1
)
