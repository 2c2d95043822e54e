"""What one expert is told: their own figures, by hand, and nothing where nothing is defined."""

from collections.abc import Sequence

import pytest

from annotation.instruments.loading import load, published
from annotation.instruments.questions import Question
from backend.analytics.debrief import Bin, Judged, Origin, Reply, debrief
from backend.analytics.frames import Placed

PROBABILITY = load(published("proftap-probability")).questions
CHOICE = load(published("pair-choice")).questions


def poem(
    position: int, number: int | None, *, model: str = "", blank: str = "", title: int | None = None
) -> Judged:
    """Return one judged poem of a title of its own, unless one is given."""
    key = position if title is None else title
    poet = "" if model else f"Poet {position}"
    placed = Placed(position, model, poet, key, f"Title {key}", "sonnet")
    replies = {"probability_human": Reply(number, blank)}
    return Judged(position, placed, (f"Line of {position}",), "en", flipped=False, replies=replies)


def pair(position: int, side: int, *, human_text: str, flipped: bool) -> Judged:
    placed = Placed(position, "Alpha", "Poet", position, "Title", "sonnet", human_text)
    replies = {"human_text": Reply(side, "")}
    return Judged(position, placed, ("stored first", "stored second"), "en", flipped, replies)


def only(questions: Sequence[Question], judged: Sequence[Judged]):  # type: ignore[no-untyped-def]
    (accuracy,) = debrief(questions, judged).accuracies
    return accuracy


# Human poems .9 .6 .5, machine poems .7 .2 .1.
KNOWN = [
    poem(1, 900), poem(2, 600), poem(3, 500),
    poem(4, 700, model="Alpha"), poem(5, 200, model="Alpha"), poem(6, 100, model="Beta"),
]  # fmt: skip


def test_the_chance_of_telling_is_counted_pair_by_pair() -> None:
    # .9 beats three, .6 beats two, .5 beats two: 7 of 9.
    accuracy = only(PROBABILITY, KNOWN)
    assert accuracy.auc.value == 7 / 9
    assert (accuracy.auc.counts["n_human"], accuracy.auc.counts["n_machine"]) == (3, 3)


def test_right_is_what_leans_to_the_truth_and_one_half_leans_nowhere() -> None:
    # Right: .9 .6 .2 .1; wrong: .7; neither: .5.
    accuracy = only(PROBABILITY, KNOWN)
    assert (accuracy.right.value, accuracy.right.n, accuracy.n_even) == (4 / 5, 5, 1)
    assert accuracy.n == 6


def test_what_was_said_is_set_beside_what_was_so() -> None:
    assert only(PROBABILITY, KNOWN).bins == (
        Bin(0.0, 0.2, n=1, n_human=0),
        Bin(0.2, 0.4, n=1, n_human=0),
        Bin(0.4, 0.6, n=1, n_human=1),
        Bin(0.6, 0.8, n=2, n_human=1),
        Bin(0.8, 1.0, n=1, n_human=1),
    )


def test_certainty_belongs_to_the_last_bin() -> None:
    assert only(PROBABILITY, [poem(1, 1000)]).bins == (Bin(0.8, 1.0, n=1, n_human=1),)


def test_of_one_kind_of_poem_there_is_no_chance_of_telling_but_a_share() -> None:
    accuracy = only(PROBABILITY, [poem(1, 900), poem(2, 300)])
    assert not accuracy.auc.defined
    assert accuracy.auc.reason
    assert (accuracy.right.value, accuracy.right.n) == (0.5, 2)


def test_blank_answers_are_counted_and_in_no_figure() -> None:
    accuracy = only(
        PROBABILITY, [poem(1, None, blank="cannot_tell"), poem(2, None, blank="skipped")]
    )
    assert (accuracy.n, accuracy.n_blank) == (0, 2)
    assert not accuracy.auc.defined
    assert not accuracy.right.defined
    assert accuracy.bins == ()


def test_human_and_machine_poem_of_one_title_are_no_two_titles() -> None:
    accuracy = only(PROBABILITY, [poem(1, 900, title=7), poem(2, 100, model="Alpha", title=7)])
    assert accuracy.auc.value == 1.0
    assert accuracy.auc.counts["n_titles"] == 1
    assert not accuracy.auc.has_interval


def test_each_poem_is_told_with_its_author_and_the_answer_given() -> None:
    first, *_, last = debrief(PROBABILITY, KNOWN).told
    assert first.origins == (Origin("", "Line of 1", "Poet 1", ""),)
    assert first.said == ((1, "0.9"),)
    assert last.origins == (Origin("", "Line of 6", "", "Beta"),)
    assert (last.position, last.title) == (6, "Title 6")


@pytest.mark.parametrize(
    ("human_text", "flipped", "openings", "human_label"),
    [
        ("first", False, ("stored first", "stored second"), "A"),
        ("second", False, ("stored first", "stored second"), "B"),
        ("first", True, ("stored second", "stored first"), "B"),
        ("second", True, ("stored second", "stored first"), "A"),
    ],
)
def test_two_texts_are_told_as_they_were_shown(
    human_text: str, flipped: bool, openings: tuple[str, str], human_label: str
) -> None:
    judged = pair(1, 1, human_text=human_text, flipped=flipped)
    (told,) = debrief(CHOICE, [judged]).told
    assert tuple(origin.opening for origin in told.origins) == openings
    assert [origin.label for origin in told.origins if origin.poet == "Poet"] == [human_label]
    assert [origin.label for origin in told.origins if origin.model] == [
        "B" if human_label == "A" else "A"
    ]
    assert told.said == ((1, "Text A"),)
    assert only(CHOICE, [judged]).right.value == (human_label == "A")


def test_choices_have_a_share_and_nothing_ranked() -> None:
    judged = [pair(n, 1, human_text="first", flipped=n > 3) for n in range(1, 5)]
    accuracy = only(CHOICE, judged)
    assert (accuracy.right.value, accuracy.right.n) == (3 / 4, 4)
    assert (accuracy.auc, accuracy.bins) == (None, ())


def test_points_are_ranked_and_have_no_middle_to_lean_from() -> None:
    questions = load(published("poemetric-survey")).questions

    def rated(position: int, point: int, model: str) -> Judged:
        placed = Placed(position, model, "", position, "Title", "")
        replies = {"human_authorship": Reply(point, "")}
        return Judged(position, placed, ("Line",), "en", flipped=False, replies=replies)

    accuracy = only(questions, [rated(1, 5, ""), rated(2, 2, "Alpha"), rated(3, 5, "Alpha")])
    assert accuracy.auc.value == 3 / 4  # 5 beats 2 and ties with 5
    assert (accuracy.right, accuracy.bins) == (None, ())


def test_an_instrument_that_asks_nothing_of_authorship_has_poems_and_no_figures() -> None:
    found = debrief(load(published("altered-text")).questions, KNOWN)
    assert len(found.told) == 6
    assert found.accuracies == ()
