"""What the ledger page shows: the study's places cell by cell, its experts, and what is to come."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils import timezone

from annotation.studies.counting import CellCount, counts
from annotation.studies.models import Assignment, Judge, Study
from backend.panel import forecast
from backend.panel.ledger_forms import RaiseForm
from backend.panel.models import PanelRules
from backend.panel.progress import seats
from backend.panel.shortage import at_work, shortage
from backend.panel.stragglers import Watch, watches

PARTS = ("done", "leased", "free", "withdrawn", "extra")


@dataclass(frozen=True)
class Part:
    """One stretch of a bar, in hundredths of its length."""

    name: str
    count: int
    x: str
    width: str


@dataclass(frozen=True)
class Row:
    """One cell of the ledger, under the name that it is shown by."""

    key: str
    label: str
    count: CellCount
    bar: tuple[Part, ...]


@dataclass(frozen=True)
class Table:
    """The ledger cut one way. `planned` says whether places belong to its cells."""

    key: str
    title: str
    of: str
    rows: tuple[Row, ...]
    planned: bool = True


def figures(study: Study) -> dict[str, Any]:
    """Return the figures that change while experts work, and when they are from."""
    ledger = counts(study)
    cuts = [
        Table("group", "By group", "Group", _rows("group", ledger.by_group, _named)),
        Table("stratum", "By stratum", "Stratum", _rows("stratum", ledger.by_stratum, _letters)),
        Table("form", "By form", "Form", _rows("form", ledger.by_form, _letters)),
        Table("slot", "By place in a set", "Place", _rows("slot", ledger.by_slot, _named),
              planned=False),
    ]  # fmt: skip
    return {
        "study": study,
        "now": timezone.now(),
        "total": Row("total", "All", ledger.total, bar(ledger.total)),
        # A cut into one cell says nothing that the total does not.
        "tables": [table for table in cuts if len(table.rows) > 1],
        "strata_kept_back": bool(ledger.total.items and not ledger.by_stratum),
        "grouped": study.groups.exists(),
        "experts": seats(study, Judge.Kind.EXPERT),
    }


def page(study: Study) -> dict[str, Any]:
    """Return all that the ledger page needs, its form not filled in."""
    shown = figures(study)
    now, total = shown["now"], shown["total"].count
    return {
        **shown,
        "watches": watches(shown["experts"], _rules(study), now) if _is_open(study) else [],
        "sends_mail": settings.SENDS_MAIL,
        "lease": _length(study.lease_hours),
        "coming": expected(study, total.planned - total.done, now) if _is_open(study) else None,
        "shortage": shortage(study, now) if _is_open(study) else None,
        "raise_form": RaiseForm(study=study, auto_id="raise_%s"),
    }


def watch(study: Study, key: str) -> Watch | None:
    """Return one list of experts who may need a word; None if there is no such list."""
    panel = seats(study, Judge.Kind.EXPERT)
    found = watches(panel, _rules(study), timezone.now())
    return next((one for one in found if one.key == key), None)


def expected(study: Study, remaining: int, now: datetime) -> forecast.Forecast:
    """Return when the study will be full, if its experts go on as they did."""
    experts = set(at_work(study, now).values_list("pk", flat=True))
    return forecast.forecast(
        daily(study, experts, now),
        remaining,
        experts=len(experts),
        today=now.date(),
        seed=study.seed,
    )


def daily(study: Study, experts: set[int], now: datetime) -> list[int]:
    """Return how many judgments these experts gave on each whole day (UTC) looked back on.

    Today is not over, and days before the study opened were none of its days.
    """
    today = now.date()
    days = [today - timedelta(days=back) for back in range(forecast.WINDOW, 0, -1)]
    opened = study.opened_at.date() if study.opened_at else days[0]
    given = dict(
        Assignment.objects.filter(
            judge__in=experts,
            purpose=Assignment.Purpose.MAIN,
            judgment__extra=False,
            answered_at__gte=now - timedelta(days=forecast.WINDOW + 1),
        )
        .order_by()
        .values_list(TruncDate("answered_at"))
        .annotate(number=Count("pk"))
    )
    return [given.get(day, 0) for day in days if day >= opened]


def bar(count: CellCount) -> tuple[Part, ...]:
    """Return the stretches of a cell's bar, also those without length, since they may grow."""
    numbers = [getattr(count, name) for name in PARTS]
    whole = sum(numbers) or 1
    ends = [100 * sum(numbers[:index]) / whole for index in range(len(numbers) + 1)]
    return tuple(
        Part(name, number, f"{begin:.2f}", f"{end - begin:.2f}")
        for name, number, begin, end in zip(PARTS, numbers, ends, ends[1:], strict=False)
    )


def letter(number: int) -> str:
    """Return the letter of a cell, counted from 0: A to Z, then AA, AB, ..."""
    name = ""
    number += 1
    while number:
        number, last = divmod(number - 1, 26)
        name = chr(ord("A") + last) + name
    return name


def _rows(key: str, cells: Sequence[CellCount], naming: Any) -> tuple[Row, ...]:
    names: Iterator[str] = naming(cells)
    return tuple(
        Row(f"{key}-{number}", name, cell, bar(cell))
        for number, (name, cell) in enumerate(zip(names, cells, strict=True))
    )


def _letters(cells: Sequence[CellCount]) -> Iterator[str]:
    return (letter(number) for number in range(len(cells)))


def _named(cells: Sequence[CellCount]) -> Iterator[str]:
    return (cell.code or "none" for cell in cells)


def _rules(study: Study) -> PanelRules | None:
    return PanelRules.objects.filter(study=study).first()


def _is_open(study: Study) -> bool:
    return study.state == Study.State.OPEN


def _length(hours: int) -> str:
    days, rest = divmod(hours, 24)
    number, unit = (hours, "hour") if rest else (days, "day")
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
