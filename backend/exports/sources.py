"""What every file of a package is written from: the study, its key and its numbering."""

from dataclasses import dataclass
from functools import cached_property

from django.db.models import Case, F, IntegerField, Value, When

from annotation.judgments.models import Judgment
from annotation.studies.models import Assignment, Consent, Item, Study
from backend.analytics.excluding import leave_out
from backend.analytics.frames import Placed, Seat, items, seats, unsealed
from backend.analytics.turnout import Given, turnout
from backend.design.models import Design
from backend.judging.models import MachineJudge


@dataclass(frozen=True)
class Sources:
    """An unblinded study and the numbers by which the files name its parts.

    Numbers are given here, inside the package: they tell nothing of the database.
    """

    study: Study
    design: Design
    seats: tuple[Seat, ...]
    items: tuple[Placed, ...]
    machines: dict[int, MachineJudge]

    @cached_property
    def given(self) -> tuple[Given, ...]:
        """Everything that was given to judges, and why answers are in no result."""
        return turnout(self.study, leave_out(self.design)).given

    @cached_property
    def excluded_because(self) -> dict[int, str]:
        """By judgment, why it is in no result; those that are in them are left out."""
        return {
            one.judgment: "; ".join(one.because)
            for one in self.given
            if one.judgment is not None and one.because
        }

    @cached_property
    def repeat_of(self) -> dict[tuple[int, int], int]:
        """Number of the first judgment of what a judge was given twice, by judge and item."""
        repeated = {
            (one.judge, one.item) for one in self.given if one.purpose == Assignment.Purpose.REPEAT
        }
        return {
            (one.judge, one.item): self.judgment_number[one.judgment]
            for one in self.given
            if one.judgment is not None
            and one.purpose == Assignment.Purpose.MAIN
            and (one.judge, one.item) in repeated
        }

    @cached_property
    def group(self) -> dict[int, str]:
        """Name of the group of each item that has one."""
        grouped = Item.objects.filter(study=self.study).exclude(group=None)
        return dict(grouped.values_list("pk", "group__name"))

    def first(self, judge: int, item: int, purpose: str) -> int | None:
        """Return the number of the judgment that a hidden repeat repeats."""
        return self.repeat_of.get((judge, item)) if purpose == Assignment.Purpose.REPEAT else None

    @cached_property
    def seat(self) -> dict[int, Seat]:
        return {seat.key: seat for seat in self.seats}

    @cached_property
    def placed(self) -> dict[int, Placed]:
        return {item.key: item for item in self.items}

    @cached_property
    def item_number(self) -> dict[int, int]:
        return {item.key: number for number, item in enumerate(self.items, start=1)}

    @cached_property
    def title_number(self) -> dict[int | None, int | None]:
        """Number of each title by its key; a poem on a free brief has none."""
        keys = sorted({item.title_key for item in self.items if item.title_key is not None})
        return {None: None, **{key: number for number, key in enumerate(keys, start=1)}}

    @cached_property
    def judgment_number(self) -> dict[int, int]:
        """Number of each judgment, extra ones among them, in the order of the judges' turns."""
        keys = (
            Judgment.objects.filter(assignment__judge__study=self.study)
            .annotate(turn=self.in_turn("assignment__judge_id"))
            .order_by("turn", "assignment__position")
            .values_list("pk", flat=True)
        )
        return {key: number for number, key in enumerate(keys, start=1)}

    @cached_property
    def consent(self) -> dict[int, Consent]:
        """The newest consent of each judge who gave one."""
        given = Consent.objects.filter(judge__study=self.study).order_by("version")
        return {consent.judge_id: consent for consent in given.defer("text")}

    def in_turn(self, judge_id: str) -> Case:
        """Return the order of the judges, for a query in which `judge_id` names one.

        Theirs is by random code: the order in which they were invited would tell who is who.
        """
        return Case(
            *(When(**{judge_id: seat.key}, then=Value(n)) for n, seat in enumerate(self.seats)),
            default=F(judge_id),  # a column, not a number: it is all that is left without judges
            output_field=IntegerField(),
        )

    def poem_file(self, item: int, place: str = "") -> str:
        """Return the name of the file that holds an item's original text; `place` is of a pair."""
        suffix = f"-{place}" if place else ""
        return f"poems/{self.item_number[item]:05}{suffix}.txt"


def sources(study: Study) -> Sources:
    """Return what the study's package is written from.

    Raises
    ------
    backend.analytics.frames.StillBlinded
        If the key is sealed.
    """
    machines = MachineJudge.objects.filter(judge__study=study).select_related("model")
    return Sources(
        study=study,
        design=unsealed(study),
        seats=seats(study),
        items=tuple(sorted((*items(study), *_tests(study)), key=lambda item: item.key)),
        machines={machine.judge_id: machine for machine in machines},
    )


def _tests(study: Study) -> list[Placed]:
    """Return the items that test attention: they have no author and no title."""
    keys = Item.objects.filter(study=study, attention=True).values_list("pk", flat=True)
    return [Placed(key, "", "", None, "", "", attention=True) for key in keys]
