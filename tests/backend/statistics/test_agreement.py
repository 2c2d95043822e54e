"""Observed agreement, against values worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.agreement import pao, pao_by_item

NOT_RATED = math.nan

ratings = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, NOT_RATED])
pairs = st.lists(st.tuples(ratings, ratings), max_size=40)
switches = st.fixed_dictionaries(
    {"na": st.sampled_from(["category", "exclude"]), "tolerance": st.sampled_from([0, 1])}
)


def table(pairs):
    return np.array(pairs, dtype=float).reshape(-1, 2).T


def test_three_equal_answers_out_of_four_are_an_agreement_of_three_quarters():
    agreement = pao([1, 2, 3, 4], [1, 2, 3, 5])

    assert agreement.value == 0.75
    assert agreement.n == 4
    assert agreement.counts == {"n_agreements": 3, "n_dropped": 0, "n_excluded": 0}


@pytest.mark.parametrize(("agreements", "printed"), [(384, 0.662), (318, 0.548), (254, 0.438)])
def test_the_published_figures_are_agreements_out_of_58_poems_by_10_items(agreements, printed):
    # POEMetric, sec. 6.4 and app. D, prints the figures; the numerators out of 580 are inferred.
    human = np.full(580, 4)
    machine = np.where(np.arange(580) < agreements, 4, 2)

    assert pao(human.reshape(58, 10), machine.reshape(58, 10)).value == pytest.approx(
        printed, abs=0.0005
    )


def test_a_poem_that_one_of_them_did_not_rate_is_no_disagreement():
    agreement = pao([3, NOT_RATED, 5, NOT_RATED], [3, 4, NOT_RATED, NOT_RATED])

    assert (agreement.value, agreement.n) == (1.0, 1)
    assert agreement.counts["n_dropped"] == 3


def test_not_applicable_is_an_answer_or_takes_its_pair_out():
    # By hand: pairs (0,0) agree, (0,3) and (2,0) do not, (4,4) agrees, (5,5) agrees.
    a, b = [0, 0, 2, 4, 5], [0, 3, 0, 4, 5]

    assert pao(a, b).value == pytest.approx(3 / 5)
    excluded = pao(a, b, na="exclude")
    assert (excluded.value, excluded.n, excluded.counts["n_excluded"]) == (1.0, 2, 3)


def test_a_neighbouring_point_agrees_only_within_a_tolerance_of_one():
    a, b = [1, 2, 3, 5], [2, 2, 5, 4]

    assert pao(a, b).value == 0.25
    assert pao(a, b, tolerance=1).value == 0.75


def test_not_applicable_is_not_next_to_the_lowest_point():
    assert pao([0, 1], [1, 0], tolerance=1).value == 0
    assert pao([0, 1], [1, 0], tolerance=1, na_code=None).value == 1


def test_a_scale_without_not_applicable_keeps_its_zeros():
    agreement = pao([0, 0, 10], [0, 10, 10], na="exclude", na_code=None)

    assert (agreement.value, agreement.n) == (pytest.approx(2 / 3), 3)


def test_the_method_names_the_variant():
    assert pao([1], [1]).method == "PAo, exact, not applicable as a category"
    assert pao([1], [1], na="exclude", tolerance=1).method == (
        "PAo, within 1, not applicable excluded by pair"
    )


def test_each_item_has_its_own_agreement():
    a = [[1, 4, NOT_RATED], [2, 4, 3], [3, 4, 3]]
    b = [[1, 5, 3], [2, 5, 3], [4, 5, 2]]

    by_item = pao_by_item(a, b)

    assert [item.value for item in by_item] == [pytest.approx(2 / 3), 0, 0.5]
    assert [item.n for item in by_item] == [3, 3, 2]


@pytest.mark.parametrize(
    ("a", "b", "na", "reason"),
    [
        ([], [], "category", "the two raters have no rated poem in common"),
        ([3, NOT_RATED], [NOT_RATED, 3], "category", "the two raters have no rated poem in common"),
        (
            [0, 2],
            [3, 0],
            "exclude",
            "every answer that the two share is 'not applicable' for one of them",
        ),
    ],
)
def test_with_no_pair_left_agreement_is_undefined_and_says_why(a, b, na, reason):
    agreement = pao(a, b, na=na)

    assert not agreement.defined
    assert (agreement.n, agreement.reason) == (0, reason)


def test_ratings_of_different_shape_are_refused():
    with pytest.raises(ValueError, match="differ in shape"):
        pao([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="differ in shape"):
        pao([[1, 2]], [1, 2])


def test_ratings_of_three_dimensions_are_refused():
    with pytest.raises(ValueError, match="one or two dimensions"):
        pao(np.ones((2, 2, 2)), np.ones((2, 2, 2)))


def test_items_need_a_table():
    with pytest.raises(ValueError, match="poems by items"):
        pao_by_item([1, 2], [1, 2])


def test_a_negative_tolerance_is_refused():
    with pytest.raises(ValueError, match="tolerance"):
        pao([1], [1], tolerance=-1)


@given(pairs, switches)
def test_agreement_lies_between_0_and_1_or_is_undefined_with_a_reason(pairs, switches):
    agreement = pao(*table(pairs), **switches)

    assert 0 <= agreement.value <= 1 or (math.isnan(agreement.value) and agreement.reason)
    assert agreement.n + agreement.counts["n_dropped"] + agreement.counts["n_excluded"] == len(
        pairs
    )


@given(pairs, switches, st.randoms(use_true_random=False))
def test_neither_the_order_of_the_raters_nor_of_the_poems_matters(pairs, switches, random):
    a, b = table(pairs)
    shuffled = random.sample(pairs, len(pairs))

    expected = repr(pao(a, b, **switches))
    assert repr(pao(b, a, **switches)) == expected
    assert repr(pao(*table(shuffled), **switches)) == expected


@given(st.lists(st.tuples(*[ratings] * 6), min_size=1, max_size=10), switches)
def test_the_items_average_to_the_whole_weighted_by_their_pairs(rows, switches):
    both = np.array(rows)
    a, b = both[:, :3], both[:, 3:]

    whole, by_item = pao(a, b, **switches), pao_by_item(a, b, **switches)

    assert sum(item.n for item in by_item) == whole.n
    if whole.defined:
        agreements = sum(item.value * item.n for item in by_item if item.defined)
        assert agreements / whole.n == pytest.approx(whole.value)
