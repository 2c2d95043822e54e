"""Agreement of pairs of ratings, against sums over all couples of pairs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.agreement import pair_agreement, pao

# R: qt(.975, df)
T = {2: 4.30265273, 3: 3.18244631, 5: 2.57058184, 7: 2.36462425}


def agreement(agree, poems, first, second, one_side="dyads", **more):
    return pair_agreement(
        agree, poems, first, second, level="pair", method="PAo", one_side=one_side, **more
    )


def compared(seed, n_judges, n_poems, n_items=2, missing=0.2):
    """Every two judges on every poem and item, but for some ratings."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 4, (n_judges, n_poems, n_items)).astype(float)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    rows = [
        (ratings[j, p, i] == ratings[k, p, i], p, j, k)
        for p in range(n_poems)
        for i in range(n_items)
        for j in range(n_judges)
        for k in range(j + 1, n_judges)
        if not np.isnan(ratings[[j, k], p, i]).any()
    ]
    return [np.array(column) for column in zip(*rows, strict=True)]


def brute_force_error(agree, poems, first, second):
    """Sum over all ordered couples of entries, one by one, by what the two share."""
    influences = (agree - agree.mean()) / len(agree)
    judges = [{j, k} for j, k in zip(first, second, strict=True)]
    n_poems, n_judges = len(set(poems)), len(set(first) | set(second))
    same_poem = judge_in_common = both = 0.0
    for one in range(len(agree)):
        for other in range(len(agree)):
            product = influences[one] * influences[other]
            shared = len(judges[one] & judges[other])
            if poems[one] == poems[other]:
                same_poem += product
                both += product * (shared > 0)
            else:
                judge_in_common += shared * product
    by_poems = n_poems / (n_poems - 1) * same_poem
    by_judges = n_judges * (n_judges - 1) / (n_judges - 2) ** 2 * judge_in_common
    return math.sqrt(max(by_poems + by_judges, by_poems, by_judges + both))


@pytest.mark.parametrize(("n_judges", "seed"), [(3, 1), (4, 2), (6, 3), (8, 4)])
def test_the_dyadic_interval_is_the_sum_over_all_couples_of_pairs_that_share_a_judge_or_a_poem(
    n_judges, seed
):
    pairs = compared(seed, n_judges, 7)

    found = agreement(*pairs)

    half = T[n_judges - 1] * brute_force_error(*pairs)
    assert found.value == pytest.approx(pairs[0].mean())
    assert found.low == pytest.approx(max(found.value - half, 0), rel=1e-6)
    assert found.high == pytest.approx(min(found.value + half, 1), rel=1e-6)
    assert found.counts == {"n_titles": 7, "n_judges": n_judges}


def test_the_factor_for_judges_is_that_of_a_jackknife_that_leaves_out_one_after_the_other():
    # One agreement per dyad, each on many poems alike: what is left is the judges' own part.
    rng = np.random.default_rng(3)
    n_judges, n_poems = 6, 400
    of_dyad = {(j, k): rng.random() for j in range(6) for k in range(j + 1, 6)}
    rows = [(value, p, j, k) for (j, k), value in of_dyad.items() for p in range(n_poems)]

    def mean_without(left_out):
        return np.mean([value for dyad, value in of_dyad.items() if left_out not in dyad])

    jackknifed = np.array([mean_without(judge) for judge in range(n_judges)])
    variance = (n_judges - 1) / n_judges * np.square(jackknifed - jackknifed.mean()).sum()

    found = agreement(*map(np.array, zip(*rows, strict=True)))

    assert (found.high - found.low) / 2 == pytest.approx(T[5] * math.sqrt(variance), rel=0.01)


def test_against_one_rater_it_is_the_pooled_pao_of_its_table():
    rng = np.random.default_rng(8)
    one, others = rng.integers(1, 4, (9, 2)), rng.integers(1, 4, (5, 9, 2))
    judges, poems, items = np.indices(others.shape).reshape(3, -1)

    found = agreement(
        others[judges, poems, items] == one[poems, items],
        poems,
        np.full(poems.size, 99),
        judges,
        one_side="against",
    )
    table = pao(one, others)

    assert (found.value, found.low, found.high) == pytest.approx(
        (table.value, table.low, table.high)
    )
    assert found.counts["n_judges"] == 5


def test_two_judges_give_no_interval_since_nobody_knows_how_others_would_differ():
    found = agreement([1, 0, 1], [0, 1, 2], [0, 0, 0], [1, 1, 1])

    assert found.value == pytest.approx(2 / 3)
    assert not found.has_interval
    assert "two judges" in found.reason


def test_one_poem_and_full_agreement_give_no_interval_either():
    assert "one title" in agreement([1, 0, 1], [0] * 3, [0, 0, 1], [1, 2, 2]).reason
    assert (
        "nothing varies"
        in agreement([1] * 6, [0, 0, 0, 1, 1, 1], [0, 0, 1] * 2, [1, 2, 2] * 2).reason
    )


def test_no_pair_is_undefined_with_the_reason():
    found = agreement([], [], [], [])

    assert not found.defined
    assert found.reason


@pytest.mark.parametrize(
    ("pairs", "more"),
    [
        (([1], [0, 1], [0], [1]), {}),
        (([1.5], [0], [0], [1]), {}),
        (([math.nan], [0], [0], [1]), {}),
        (([1], [0], [1], [1]), {}),
        (([1], [0], [0], [1]), {"one_side": "both"}),
        (([1], [0], [0], [1]), {"confidence": 0}),
    ],
)
def test_what_cannot_be_pairs_is_refused(pairs, more):
    with pytest.raises(ValueError):
        agreement(*pairs, **more)


@given(st.integers(0, 10_000), st.integers(3, 6), st.integers(2, 6))
def test_names_and_order_of_judges_poems_and_pairs_do_not_matter(seed, n_judges, n_poems):
    agree, poems, first, second = compared(seed, n_judges, n_poems, missing=0)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(agree))
    swapped = rng.random(len(agree)) < 0.5
    names = np.array([f"judge {name}" for name in rng.permutation(n_judges)])

    found = agreement(agree, poems, first, second)
    again = agreement(
        agree[order],
        rng.permutation(n_poems)[poems][order],
        names[np.where(swapped, second, first)][order],
        names[np.where(swapped, first, second)][order],
    )

    assert (again.value, again.low, again.high) == pytest.approx(
        (found.value, found.low, found.high), nan_ok=True
    )
    assert 0 <= found.low <= found.value <= found.high <= 1 or not found.has_interval


def test_without_a_pair_nothing_is_counted():
    for one_side in ("dyads", "against"):
        found = agreement([], [], [], [], one_side)
        assert found.counts == {"n_titles": 0, "n_judges": 0}


def test_the_method_names_the_scale_of_the_bounds():
    for one_side in ("dyads", "against"):
        found = agreement([1, 0], [1, 2], ["a", "a"], ["b", "c"], one_side)
        assert found.method.endswith("on the logit scale above 0.9 and below 0.1")
