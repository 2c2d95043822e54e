"""A coordinator is told, before the study opens, what the export will hold of each question."""

import pytest

from annotation.instruments import describing
from annotation.instruments.choices import Altered, ForcedChoice
from annotation.instruments.loading import load, published, published_all
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Comment, Likert, Point

SCALE = (Point(1, "bad"), Point(2, "good"))


@pytest.mark.parametrize(
    ("question", "column", "allowed", "empty"),
    [
        (Likert("q", 1, "Q", True, points=SCALE), "value", "1 = bad; 2 = good", "never empty"),
        (Likert("q", 1, "Q", False, points=SCALE, na=Point(0, "N/A")), "value",
         "1 = bad; 2 = good; 0 = N/A (not applicable)", "skipped"),
        (Comment("q", 1, "Q", False), "text", "any text", "skipped"),
        (Probability("q", 1, "Q", True, "no", "yes"), "value",
         "0.000 = no; 1.000 = yes; three decimals", "never empty"),
        (Probability("q", 1, "Q", True, "no", "yes", "I don't know"), "value",
         "0.000 = no; 1.000 = yes; three decimals", "cannot tell (I don't know)"),
        (Probability("q", 1, "Q", False, "no", "yes", "I don't know"), "value",
         "0.000 = no; 1.000 = yes; three decimals", "skipped or cannot tell (I don't know)"),
        (ForcedChoice("q", 1, "Q", True), "value", "1 = Text A; 2 = Text B", "never empty"),
        (Altered("q", 1, "Q", True, labels=("no", "yes")), "value", "0 = no; 1 = yes",
         "never empty"),
    ],
)  # fmt: skip
def test_a_question_tells_its_column_its_values_and_what_empty_means(
    question, column, allowed, empty
):
    assert describing.column(question) == column
    assert describing.allowed(question) == allowed
    assert describing.when_empty(question) == empty


def test_the_name_at_the_gate_and_the_trace_of_a_probability_have_rows_of_their_own():
    rows = describing.export_rows(load(published("recognised-probability")))
    assert [(row.question, row.number, row.column) for row in rows] == [
        ("recognition", 1, "value"), ("recognition", 1, "text"),
        ("overall_quality", 2, "value"), ("emotional_resonance", 3, "value"),
        ("quality_comment", 4, "text"),
        ("probability_human", 5, "value"), ("probability_human", 5, "first"),
        ("probability_human", 5, "moves"), ("probability_human", 5, "touched_ms"),
        ("authorship_comment", 6, "text"),
    ]  # fmt: skip
    gate, named = rows[:2]
    assert gate.allowed == (
        "0 = I have never seen it; 1 = It seems vaguely familiar; 2 = I know it; 3 = I can name it"
    )
    assert (named.wording, named.empty_means) == (
        "Which poem, or whose?", "only asked at 3 = I can name it, and optional there",
    )  # fmt: skip


@pytest.mark.parametrize("data", published_all().values(), ids=lambda data: data["key"])
def test_every_row_of_a_shipped_instrument_tells_everything(data):
    rows = describing.export_rows(load(data))
    assert {row.question for row in rows} == {asked["key"] for asked in data["questions"]}
    for row in rows:
        assert row.file == "ratings.csv"
        assert row.column
        assert row.kind
        assert row.allowed
        assert row.empty_means
        assert row.wording
