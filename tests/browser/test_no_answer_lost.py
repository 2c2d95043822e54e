"""Whatever happens to line, browser and tabs: what a judge has typed is kept, for each kind."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, BrowserType, Route, expect

from annotation.judgments import services
from annotation.judgments.models import Judgment
from tests.browser.begun import (
    DRAFTS,
    JUDGMENTS,
    MINUTE,
    PROMISE,
    loud,
    quiet,
    ready,
    save,
    submit,
)
from tests.browser.typing import WAYS, Way, typed

pytestmark = pytest.mark.browser
COMMENT = next(way for way in WAYS if way.name == "comment")
each_way = pytest.mark.parametrize("way", WAYS, ids=str)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Where a browser keeps what it keeps."""
    return tmp_path / "profile"


@pytest.fixture
def start(
    browser_type: BrowserType, browser_type_launch_args, watch, profile: Path
) -> Iterator[Callable[[], BrowserContext]]:
    """Start a browser that goes on with the profile an earlier one left."""
    with ExitStack() as started:

        def launched() -> BrowserContext:
            context = browser_type.launch_persistent_context(profile, **browser_type_launch_args)
            watch(context)
            return started.enter_context(context)

        yield launched


@pytest.fixture
def kill_9(profile: Path) -> Callable[[], None]:
    """Take the started browser away in the middle of whatever it does, with all its processes."""

    def killed() -> None:
        # The lock names the process that leads the group.
        lock = (profile / "SingletonLock").readlink().name
        os.killpg(int(lock.rpartition("-")[2]), signal.SIGKILL)

    return killed


@each_way
def test_ten_minutes_offline_lose_nothing(way: Way, visitor, begin) -> None:
    context, begun = visitor(), begin(way)
    page = begun.open(context)
    save(page, way.one)
    before = begun.draft().answers

    context.set_offline(True)
    way.other.type(page)
    for _ in range(10):
        page.clock.run_for(MINUTE)
        loud(page, "Not saved: no connection.")
    assert begun.draft().answers == before
    context.set_offline(False)

    quiet(page)
    begun.kept(page, way.other)
    assert begun.draft().milliseconds >= 10 * MINUTE


@pytest.mark.slow
def test_a_killed_browser_has_kept_what_it_said_it_keeps(start, kill_9, begin) -> None:
    given = {way: begin(way) for way in WAYS}
    for way, begun in given.items():
        services.save_draft(begun.assignment, way.one.fields, version=0)
    context = start()
    context.route(DRAFTS, lambda route: route.abort())
    pages = {way: begun.open(context) for way, begun in given.items()}
    for way, page in pages.items():
        way.other.type(page)
    shown = {way.name: typed(page) for way, page in pages.items()}
    assert all(shown[way.name].items() >= way.other.fields.items() for way in WAYS)
    for page in pages.values():
        loud(page, "Your answers are kept in this browser")
    kill_9()

    context = start()
    back = {way: begun.come_back(context) for way, begun in given.items()}
    assert {way.name: typed(page) for way, page in back.items()} == shown
    for way, page in back.items():
        quiet(page)
        given[way].kept(page, way.other)


@each_way
def test_of_two_tabs_none_overwrites_the_other_in_silence(way: Way, visitor, begin) -> None:
    context, begun = visitor(), begin(way)
    first, second = begun.open(context), begun.open(context)
    save(first, way.one)
    earlier = typed(first)

    second.bring_to_front()
    way.other.type(second)
    second.clock.run_for(PROMISE)
    newer = second.locator("#newer")
    expect(newer).to_be_visible()
    loud(second, "Not saved: choose which answers to keep.")
    later = typed(second)
    begun.kept(first, way.one)

    newer.get_by_text("Show the newer answers").click()
    expect(newer.locator("dd.differs").first).to_contain_text(way.one.words)
    newer.get_by_role("button", name="Load the newer answers").click()
    expect(newer).to_be_hidden()
    assert typed(second) == earlier
    with second.expect_response(DRAFTS):
        second.get_by_role("button", name="Bring back what was here").click()
        second.clock.run_for(PROMISE)
    quiet(second)
    assert typed(second) == later
    begun.kept(second, way.other)
    expect(second.locator("#bring-back")).to_be_visible()  # by now it holds the first tab's


