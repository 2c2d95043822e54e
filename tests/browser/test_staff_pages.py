"""Every page of a study's staff: no barrier, and nothing that sticks out, at two widths."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from annotation.judgments.services import submit
from annotation.studies import services as ledger
from annotation.studies.models import Assignment
from backend.accounts.models import User
from backend.design import opening
from tests.annotation.panel import expert
from tests.backend.design.material import draft, material
from tests.browser.conftest import SCREENS, STANDARD
from tests.browser.staff_pages import stops
from tests.browser.test_experts_day import Hands
from tests.studies import coordinator, make_study, researcher

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
FOLDER = "staff"
COLOURS = ("color-contrast", "link-in-text-block")  # all that a dark page has of its own
FINGERS = ("target-size",)
BARRIERS = """options => axe.run(document, options).then(({ violations }) => violations.flatMap(
  ({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`)))"""
# What sticks out of the window, but for what stands in a box of its own that scrolls.
STICKS_OUT = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > width + 1 && !one.closest(".scroll"))
    .map((one) => one.outerHTML.slice(0, 120));
}"""


@pytest.fixture
def enter(new_context: Callable[..., BrowserContext], base_url: str) -> Callable[[User], Page]:
    """A page of somebody who has signed in."""

    def entered(user: User) -> Page:
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        context = new_context(reduced_motion="reduce")
        context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": base_url}])
        return context.new_page()

    return entered


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_page_of_the_staff_is_accessible_and_fits_on_a_desktop_and_on_a_phone(
    enter: Callable[[User], Page],
) -> None:
    pages: dict[str, Page] = {}
    faults, names = [], []
    for stop in stops():
        who = stop.user.username
        if who not in pages:
            pages[who] = enter(stop.user)
        page = pages[who]
        for device, size in (("desktop", DESKTOP), ("phone", PHONE)):
            page.set_viewport_size(size)
            answer = page.goto(stop.address)
            assert answer is not None
            # A sealed result is refused, and says so on a page of its own.
            assert answer.status in (200, 409), f"{stop.name}: {answer.status}"
            stop.then(page)
            found = _faults(page, phone=device == "phone")
            faults += [f"{stop.name}, {device}: {fault}" for fault in found]
            page.screenshot(path=SCREENS / FOLDER / f"{stop.name}-{device}.png", full_page=True)
        names.append(stop.name)
    assert len(set(names)) == len(names)
    assert not faults, "\n".join(faults)


def test_the_builder_is_filled_in_by_keyboard_alone(enter: Callable[[User], Page]) -> None:
    made = material()
    page = enter(coordinator())
    hands = Hands(page)
    page.goto("/studies/new/")
    hands.skip("#main")
    hands.to("#id_collection")
    hands.press("ArrowDown")
    for box in ("runs", "models"):
        hands.to(f"[name={box}]")
        hands.press("Space")
    hands.to(".fold summary")
    hands.press("Enter")
    hands.to("[name=group_1_name]")
    hands.write("Ballads")
    hands.to("#id_title")
    hands.write("By keys")
    hands.to("#id_contact")
    hands.write("kim@example.org")
    # Three human poems, and what one of the two models wrote on the brief of each.
    expect(page.locator("[data-count=items]")).to_have_text(str(made.collection.poems.count() * 2))
    hands.to(".builder > .actions button")
    hands.leave("Enter")
    expect(page.get_by_text("The draft is built.")).to_be_visible()
    assert page.url.endswith("/studies/by-keys/")


def test_how_exact_an_auc_will_be_follows_in_the_builder_and_in_the_open_study(
    enter: Callable[[User], Page],
) -> None:
    made = material(poems=12)
    page = enter(researcher())
    page.goto("/studies/new/?method=proftap")
    page.locator("#id_collection").select_option(index=1)
    for box in ("runs", "models"):
        for one in page.locator(f"[name={box}]").all():
            one.check()
    page.locator("#id_twins").select_option("last")
    page.locator("#id_experts").fill("8")
    exact = page.locator("[data-precision]")
    expect(exact.get_by_role("rowheader", name="8 as above")).to_be_visible()
    expect(exact).to_contain_text("too wide for the margin")
    page.locator("#id_experts").fill("24")
    expect(exact.get_by_role("rowheader", name="24 as above")).to_be_visible()
    _shown_at_both_widths(page, "new-precision")
    study = draft(
        made,
        instrument="proftap-probability",
        judges_per_item=3,
        twins="last",
        batch_size=12,
        surface_limit=1.0,
        margin=0.05,
    )
    opening.open_study(study)
    for name in ("Ada", "Ben", "Cyd", "Dora", "Eve"):
        judge = expert(study, name)
        ledger.deal(judge)
        for assignment in Assignment.objects.of(judge).in_order():
            submit(assignment, {"probability_human": 0.5}, milliseconds=9000)
    page.goto(f"/studies/{study.slug}/ledger/")
    expect(page.get_by_role("row", name="the judgments in so far")).to_contain_text("±")
    _shown_at_both_widths(page, "ledger-meter")


def test_a_link_to_a_folded_table_opens_it_and_all_are_opened_and_folded_at_once(
    enter: Callable[[User], Page],
) -> None:
    study = make_study(titles=[f"Title {n}" for n in range(4)], models=["Alpha", "Beta"])
    page = enter(researcher("wim"))
    page.goto(f"/studies/{study.slug}/results/#table-auc-levels-experts-q1")
    levels = page.locator("details:has(> #table-auc-levels-experts-q1)")
    expect(levels).to_have_attribute("open", "")
    expect(levels.locator("summary")).to_be_in_viewport()
    differences = page.locator("details:has(> #table-auc-differences-experts-q1)")
    expect(differences).not_to_have_attribute("open", "")
    page.get_by_text("All tables", exact=True).click()
    for _ in range(2):  # a link followed again changes no address
        page.locator(".all-tables a[href='#table-auc-differences-experts-q1']").click()
        expect(differences).to_have_attribute("open", "")
        expect(differences.locator("summary")).to_be_in_viewport()
        page.evaluate("scrollTo(0, 0)")
        page.get_by_role("button", name="Fold all tables").click()
        expect(page.locator("details.folded[open]")).to_have_count(0)
    page.get_by_role("button", name="Open all tables").click()
    expect(page.locator("details.folded:not([open])")).to_have_count(0)
    _shown_at_both_widths(page, "results-open")


def test_a_link_to_a_folded_table_opens_it_without_a_script(
    enter: Callable[[User], Page], new_context: Callable[..., BrowserContext], base_url: str
) -> None:
    study = make_study(models=["Alpha", "Beta"])
    cookies = enter(researcher("wim")).context.cookies()
    context = new_context(java_script_enabled=False)
    context.add_cookies(
        [{"name": one["name"], "value": one["value"], "url": base_url} for one in cookies]
    )
    page = context.new_page()
    page.goto(f"/studies/{study.slug}/results/#table-auc-levels-experts-q1")
    levels = page.locator("details:has(> #table-auc-levels-experts-q1)")
    expect(levels.locator("summary")).to_be_in_viewport()
    expect(levels).to_have_attribute("open", "")
    expect(page.get_by_role("button", name="Open all tables")).to_be_hidden()


def _shown_at_both_widths(page: Page, name: str) -> None:
    for device, size in (("desktop", DESKTOP), ("phone", PHONE)):
        page.set_viewport_size(size)
        assert not _faults(page, phone=device == "phone")
        page.screenshot(path=SCREENS / FOLDER / f"{name}-{device}.png", full_page=True)


def _faults(page: Page, *, phone: bool = False) -> list[str]:
    """Return what is wrong with the page as it stands, in light and in dark.

    On a phone it is the same page: only what sticks out and what fingers miss is looked for again.
    """
    page.evaluate(AXE_SCRIPT)
    faults: list[str] = page.evaluate(STICKS_OUT)
    if phone:
        return faults + _barriers(page, {"type": "rule", "values": FINGERS})
    faults += _barriers(page, {"type": "tag", "values": STANDARD})
    page.emulate_media(color_scheme="dark")
    faults += _barriers(page, {"type": "rule", "values": COLOURS})
    page.emulate_media(color_scheme="light")
    return faults


def _barriers(page: Page, rules: dict[str, Any]) -> list[str]:
    options = {"runOnly": rules, "resultTypes": ["violations"], "elementRef": False}
    found: list[str] = page.evaluate(BARRIERS, options)
    return found
