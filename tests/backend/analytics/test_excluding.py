"""Results are made of what the design says, and every judgment that is left out is counted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.judgments.models import Judgment
from annotation.judgments.services import submit
from annotation.studies.models import Assignment, Item, Judge, Study
from backend.analytics import services
from backend.analytics.excluding import failures, leave_out
from backend.analytics.frames import frame
from backend.design.models import AttentionCheck, Design
from tests.backend.analytics.answering import (
    again,
    answer,
    closed,
    fitting,
    pair_study,
    reopened,
    with_attention,
)
from tests.backend.analytics.reports.scales import figures
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def ruled(study: Study, **exclusions: float) -> Study:
    Design.objects.filter(study=study).update(exclusions=exclusions)
    return Study.objects.get(pk=study.pk)


def said(study: Study) -> list[float]:
    return sorted(frame(study).number.tolist())


def left_out(study: Study) -> dict[object, tuple[object, object]]:
    rows = figures(services.report(study).table("left-out"))
    return {why: (row["judgments"].value, row["judges"].value) for why, row in rows.items()}


def recognised() -> Study:
    """Anna can name both human poems and has never seen Alpha's; Ben has seen all somewhere."""
    made = reopened(
        make_study(instrument="recognised-probability", models=["Alpha"], answers=lambda *_: None)
    )
    for assignment in Assignment.objects.filter(judge__study=made):
        human = assignment.item.placement.generation_id is None
        level = 1 if assignment.judge.name == "Ben" else 3 if human else 0
        answer(assignment, {**fitting(made.instrument), "recognition": level})
    return closed(made)


@pytest.mark.parametrize(("level", "kept"), [(1, 2), (2, 6), (3, 6), (4, 8)])
def test_judgments_of_poems_that_were_known_well_enough_are_left_out(level: int, kept: int) -> None:
    found = frame(ruled(recognised(), recognised=level))
    judgments = set(zip(found.judge.tolist(), found.item.tolist(), strict=True))
    assert len(judgments) == kept


def test_with_such_a_rule_no_table_says_that_they_are_in_it() -> None:
    notes = [
        note
        for table in services.report(ruled(recognised(), recognised=3)).tables()
        for note in table.notes
    ]
    assert any("by someone who chose “I can name it”: 0 of 6" in one for one in notes)
    assert not any("as no rule leaves them out" in note for note in notes)


# Each poem has two lines of verse and was in view for sixty seconds.
@pytest.mark.parametrize(("seconds", "kept"), [(30, 6), (30.1, 2)])
def test_judgments_that_were_read_too_fast_are_left_out(seconds: float, kept: int) -> None:
    study = ruled(make_study(judges=["Anna"]), seconds_per_line=seconds)
    untimed = list(Judgment.objects.values_list("pk", flat=True)[:2])
    Judgment.objects.filter(pk__in=untimed).update(milliseconds=None)
    assert len(said(study)) == kept


def test_all_that_an_inattentive_expert_said_is_left_out() -> None:
    study = make_study(answers=lambda judge, *_: 0.9 if judge == "Anna" else 0.1)
    for n_failed in (1, 2):
        study = with_attention(
            study,
            {"probability_human": 0.5},
            Anna={"probability_human": "0.500"},
            Ben={"probability_human": 0.51},
        )
        assert dict(failures(study)) == {study.judges.get(name="Ben").pk: n_failed}
        kept = said(ruled(study, failed_attention=2))
        assert kept == [900.0] * 6 if n_failed == 2 else [100.0] * 6 + [900.0] * 6
    assert left_out(study)["by experts who failed 2 or more tests of attention"] == (6, 1)


@pytest.mark.parametrize("flipped", [False, True])
def test_an_expected_choice_of_a_text_goes_where_the_text_stands(flipped: bool) -> None:
    study = with_attention(
        pair_study(lambda *_: {"human_text": 1}, titles=["Dawn"]), {"human_text": 2}
    )
    item = study.items.get(attention=True)
    given = Assignment.objects.create(
        judge=study.judges.get(), item=item, purpose="attention", counts=False, batch=1,
        position=9, flipped=flipped,
    )  # fmt: skip
    reopened(study)
    answer(given, {"human_text": 1})
    assert failures(study).total() == (0 if flipped else 1)


def test_a_test_of_attention_that_is_answered_after_closing_leaves_nothing_out() -> None:
    study = ruled(make_study(), failed_attention=1)
    before = said(study)
    item = Item.objects.create(
        study=study, text="Choose 0.", stratum="x", twin="x", places=1, attention=True
    )
    AttentionCheck.objects.create(item=item, expected={"probability_human": 0.0})
    given = again(study, "Anna", item, Assignment.Purpose.ATTENTION, {"probability_human": 0.9})
    assert given.extra
    assert (failures(study), said(study)) == ({}, before)


def test_rules_are_about_experts_alone() -> None:
    study = make_study(judges=["Anna"], machines=["Gamma"])
    Judgment.objects.update(milliseconds=1)
    found = frame(ruled(study, seconds_per_line=5))
    assert {found.seats[judge].label for judge in found.judge} == {"Gamma"}


