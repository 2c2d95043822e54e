"""Adjusted p-values against R's p.adjust and the paper of Benjamini and Hochberg."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.multiplicity import benjamini_hochberg, holm

# Benjamini & Hochberg (1995), section 4: fifteen endpoints of a trial of thrombolysis.
ENDPOINTS = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
]
# p.adjust(c(.04, NA, .01, .03, .01, NA, .2), ...)
HOLED = [0.04, math.nan, 0.01, 0.03, 0.01, math.nan, 0.2]


def test_holm_is_r_s():
    # p.adjust(p, "holm")
    assert holm(ENDPOINTS).p == pytest.approx(
        [0.0015, 0.0056, 0.0247, 0.1140, 0.2211, 0.2780, 0.2780, 0.2780, 0.3213, *[1.0] * 6]
    )


def test_benjamini_hochberg_is_r_s():
    # p.adjust(p, "BH")
    assert benjamini_hochberg(ENDPOINTS).p == pytest.approx(
        [
            *(0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.0638571428571429, 0.0638571428571429),
            *(0.0645, 0.0765, 0.486, 0.5811818181818181, 0.7148749999999999),
            *(0.7532307692307693, 0.8132142857142857, 1.0),
        ]
    )


def test_four_endpoints_are_found_by_the_false_discovery_rate_and_three_otherwise():
    # As the paper counts at 5 %; Bonferroni finds the same three as Holm.
    assert sum(p <= 0.05 for p in benjamini_hochberg(ENDPOINTS).p) == 4
    assert sum(p <= 0.05 for p in holm(ENDPOINTS).p) == 3


@pytest.mark.parametrize(
    ("adjust", "known"),
    [
        (holm, [0.09, math.nan, 0.05, 0.09, 0.05, math.nan, 0.2]),
        (benjamini_hochberg, [0.05, math.nan, 0.025, 0.05, 0.025, math.nan, 0.2]),
    ],
)
def test_a_test_without_a_p_value_stays_without_and_is_not_of_the_family(adjust, known):
    found = adjust(HOLED, level="model")

    assert found.p == pytest.approx(known, nan_ok=True)
    assert (found.n, found.level, found.reason) == (5, "model", "")
    assert found.method.endswith("m = 5")


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@pytest.mark.parametrize("p", [[], [math.nan, math.nan]])
def test_a_family_without_a_p_value_says_so(adjust, p):
    found = adjust(p)

    assert (found.n, found.reason) == (0, "no test has a p-value")
    assert len(found.p) == len(p)
    assert all(math.isnan(value) for value in found.p)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@pytest.mark.parametrize("p", [[0.5, 1.01], [-0.01], [math.inf]])
def test_what_is_no_p_value_is_refused(adjust, p):
    with pytest.raises(ValueError, match="outside"):
        adjust(p)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_a_table_of_p_values_is_refused(adjust):
    with pytest.raises(ValueError, match="one row"):
        adjust([[0.1, 0.2]])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_holm_is_never_below_the_false_discovery_rate_nor_that_below_p(p):
    strict, lenient = holm(p).p, benjamini_hochberg(p).p

    for one, low, high in zip(p, lenient, strict, strict=True):
        assert one <= low * (1 + 1e-12)
        assert low <= high * (1 + 1e-12)
        assert high <= 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_the_tests_does_not_matter(p, random):
    order = list(range(len(p)))
    random.shuffle(order)

    for adjust in (holm, benjamini_hochberg):
        whole = adjust(p).p
        assert adjust([p[place] for place in order]).p == tuple(whole[place] for place in order)
