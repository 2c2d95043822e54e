"""Every form of a coefficient, by hand or against the functions that other tests prove."""

import numpy as np
import pytest

from annotation.studies.models import Study
from backend.analytics.frames import frame
from backend.analytics.reports.agreeing import agreement
from backend.analytics.tables import Cell, Table
from backend.statistics.agreement import gwet_ac, krippendorff_alpha
from tests.backend.analytics.answering import pair_study
from tests.backend.analytics.reports.scales import POINTS, instrument
from tests.studies import make_study

pytestmark = pytest.mark.django_db

# Seven poems by three experts and a machine judge; 0 is N/A.
SAID = (
    (1, 1, 2, 1), (2, 3, 2, 2), (4, 4, 5, 5), (5, 5, 5, 4), (3, 2, 2, 2), (1, 0, 1, 2),
    (4, 5, 3, 3),
)  # fmt: skip


def study() -> Study:
    asked = {
        "kind": "likert", "points": POINTS, "key": "form", "text": "Kept.", "na": [0, "N/A"],
    }  # fmt: skip
    titles = [f"Poem {number}" for number in range(len(SAID))]
    return make_study(
        instrument={**instrument(), "questions": [asked]}, titles=titles, models=[],
        judges=["A", "B", "C"], machines=["Gamma"],
        answers=lambda judge, _author, title: SAID[titles.index(title)]["ABCG".index(judge[0])],
    )  # fmt: skip


def table(of: Study) -> Table:
    (found,) = [one for one in agreement.tables(frame(of)) if one.key == "agreement-coefficients"]
    return found


def rows(of: Study) -> dict[object, dict[str, Cell]]:
    found = table(of)
    names = [column.key for column in found.columns]
    return {row[1].value: dict(zip(names, row, strict=True)) for row in found.rows}


def test_experts_have_every_form_with_its_interval() -> None:
    found = rows(study())["experts with experts"]
    given = np.array(SAID, float)[:, :3].T
    given[given == 0] = np.nan
    for metric in ("nominal", "ordinal", "interval"):
        alone = krippendorff_alpha(given, metric=metric)
        shown = [found[f"alpha_{metric}{end}"].value for end in ("", "_low", "_high", "_n")]
        assert shown == pytest.approx([alone.value, alone.low, alone.high, alone.n])
    for key, weights in (("ac1", "identity"), ("ac2", "quadratic")):
        alone = gwet_ac(given, weights=weights, categories=(1, 2, 3, 4, 5))
        shown = [found[f"{key}{end}"].value for end in ("", "_low", "_high", "_n")]
        assert shown == pytest.approx([alone.value, alone.low, alone.high, alone.n])
    # Of 21 pairs two have N/A; a pair counts once though it is entered both ways round.
    assert found["alpha_nominal_n"].value == 20
    assert {found[key].value for key in ("kappa_n", "kappa_linear_n", "kappa_quadratic_n")} == {19}


def test_kappa_is_plain_linear_and_quadratic() -> None:
    # One less the mean distance within pairs over that between any two answers, both ways round.
    found = rows(study())["experts with experts"]
    values = [row[:3] for row in np.array(SAID).tolist()]
    pairs = [
        (one, other)
        for row in values
        for a, one in enumerate(row)
        for b, other in enumerate(row)
        if a != b and one and other
    ]
    firsts, seconds = np.array(pairs).T
    for key, power in (("kappa", 0), ("kappa_linear", 1), ("kappa_quadratic", 2)):
        apart = (np.abs(firsts - seconds) ** power) * (firsts != seconds)
        chance = np.abs(np.subtract.outer(firsts, seconds)) ** power
        chance = chance * np.not_equal.outer(firsts, seconds)
        assert found[key].value == pytest.approx(1 - apart.mean() / chance.mean()), key


def test_a_machines_pooled_pairs_have_no_interval_and_the_reason() -> None:
    found = rows(study())["Gamma with experts"]
    assert found["alpha_nominal"].value is not None
    assert "not independent" in found["alpha_nominal_low"].reason
    assert "not independent" in found["ac2_high"].reason
    # Twenty pairs with points: both ratings of each.
    assert (found["alpha_nominal_n"].value, found["kappa_n"].value) == (40, 20)


def test_the_method_says_what_n_is_and_how_intervals_were_reached() -> None:
    method = table(study()).method
    assert "alpha and AC of experts: 95 % interval by poems and judges" in method
    assert "no interval of kappa" in method
    assert "J(J - 1) / (J - 2)²" in method


def test_two_answers_have_no_order() -> None:
    found = table(
        pair_study(
            lambda judge, _model, title: {
                "human_text": 2 if (judge, title) == ("B", "Dusk") else 1
            },
            judges=["A", "B"],
        )
    )
    keys = [column.key for column in found.columns]
    assert {"alpha_nominal", "ac1", "kappa"} < set(keys)
    assert not {"alpha_ordinal", "alpha_interval", "ac2", "kappa_linear"} & set(keys)
