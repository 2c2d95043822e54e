"""Words counted by hand."""

import math

import pytest

from backend.analytics.frames import frame
from backend.analytics.reports.words import lexical
from backend.analytics.tables import Cell, Table
from tests.backend.analytics.answering import pair_study
from tests.backend.analytics.reports.scales import figures
from tests.studies import make_study

pytestmark = pytest.mark.django_db

# The human poem has the words the, sea, and, stone: four different of five.
TEXTS = {
    ("human", "Dawn"): "The sea\nand the stone",
    ("Alpha", "Dawn"): "The sea, the sea\nof glass",
    ("human", "Dusk"): "A stone",
    ("Alpha", "Dusk"): "Nothing here",
}


def tables() -> dict[str, Table]:
    study = make_study(
        models=["Alpha"], free=["Beta"], text=lambda author, title: TEXTS.get((author, title), "Oh")
    )
    return {one.key: one for one in lexical.tables(frame(study))}


def test_the_type_token_ratio_is_averaged_over_poems() -> None:
    # Human: 4 of 5 and 2 of 2; Alpha: the sea of glass, 4 of 6, and 2 of 2.
    found = figures(tables()["words"])
    assert found["human"]["ttr"].value == pytest.approx((4 / 5 + 1) / 2)
    assert found["Alpha"]["ttr"].value == pytest.approx((4 / 6 + 1) / 2)
    assert found["Alpha"]["ttr_sd"].value == pytest.approx((1 - 4 / 6) / math.sqrt(2))
    assert found["Alpha"]["words_per_poem"].value == 4


def test_means_have_an_interval_by_titles_and_descriptions_say_so() -> None:
    # Alpha's ratios are 2/3 and 1 on two titles: mean 5/6, error 1/6, t(1) = 12.7062; cut to 1.
    found = tables()
    alpha = figures(found["words"])["Alpha"]
    assert (alpha["ttr_low"].value, alpha["ttr_high"].value) == (0, 1)
    assert alpha["ttr_n"].value == 2
    assert any("only 2 titles" in note for note in found["words"].notes)
    assert "has no interval" in found["words"].explanation
    assert "have no intervals" in found["commonest-words"].explanation


def test_the_interval_of_a_mean_is_that_of_its_titles() -> None:
    # Ratios 1, 1/2, 1, 1/2, 3/4 of five titles: mean 3/4, squares 4/16 by 25 times 5/4: error
    # sqrt(1/80); t(4) = 2.776445.
    poems = {"a": "one two", "b": "one one", "c": "two one", "d": "two two", "e": "a b c a"}
    study = make_study(
        slug="five", titles=list(poems), models=[], judges=[], text=lambda _a, title: poems[title]
    )
    human = figures(lexical.tables(frame(study))[0])["human"]
    assert human["ttr"].value == pytest.approx(3 / 4)
    assert human["ttr_low"].value == pytest.approx(3 / 4 - 2.776445 / math.sqrt(80), abs=1e-6)


def test_poems_on_one_title_have_a_mean_and_no_interval() -> None:
    study = make_study(slug="one", titles=["Dawn"], models=["Alpha"], judges=[])
    human = figures(lexical.tables(frame(study))[0])["human"]
    assert human["ttr"].value is not None
    assert human["ttr_low"].reason.startswith("poems on one title alone")


def test_over_the_first_words_only_poems_that_have_so_many_count() -> None:
    short = figures(tables()["words"])["human"]
    assert short["ttr_first"] == Cell(None, "no poem has 50 words")
    study = make_study(
        slug="long", titles=["Dawn", "Dusk"], models=[], judges=[],
        text=lambda _author, title: "one two " * (25 if title == "Dawn" else 24),
    )  # fmt: skip
    (words, _) = lexical.tables(frame(study))
    human = figures(words)["human"]
    assert (human["ttr_first"].value, human["ttr_first_n"].value) == (2 / 50, 1)
    assert human["ttr_first_sd"].reason == "only one value was given: it has no spread"


def test_what_a_machine_poem_repeats_is_counted_against_its_own_original() -> None:
    # Dawn: the and sea of four different words; of Alpha's six, the sea the sea. Dusk: nothing.
    alpha = figures(tables()["words"])["Alpha"]
    assert alpha["repeated"].value == pytest.approx((2 / 4 + 0) / 2)
    assert alpha["taken"].value == pytest.approx((4 / 6 + 0) / 2)
    assert alpha["repeated_n"].value == 2


def test_a_poem_on_a_free_brief_has_no_original() -> None:
    found = figures(tables()["words"])
    beta, human = found["Beta"], found["human"]
    assert beta["repeated"] == Cell(None, "no poem's original is in the study")
    assert beta["cosine"].reason.startswith("no content word")
    assert human["repeated"] == Cell(None, "a human poem is the original")


def test_content_words_are_listed_and_compared() -> None:
    # Human: stone 2, sea 1. Alpha: sea 2, glass 1, nothing 1: dot 2, lengths √5 and √6.
    found = tables()
    listed = figures(found["commonest-words"])
    assert listed["human"]["content_words"].value == "stone (2), sea (1)"
    assert listed["Alpha"]["content_words"].value == "sea (2), glass (1), nothing (1)"
    assert listed["human"]["openings"].value == "a (1), the (1)"
    assert figures(found["words"])["Alpha"]["cosine"].value == pytest.approx(2 / math.sqrt(30))


def test_of_pairs_no_words_are_counted() -> None:
    assert lexical.tables(frame(pair_study(lambda *_: None))) == ()


@pytest.mark.parametrize(
    ("word", "content"),
    [("we'll", False), ("sea's", True), ("o", False), ("之", False), ("月", True), ("thy", False)],
)
def test_function_words_carry_no_content(word: str, content: bool) -> None:
    assert lexical.carries_content(word) is content
