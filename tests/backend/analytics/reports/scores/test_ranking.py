"""All authors in order: means by hand, and rank intervals where the truth is plain."""

import pytest

from backend.analytics.frames import Frame, frame
from backend.analytics.presenting import present
from backend.analytics.reports.scores import ranking
from backend.analytics.reports.scores.ranking import Overall
from backend.analytics.tables import Table
from tests.backend.analytics.reports.scales import POINTS, figures, instrument, likert_study
from tests.studies import make_study

pytestmark = pytest.mark.django_db

TITLES = ("Dawn", "Dusk", "Noon", "Night", "Noise", "Frost")
KEYS = (
    "form", "theme", "lexical_diversity", "creativity", "idiosyncrasy", "emotional_resonance",
    "imagery", "literary_devices", "quality", "human_authorship",
)  # fmt: skip
# By author: on the two questions on instructions, the six on creativity, quality, authorship.
SAID = {"human": (2, 5, 4, 1), "Alpha": (4, 2, 3, 5), "Beta": (1, 1, 1, 5)}


def survey(judge: str, author: str, title: str) -> dict[str, object]:
    """What every judge says, but that Anna has a point less for each author's poem on Dawn."""
    following, creative, quality, authorship = SAID[author]
    points = [following] * 2 + [creative] * 6 + [quality, authorship]
    less = (judge, title) == ("Anna", "Dawn")
    comments = dict.fromkeys(f"{key}_comment" for key in ("literary_devices", "quality"))
    return {
        **dict(zip(KEYS, [max(1, point - less) for point in points], strict=True)),
        **comments,
    }


def ranked(found: Frame, *, panel: int = 0) -> Table:
    (table,) = ranking.tables(found, found.panels[panel])
    return table


def made(**options: object) -> Frame:
    return frame(
        make_study(
            instrument="poemetric-survey", titles=TITLES, judges=["Anna", "Ben", "Cem"],
            answers=survey, **options,
        )
    )  # fmt: skip


def test_authors_stand_in_the_order_of_the_mean_of_their_questions_means() -> None:
    # Anna's point less on one of 18 judgments takes 1/18 off, where it is not 1 already.
    table = ranked(made())
    assert [row[0].value for row in table.rows] == ["human (reference)", "Alpha", "Beta"]
    found = figures(table)
    human = (2 * 2 + 6 * 5 + 4) / 9 - 1 / 18
    alpha = (2 * 4 + 6 * 2 + 3) / 9 - 1 / 18
    assert found["human (reference)"]["overall"].value == pytest.approx(human)
    assert found["Alpha"]["overall"].value == pytest.approx(alpha)
    assert found["Beta"]["overall"].value == 1
    assert [found[name]["rank"].value for name in found] == [1, 2, 3]


def test_authorship_is_no_part_of_the_overall_mean() -> None:
    # With it Beta would have 1.4.
    assert figures(ranked(made()))["Beta"]["overall"].value == 1


def test_the_published_groups_have_means_of_their_own() -> None:
    alpha = figures(ranked(made()))["Alpha"]
    groups = [alpha[f"group_{n}"].value for n in (1, 2, 3)]
    assert groups == pytest.approx([4 - 1 / 18, 2 - 1 / 18, 3 - 1 / 18])


def test_where_authors_lie_far_apart_every_draw_has_the_same_order() -> None:
    found = figures(ranked(made()))
    places = {
        name: tuple(row[key].value for key in ("rank_low", "rank_high", "best"))
        for name, row in found.items()
    }
    assert places == {"human (reference)": (1, 1, 1), "Alpha": (2, 2, 0), "Beta": (3, 3, 0)}


