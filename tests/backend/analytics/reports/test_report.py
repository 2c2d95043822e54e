"""Every shipped instrument has a report, whether nobody, one or all have answered."""

import csv
import io
import json
from pathlib import Path

import pytest

from annotation.instruments import loading
from annotation.studies.models import Study
from backend.analytics import services
from backend.analytics.presenting import present
from backend.analytics.tables import Table
from backend.corpus.spreadsheets import stream
from backend.design.models import Design
from backend.exports.services import export
from tests.backend.analytics.answering import answered, fitting, pair_study
from tests.studies import make_study

pytestmark = pytest.mark.django_db

FOLDER = Path(loading.__file__).parent / "published"
SHIPPED = sorted(path.stem for path in FOLDER.glob("*.json"))
PROBABILITY = {
    "key": "probability_human", "kind": "probability", "text": "How likely is a human author?",
    "low_label": "model", "high_label": "human",
}  # fmt: skip


def made(key: str) -> Study:
    """Return a study with two judges, a human poem and a model's on each title, unanswered."""
    instrument = loading.load(loading.published(key))
    if instrument.texts == 2:
        return pair_study(lambda *_: None, judges=["Anna", "Ben"], instrument=key)
    return make_study(instrument=key, models=["Alpha"], answers=lambda *_: None)


@pytest.mark.parametrize("key", SHIPPED)
@pytest.mark.parametrize("first", [0, 1, None], ids=["none", "one", "all"])
def test_every_shipped_instrument_has_a_report_and_an_export(key: str, first: int | None) -> None:
    study = made(key)
    study = answered(study, fitting(study.instrument), first=first)
    for table in services.report(study).tables():
        assert all(len(row) == len(table.columns) for row in table.rows)
        text = "".join(stream(table.header, table.records()))
        assert "nan" not in {cell for row in csv.reader(io.StringIO(text)) for cell in row}
        assert present(table).table is table
    export(study, io.BytesIO())


def test_all_kinds_of_question_are_among_the_shipped() -> None:
    # Else the test above would prove less than it says.
    kinds = {
        question["kind"]
        for key in SHIPPED
        for question in json.loads((FOLDER / f"{key}.json").read_text())["questions"]
    }
    assert kinds == set(loading.KINDS)


def test_without_a_question_about_authorship_nothing_is_said_of_telling_apart() -> None:
    data = loading.published("poemetric-survey")
    questions = [one for one in data["questions"] if one.get("about") != "authorship"]
    study = make_study(instrument={**data, "questions": questions}, answers=lambda *_: None)
    keys = [table.key for table in services.report(study).tables()]
    assert "ratings-experts" in keys
    assert not any(key.startswith(("auc", "signed-rank")) for key in keys)


def asked(*questions: dict[str, object]) -> list[str]:
    """Return the keys of the report's tables on telling apart, for these questions."""
    data = {**loading.published("proftap-probability"), "questions": list(questions)}
    study = make_study(instrument=data, answers=lambda *_: None)
    keys = [table.key for table in services.report(study).tables()]
    return [key for key in keys if key.startswith("auc-judgments")]


def test_a_probability_of_something_else_tells_nobody_apart() -> None:
    other = {**PROBABILITY, "key": "probability_old", "text": "How likely is it an old poem?"}
    about = {**PROBABILITY, "about": "authorship"}
    assert asked(other, about) == ["auc-judgments-experts-q2"]


def test_in_older_data_every_probability_is_about_authorship() -> None:
    assert asked(PROBABILITY) == ["auc-judgments-experts-q1"]


DETECTION = (
    "auc", "signed-rank", "signal", "calibration", "reliability", "choices", "strengths", "altered",
    "recognition",
)  # fmt: skip


@pytest.fixture(params=SHIPPED)
def tables(request: pytest.FixtureRequest) -> list[Table]:
    study = made(request.param)
    return list(services.report(answered(study, fitting(study.instrument))).tables())


def test_tables_and_their_columns_have_keys_of_their_own(tables: list[Table]) -> None:
    for names in (
        [table.key for table in tables],
        *([column.key for column in table.columns] for table in tables),
    ):
        assert len(names) == len(set(names)), names


def test_beside_every_p_value_stands_a_corrected_one_with_m(tables: list[Table]) -> None:
    for table in tables:
        tested = [column for column in table.columns if column.style == "p"]
        corrected = [one for one in tested if one.key.endswith(("holm", "bh"))]
        assert bool(tested) == bool(corrected), table.key
        assert all(column.unit.startswith("m = ") for column in corrected)


def test_every_figure_on_telling_apart_names_what_it_rests_on(tables: list[Table]) -> None:
    for table in tables:
        if table.key.startswith(DETECTION):
            assert table.basis.startswith("One unit is "), table.key
            assert table.method, table.key


def test_the_same_data_are_reported_on_once() -> None:
    study = make_study()
    assert services.report(study) is services.report(study)


def test_a_report_on_other_data_is_another() -> None:
    study = make_study()
    before = services.report(study)
    Design.objects.filter(study=study).update(margin=0.1)
    assert services.report(study) is not before
    Design.objects.filter(study=study).update(margin=None)
    assert services.report(study) == before
