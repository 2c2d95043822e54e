"""Of an answer that was changed, both values are in the package; what stands is in ratings.csv."""

import pytest

from annotation.instruments.loading import published
from annotation.judgments.models import Judgment, Rating
from annotation.judgments.services import edit, submit
from annotation.studies.models import Assignment, Consent, Judge, Study
from tests.backend.analytics.answering import closed, reopened
from tests.backend.exports.opened import packed, table
from tests.studies import make_study

pytestmark = pytest.mark.django_db

COMMENT = {"key": "why", "kind": "comment", "text": "Why?", "required": False}


def commented() -> Study:
    """Return a study in which Anna answered one poem with 0.35 and a comment."""
    data = published("proftap-probability")
    return make_study(
        instrument={**data, "questions": [*data["questions"], COMMENT]},
        titles=["Dawn"],
        models=[],
        judges=["Anna"],
        answers=lambda *_: {"probability_human": 0.35, "why": "=SUM(1)"},
    )


def edited(study: Study, **answers: object) -> Study:
    reopened(study)
    judgment = Judgment.objects.get()
    assert edit(judgment, answers, edits=judgment.ratings.count())
    return closed(study)


def test_nothing_edited_leaves_an_empty_table() -> None:
    package = packed(commented())
    assert table(package, "edits.csv") == []
    assert {row["answered_version"] for row in table(package, "ratings.csv")} == {"1"}


def test_both_values_are_kept() -> None:
    study = edited(commented(), probability_human=0.8, why="=SUM(1)")
    study = edited(study, probability_human=0.9, why="")
    package = packed(study)
    rows = table(package, "edits.csv")
    told = [
        (row["judgment"], row["question"], row["version"], row["value"], row["text"])
        for row in rows
    ]
    assert told == [
        ("1", "probability_human", "1", "0.350", ""),
        ("1", "probability_human", "2", "0.800", ""),
        ("1", "why", "1", "", "=SUM(1)"),
    ]
    assert b"'=SUM(1)" in package.read("edits.csv")
    (code,) = Judge.objects.values_list("code", flat=True)
    assert {row["judge"] for row in rows} == {code}
    stands = {row["question"]: row for row in table(package, "ratings.csv")}
    assert (
        stands["probability_human"]["value"],
        stands["probability_human"]["answered_version"],
    ) == ("0.900", "3")
    assert (stands["why"]["blank"], stands["why"]["answered_version"]) == ("skipped", "2")


def test_edits_name_the_day_and_no_time() -> None:
    edited(commented(), probability_human=0.8, why="=SUM(1)")
    old = Rating.objects.exclude(superseded_at=None)
    assert old.update(written_at="2026-03-02T23:30Z", superseded_at="2026-03-09T00:10Z") == 1
    (row,) = table(packed(Study.objects.get()), "edits.csv")
    assert (row["written_on"], row["superseded_on"]) == ("2026-03-02", "2026-03-09")


def test_how_a_probability_was_placed_is_beside_it() -> None:
    study = make_study(
        titles=["Dawn"],
        models=[],
        judges=["Anna", "Ben"],
        answers=lambda judge, *_: {
            "probability_human": 0.35,
            **(
                {
                    "probability_human.first": "0.5",
                    "probability_human.moves": "3",
                    "probability_human.touched": "8123",
                }
                if judge == "Anna"
                else {}
            ),
        },
    )
    codes = dict(Judge.objects.values_list("name", "code"))
    rows = {row["judge"]: row for row in table(packed(study), "ratings.csv")}
    told = ("value", "first", "moves", "touched_ms")
    assert [rows[codes["Anna"]][name] for name in told] == ["0.350", "0.500", "3", "8123"]
    assert [rows[codes["Ben"]][name] for name in told] == ["0.350", "", "", ""]


@pytest.mark.parametrize("quotable", [True, False])
def test_a_comment_says_whether_it_may_be_quoted(quotable: bool) -> None:
    study = commented()
    Consent.objects.update(quotable=quotable)
    rows = {row["question"]: row["quotable"] for row in table(packed(study), "ratings.csv")}
    assert rows == {"probability_human": "", "why": "yes" if quotable else "no"}


def test_cannot_tell_is_no_value_and_says_why() -> None:
    data = published("proftap-probability")
    offers = {**data["questions"][0], "cannot_tell": "I cannot tell"}
    study = make_study(
        instrument={**data, "questions": [offers]},
        titles=["Dawn"],
        models=[],
        judges=["Anna"],
        answers=lambda *_: {"probability_human": "cannot_tell"},
    )
    (row,) = table(packed(study), "ratings.csv")
    assert (row["value"], row["blank"]) == ("", "cannot_tell")


def test_judgments_have_one_number_in_every_file() -> None:
    study = make_study(
        titles=["Dawn", "Dusk"],
        models=[],
        judges=["Anna", "Ben"],
        answers=lambda judge, _a, title: None if (judge, title) == ("Anna", "Dawn") else 0.35,
    )
    reopened(study)
    for judgment in Judgment.objects.filter(assignment__judge__name="Ben"):
        edit(judgment, {"probability_human": 0.8}, edits=1)
    submit(Assignment.objects.get(answered_at=None), {"probability_human": 0.1}, milliseconds=None)
    package = packed(closed(study))
    ratings = {row["judgment"]: row for row in table(package, "ratings.csv")}
    given = {
        row["judgment"]: (row["judge"], row["item"]) for row in table(package, "assignments.csv")
    }
    assert given == {number: (row["judge"], row["item"]) for number, row in ratings.items()}
    assert sorted(given) == ["1", "2", "3", "4"]
    changed = {row["judgment"]: row["judge"] for row in table(package, "edits.csv")}
    ben = Judge.objects.get(name="Ben").code
    assert changed == {number: ben for number, row in ratings.items() if row["judge"] == ben}
