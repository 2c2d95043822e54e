"""Coordinators' own instruments: checked, kept in versions, and built on."""

import copy
import json

import pytest

from annotation.instruments.loading import InvalidInstrument, load, load_text, published_all
from backend.design import examples, instruments
from backend.design.models import OwnInstrument
from backend.design.services import open_study
from tests.backend.design.material import draft, material
from tests.studies import coordinator

pytestmark = pytest.mark.django_db


def text(**changes: object) -> str:
    return json.dumps({**examples.START, **changes}, ensure_ascii=False)


def test_a_first_version_is_saved_under_its_key_in_somebodys_name():
    kim = coordinator()
    saved = instruments.save(text(version="9"), by=kim)
    saved.refresh_from_db()
    assert (saved.key, saved.version, saved.made_by) == ("my-instrument", 1, kim)
    assert saved.data == {**examples.START, "version": "1"}


def test_an_edit_is_a_new_version_and_the_old_one_stays():
    instruments.save(text())
    instruments.save(text(title="Renamed"), key="my-instrument", seen=1)
    kept = OwnInstrument.objects.order_by("version").values_list("version", "data__title")
    assert list(kept) == [(1, "My instrument"), (2, "Renamed")]
    assert [one.version for one in OwnInstrument.objects.newest()] == [2]


def test_an_edit_of_an_old_version_is_refused_until_the_newer_one_was_seen():
    instruments.save(text())
    instruments.save(text(title="Hers"), key="my-instrument", seen=1)
    with pytest.raises(instruments.NewerVersion, match="Version 2 was saved meanwhile") as newer:
        instruments.save(text(title="His"), key="my-instrument", seen=1)
    assert newer.value.version == 2
    assert instruments.save(text(title="His"), key="my-instrument", seen=2).version == 3


@pytest.mark.parametrize("key", ["new", "poemetric-survey", "my-instrument"])
def test_a_key_that_is_taken_or_an_address_is_refused(key):
    instruments.save(text())
    with pytest.raises(instruments.KeyTaken, match="is taken"):
        instruments.save(text(key=key))
    assert OwnInstrument.objects.count() == 1


def test_a_version_under_another_key_is_refused():
    instruments.save(text())
    with pytest.raises(instruments.KeyTaken, match="'my-instrument'"):
        instruments.save(text(key="other"), key="my-instrument", seen=1)


def test_every_problem_is_named_with_its_place_and_nothing_is_saved():
    data = copy.deepcopy(examples.START)
    data["questions"][0]["pionts"] = data["questions"][0].pop("points")
    data["judge_prompt"] = "Judge."
    with pytest.raises(InvalidInstrument) as refused:
        instruments.save(json.dumps(data))
    places = {problem.split(":")[0] for problem in refused.value.problems}
    assert {"questions[0].points", "questions[0].pionts", "judge_prompt"} <= places
    assert not OwnInstrument.objects.exists()


def test_own_instruments_are_offered_in_their_latest_version_beside_the_published_ones():
    instruments.save(text())
    instruments.save(text(title="Renamed"), key="my-instrument", seen=1)
    offered = instruments.offered()
    assert set(offered) == {*published_all(), "my-instrument"}
    assert offered["my-instrument"]["title"] == "Renamed"
    with pytest.raises(LookupError, match="There is no instrument 'none'"):
        instruments.data_of("none")


def test_a_study_keeps_the_version_it_was_built_on():
    instruments.save(text())
    shelf = material()
    study = open_study(draft(shelf, instrument="my-instrument"))
    instruments.save(text(title="Renamed"), key="my-instrument", seen=1)
    study.refresh_from_db()
    assert (study.instrument.key, study.instrument.version) == ("my-instrument", "1")
    assert study.instrument.title == "My instrument"
    later = draft(shelf, instrument="my-instrument")
    assert (later.instrument.version, later.instrument.title) == ("2", "Renamed")


def test_a_copy_has_a_key_that_is_free():
    first = instruments.copied("pair-choice")
    assert first["key"] == "my-pair-choice"
    assert first["questions"] == published_all()["pair-choice"]["questions"]
    instruments.save(json.dumps(first))
    assert instruments.copied("pair-choice")["key"] == "my-pair-choice-2"


@pytest.mark.parametrize("key", sorted(published_all()))
def test_the_text_of_an_instrument_is_readable_and_means_the_same(key):
    data = published_all()[key]
    written = instruments.as_text(data)
    assert json.loads(written) == data
    assert load_text(written) == load(data)
    assert len(written.splitlines()) > 12


@pytest.mark.parametrize("kind", examples.KINDS, ids=lambda kind: kind.kind)
def test_every_example_is_sound_in_an_instrument(kind):
    about_pairs = kind.kind == "forced_choice"
    prompt = "{text_a} {text_b} {questions}" if about_pairs else "{the_poem} {questions}"
    alone = {**kind.example, "locks_above": False}
    assert load({**examples.START, "judge_prompt": prompt, "questions": [alone]}).texts == (
        2 if about_pairs else 1
    )


def test_there_is_an_example_of_every_kind_that_occurs():
    occurring = {
        question["kind"] for data in published_all().values() for question in data["questions"]
    }
    assert occurring <= {kind.kind for kind in examples.KINDS}
    assert load(examples.START).key == "my-instrument"


@pytest.mark.parametrize(("language", "first"), [("en", "Who"), ("zh-hans", "床"), ("zh", "床")])
def test_sample_poems_are_in_the_language_of_the_instrument(language, first):
    assert examples.poems(language, 1)[0].startswith(first)
    assert len(examples.poems(language, 2)) == 2