def test_repeats_tests_and_withdrawn_judgments_are_in_no_result() -> None:
    study = make_study(titles=["Dawn"], models=["Alpha"], answers=lambda *_: 0.9)
    study = with_attention(study, {"probability_human": 0.1}, Anna={"probability_human": 0.1})
    item = study.items.filter(attention=False)[0]
    reopened(study)
    again(study, "Anna", item, Assignment.Purpose.REPEAT, {"probability_human": 0.2})
    closed(study)
    Assignment.objects.filter(judge__name="Ben").update(withdrawn_at=timezone.now())
    study = Study.objects.get(pk=study.pk)
    assert said(study) == [900.0, 900.0]
    assert {why: n for why, n in left_out(study).items() if n[0]} == {
        "in the results": (2, 1),
        "withdrawn by a coordinator, with everything of their judge's": (2, 1),
        "hidden repeats of what the same expert had judged before": (1, 1),
        "answers to tests of attention": (1, 1),
    }
    rows = services.report(study).table("judges").rows
    # given, in the results, not answered, given back, extra, withdrawn, left out by a rule,
    # repeats, tests of attention, failed ones
    assert sorted([cell.value for cell in row[2:12]] for row in rows) == [
        [2, 0, 0, 0, 0, 2, 0, 0, 0, 0],
        [2, 2, 0, 0, 0, 0, 0, 1, 1, 0],
    ]


@pytest.mark.parametrize("late", Study.Late)
@pytest.mark.parametrize("in_time", [True, False])
def test_late_answers_are_in_it_if_the_design_says_so_and_they_came_before_closing(
    late: str, in_time: bool
) -> None:
    study = make_study(
        titles=["Dawn"], models=[], answers=lambda judge, *_: 0.5 if judge == "Anna" else None
    )
    Study.objects.filter(pk=study.pk).update(late=late)
    given = Assignment.objects.get(judge__name="Ben")
    assert submit(given, {"probability_human": 0.1}, milliseconds=None).extra
    second = timedelta(seconds=1)
    when = study.closed_at - second if in_time else study.closed_at + second
    Judgment.objects.filter(extra=False).update(submitted_at=study.closed_at - second)
    Judgment.objects.filter(extra=True).update(submitted_at=when)
    study = Study.objects.get(pk=study.pk)
    assert said(study) == ([100.0, 500.0] if late == "in" and in_time else [500.0])


def test_every_table_of_the_experts_says_how_many_were_left_out() -> None:
    study = ruled(make_study(machines=["Gamma"]), seconds_per_line=99)
    Judgment.objects.filter(assignment__judge__name="Ben").update(milliseconds=900_000)
    report = services.report(study)
    note = (
        "judgments left out by rules that were fixed when the study opened: 6, by 1 expert "
        "(6 read in less than 99 seconds for each line of verse); see “Left out of the results”"
    )
    noted = {
        section.key: {note in table.notes for table in section.tables}
        for section in report.sections
    }
    of_experts = ("telling-experts", "calibration-experts", "scores-experts", "parts-experts")
    assert [noted[key] for key in of_experts] == [{True}] * 4
    assert [noted[key] for key in ("telling-machine-1", "calibration-machine-1")] == [{False}] * 2
    assert report.table("left-out").notes == (
        "judgments in the results: 6; without the rules of the design: 12",
    )


def test_what_each_rule_left_out_is_told_in_words() -> None:
    study = ruled(recognised(), recognised=3, seconds_per_line=1, failed_attention=2)
    assert leave_out(study.design).note == (
        "judgments left out by rules that were fixed when the study opened: 2, by 1 expert "
        "(2 because the poem was known: “I can name it”, or better; 0 read in less than 1 second "
        "for each line of verse; 0 by experts who failed 2 or more tests of attention); see "
        "“Left out of the results”"
    )


def test_judgments_by_experts_and_by_machines_are_not_counted_together() -> None:
    study = make_study(machines=["Gamma"])
    assert left_out(study)["in the results"] == (12, 2)
    withdrawn = Assignment.objects.filter(judge__kind=Judge.Kind.MACHINE)
    withdrawn.update(withdrawn_at=timezone.now())
    assert [n for n in left_out(study).values() if any(n)] == [(12, 2)]


def test_without_rules_it_is_said_that_there_are_none() -> None:
    assert services.report(make_study()).table("left-out").notes == (
        "the design has no rule that leaves judgments out",
    )


def test_experts_of_whom_nothing_is_left_are_counted_beside_the_others() -> None:
    study = make_study()
    assert not services.report(study).table("judges").notes
    Study.objects.update(experts_deleted=2, judgments_deleted=31)
    (note,) = services.report(Study.objects.get(pk=study.pk)).table("judges").notes
    assert "deleted: 2; judgments that went with them: 31" in note


def test_where_groups_want_different_numbers_of_judges_each_is_named() -> None:
    study = make_study()
    study.items.filter(pk=study.items.first().pk).update(places=5)
    assert "2 or 5 were wanted for each" in services.report(study).table("coverage").caption
