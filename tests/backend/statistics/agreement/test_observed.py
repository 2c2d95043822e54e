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
    {"na": st.sampled_from(["category", "exclude", "own_n"]), "tolerance": st.sampled_from([0, 1])}
)


def table(pairs):
    return np.array(pairs, dtype=float).reshape(-1, 2).T


def test_three_equal_answers_out_of_four_are_an_agreement_of_three_quarters():
    agreement = pao([1, 2, 3, 4], [1, 2, 3, 5])

    assert agreement.value == 0.75
    assert agreement.n == 4
    assert agreement.counts == {
        "n_agreements": 3,
        "n_a": 4,
        "n_b": 4,
        "n_dropped": 0,
        "n_excluded": 0,
    }


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


def test_not_applicable_is_an_answer_or_takes_its_pair_out_or_is_off_its_own_n():
    # By hand: pairs (0,0) agree, (0,3) and (2,0) do not, (4,4) agrees, (5,5) agrees. Each rater
    # has three answers that apply, and two pairs of those agree: 2 * 2 / (3 + 3).
    a, b = [0, 0, 2, 4, 5], [0, 3, 0, 4, 5]

    assert pao(a, b).value == pytest.approx(3 / 5)
    excluded = pao(a, b, na="exclude")
    assert (excluded.value, excluded.n, excluded.counts["n_excluded"]) == (1.0, 2, 3)
    own = pao(a, b, na="own_n")
    assert own.value == pytest.approx(2 / 3)
    assert (own.n, own.counts["n_a"], own.counts["n_b"]) == (4, 3, 3)


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
        ([], [], "category", "the two sides have no rated poem in common"),
        ([3, NOT_RATED], [NOT_RATED, 3], "category", "the two sides have no rated poem in common"),
        (
            [0, 2],
            [3, 0],
            "exclude",
            "every answer that both sides share is 'not applicable' for one of them",
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

    found, turned = pao(a, b, **switches), pao(b, a, **switches)
    assert repr(pao(*table(shuffled), **switches)) == repr(found)
    swapped = {**turned.counts, "n_a": turned.counts["n_b"], "n_b": turned.counts["n_a"]}
    assert (repr(turned.value), turned.n, swapped) == (repr(found.value), found.n, found.counts)


@given(
    st.lists(st.tuples(*[ratings] * 6), min_size=1, max_size=10),
    st.sampled_from(["category", "exclude"]),
)
def test_the_items_average_to_the_whole_weighted_by_their_pairs(rows, na):
    both = np.array(rows)
    a, b = both[:, :3], both[:, 3:]

    whole, by_item = pao(a, b, na=na), pao_by_item(a, b, na=na)

    assert sum(item.n for item in by_item) == whole.n
    if whole.defined:
        agreements = sum(item.value * item.n for item in by_item if item.defined)
        assert agreements / whole.n == pytest.approx(whole.value)


# One rater of three poems, and three judges who did as many as they could.
ONE = [[4], [2], [5]]
OTHERS = [[[4], [2], [3]], [[4], [NOT_RATED], [5]], [[3], [NOT_RATED], [NOT_RATED]]]


@pytest.mark.parametrize(
    ("pool", "by_hand", "n"),
    [
        ("pairs", 4 / 6, 6),
        ("judge_mean", (2 / 3 + 1 + 0) / 3, 6),
        ("poem_mean", (2 / 3 + 1 + 1 / 2) / 3, 6),
        ("median", 2 / 3, 3),  # 4, 2 and the middle of 3 and 5, which is not 5
        ("mode", 1.0, 2),  # 4, 2 and none: 3 and 5 are equally common
    ],
)
def test_unequal_numbers_of_judges_make_each_pooling_another_figure(pool, by_hand, n):
    agreement = pao(ONE, OTHERS, pool=pool)

    assert agreement.value == pytest.approx(by_hand)
    assert agreement.n == n


def test_a_median_is_of_points_unless_most_judges_chose_not_applicable():
    judges = [[[0], [0], [NOT_RATED]], [[0], [3], [0]], [[5], [3], [4]]]

    assert pao([[0], [3], [4]], judges, pool="median").value == 1.0
    assert pao([[5], [3], [4]], judges, pool="median").value == pytest.approx(2 / 3)


def test_the_literal_form_counts_ratings_without_a_partner():
    # Holsti: 2 agreements, 3 ratings by the one and 4 by the other.
    literal = pao([1, 2, 3, NOT_RATED], [1, 2, 4, 5], form="literal")

    assert literal.value == pytest.approx(2 * 2 / (3 + 4))
    assert (literal.counts["n_a"], literal.counts["n_b"], literal.n) == (3, 4, 3)


def test_the_literal_form_is_refused_where_it_would_exceed_1():
    # Three judges agree with the one rater on each of three poems: 2 * 9 / (3 + 9) = 1.5.
    everyone = np.full((3, 3, 1), 4)

    literal = pao(everyone[0], everyone, form="literal")

    assert not literal.defined
    assert "1.500" in literal.reason
    assert pao(everyone[0], everyone).value == 1.0


def test_the_literal_form_against_several_raters_has_a_value_but_no_interval():
    # 4 agreements, 3 ratings of the one and 6 of the others: 8 / 9.
    literal = pao(ONE, OTHERS, form="literal")

    assert literal.value == pytest.approx(8 / 9)
    assert not literal.has_interval
    assert literal.reason


@pytest.mark.parametrize(("na", "n_a", "n_b"), [("exclude", 1, 1), ("own_n", 2, 1)])
def test_the_literal_form_leaves_out_not_applicable_with_its_pair_or_alone(na, n_a, n_b):
    # The one rater answers 4 and 2; the other "not applicable" and 2.
    literal = pao([4, 2], [0, 2], na=na, form="literal")

    assert (literal.counts["n_a"], literal.counts["n_b"]) == (n_a, n_b)
    assert literal.value == pytest.approx(2 / (n_a + n_b))


def spread(influences, groups):
    sums = [sum(influences[groups == group]) for group in np.unique(groups)]
    return len(sums) / (len(sums) - 1) * sum(np.square(sums))


@pytest.mark.parametrize("pool", ["pairs", "judge_mean", "poem_mean"])
def test_the_interval_is_that_of_a_weighted_mean_by_poems_and_judges(pool):
    rng = np.random.default_rng(5)
    one = rng.integers(1, 4, (9, 2)).astype(float)
    others = rng.integers(1, 4, (4, 9, 2)).astype(float)
    others[rng.random(others.shape) < 0.3] = NOT_RATED
    judges, poems, items = np.nonzero(~np.isnan(others))
    agree = one[poems, items] == others[judges, poems, items]
    groups = {"pairs": np.zeros_like(poems), "judge_mean": judges, "poem_mean": poems}[pool]
    weights = 1 / np.array([(groups == group).sum() for group in groups])
    weights /= weights.sum()
    influences = weights * (agree - (weights * agree).sum())
    cells = poems * 4 + judges
    by_poems, by_judges = spread(influences, poems), spread(influences, judges)
    variance = max(by_poems + by_judges - spread(influences, cells), by_poems, by_judges)

    agreement = pao(one, others, pool=pool)

    assert agreement.value == pytest.approx((weights * agree).sum())
    # R: qt(.975, 3) = 3.182446
    half = 3.182446 * np.sqrt(variance)
    assert agreement.low == pytest.approx(max(agreement.value - half, 0), rel=1e-6)
    assert agreement.high == pytest.approx(min(agreement.value + half, 1), rel=1e-6)


def test_one_judge_or_a_consensus_has_an_interval_for_other_poems_only():
    a, b = [[1], [2], [3], [4]], [[1], [2], [3], [5]]

    agreement = pao(a, b)

    # Agreements 1, 1, 1, 0: mean .75, error sqrt(4/3 * .75) / 4 = .25; R: qt(.975, 3) = 3.182446.
    assert (agreement.low, agreement.high) == (0.0, 1.0)
    narrow = pao(a, b, confidence=0.5)
    # R: qt(.75, 3) = 0.7648923
    assert narrow.low == pytest.approx(0.75 - 0.25 * 0.7648923, rel=1e-6)
    assert "poems only" in agreement.method
    assert "poems only" in pao(a, [b, b, a], pool="median").method


def test_a_row_of_answers_has_no_interval_since_nobody_said_which_are_of_one_poem():
    agreement = pao([1, 2, 3, 4], [1, 2, 3, 5])

    assert (agreement.has_interval, agreement.reason) == (False, "")


@pytest.mark.parametrize(
    "switch",
    [{"na": "drop"}, {"pool": "all"}, {"form": "own"}, {"confidence": 1.0}]
    + [{"form": "literal", "pool": pool} for pool in ("judge_mean", "poem_mean")],
)
def test_a_switch_that_does_not_exist_is_refused(switch):
    with pytest.raises(ValueError):
        pao([[1]], [[1]], **switch)


panels = st.integers(1, 4).flatmap(
    lambda n_judges: st.lists(st.tuples(*[ratings] * (n_judges + 1)), min_size=1, max_size=8)
)


@given(panels, switches, st.sampled_from(["pairs", "judge_mean", "poem_mean", "median", "mode"]))
def test_against_several_judges_agreement_is_a_proportion_within_its_interval(rows, switches, pool):
    both = np.array(rows).T[:, :, None]

    agreement = pao(both[0], both[1:], pool=pool, **switches)

    assert agreement.defined or agreement.reason
    if agreement.defined:
        assert 0 <= agreement.value <= 1
    if agreement.has_interval:
        assert 0 <= agreement.low <= agreement.value <= agreement.high <= 1


@given(panels, switches, st.randoms(use_true_random=False))
def test_the_order_of_the_judges_does_not_matter(rows, switches, random):
    both = np.array(rows).T[:, :, None]
    shuffled = both[1:][random.sample(range(len(both) - 1), len(both) - 1)]

    found, again = (pao(both[0], others, **switches) for others in (both[1:], shuffled))

    assert (again.n, again.counts) == (found.n, found.counts)
    assert (again.value, again.low, again.high) == pytest.approx(
        (found.value, found.low, found.high), nan_ok=True
    )


def test_answers_and_their_distances_are_rounded_so_that_equal_ones_agree():
    assert pao([0.1 + 0.2, 0.5], [0.3, 0.5]).value == 1
    assert pao([0.4, 0.5], [0.3, 0.4], tolerance=0.1).value == 1
    assert pao([0.3, 0.3], [0.6, 0.7], tolerance=0.1 + 0.2).value == 0.5
    assert pao([0.1 + 0.2, 1], [0.3, 1], na="exclude", na_code=0.3).n == 1


def test_the_method_names_poems_judges_and_the_scale_of_the_bounds():
    one = [[1, 2], [3, 4], [2, 2]]
    several = [[[1, 2], [3, 3], [2, 1]], [[1, 2], [3, 4], [2, 2]]]

    assert "by poems and judges" in pao(one, several).method
    for other in (several, several[0]):
        assert "titles" not in pao(one, other).method
        assert pao(one, other).method.endswith("on the logit scale above 0.9 and below 0.1")
