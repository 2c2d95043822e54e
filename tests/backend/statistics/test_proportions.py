"""Wilson's interval against printed values and scipy's own."""

import math

import pytest
from scipy.stats import binomtest

from backend.statistics.proportions import wilson


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
