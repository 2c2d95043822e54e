"""Who took part, and what machine judges' replies could not be read."""

import pytest
from django.utils import timezone

from annotation.judgments.services import submit
from annotation.studies.models import Assignment, Group, Item, Judge
from backend.analytics import services
from backend.analytics.presenting import present
from backend.judging.models import Hearing, Reply
from tests.backend.analytics.answering import pair_study
from tests.backend.analytics.reports.scales import figures
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def said(judge: str, author: str, title: str) -> float | None:
    """Anna answers all six poems, Ben only the human ones, Gamma all but Alpha's Dusk."""
    if judge == "Ben":
        return 0.5 if author == "human" else None
    return None if (judge, author, title) == ("Gamma", "Alpha", "Dusk") else 0.5


def test_poems_are_counted_by_how_many_experts_judged_them() -> None:
    study = make_study(judges=["Anna", "Ben"], machines=["Gamma"], answers=said)
    table = services.report(study).table("coverage")
    assert [[cell.value for cell in row] for row in table.rows] == [
        [0, 0, 0, 0],
        [1, 0, 4, 4],
        [2, 2, 0, 2],
    ]
    assert "2 were wanted" in table.caption
    of_one = services.report(make_study(slug="one", judges=["Anna"])).table("coverage")
    assert "1 was wanted for each" in of_one.caption


def test_poems_that_only_machines_read_are_not_wanted_of_experts() -> None:
    # Dusk's poems are in a group of their own, with K = 1, and Anna and Ben in the other.
    study = make_study(
        judges=["Anna", "Ben"], machines=["Gamma"],
        answers=lambda judge, author, title: said(judge, author, title)
        if title == "Dawn" or judge == "Gamma" else None,
    )  # fmt: skip
    ours = Group.objects.create(study=study, name="ours", judges_per_item=2)
    other = Group.objects.create(study=study, name="other", judges_per_item=1)
    dusk = Item.objects.filter(study=study, text__startswith="Dusk")
    Item.objects.filter(study=study).update(group=ours)
    dusk.update(group=other, places=1, places_taken=0)
    study.judges.filter(kind=Judge.Kind.EXPERT).update(group=ours)
    table = services.report(study).table("coverage")
    assert "; 2 were wanted for each" in table.caption
    assert [[cell.value for cell in row] for row in table.rows] == [
        [0, 0, 0, 0],
        [1, 0, 2, 2],
        [2, 1, 0, 1],
    ]
    assert table.notes == ("poems of groups that no expert is in, which are not counted: 3",)
    assert table.basis.startswith("One unit is a poem that experts were to judge. 3 poems on 1 ti")


def test_without_experts_nothing_is_said_of_them() -> None:
    report = services.report(make_study(judges=[], machines=["Gamma"]))
    (section,) = [one for one in report.sections if one.key == "taking-part"]
    keys = [table.key for table in section.tables]
    assert keys == ["judges", "machine-replies"]


def test_every_table_of_participation_names_what_it_rests_on() -> None:
    study = make_study(judges=["Anna"], machines=["Gamma"], answers=said)
    for key in ("coverage", "left-out", "judges", "machine-replies"):
        table = services.report(study).table(key)
        assert table.basis.startswith("One unit is ")
        assert table.method


def test_each_judges_part_is_told() -> None:
    study = make_study(judges=["Anna", "Ben"], answers=said, milliseconds=90_000)
    waiting = Assignment.objects.filter(judge__name="Ben", answered_at=None)
    late, back = waiting[0], waiting[1]
    Assignment.objects.give_back(back, timezone.now())
    submit(late, {"probability_human": 0.1}, milliseconds=5)
    rows = services.report(study).table("judges").rows
    # given, answered, not answered, given back, extra, withdrawn, left out by a rule, repeats,
    # tests of attention, failed ones, timed, median seconds
    assert sorted([cell.value for cell in row[2:]] for row in rows) == [
        [6, 2, 2, 1, 1, 0, 0, 0, 0, 0, 2, 90.0],
        [6, 6, 0, 0, 0, 0, 0, 0, 0, 0, 6, 90.0],
    ]


def test_codes_are_in_the_file_and_not_on_the_page() -> None:
    table = services.report(make_study(judges=["Anna"])).table("judges")
    assert "code" in table.header
    assert "Code" not in [heading.label for heading in present(table).headings]


def test_pairs_are_not_called_poems() -> None:
    table = services.report(pair_study(lambda *_: {"human_text": 1})).table("judges")
    assert table.basis.startswith("One unit is a pair that was given to a judge.")
    assert not any("poem" in column.unit for column in table.columns)


def test_no_measured_time_is_not_defined() -> None:
    study = make_study(judges=["Anna"], milliseconds=None)
    (row,) = services.report(study).table("judges").rows
    said_of_it = "no time was measured of a judgment in the results"
    assert (row[-1].value, row[-1].reason) == (None, said_of_it)


def test_replies_that_could_not_be_read_are_counted_for_each_machine() -> None:
    study = make_study(judges=["Anna"], machines=["Gamma"], answers=said)
    failed = Hearing.objects.get(status="failed")
    Reply.objects.create(hearing=failed, request={}, error_kind="timeout", ended_at=timezone.now())
    Reply.objects.create(hearing=failed, request={})  # the worker was killed
    table = services.report(study).table("machine-replies")
    gamma = figures(table)["Gamma"]
    assert {name: cell.value for name, cell in gamma.items()} == {
        "judge": "Gamma",
        "asked": 6,
        "answered": 5,
        "failed": 1,
        "unfinished": 0,
        "replies": 8,
        "unreadable": 1,
        "no_reply": 2,
    }
    assert table.notes == (
        "1 call without a reply: interrupted",
        "1 call without a reply: no answer in time",
    )


def test_a_study_without_machine_judges_has_no_table_of_replies() -> None:
    with pytest.raises(LookupError):
        services.report(make_study()).table("machine-replies")
