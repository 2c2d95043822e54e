"""A browser on the real pages that lets nothing pass: no error, no foreign request, no barrier."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import enumerate as enumerate_threads
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    expect,
)
from pytest_django.live_server_helper import LiveServer

from annotation.studies import services as ledger
from annotation.studies.links import link_for
from annotation.studies.models import Assignment
from tests.annotation.panel import expert, open_study
from tests.browser.begun import Begun
from tests.browser.typing import Way
from tests.services import browser
from tests.services.waiting import soon

# Playwright's event loop runs in the tests' thread, where Django's ORM would refuse to work.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

SCREENS = Path(__file__).resolve().parents[2] / "test-results" / "screens"
STANDARD = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
# What a page is made of. A page or a form may well answer 404 or 422; its parts may not.
PARTS = ("stylesheet", "script", "image", "font", "manifest")

Shoot = Callable[[Page, str], Path]

# A busy machine may be slow; what is expected must come all the same.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    try:
        program = browser.find()
    except browser.NoBrowser as problem:
        pytest.fail(str(problem), pytrace=False)
    return browser_type_launch_args | {"executable_path": program, "args": browser.options()}


@pytest.fixture(scope="session")
def base_url(live_server: LiveServer) -> str:
    """Let ``page.goto("/")`` reach the site under test."""
    return live_server.url


@pytest.fixture(autouse=True)
def _last_requests(transactional_db: None) -> Iterator[None]:
    """Let the server answer what a browser asked at last; emptying the tables would cross it."""
    yield
    assert soon(lambda: not any("process_request" in thread.name for thread in enumerate_threads()))


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the browser complained about; a test that provokes a complaint takes it out.

    Anything left at the end fails the test.
    """
    heard: list[str] = []
    yield heard
    assert not heard, "the browser complained:\n" + "\n".join(heard)


@pytest.fixture
def watch(complaints: list[str], base_url: str) -> Callable[[BrowserContext], None]:
    """Hear the complaints of a browser that the test starts itself."""
    return lambda context: _watch(context, complaints, urlsplit(base_url).netloc)


@pytest.fixture
def new_context(
    new_context: Callable[..., BrowserContext], watch: Callable[[BrowserContext], None]
) -> Callable[..., BrowserContext]:
    """Open a further visitor's browser (``new_context()``), watched like the first one."""

    def watched(**options: Any) -> BrowserContext:
        context = new_context(**options)
        watch(context)
        return context

    return watched


@pytest.fixture(scope="session")
def axe() -> Callable[[Page], None]:
    """Assert that a page, as it is now, breaks no rule of WCAG 2.2 AA that a machine can check."""
    options = {"runOnly": {"type": "tag", "values": STANDARD}, "resultTypes": ["violations"]}

    def check(page: Page) -> None:
        violations = Axe().run(page, options=options).response["violations"]
        assert not violations, f"{page.url}:\n" + "\n".join(
            f"{rule['id']}: {rule['help']}: {node['html']}"
            for rule in violations
            for node in rule["nodes"]
        )

    return check


@pytest.fixture(scope="session")
def shoot() -> Shoot:
    """Save how a page looks, whole, as ``test-results/screens/<name>.png``."""

    def save(page: Page, name: str) -> Path:
        path = SCREENS / f"{name}.png"
        page.screenshot(path=path, full_page=True)
        return path

    return save


def _watch(context: BrowserContext, complaints: list[str], home: str) -> None:
    def console(message: ConsoleMessage) -> None:
        # Whether an answer with an error status is in order is for `response` below to say.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            complaints.append(f"console: {message.text} ({message.location['url']})")

    def request(request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.netloc != home:
            complaints.append(f"a request to another host: {request.url}")

    def response(response: Response) -> None:
        part = response.request.resource_type in PARTS
        if response.status >= (400 if part else 500):
            complaints.append(f"{response.status} from {response.url}")

    context.on("console", console)
    context.on("weberror", lambda error: complaints.append(f"uncaught: {error.error}"))
    context.on("request", request)
    context.on("response", response)


@pytest.fixture
def begin(base_url: str) -> Callable[[Way], Begun]:
    def begun(way: Way) -> Begun:
        second = "O rose,\n  thou art well" if way.compares else ""
        study = open_study(instrument=way.instrument, second=second, items=1, batch=1)
        judge = expert(study)
        ledger.deal(judge)
        key = link_for(judge).secret
        return Begun(
            Assignment.objects.get(judge=judge),
            link=f"{base_url}/invitation/{key}/",
            desk=f"{base_url}/desk/{key}/",
        )

    return begun


@pytest.fixture
def visitor(new_context: Callable[..., BrowserContext]) -> Callable[[], BrowserContext]:
    """A browser of its own, whose clock can be put forward."""

    def started() -> BrowserContext:
        context = new_context()
        context.set_default_timeout(15_000)
        context.clock.install()
        return context

    return started