def test_a_tab_that_goes_before_its_judge_has_chosen_leaves_its_answers_on_offer(
    visitor, begin
) -> None:
    context, begun = visitor(), begin(COMMENT)
    first, second = begun.open(context), begun.open(context)
    save(first, COMMENT.one)
    COMMENT.other.type(second)
    second.clock.run_for(PROMISE)
    expect(second.locator("#newer")).to_be_visible()
    second.locator("textarea").press_sequentially("And one more word.")
    later = typed(second)
    with first.expect_response(DRAFTS):
        first.locator("textarea").fill("On the first page it goes on.")
        first.clock.run_for(PROMISE)
    quiet(first)

    second.reload()
    ready(second)

    second.get_by_role("button", name="Bring back what was here").click()
    assert typed(second) == later


@each_way
def test_of_two_devices_none_overwrites_the_other_in_silence(way: Way, visitor, begin) -> None:
    begun = begin(way)
    desktop, phone = visitor(), visitor()
    at_desk, on_phone = begun.open(desktop), begun.open(phone)
    save(at_desk, way.one)
    earlier = typed(at_desk)

    on_phone.clock.run_for(5 * MINUTE)
    way.other.type(on_phone)
    on_phone.clock.run_for(PROMISE)
    newer = on_phone.locator("#newer")
    expect(newer).to_be_visible()
    begun.kept(at_desk, way.one)
    newer.get_by_role("button", name="Keep these").click()
    quiet(on_phone)
    begun.kept(on_phone, way.other)
    later = typed(on_phone)

    resumed = begun.come_back(desktop)
    assert typed(resumed) == later
    assert int(resumed.locator("input[name=milliseconds]").input_value()) >= 5 * MINUTE

    with on_phone.expect_response(DRAFTS):
        on_phone.get_by_role("button", name="Bring back what was here").click()
        on_phone.clock.run_for(PROMISE)
    quiet(on_phone)
    assert typed(on_phone) == earlier
    begun.kept(on_phone, way.one)
    resumed.clock.run_for(5 * MINUTE)
    way.other.type(resumed)
    submit(resumed)
    loud(resumed, "Not submitted: newer answers were saved")
    assert not Judgment.objects.exists()
    resumed.get_by_role("button", name="Keep these").click()
    submit(resumed)
    expect(resumed).to_have_url(begun.desk)
    begun.judged(way.other)
    assert Judgment.objects.get().milliseconds >= 10 * MINUTE


@each_way
def test_a_session_that_expires_stops_neither_draft_nor_submission(
    way: Way, visitor, begin, base_url: str
) -> None:
    context, begun = visitor(), begin(way)
    # What another visit, or a sign-in as staff, may have left in this browser.
    context.add_cookies(
        [{"name": name, "value": "x" * 32, "url": base_url} for name in ("sessionid", "csrftoken")]
    )
    page = begun.open(context)
    save(page, way.one)

    context.clear_cookies()
    with page.expect_response(DRAFTS):
        way.other.type(page)
        page.clock.run_for(PROMISE)
    quiet(page)
    begun.kept(page, way.other)
    context.clear_cookies()
    submit(page)

    expect(page).to_have_url(begun.desk)
    begun.judged(way.other)


@each_way
def test_a_double_click_and_a_lost_reply_submit_once(way: Way, visitor, begin) -> None:
    begun = begin(way)
    page = begun.open(visitor())
    asked: list[str] = []
    page.on(
        "request", lambda one: asked.append(one.resource_type) if one.method == "POST" else None
    )

    def lose(route: Route) -> None:
        assert route.fetch().status == 201
        route.abort()

    page.route(JUDGMENTS, lose, times=1)
    way.one.type(page)
    page.locator("#answers button[type=submit]").evaluate("it => { it.click(); it.click(); }")
    loud(page, "Not submitted: no connection.")
    assert asked == ["fetch"]
    begun.judged(way.one)
    with page.expect_response(JUDGMENTS) as reply:
        submit(page)

    assert reply.value.status == 200
    expect(page).to_have_url(begun.desk)
    assert asked == ["fetch", "fetch"]
    begun.judged(way.one)


@each_way
def test_what_is_submitted_offline_goes_through_once_the_line_is_back(
    way: Way, visitor, begin
) -> None:
    context, begun = visitor(), begin(way)
    page = begun.open(context)
    save(page, way.one)

    context.set_offline(True)
    way.other.type(page)
    submit(page)
    loud(page, "Not submitted: no connection.")
    page.clock.run_for(10 * MINUTE)
    loud(page, "Not submitted: no connection.")
    expect(page).to_have_url(begun.address)
    assert typed(page).items() >= way.other.fields.items()
    assert not Judgment.objects.exists()
    context.set_offline(False)

    expect(page).to_have_url(begun.desk)
    begun.judged(way.other)
