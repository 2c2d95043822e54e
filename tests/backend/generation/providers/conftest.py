"""The three wires, each asked through its vendor's own client over real HTTP."""

from collections.abc import Callable, Iterator

import pytest

from backend.generation import providers
from backend.generation.providers import WIRES, Reach, Reply, Request
from tests.endpoint import Behaviour, Endpoint, Scenario

KEY = "sk-a/secret+of-many=letters"
VARIABLE = "SOME_MODELS_KEY"
Put = Callable[..., Reply]


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> str:
    """Each wire in turn."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def served() -> Iterator[Endpoint]:
    """One endpoint for all: each new address would cost a new client."""
    running = Endpoint()
    yield running
    running.stop()


@pytest.fixture
def endpoint(served: Endpoint) -> Endpoint:
    """A provider that behaves as the model asked for is named."""
    served.begin_anew(Scenario(poem="The river keeps the light."))
    return served


@pytest.fixture
def new_clients() -> Iterator[None]:
    """Clients that were made in this test alone."""
    providers.forget_clients()
    yield
    providers.forget_clients()


@pytest.fixture
def request_for(
    endpoint: Endpoint, wire: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Request]:
    """Return the request that puts a prompt to a model of the endpoint."""
    monkeypatch.setenv(VARIABLE, KEY)

    def build(model: str, *, seconds: float = 20.0, **options: object) -> Request:
        reach = Reach(wire, endpoint.url_of(wire), VARIABLE, seconds)
        return providers.request(reach, model, "Write a poem.", **options)  # type: ignore[arg-type]

    return build


@pytest.fixture
def put(request_for: Callable[..., Request]) -> Put:
    """Put a prompt to a model that behaves as it is named."""

    def ask(model: str, *, seconds: float = 20.0, **options: object) -> Reply:
        return providers.ask(request_for(model, seconds=seconds, **options))

    return ask


@pytest.fixture
def answer_with(endpoint: Endpoint) -> Callable[..., None]:
    """Let the endpoint give this answer to everyone."""

    def set_answer(**how: object) -> None:
        behaviour = Behaviour(**how)  # type: ignore[arg-type]
        endpoint.scenario = lambda _: behaviour

    return set_answer
