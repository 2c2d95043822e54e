"""Agreement counted pair by pair, by hand, on the answers in ``scales``."""

import pytest

from annotation.studies.models import Study
from backend.analytics.frames import frame
from backend.analytics.reports.agreeing import agreement
from backend.analytics.tables import Table
from tests.backend.analytics.answering import pair_study
from tests.backend.analytics.reports.scales import POINTS, figures, instrument, likert_study
from tests.studies import make_study

pytestmark = pytest.mark.django_db

EXPERTS, GAMMA = "experts with experts", "Gamma with experts"


def tables(study: Study) -> dict[str, Table]:
    return {one.key: one for one in agreement.tables(frame(study))}


def by_question(table: Table) -> dict[tuple[object, object], tuple[object, object, object]]:
    """Return PAo, pairs that agree and pairs, by question and judges."""
    names = [column.key for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    return {
        (row["question"].value, row["judges"].value): tuple(  # type: ignore[misc]
            row[key].value for key in ("pao", "agreeing", "pairs")
        )
        for row in rows
    }


def one_question(*said: tuple[int, ...], machine: bool = False) -> Study:
    """Return a study of one question on five points; a row for each poem, a point by each judge."""
    asked = {"kind": "likert", "points": POINTS, "key": "form", "text": "The form is kept."}
    names = "ABCDEFGH"[: len(said[0])]
    titles = [f"Poem {number}" for number in range(len(said))]
    experts, machines = (names[:-1], names[-1:]) if machine else (names, "")
    return make_study(
        instrument={**instrument(), "questions": [asked]}, titles=titles, models=[],
        judges=list(experts), machines=list(machines),
        answers=lambda judge, _author, title: said[titles.index(title)][names.index(judge)],
    )  # fmt: skip


def test_every_pair_of_experts_is_pooled() -> None:
    # form: 4 4 3 has one equal pair of three, 2 2 2 three of three.
    # imagery, N/A an answer: N/A N/A 5 one of three, 3 4 N/A none.
    # warmth: Anna left it empty, so Ben and Cem alone: 1 3 no, 5 5 yes.
    found = tables(likert_study())
    each = by_question(found["agreement-questions"])
    assert each["1 form", EXPERTS] == (4 / 6, 4, 6)
    assert each["2 imagery", EXPERTS] == (1 / 6, 1, 6)
    assert each["3 warmth", EXPERTS] == (1 / 2, 1, 2)
    whole = figures(found["agreement"])[EXPERTS]
    assert [whole[key].value for key in ("pao", "agreeing", "pairs", "poems", "n_judges")] == [
        6 / 14, 6, 14, 2, 3,
    ]  # fmt: skip


def test_a_machines_rating_is_paired_with_each_experts() -> None:
    # form: 4 meets 4 4 3, 3 meets 2 2 2. imagery: N/A meets N/A N/A 5, 4 meets 3 4 N/A.
    found = tables(likert_study())
    each = by_question(found["agreement-questions"])
    assert each["1 form", GAMMA] == (2 / 6, 2, 6)
    assert each["2 imagery", GAMMA] == (3 / 6, 3, 6)
    whole = figures(found["agreement"])[GAMMA]
    assert [whole[key].value for key in ("pao", "pairs", "n_judges")] == [5 / 12, 12, 4]


def test_a_question_that_no_two_answered_is_not_defined() -> None:
    rows = tables(likert_study())["agreement-questions"].rows
    (row,) = [row for row in rows if (row[0].value, row[1].value) == ("3 warmth", GAMMA)]
    assert (row[2].value, row[2].reason) == (None, "no pair of ratings was compared")
    assert not any(cell.value is None and not cell.reason for cell in row)


def test_what_chance_alone_would_give_is_said() -> None:
    # Of the experts' pairs on form, both sides together: 4 4, 4 3, 4 3 and six times 2:
    # a third of the twelve sides is 4, a sixth 3, a half 2: 1/9 + 1/36 + 1/4. The machine:
    # it says 4 and 3 half the time each; the experts 4 a third, 3 a sixth, 2 half of it.
    rows = tables(likert_study())["agreement-questions"].rows
    chance = {row[1].value: row[5].value for row in rows if row[0].value == "1 form"}
    assert chance[EXPERTS] == pytest.approx(1 / 9 + 1 / 36 + 1 / 4)
    assert chance[GAMMA] == pytest.approx(1 / 2 * 1 / 3 + 1 / 2 * 1 / 6)


def test_coefficients_are_those_of_hand_worked_ratings() -> None:
    # Two judges, four poems: 1 1, 1 2, 2 2, 5 5. Quadratic kappa of the pairs both ways round is
    # 1 - observed / expected: observed 1/4; 1 1 1 2 2 2 5 5 have the variance 65/8 - (19/8)^2,
    # expected twice that.
    found = figures(tables(one_question((1, 1), (1, 2), (2, 2), (5, 5)))["agreement"])[EXPERTS]
    assert found["pao"].value == 3 / 4
    assert found["kappa"].value == pytest.approx(1 - (1 / 4) / (2 * (65 / 8 - (19 / 8) ** 2)))
    # AC2: weights 1 - d^2/16: agreement (3 + 15/16) / 4; chance: sum of weights 25 - 100/16 = 18.75
    # over 20, times sum of pi (1 - pi) with pi 3/8, 3/8, 1/4.
    chance = 18.75 / 20 * (2 * 3 / 8 * 5 / 8 + 1 / 4 * 3 / 4)
    assert found["ac"].value == pytest.approx((63 / 64 - chance) / (1 - chance))


def test_alpha_is_ordinal_and_of_all_experts_together() -> None:
    # Points 1 1 1 2 2 2 5 5 have the mid-ranks 2, 5, 7.5; two of four poems' pairs differ by none,
    # one by 3: observed 2 * 9 / 8. Squared differences of all 56 ordered pairs of ratings:
    # 2 * (9 * 3^2 + 6 * 5.5^2 + 6 * 2.5^2).
    whole = figures(tables(one_question((1, 1), (1, 2), (2, 2), (5, 5)))["agreement"])[EXPERTS]
    expected = 2 * (9 * 3**2 + 6 * 5.5**2 + 6 * 2.5**2) / 56
    assert whole["alpha"].value == pytest.approx(1 - (2 * 9 / 8) / expected)


def test_a_machine_judge_has_coefficients_of_its_pairs_with_single_experts() -> None:
    # The machine says 1 1 2 where two experts say 1 1, 1 2, 2 2: six pairs, one apart.
    study = one_question((1, 1, 1), (1, 2, 1), (2, 2, 2), machine=True)
    found = figures(tables(study)["agreement"])["C with experts"]
    assert (found["pao"].value, found["pairs"].value) == (5 / 6, 6)
    # Kappa with quadratic weights: 1/6 apart; by chance 4/6 * 3/6 + 2/6 * 3/6 = 1/2.
    assert found["kappa"].value == pytest.approx(1 - (1 / 6) / (1 / 2))


def test_na_is_in_no_coefficient() -> None:
    # Imagery of the human poem: N/A N/A 5; of Alpha's 3 4 N/A: one pair with points.
    rows = tables(likert_study())["agreement-questions"].rows
    (row,) = [row for row in rows if (row[0].value, row[1].value) == ("2 imagery", EXPERTS)]
    # Both ways round 3 4 and 4 3: apart by 1 in all pairs, by chance in half of them.
    assert row[8].value == pytest.approx(1 - 1 / (1 / 2))


def test_the_ceiling_stands_in_the_same_table_counted_in_the_same_ways() -> None:
    rows = tables(likert_study())["agreement-variants"].rows
    counted = {
        judges: {
            row[1].value: (row[2].value, row[5].value) for row in rows if row[0].value == judges
        }
        for judges in (EXPERTS, GAMMA)
    }
    experts = counted[EXPERTS]
    assert experts["exact, all pairs pooled, N/A an answer"] == (6 / 14, 14)
    # Without N/A: form 4 of 6, imagery 0 of 1, warmth 1 of 2.
    assert experts["N/A left out, pair by pair"] == (5 / 9, 9)
    # Its own count: twice 5 agreements over 9 pairs twice and 4 pairs with one N/A.
    assert experts["N/A left out of the count of whoever chose it"][0] == pytest.approx(10 / 22)
    # Within 1: form 6 of 6, imagery N/A N/A and 3 4, warmth 5 5.
    assert experts["within 1 point; N/A agrees with N/A only"] == (9 / 14, 14)
    assert experts["mean of the questions, each counting alike"] == (
        pytest.approx((4 / 6 + 1 / 6 + 1 / 2) / 3), 3,
    )  # fmt: skip
    # Human: 1 + 1 + 0 of 3 + 3 + 1; Alpha: 3 + 0 + 1 of as many.
    assert experts["mean of the poems, each counting alike"] == (
        pytest.approx((2 / 7 + 4 / 7) / 2), 2,
    )  # fmt: skip
    # Anna-Ben 3 of 4, Anna-Cem 1 of 4, Ben-Cem 2 of 6.
    assert experts["mean of the pairs of experts, each counting alike"] == (
        pytest.approx((3 / 4 + 1 / 4 + 2 / 6) / 3), 3,
    )  # fmt: skip
    # Medians: form 4 and 2; imagery N/A (two of three) and 3.5. Machine: 4 3, N/A 4.
    assert counted[GAMMA]["with the experts' median"] == (2 / 4, 4)


def test_each_two_experts_are_shown() -> None:
    # Experts are numbered by random codes, so only the set of figures is known:
    # Anna-Ben 2 of 2 form, 1 of 2 imagery; Anna-Cem 1 of 2, 0 of 2;
    # Ben-Cem 1 of 2, 0 of 2, and 1 of 2 warmth.
    table = tables(likert_study())["agreement-expert-pairs"]
    counted = sorted((row[7].value, row[8].value) for row in table.rows)
    assert counted == [(4, 1), (4, 3), (6, 2)]
    assert {row[2].value for row in table.rows} == {2}


def test_two_who_share_no_poem_are_no_pair() -> None:
    study = make_study(
        instrument=instrument(),
        judges=["Anna", "Ben"],
        answers=lambda judge, author, _title: (
            dict.fromkeys(("form", "imagery", "warmth"), 3)
            if (judge == "Anna") == (author == "human")
            else None
        ),
    )
    found = tables(study)
    assert found["agreement-expert-pairs"].rows == ()
    assert figures(found["agreement"])[EXPERTS]["pairs"].value == 0


def test_agreement_has_an_interval_by_titles_and_judges() -> None:
    # Four experts agree on half of the poems and are split two and two on the others, in turn.
    said = [(3, 3, 3, 3), (2, 2, 4, 4), (3, 3, 3, 3), (2, 4, 2, 4), (3, 3, 3, 3), (2, 4, 4, 2)]
    found = figures(tables(one_question(*said))["agreement"])[EXPERTS]
    assert found["pao"].value == pytest.approx((1 + 1 / 3) / 2)
    assert 0 < found["pao_low"].value < found["pao"].value < found["pao_high"].value <= 1


def test_of_two_experts_alone_there_is_no_interval() -> None:
    found = figures(tables(one_question((1, 1), (1, 2), (2, 2)))["agreement"])[EXPERTS]
    assert found["pao_low"].reason.startswith("only two judges")


def test_a_table_counts_what_stands_in_its_pairs_and_nothing_else() -> None:
    # Ben and the machine alone saw the second poem, so no two experts share it; nobody shares the
    # third, that Anna saw.
    said = {
        ("Anna", "Dawn"): 1, ("Ben", "Dawn"): 2, ("Gamma", "Dawn"): 2,
        ("Ben", "Dusk"): 3, ("Gamma", "Dusk"): 3, ("Anna", "Noon"): 4,
    }  # fmt: skip
    asked = {"kind": "likert", "points": POINTS, "key": "form", "text": "The form is kept."}
    study = make_study(
        instrument={**instrument(), "questions": [asked]}, titles=["Dawn", "Dusk", "Noon"],
        models=[], judges=["Anna", "Ben"], machines=["Gamma"],
        answers=lambda judge, _author, title: said.get((judge, title)),
    )  # fmt: skip
    found = tables(study)
    counted = {name: (row["poems"].value, row["titles"].value)
               for name, row in figures(found["agreement"]).items()}  # fmt: skip
    assert counted == {EXPERTS: (1, 1), GAMMA: (2, 2)}
    assert found["agreement"].basis.endswith("5 judgments of 2 poems on 2 titles by 3 judges")
    two = found["agreement-expert-pairs"]
    assert two.basis.endswith("2 judgments of 1 poem on 1 title by 2 judges")
    each = found["agreement-machine-experts"]
    assert sorted(row[7].value for row in each.rows) == [1, 2]


def test_the_method_says_which_interval_is_whose() -> None:
    method = tables(likert_study())["agreement"].method
    assert "experts among themselves: 95 % interval by titles and judges (dyadic" in method
    assert "J(J - 1) / (J - 2)²" in method
    assert "a machine judge: 95 % interval by titles and judges (two-way" in method
    assert "the machine judge itself fixed" in method


def test_a_tie_for_the_commonest_answer_is_counted_as_left_out() -> None:
    # Experts say 1 2, 2 2 and 4 5; the machine 1, 2, 4. One poem has a commonest answer. Medians
    # 1.5 and 4.5 are no answer of the machine's.
    table = tables(one_question((1, 2, 1), (2, 2, 2), (4, 5, 4), machine=True))[
        "agreement-variants"
    ]
    names = [column.key for column in table.columns]
    rows = {
        row[1].value: dict(zip(names, row, strict=True))
        for row in table.rows
        if row[0].value == "C with experts"
    }
    mode, middle = rows["with the experts' commonest answer"], rows["with the experts' median"]
    assert [mode[key].value for key in ("pao", "n", "left_out")] == [1, 1, 2]
    assert [middle[key].value for key in ("pao", "n", "left_out")] == [1 / 3, 3, 0]
    assert "such a tie is broken neither way" in table.explanation


def test_a_pair_with_na_is_counted_as_left_out() -> None:
    rows = tables(likert_study())["agreement-variants"].rows
    left = {row[1].value: row[8].value for row in rows if row[0].value == EXPERTS}
    # Imagery: N/A N/A 5 three pairs, 3 4 N/A two; of these one has N/A on both sides.
    assert left["exact, all pairs pooled, N/A an answer"] == 0
    assert left["N/A left out, pair by pair"] == 5
    assert left["N/A left out of the count of whoever chose it"] == 1


def test_ways_to_count_have_intervals_by_titles_for_these_judges() -> None:
    # Shares of agreeing pairs 1, 1/3, 1, 1/3 on four titles: mean 2/3, influences -+ 1/12, their
    # squares times 4/3: error 1/sqrt(27); t(3) = 3.182446.
    said = [(3, 3, 3), (2, 2, 4), (3, 3, 3), (2, 4, 2)]
    table = tables(one_question(*said))["agreement-variants"]
    reach = 3.182446 / 27**0.5
    for row in table.rows:
        if row[1].value != "mean of the pairs of experts, each counting alike":
            assert row[2].value in (pytest.approx(2 / 3), 1)
        if row[2].value == pytest.approx(2 / 3):
            assert row[3].value == pytest.approx(max(0, 2 / 3 - reach), abs=1e-6), row[1]
    assert any("only 4 titles" in note for note in table.notes)


def test_without_experts_there_is_nobody_to_agree_with() -> None:
    asked = {"kind": "likert", "points": POINTS, "key": "form", "text": "The form is kept."}
    study = make_study(
        instrument={**instrument(), "questions": [asked]}, judges=[], machines=["Gamma", "Delta"],
        answers=lambda *_: 3,
    )  # fmt: skip
    assert tables(study) == {}


def test_one_question_is_not_called_all_questions() -> None:
    found = tables(one_question((1, 1, 1), (1, 2, 2), machine=True))
    assert not [table.key for table in found.values() if "all questions" in table.caption]


def test_several_questions_are_called_all_questions() -> None:
    found = tables(likert_study())
    for key in ("agreement", "agreement-variants", "agreement-expert-pairs"):
        assert "over all questions" in found[key].caption


def test_each_two_judges_have_an_interval_by_titles() -> None:
    # Two experts agree on three titles of four: influences 1/16 thrice and -3/16, squares times
    # 4/3: error 1/4; t(3).
    found = tables(one_question((1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 5, 4), machine=True))
    (row,) = figures(found["agreement-expert-pairs"]).values()
    assert row["pao"].value == 3 / 4
    assert row["pao_low"].value == pytest.approx(max(0, 3 / 4 - 3.182446 / 4), abs=1e-6)
    caution = "where there are fewer than 5 titles, the interval is a rough guide"
    assert found["agreement-expert-pairs"].notes == (caution,)
    rows = found["agreement-machine-experts"].rows
    assert {row[0].value for row in rows} == {"C"}
    assert sorted(row[4].value for row in rows) == [3 / 4, 1]


def test_choices_between_two_texts_have_nominal_coefficients() -> None:
    # Both choose the human text of Dawn; of Dusk one does: one pair of two agrees.
    study = pair_study(
        lambda judge, _model, title: {"human_text": 2 if (judge, title) == ("Ben", "Dusk") else 1},
        judges=["Anna", "Ben"],
    )
    found = figures(tables(study)["agreement"])[EXPERTS]
    assert (found["pao"].value, found["pairs"].value) == (1 / 2, 2)
    # AC1: of four answers one is the machine's text, chance 2 * 3/4 * 1/4.
    assert found["ac"].value == pytest.approx((1 / 2 - 3 / 8) / (1 - 3 / 8))
    assert "agreement-questions" not in tables(study) or len(frame(study).questions) > 1


def test_a_study_of_probabilities_has_no_table_of_agreement() -> None:
    assert tables(make_study()) == {}
