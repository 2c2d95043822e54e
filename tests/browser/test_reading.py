"""A poem on screen and on paper: how it is set, what the reader can choose, how long it is read."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.judgments import leaving
from annotation.judgments.models import Draft, Judgment
from annotation.studies.models import Judge
from tests.browser.begun import ready
from tests.browser.desk_studies import BALLAD, LONG_LINES, TYGER, desk_study, poem, reading
from tests.services.waiting import soon

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CHROME = ".masthead, .skip, .whereabouts, .colophon, .toggle, .finish, .track, .quote, .unprinted"
# Where each line of the poem breaks: how many characters stand in each of its rows.
BREAKS = """() => [...document.querySelectorAll(".line")].map((line) => {
  const rows = new Map();
  const range = document.createRange();
  for (let at = 0; at < line.firstChild.length; at += 1) {
    range.setStart(line.firstChild, at);
    range.setEnd(line.firstChild, at + 1);
    const { top } = range.getBoundingClientRect();
    rows.set(Math.round(top), (rows.get(Math.round(top)) ?? 0) + 1);
  }
  return [...rows.values()];
})"""
VISIBILITY = """(state) => {
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
  document.dispatchEvent(new Event("visibilitychange"));
}"""

pytestmark = pytest.mark.usefixtures("live_server")


def lines(*texts: str) -> list[str]:
    return [line.strip() for text in texts for line in text.splitlines() if line.strip()]


def printed(page: Page) -> int:
    """Return on how many sheets the page is printed, and check what stands on them."""
    page.emulate_media(media="print")
    for part in page.locator(CHROME).all():
        expect(part).not_to_be_visible()
    sheets = page.pdf(prefer_css_page_size=True)
    page.emulate_media(media="screen")
    return len(re.findall(rb"/Type\s*/Page\b", sheets))


def test_a_poem_is_printed_whole_on_one_sheet_and_its_questions_on_the_next(page: Page) -> None:
    judge, key = reading(desk_study("print", poems=(TYGER,)))
    page.goto(poem(judge, key))

    assert printed(page) == 2

    page.emulate_media(media="print")
    for line in lines(TYGER):
        expect(page.get_by_text(line, exact=True)).to_be_visible()
    expect(page.get_by_text("How good is this poem as a whole?")).to_be_visible()


def test_both_texts_of_a_pair_are_printed_also_from_a_phone(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(**PHONE).new_page()
    judge, key = reading(desk_study("print", "pair-choice", poems=(LONG_LINES, TYGER)))
    page.goto(poem(judge, key))

    assert printed(page) == 2

    page.emulate_media(media="print")
    for line in lines(LONG_LINES, TYGER):
        expect(page.locator(".line").filter(has_text=line).first).to_be_visible()


def test_certificate_and_receipt_fill_one_sheet_each(page: Page) -> None:
    study = desk_study("print", honorarium="60 euros for each set of ten poems")
    judge, key = reading(study, answered=1)
    page.goto(f"/desk/{key}/certificate/")

    assert printed(page) == 1

    page.emulate_media(media="print")
    for words in ("Maya Reader has read and judged 1 poem", "60 euros", "IBAN", "5e" * 32):
        expect(page.locator(".certificate")).to_contain_text(words)

    page.goto(f"/deleted/{leaving.to_token(leaving.delete(judge))}/")

    assert printed(page) == 1
    expect(page.get_by_role("heading", name="Everything of yours is deleted")).to_be_visible()


def test_on_a_phone_one_text_of_a_pair_is_in_view_at_a_time(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(**PHONE).new_page()
    judge, key = reading(desk_study("pair", "pair-choice", poems=(BALLAD, TYGER)))
    page.goto(poem(judge, key))
    a, b = page.locator(".text.a"), page.locator(".text.b")
    expect(a).to_be_visible()
    expect(b).not_to_be_visible()
    width = page.evaluate("document.documentElement.clientWidth")

    page.locator(".toggle label", has_text="Text B").tap()

    expect(b).to_be_visible()
    expect(a).not_to_be_visible()
    assert b.bounding_box()["width"] > width * 0.8

    page.locator(".toggle label", has_text="Text A").tap()

    expect(a).to_be_visible()
    expect(page.locator("#answers input:checked")).to_have_count(0)
    # Which text is in view is no answer, and is not saved with the answers.
    page.locator("[name=human_text]").first.check()
    assert soon(Draft.objects.exists)
    assert set(Draft.objects.get().answers) == {"human_text"}


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desktop", "phone"])
def test_line_numbers_move_no_line_and_are_no_part_of_the_text(
    screen: dict[str, Any], new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(**screen).new_page()
    judge, key = reading(desk_study("numbers", poems=(f"{LONG_LINES}\n\n{TYGER}",)))
    page.goto(poem(judge, key))
    fifth = "getComputedStyle(document.querySelector('[data-line=\"5\"]'), '::after').content"
    before, text = page.evaluate(BREAKS), page.locator(".poem").inner_text()
    assert any(len(rows) > 1 for rows in before)
    assert page.evaluate(fifth) == "none"

    page.locator("#settings > summary").click()
    page.get_by_label("Number every fifth line").check()

    expect(page.locator("html")).to_have_attribute("data-numbers", "yes")
    assert "5" in page.evaluate(fifth) or "data-line" in page.evaluate(fifth)
    assert page.evaluate(BREAKS) == before
    assert page.locator(".poem").inner_text() == text
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.poem'))")
    assert not re.search(r"\d", page.evaluate("getSelection().toString()"))


def test_how_one_likes_the_pages_is_so_on_the_next_device(
    page: Page, new_context: Callable[..., BrowserContext]
) -> None:
    judge, key = reading(desk_study("likes"))
    page.goto(poem(judge, key))
    page.locator("#settings > summary").click()
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")

    page.get_by_label("Sepia").check()
    page.get_by_label("Largest").check()

    def kept() -> bool:
        judge.refresh_from_db()
        return (judge.theme, judge.text_size) == (Judge.Theme.SEPIA, 5)

    assert soon(kept)
    sepia = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sepia != light
    other = new_context(**PHONE, color_scheme="dark").new_page()
    other.goto(f"/invitation/{key}/")
    expect(other.locator("html")).to_have_attribute("data-theme", "sepia")
    expect(other.locator("html")).to_have_attribute("data-size", "5")
    assert other.evaluate("getComputedStyle(document.body).backgroundColor") == sepia


def test_only_the_time_in_view_is_counted(page: Page) -> None:
    judge, key = reading(desk_study("time", "altered-text"))
    page.clock.install()
    page.goto(poem(judge, key))
    ready(page)
    page.clock.run_for(60_000)
    page.evaluate(VISIBILITY, "hidden")
    page.clock.run_for(3_600_000)  # an hour in another tab
    page.evaluate(VISIBILITY, "visible")
    page.clock.run_for(30_000)
    page.get_by_label("not altered").check()

    with page.expect_navigation():
        page.get_by_role("button", name="Submit and go on").click()

    assert 90_000 <= Judgment.objects.get().milliseconds < 120_000


def test_the_time_in_view_goes_on_after_a_reload(page: Page) -> None:
    judge, key = reading(desk_study("time", "altered-text"))
    page.clock.install()
    page.goto(poem(judge, key))
    ready(page)
    page.clock.run_for(60_000)
    page.reload()
    page.clock.run_for(60_000)
    page.get_by_label("not altered").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Submit and go on").click()

    assert 120_000 <= Judgment.objects.get().milliseconds < 150_000
