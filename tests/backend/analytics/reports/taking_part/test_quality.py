"""Signs of careless answering and missing answers, counted by hand."""

import pytest
from django.utils import timezone

from annotation.instruments.loading import published
from annotation.judgments.models import Judgment
from annotation.studies.models import Assignment, Study
from backend.analytics.flagging import flagged, records, without
from backend.analytics.frames import frame
from backend.analytics.reports.taking_part import quality
from backend.analytics.tables import Table
from backend.analytics.turnout import turnout
from tests.backend.analytics.answering import pair_study, with_attention
from tests.backend.analytics.reports.scales import POINTS, figures, instrument, likert_study
from tests.studies import Answers, make_study

pytestmark = pytest.mark.django_db

TITLES = ("Dawn", "Dusk", "Noon", "Night")


def tables(study: Study) -> dict[str, Table]:
    found = frame(study)
    return {one.key: one for one in quality.tables(found, turnout(study, found.left_out))}


def flags(study: Study) -> dict[str, set[str]]:
    """Return by sign the names of the experts whom it flags."""
    found = frame(study)
    names = dict(study.judges.values_list("code", "name"))
    marked = flagged(found, turnout(study, found.left_out))
    return {
        key: {names[found.seats[place].code] for place in places} for key, places in marked.items()
    }


def points(said: Answers) -> Study:
    """Return a study of eight poems with one question on five points."""
    asked = {"kind": "likert", "points": POINTS, "key": "form", "text": "The form is kept."}
    return make_study(
        instrument={**instrument(), "questions": [asked]}, titles=TITLES, models=["Alpha"],
        answers=said,
    )  # fmt: skip


def test_whoever_gives_one_answer_throughout_is_flagged_thrice() -> None:
    # Anna always 3; Ben goes 1 2 3 4 5 1 2 3 in the order of the poems.
    steps = iter([1, 2, 3, 4, 5, 1, 2, 3])
    study = points(lambda judge, _author, _title: 3 if judge == "Anna" else next(steps))
    assert flags(study) == {
        "run": {"Anna"}, "share": {"Anna"}, "spread": {"Anna"}, "seconds": set(), "failed": set(),
    }  # fmt: skip
    rows = sorted(
        [row[key].value for key in ("poems", "run_answers", "longest_run", "commonest", "spread")]
        for row in figures(tables(study)["quality"]).values()
    )
    # Ben's squares around 2.625: 21 + 1 + ... = 13.875 in all, by 7.
    assert rows[0] == [8, 8, 1, 0.25, pytest.approx((13.875 / 7) ** 0.5)]
    assert rows[1] == [8, 8, 8, 1.0, 0.0]


def test_runs_of_probabilities_are_told_where_no_points_are_asked() -> None:
    # Anna names .5 of all twelve poems, Ben twelve probabilities.
    steps = iter(range(12))
    study = make_study(
        titles=TITLES, answers=lambda judge, *_: 0.5 if judge == "Anna" else next(steps) / 20
    )
    table = tables(study)["quality"]
    keys = (
        "longest_run", "run_kind", "run_answers", "commonest", "commonest_kind",
        "commonest_answers",
    )  # fmt: skip
    rows = sorted([row[key].value for key in keys] for row in figures(table).values())
    assert rows == [
        [1, "probabilities", 12, pytest.approx(1 / 12), "probabilities", 12],
        [12, "probabilities", 12, 1.0, "probabilities", 12],
    ]
    assert all(isinstance(row[0], int) for row in rows)
    assert "spread" not in [column.key for column in table.columns]
    assert "IRV" not in table.method


def test_the_kind_that_was_flagged_is_the_one_that_is_shown() -> None:
    # Points go 1 2 3 4 5 1 2 ...; the probability is .5 each time.
    asked = [
        {"kind": "likert", "points": POINTS, "key": "form", "text": "The form is kept."},
        {**published("proftap-probability")["questions"][0], "about": "authorship"},
    ]
    steps = iter([1, 2, 3, 4, 5] * 5)
    study = make_study(
        instrument={**instrument(), "questions": asked}, titles=TITLES, judges=["Anna"],
        answers=lambda *_: {"form": next(steps), "probability_human": 0.5},
    )  # fmt: skip
    (row,) = figures(tables(study)["quality"]).values()
    assert (row["longest_run"].value, row["run_kind"].value) == (12, "probabilities")
    assert row["flags"].value == "long run, answers alike"


def test_a_study_without_experts_has_no_such_tables() -> None:
    assert tables(make_study(judges=[], machines=["Gamma"])) == {}


def test_a_run_is_counted_in_the_order_in_which_the_answers_came() -> None:
    # By item 1 2 1 2 1 2 1 2; the even ones were sent before the odd ones.
    steps = iter([1, 2] * 8)
    study = points(lambda *_: next(steps))
    for judgment in Judgment.objects.select_related("assignment"):
        at = timezone.now().replace(hour=1 + judgment.assignment.position % 2)
        Judgment.objects.filter(pk=judgment.pk).update(submitted_at=at)
    assert [row[2].value for row in tables(study)["quality"].rows] == [4, 4]


