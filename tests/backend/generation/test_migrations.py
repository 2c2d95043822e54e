"""What stood in the database before there were providers is the same afterwards, in new places."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE, AFTER = ("generation", "0001_initial"), ("generation", "0004_models_at_providers")


def migrate(to: tuple[str, str]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate([to])
    return MigrationExecutor(connection).loader.project_state([to]).apps


@pytest.fixture
def newest() -> Iterator[None]:
    """Whatever happens in between, the tables are those of today in the end."""
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@pytest.mark.usefixtures("newest")
def test_models_keep_their_address_and_key_and_calls_say_how_they_ended() -> None:
    old = migrate(BEFORE)
    models = old.get_model("generation", "LanguageModel").objects
    here = {"base_url": "https://llm.example/v1", "key_variable": "A_KEY"}
    models.create(name="One", model_id="one", **here)
    models.create(name="Two", model_id="two", **here)
    models.create(name="Other key", model_id="one", base_url=here["base_url"])
    models.create(name="Known by its poems", reach="imported")
    run = old.get_model("generation", "Run").objects.create(name="Run", template="proftap-en")
    brief = old.get_model("generation", "Brief").objects.create(template="x", text="Write.")
    written = old.get_model("generation", "Generation").objects.create(
        run=run, brief=brief, model=models.get(name="One"), status="done", text="A line."
    )
    calls = old.get_model("generation", "Call").objects
    now = timezone.now()
    for response, error, ended in (("{}", "", now), ("", "Busy", now), ("", "", None)):
        calls.create(generation=written, request={}, response=response, error=error, ended_at=ended)

    new = migrate(AFTER)
    reached = new.get_model("generation", "LanguageModel").objects.order_by("pk").values_list(
        "name", "provider__base_url", "provider__key_variable", "provider__name"
    )  # fmt: skip
    assert list(reached) == [
        ("One", "https://llm.example/v1", "A_KEY", "llm.example"),
        ("Two", "https://llm.example/v1", "A_KEY", "llm.example"),
        ("Other key", "https://llm.example/v1", "", "llm.example (2)"),
        ("Known by its poems", None, None, None),
    ]
    ended = new.get_model("generation", "Call").objects.order_by("pk")
    assert list(ended.values_list("state", "model__name")) == [
        ("answered", "One"), ("failed", "One"), ("lost", "One"),
    ]  # fmt: skip