def test_equal_authors_share_their_place_and_being_best() -> None:
    asked = {"kind": "likert", "points": POINTS, "key": "warm", "text": "It is warm."}
    found = frame(
        make_study(
            instrument={**instrument(), "questions": [asked]}, titles=TITLES, models=["Alpha"],
            answers=lambda *_: 3,
        )
    )  # fmt: skip
    table = ranked(found)
    assert {row[1].value for row in table.rows} == {1.5}
    for row in figures(table).values():
        assert [row[key].value for key in ("rank_low", "rank_high", "best")] == [1.5, 1.5, 0.5]


def test_a_question_that_is_na_weighs_as_much_as_the_others() -> None:
    # Human: form 4 4 3, imagery 5 alone, warmth 1 3: mean of 11/3, 5 and 2. Alpha: 2, 3.5, 5.
    found = figures(ranked(frame(likert_study())))
    assert found["human (reference)"]["overall"].value == pytest.approx((11 / 3 + 5 + 2) / 3)
    assert found["Alpha"]["overall"].value == pytest.approx(3.5)
    reason = "only one title was judged: how much titles differ cannot be estimated"
    assert {found["Alpha"][key].reason for key in ("rank_low", "best", "overall_high")} == {reason}


def test_an_author_without_a_rating_on_every_question_has_no_place() -> None:
    # Gamma rated the human poem's imagery N/A and nobody's warmth.
    found = figures(ranked(frame(likert_study()), panel=1))
    for row in found.values():
        assert row["rank"].reason == "no poem of this author has a rating on every question"


def test_one_judge_says_nothing_of_other_judges() -> None:
    table = ranked(made(machines=["Gamma"]), panel=1)
    assert table.notes == ("one judge: intervals are for other titles, not for other judges",)
    assert "18 judgments of 18 poems on 6 titles by 1 judge" in table.basis


def test_draws_of_few_judges_are_said_to_be_too_narrow() -> None:
    (note,) = ranked(made()).notes
    assert note.startswith("only 3 judges: draws of few differ too little")
    assert "those of the means by question" in note


def test_ranks_are_read_without_empty_decimals() -> None:
    first, second, _ = present(ranked(made())).rows
    assert (first[1].text, first[1].small) == ("1", (("95 % 1 to 1", ""),))
    assert second[1].text == "2"


def test_the_same_study_gives_the_same_table() -> None:
    found = made()
    assert ranked(found) == ranked(found)


def test_probabilities_alone_are_not_ranked() -> None:
    found = frame(make_study())
    assert ranking.tables(found, found.panels[0]) == ()


def test_the_groups_have_intervals_of_the_same_draws() -> None:
    # The group of one question is ranked by its own draws as a study that asks it alone would be.
    frame_of = made()
    found = figures(ranked(frame_of))["Alpha"]
    for n in (1, 2, 3):
        low, mean, high = (found[f"group_{n}{end}"].value for end in ("_low", "", "_high"))
        assert low < mean < high  # type: ignore[operator]
    alone = Overall(frame_of, frame_of.panels[0], [8])
    assert frame_of.questions[8].key == "quality"
    low, high = alone.replicates.interval(1)
    assert (found["group_3_low"].value, found["group_3_high"].value) == (low, high)


def test_nothing_is_said_of_judges_like_these_where_there_is_one() -> None:
    table = ranked(made(machines=["Gamma"]), panel=1)
    assert "draws of other titles; " in table.explanation
    assert "judges like these" not in table.explanation
    assert "drawn judge" not in table.method
    both = ranked(made(slug="both"))
    assert "other titles and judges like these" in both.explanation
    assert "by a drawn judge" in both.method


def test_a_mean_that_no_draw_changes_has_no_interval_and_says_why() -> None:
    # Beta's poems are 1 on every question to every judge.
    table = ranked(made())
    (beta,) = [row for row in table.rows if row[0].value == "Beta"]
    found = dict(zip([column.key for column in table.columns], beta, strict=True))
    assert found["overall"].value == 1
    for bound in (found["overall_low"], found["overall_high"]):
        assert bound.value is None
        assert bound.reason == "nothing varies between titles or judges"
    assert (found["rank_low"].value, found["rank_high"].value) == (3, 3)
