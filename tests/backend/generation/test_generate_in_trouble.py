"""``manage.py generate`` where something comes in between."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import OperationalError

from backend.corpus.models import Collection
from backend.generation import dealing, foreground, services
from backend.generation.models import Generation, LanguageModel
from tests.backend.generation.conftest import AddModel
from tests.backend.generation.fake_provider import FakeProvider
from tests.backend.generation.test_generation_commands import generate, of_verse, refused

# The commands' threads have connections of their own, which see only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)


def test_a_price_that_is_not_known_any_more_is_named_by_its_model(
    collection: Collection, add_model: AddModel, provider: FakeProvider
) -> None:
    add_model("ok")
    LanguageModel.objects.update(price_input=Decimal(1), price_output=Decimal(2))
    generate(*of_verse("ok"), "--run", "R", "--cap", "20")
    Generation.objects.update(status="queued", turn=1, nudged_at=None)
    LanguageModel.objects.update(price_output=None)
    status, said = refused("--run", "R")
    assert (status, provider.asked("ok")) == (3, 3)
    assert said == (
        "The run has a cap, and what these cost is not known: ok; 3 poems wait. "
        "To go on: say what they cost, then --run R"
    )


def test_the_second_of_two_commands_begun_at_once_goes_on_with_the_run_of_the_first(
    collection: Collection,
    add_model: AddModel,
    provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_model("ok")
    start_run = services.start_run

    def beaten(**options: Any) -> services.Started:
        monkeypatch.setattr(services, "start_run", start_run)
        start_run(**options)
        return start_run(**options)

    monkeypatch.setattr(services, "start_run", beaten)
    said = generate(*of_verse("ok"), "--run", "R")
    assert "Going on with the run “R”: 0 of 3 written." in said
    assert said.splitlines()[-1] == "ok: 3 of 3 written"
    assert provider.asked("ok") == 3


def test_a_database_that_stays_away_is_told_in_a_sentence(
    collection: Collection, add_model: AddModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(dealing, "look", away)
    monkeypatch.setattr(foreground, "AWAY_AT_MOST", 0.0)
    add_model("ok")
    assert refused(*of_verse("ok"), "--run", "R") == (
        1,
        "The database does not answer; what was answered is kept. To go on: --run R\n"
        "the connection is lost",
    )
