"""The ledger in figures: what is planned, leased, done, withdrawn and extra, cell by cell."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, Sum

from annotation.studies.models import Assignment, Item, Study

_HOLDING = Q(counts=True, given_back_at=None, withdrawn_at=None)


@dataclass(frozen=True)
class CellCount:
    """One row of the ledger.

    Attributes
    ----------
    code : str
        Opaque code of a stratum or form, name of a group, or number of a slot.
    items : int
        Of the study; 0 for a slot, through which all items pass.
    planned : int
        Places: the sum of K over the items. 0 for a slot.
    leased, done, withdrawn, extra : int
        Places that are held unanswered; answered; answered and taken out of the analysis again;
        and answers beside the places, which came when theirs was gone.
    """

    code: str
    items: int
    planned: int
    leased: int
    done: int
    withdrawn: int
    extra: int

    @property
    def free(self) -> int:
        return max(0, self.planned - self.leased - self.done)


@dataclass(frozen=True)
class Counts:
    """A study's ledger, cut four ways, and as a whole.

    Attributes
    ----------
    by_stratum : tuple of CellCount
        Empty where strata are not of equal size: whoever was told how many items somebody wrote
        could then tell by their number which these are.
    """

    by_stratum: tuple[CellCount, ...]
    by_slot: tuple[CellCount, ...]
    by_form: tuple[CellCount, ...]
    by_group: tuple[CellCount, ...]
    total: CellCount


def counts(study: Study) -> Counts:
    """Return the ledger of a study; language models, repeats and tests are not in it."""
    return Counts(
        by_stratum=_unless_telling(_cut(study, "stratum")),
        by_slot=_cut_by_slot(study),
        by_form=_cut(study, "form"),
        by_group=_cut(study, "group__name"),
        total=_total(_cut(study, "study__slug")),
    )


def _cut(study: Study, field: str) -> tuple[CellCount, ...]:
    items = Item.objects.judged().filter(study=study).order_by()
    planned = items.values_list(field).annotate(n=Count("pk"), places=Sum("places"))
    became = {row[0]: row[1:] for row in _became(study, f"item__{field}")}
    return tuple(
        CellCount(str(code or ""), n, places, *became.get(code, (0, 0, 0, 0)))
        for code, n, places in sorted(planned, key=lambda row: str(row[0] or ""))
    )


def _unless_telling(strata: tuple[CellCount, ...]) -> tuple[CellCount, ...]:
    return strata if len({one.items for one in strata}) == 1 else ()


def _cut_by_slot(study: Study) -> tuple[CellCount, ...]:
    became = sorted(row for row in _became(study, "slot") if row[0] is not None)
    return tuple(CellCount(str(slot + 1), 0, 0, *figures) for slot, *figures in became)


def _became(study: Study, field: str) -> Iterable[tuple[Any, ...]]:
    judged = Q(judgment__isnull=False)
    late = Q(judgment__extra=True) | Q(judgment__isnull=False, given_back_at__isnull=False)
    own = Assignment.objects.filter(
        item__study=study, judge__kind="expert", purpose=Assignment.Purpose.MAIN
    )
    return (
        own.order_by()
        .values_list(field)
        .annotate(
            leased=Count("pk", filter=_HOLDING & Q(answered_at=None)),
            done=Count("pk", filter=_HOLDING & judged & ~Q(judgment__extra=True)),
            withdrawn=Count("pk", filter=judged & Q(withdrawn_at__isnull=False)),
            extra=Count("pk", filter=late & Q(withdrawn_at=None)),
        )
    )


def _total(cut: tuple[CellCount, ...]) -> CellCount:
    return cut[0] if cut else CellCount("", 0, 0, 0, 0, 0, 0)
