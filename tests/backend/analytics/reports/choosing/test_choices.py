"""Choices between two texts, counted by hand whichever side the human text stood on."""

from collections.abc import Mapping

import pytest

from annotation.studies.models import Study
from backend.analytics import services
from tests.backend.analytics.answering import pair_study
from tests.backend.analytics.reports.scales import figures

pytestmark = pytest.mark.django_db

KEY = "choices-experts-q1"
# Title to (the human text is stored second, the pair is shown flipped): the human text is text A
# of Dawn and Noon, text B of Dusk and Night.
SIDES = {
    "Dawn": (False, False),
    "Dusk": (True, False),
    "Night": (False, True),
    "Noon": (True, True),
}


def sided(text: Mapping[str, int | None]) -> Study:
    """Return a study in which Anna chose A (1) or B (2) for each title, or left the pair."""
    return pair_study(
        lambda _judge, _model, title: None if text[title] is None else {"human_text": text[title]},
        titles=list(SIDES),
        human_second=lambda _model, title: SIDES[title][0],
        flipped=lambda _model, title: SIDES[title][1],
    )


def told(study: Study) -> list[object]:
    row = figures(services.report(study).table(KEY))["Alpha"]
    return [row[name].value for name in ("judgments", "human_chosen", "first_chosen")]


@pytest.mark.parametrize("title", SIDES)
@pytest.mark.parametrize("side", [1, 2])
def test_the_human_text_is_found_on_either_side(title: str, side: int) -> None:
    human_side = {"Dawn": 1, "Dusk": 2, "Night": 2, "Noon": 1}[title]
    study = sided({**dict.fromkeys(SIDES), title: side})
    assert told(study) == [1, int(side == human_side), int(side == 1)]


def test_the_share_has_its_interval_and_the_side_its_own() -> None:
    # A for Dawn (right), A for Dusk (wrong), B for Night (right), left out: Noon.
    row = figures(
        services.report(sided({"Dawn": 1, "Dusk": 1, "Night": 2, "Noon": None})).table(KEY)
    )["Alpha"]
    assert row["share"].value == 2 / 3
    # Wilson by hand, z² = 3.841459: (2 + 1.920729 ± 1.959964 * sqrt(2/3 + .960365)) / 6.841459.
    assert row["low"].value == pytest.approx(0.207660, abs=1e-6)
    assert row["high"].value == pytest.approx(0.938508, abs=1e-6)
    assert (row["first_chosen"].value, row["first_share"].value) == (2, 2 / 3)


def test_models_are_kept_apart() -> None:
    study = pair_study(
        lambda _judge, model, _title: {"human_text": 1 if model == "Alpha" else 2},
        models=["Alpha", "Beta"],
        judges=["Anna", "Ben"],
    )
    rows = figures(services.report(study).table(KEY))
    assert [rows[name]["human_chosen"].value for name in ("Alpha", "Beta")] == [4, 0]
    assert [rows[name]["judgments"].value for name in ("Alpha", "Beta")] == [4, 4]


def test_a_share_of_no_choice_is_not_defined() -> None:
    row = figures(services.report(sided(dict.fromkeys(SIDES))).table(KEY))["Alpha"]
    assert (row["share"].value, row["share"].reason) == (None, "nothing was counted")
    assert row["judgments"].value == 0


def test_pairs_have_no_means_and_no_detection_but_agreement() -> None:
    study = pair_study(
        lambda judge, _model, title: {"human_text": 2 if (judge, title) == ("Ben", "Dusk") else 1},
        judges=["Anna", "Ben"],
    )
    report = services.report(study)
    keys = [table.key for table in report.tables()]
    assert KEY in keys
    assert "strengths-experts-q1" in keys
    assert "agreement" in keys
    assert not [key for key in keys if key.startswith(("ratings", "auc", "signed-rank", "signal"))]


def test_pairs_are_counted_as_pairs() -> None:
    table = services.report(pair_study(lambda *_: {"human_text": 1})).table("coverage")
    assert table.header == ["judgments", "pairs", "not_defined"]
    assert [[cell.value for cell in row] for row in table.rows] == [[0, 0], [1, 2]]
