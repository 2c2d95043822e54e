"""What every result carries beside its numbers."""

import math

import pytest

from backend.statistics.agreement import Concordance
from backend.statistics.detection import Brier, Calibration, Difference, Line, Sensitivity
from backend.statistics.estimate import Estimate, undefined
from backend.statistics.multiplicity import Adjusted
from backend.statistics.proportions import exact


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        (Estimate, {"value": math.nan, "low": 0.1, "high": 0.2}),
        (Difference, {"value": math.nan, "p": 0.5}),
        (Brier, {"skill": 0.5}),
        (Calibration, {"mce": 0.5}),
        (Line, {"intercept": 0.5}),
        (Sensitivity, {"criterion": 0.5}),
        (Concordance, {"p": 0.5}),
        (exact.Test, {"odds": 2.0}),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_result_without_its_main_number_must_say_why(kind, numbers):
    beside = {"n": 0, "method": "any", "level": "judgment", **numbers}
    with pytest.raises(ValueError, match="say why"):
        kind(**beside)
    nothing = kind(**beside, reason="no judge has answered")
    assert not nothing.defined
    assert nothing.reason == "no judge has answered"


def test_a_family_is_undefined_where_no_test_has_a_p_value():
    nothing = Adjusted((math.nan,), n=0, method="Holm", level="model", reason="no p-value")
    assert not nothing.defined
    assert Adjusted((0.1, math.nan), n=1, method="Holm", level="model").defined


def test_an_undefined_estimate_keeps_its_reason_and_counts():
    nothing = undefined("no judge has answered", method="mean", level="judgment")

    assert not nothing.defined
    assert not nothing.has_interval
    assert (nothing.reason, nothing.n, nothing.counts) == ("no judge has answered", 0, {})