def test_time_in_view_is_by_line_of_verse() -> None:
    # Each poem has two lines: 60 seconds are 30 a line; those of Anna's are 1.5 seconds in all.
    study = points(lambda *_: 3)
    Judgment.objects.filter(assignment__judge__name="Anna").update(milliseconds=1500)
    one = Judgment.objects.filter(assignment__judge__name="Anna").order_by("pk")[0]
    Judgment.objects.filter(pk=one.pk).update(milliseconds=60_000)
    rows = sorted(
        [row[key].value for key in ("seconds_a_line", "share_fast", "timed")]
        for row in figures(tables(study)["quality"]).values()
    )
    assert rows == [[0.75, 7 / 8, 8], [30.0, 0.0, 8]]
    assert flags(study)["seconds"] == {"Anna"}


def test_results_without_the_flagged_are_promised_only_where_they_exist() -> None:
    def told(study: Study) -> str:
        return tables(study)["quality"].explanation

    def flagging(slug: str, *names: str) -> Study:
        steps = iter(range(99))
        return make_study(
            slug=slug, titles=TITLES,
            answers=lambda judge, *_: 0.5 if judge in names else next(steps) / 100,
        )  # fmt: skip

    promised = "A table of results with and without the experts who are flagged here"
    assert promised in told(flagging("one", "Anna"))
    assert told(flagging("nobody")).endswith("nobody is left out by them.")
    everybody = told(flagging("everybody", "Anna", "Ben"))
    assert promised not in everybody
    assert everybody.endswith("All experts are flagged: without them, no result is left.")


def test_whoever_is_not_flagged_is_flagged_for_nothing() -> None:
    steps = iter(range(99))
    study = make_study(judges=["Anna"], answers=lambda *_: next(steps) / 100)
    (row,) = figures(tables(study)["quality"]).values()
    assert row["flags"].value == "nothing"


def test_pairs_are_not_called_poems() -> None:
    found = tables(pair_study(lambda *_: {"human_text": 1}, titles=TITLES))
    units = [column.unit for column in found["quality"].columns]
    assert "pairs" in units
    assert not any("poem" in unit for unit in units)
    assert found["missing-judgments"].basis.startswith("One unit is a pair that was given")


def test_failed_tests_of_attention_are_flagged() -> None:
    study = with_attention(
        make_study(), {"probability_human": 0.5},
        Anna={"probability_human": 0.5}, Ben={"probability_human": 0.9},
    )  # fmt: skip
    assert flags(study)["failed"] == {"Ben"}
    told = sorted(tuple(cell.value for cell in row[-3:]) for row in tables(study)["quality"].rows)
    assert [one[:2] for one in told] == [(1, 0), (1, 1)]
    assert "failed a test of attention" in str(told[1][2])


def test_without_the_flagged_their_ratings_are_gone() -> None:
    study = points(lambda judge, _author, _title: 3 if judge == "Anna" else 4)
    found = frame(study)
    (place,) = [n for n, seat in enumerate(found.seats) if 3 in found.number[found.judge == n]]
    assert set(found.number[without(found, frozenset({place}))]) == {4}


def test_what_stood_first_is_one_answer_however_pairs_were_stored() -> None:
    # Text A each time, stored first or second, human or not.
    study = pair_study(
        lambda *_: {"human_text": 1},
        titles=TITLES,
        flipped=lambda _model, title: title in ("Dawn", "Night"),
        human_second=lambda _model, title: title in ("Dusk", "Night"),
    )
    found = frame(study)
    (record,) = records(found, turnout(study, found.left_out)).values()
    assert record.others == ([], [1, 1, 1, 1], [])
    assert record.seconds_a_line == [15.0] * 4  # 60 seconds, two texts of two lines


def test_missing_judgments_are_counted_by_author() -> None:
    # Ben leaves both of Alpha's poems unanswered, one of them given back.
    study = make_study(
        models=["Alpha"],
        answers=lambda judge, author, _title: None if (judge, author) == ("Ben", "Alpha") else 0.5,
    )
    back = Assignment.objects.filter(answered_at=None)[0]
    Assignment.objects.give_back(back, timezone.now())
    rows = tables(study)["missing-judgments"].rows
    assert [[cell.value for cell in row] for row in rows] == [
        ["human", 4, 4, 0, 0, 0.0],
        ["Alpha", 4, 2, 2, 0, 0.5],
    ]


def test_answers_without_a_rating_are_counted_by_author_and_question() -> None:
    # Imagery: N/A N/A 5 of the human poem, 3 4 N/A of Alpha's; warmth: Anna skips both.
    rows = tables(likert_study())["missing-answers"].rows
    assert [[cell.value for cell in row[:-1]] for row in rows] == [
        ["2 imagery", "human", 3, 1, 2, 0, 0],
        ["2 imagery", "Alpha", 3, 2, 1, 0, 0],
        ["3 warmth", "human", 3, 2, 0, 0, 1],
        ["3 warmth", "Alpha", 3, 2, 0, 0, 1],
    ]
    assert rows[0][-1].value == pytest.approx(2 / 3)


def test_where_every_question_must_be_rated_no_answer_can_be_missing() -> None:
    assert set(tables(make_study())) == {"quality", "missing-judgments"}


def test_what_cannot_be_measured_says_why() -> None:
    study = make_study(judges=["Anna"], milliseconds=None, answers=lambda *_: None)
    (row,) = figures(tables(study)["quality"]).values()
    assert row["longest_run"].reason == "there is no answer to a closed question"
    assert row["seconds_a_line"].reason == "no time was measured of a judgment in the results"
