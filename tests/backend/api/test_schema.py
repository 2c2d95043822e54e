"""The API does what its schema says, whatever it is sent."""

import json
import os
import re
from collections.abc import Iterator
from io import StringIO

import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client
from hypothesis import HealthCheck, Phase, settings
from schemathesis import checks
from schemathesis.config import SchemathesisConfig

from annotation.studies import links
from backend.api.authentication import PerToken
from backend.api.reading import whole_schema
from backend.design.models import Design
from backend.generation import providers
from backend.hooks import receivers
from tests.annotation.panel import open_study
from tests.backend.api.calling import secret_of
from tests.backend.design.material import material
from tests.studies import coordinator, researcher

KEPT = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
# For each operation; more where there is time.
EXAMPLES = int(os.environ.get("BLINDVERSE_EXAMPLES", "8"))

schema = schemathesis.openapi.from_dict(whole_schema(), config=SchemathesisConfig())
schema.app = get_wsgi_application()


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Keep the test's own connection: a request that is served for real closes it at its end."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def there(db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Parts of addresses that lead to something, and no limit to asking."""
    monkeypatch.setattr(receivers, "find", lambda _: None)  # asks no name server
    monkeypatch.setattr(providers, "explain_address", lambda _: "")  # nor does this
    monkeypatch.setattr(PerToken, "get_rate", lambda _: None)
    study = open_study()
    Design.objects.create(study=study)
    expert = links.invite(study, name="Ada", email="ada@reader.example").invitation.judge
    collection = material().collection
    return {
        "slug": study.slug,
        "code": expert.code,
        "id": collection.pk,
    }


@pytest.fixture
def secret(db: None, request: pytest.FixtureRequest) -> str:
    return secret_of(request.param())


@pytest.mark.slow
@pytest.mark.parametrize("secret", [coordinator, researcher], indirect=True)
@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_request_makes_an_error_of_the_server_or_an_answer_that_the_schema_does_not_know(
    case, secret, there
):
    _answered(case, secret)
    # And once more about something that is there: most addresses made up lead nowhere.
    known = {name: there[name] for name in case.path_parameters if name in there}
    case.path_parameters.update(known)
    _answered(case, secret)


def _answered(case: schemathesis.Case, secret: str) -> None:
    with transaction.atomic():
        case.call_and_validate(headers={"Authorization": f"Bearer {secret}"}, checks=KEPT)
        transaction.set_rollback(True)


def test_the_schema_is_made_without_a_warning(db):
    made = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=made)
    assert "/api/v1/studies/{slug}/" in made.getvalue()


def test_every_shape_that_the_schema_speaks_of_is_in_it():
    spoken_of = re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(whole_schema()))
    assert set(spoken_of) <= set(whole_schema()["components"]["schemas"])


def test_every_operation_names_its_scope_and_is_described():
    for path, operations in whole_schema()["paths"].items():
        for method, told in operations.items():
            assert ":" in told["x-scope"], (method, path)
            assert told["description"].endswith("."), (method, path)
            assert {"401", "403", "429"} <= set(told["responses"])


def test_the_experts_own_api_is_not_described():
    assert not [path for path in whole_schema()["paths"] if "desk" in path]


def test_the_schema_is_for_tokens_and_for_staff_who_are_signed_in(db):
    assert Client().get("/api/v1/schema/").status_code == 401
    secret = secret_of(coordinator())
    by_token = Client(headers={"Authorization": f"Bearer {secret}"}).get("/api/v1/schema/")
    assert by_token.json()["info"]["title"] == "Blindverse"
    signed_in = Client()
    signed_in.force_login(researcher())
    assert signed_in.get("/api/v1/schema/").json() == by_token.json()


def test_the_page_explains_every_operation_without_any_script_of_others(db):
    client = Client()
    assert client.get("/api/v1/docs/").status_code == 302
    client.force_login(coordinator())
    page = client.get("/api/v1/docs/").content.decode()
    for path, operations in whole_schema()["paths"].items():
        for method in operations:
            assert f"{method.upper()} {path}" in page
    assert "https://" not in page
    assert "<style" not in page


def test_every_link_within_the_page_has_its_target(db):
    client = Client()
    client.force_login(coordinator())
    page = client.get("/api/v1/docs/").content.decode()
    targets = re.findall(r'\bid="([^"]+)"', page)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(targets)
    assert len(targets) == len(set(targets))
    assert "list, each one of judgment.submitted, batch.done, " in page
    assert "one of en, zh-hans or empty" in page
    assert "* `" not in page  # the choices again, as the schema lists them
