"""Score intervals of shares and of their differences, against print, R and scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from backend.statistics.proportions import newcombe, newcombe_paired, wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_it_is_as_printed(successes: int, n: int, low: float, high: float) -> None:
    # Newcombe, R. G. (1998). Two-sided confidence intervals for the single proportion.
    # Statistics in Medicine 17, table I, method 3.
    found = wilson(successes, n, level="judgment")
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (3, 7), (50, 50), (499, 1000)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_it_is_as_scipy_has_it(successes: int, n: int, confidence: float) -> None:
    found = wilson(successes, n, level="judgment", confidence=confidence)
    known = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert found.low == pytest.approx(known.low, abs=1e-12)
    assert found.high == pytest.approx(known.high, abs=1e-12)
    assert found.value == successes / n


def test_a_share_of_none_or_all_ends_where_the_scale_does() -> None:
    # With none of n the upper end is z² / (n + z²), with z = 1.959964.
    none, everything = wilson(0, 10, level="judgment"), wilson(10, 10, level="judgment")
    assert (none.low, everything.high) == (0.0, 1.0)
    assert none.high == pytest.approx(3.8414588 / 13.8414588)
    assert everything.low == pytest.approx(10 / 13.8414588)


def test_a_share_of_nothing_is_not_defined() -> None:
    found = wilson(0, 0, level="judgment")
    assert math.isnan(found.value)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert (found.n, found.reason) == (0, "nothing was counted")


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3)])
def test_what_is_no_share_is_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        wilson(successes, n, level="judgment")


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_that_is_none_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        wilson(1, 2, level="judgment", confidence=confidence)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"), [(38, 40, 0.835, 0.986), (220, 220, 0.983, 1.0)]
)
def test_human_base_lines_of_minimal_pairs(successes: int, n: int, low: float, high: float) -> None:
    # prop.test(k, n, correct = FALSE)$conf.int
    found = wilson(successes, n, level="pair of poems")
    assert (round(found.low, 3), round(found.high, 3)) == (low, high)


@pytest.mark.parametrize(
    ("k1", "n1", "k2", "n2", "low", "high"),
    [
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (6, 7, 2, 7, 0.0582, 0.8062),
        (5, 56, 0, 29, -0.0381, 0.1926),
        (0, 10, 0, 20, -0.1611, 0.2775),
        (0, 10, 0, 10, -0.2775, 0.2775),
        (10, 10, 0, 20, 0.6791, 1.0000),
        (10, 10, 0, 10, 0.6075, 1.0000),
    ],
)
def test_a_difference_is_newcombe_s(
    k1: int, n1: int, k2: int, n2: int, low: float, high: float
) -> None:
    # The worked examples of Newcombe, R. G. (1998). Interval estimation for the difference
    # between independent proportions. Statistics in Medicine 17, by method 10; as they follow
    # in R from prop.test(k, n, correct = FALSE)$conf.int of each side.
    found = newcombe(k1, n1, k2, n2, level="answer")
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    assert found.value == pytest.approx(k1 / n1 - k2 / n2)


@pytest.mark.parametrize(
    ("counts", "confidence", "low", "high"),
    [
        # From the bounds l, u of prop.test(k, n, correct = FALSE, conf.level = ...)$conf.int:
        # d - sqrt((p - l1)^2 + (u2 - q)^2), d + sqrt((u1 - p)^2 + (q - l2)^2)
        ((38, 40, 8336, 10000), 0.95, 0.00113792057721521, 0.153333885186844),
        ((56, 70, 48, 80), 0.99, 0.00537086925007857, 0.371808431775774),
    ],
)
def test_a_difference_is_as_it_follows_from_r_s_intervals(
    counts: tuple[int, int, int, int], confidence: float, low: float, high: float
) -> None:
    found = newcombe(*counts, level="answer", confidence=confidence)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    assert found.n == counts[1] + counts[3]
    assert f"{100 * confidence:g} %" in found.method


def test_a_difference_from_nothing_is_not_defined() -> None:
    for found in (newcombe(0, 0, 3, 4, level="answer"), newcombe(3, 4, 0, 0, level="answer")):
        assert math.isnan(found.value)
        assert found.reason == "one side has no answer"


@pytest.mark.parametrize("counts", [(5, 4, 1, 2), (1, 2, -1, 2)])
def test_a_difference_of_what_is_no_share_is_refused(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="is no share"):
        newcombe(*counts, level="answer")


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        # The data of Cavo et al. (2012), "Newcombe square-and-add" in the R package
        # contingencytables, which goes with Fagerland, Lydersen & Laake (2017), chapter 8.
        ((59, 6, 16, 80), -0.1186, -0.0046),
        # In R from prop.test(correct = FALSE) and phi, as the docstring has it.
        ((1, 1, 7, 12), -0.5069, -0.0256),
        ((36, 12, 2, 0), 0.0569, 0.3404),
        ((14, 5, 0, 22), 0.0115, 0.2265),
        ((10, 0, 0, 10), -0.0898, 0.0898),
        ((5, 5, 5, 5), -0.2838, 0.2838),
        ((2, 8, 7, 3), -0.3042, 0.3902),
    ],
)
def test_a_difference_on_the_same_units(
    counts: tuple[int, int, int, int], low: float, high: float
) -> None:
    found = newcombe_paired(*counts, level="pair of poems")
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    assert found.value == pytest.approx((counts[1] - counts[2]) / sum(counts))
    assert found.n == sum(counts)


def test_a_difference_on_no_unit_is_not_defined() -> None:
    assert newcombe_paired(0, 0, 0, 0, level="pair of poems").reason == "one side has no answer"


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        newcombe_paired(1, -1, 2, 3, level="pair of poems")


count = st.integers(0, 60)


@given(count, count, count, count)
def test_exchanging_the_sides_mirrors_the_difference(k1: int, m1: int, k2: int, m2: int) -> None:
    n1, n2 = k1 + m1 + 1, k2 + m2 + 1
    one = newcombe(k1, n1, k2, n2, level="answer")
    other = newcombe(k2, n2, k1, n1, level="answer")
    assert (other.value, other.low, other.high) == pytest.approx((-one.value, -one.high, -one.low))
    assert -1 <= one.low <= one.value <= one.high <= 1


@given(count, count, count, count)
def test_exchanging_the_sides_of_pairs_mirrors_the_difference(
    both: int, first: int, second: int, neither: int
) -> None:
    cells = both + 1, first, second, neither
    one = newcombe_paired(*cells, level="pair of poems")
    other = newcombe_paired(both + 1, second, first, neither, level="pair of poems")
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-9)
    assert -1 <= one.low <= one.value + 1e-12
    assert one.value - 1e-12 <= one.high <= 1
