"""An expert's day, from the link to the certificate or the receipt: by keyboard, and in Chinese."""

import re
from collections.abc import Callable

import pytest
from django.apps import apps
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.judgments.models import Judgment, Rating
from annotation.studies import links
from annotation.studies.models import Consent, Judge, Study
from tests.browser.desk_studies import BALLAD, CHINESE, PROMISE, TYGER, desk_study, invited

NAME = "Zephyrine Quill"
RIVAL = "Ambrose Rival"

# What has the focus: what it is, whether it can be seen, and whether one sees that it has it.
FOCUSED = """() => {
  const one = document.activeElement;
  // Between the last control and the first, nothing on the page has it.
  if (one === document.body) return { seen: true, rings: true };
  const ticked = one.matches("[type=radio], [type=checkbox]");
  const shown = (ticked && one.closest("label")) || one;
  const { left, top, right, bottom } = shown.getClientRects()[0];
  const [x, y] = [Math.max(left, 0), Math.max(top, 0)];
  const [w, h] = [Math.min(right, innerWidth) - x, Math.min(bottom, innerHeight) - y];
  const parts = [0.05, 0.5, 0.95];
  const points = parts.flatMap((a) => parts.map((b) => [x + a * w, y + b * h]));
  const free = points.filter((point) => shown.contains(document.elementFromPoint(...point))).length;
  const rings = [one, shown, one.parentElement].some((part) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(part);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  });
  return { html: one.outerHTML.slice(0, 150), seen: w > 0 && h > 0 && free >= 5, rings };
}"""

# Whatever is seen or heard in Latin letters, but for the poems, hashes, and names of things.
ENGLISH = """() => {
  const names = /Blindverse|JSON|PDF|IBAN|BIC|UTC|Ctrl|Enter|Tab|JavaScript|panel@example.org/g;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const said = [document.title];
  while (walker.nextNode()) {
    const { parentElement: around, data } = walker.currentNode;
    if (!around.closest(".poem, .hash, .glyph, script, noscript, option[lang=en]")) said.push(data);
  }
  for (const one of document.querySelectorAll("body *")) {
    for (const name of ["aria-label", "aria-valuetext", "title", "placeholder", "alt"]) {
      if (one.hasAttribute(name)) said.push(one.getAttribute(name));
    }
  }
  return said.filter((text) => /[A-Za-z]{2}/.test(text.replace(names, "")));
}"""


class Hands:
    """Two hands on a keyboard, and an eye that follows the focus."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def leave(self, key: str) -> None:
        """Press what leads to another page, and be there."""
        with self.page.expect_navigation():
            self.press(key)

    def write(self, text: str) -> None:
        self.page.keyboard.type(text)

    def to(self, target: str) -> None:
        """Go on with Tab until this has the focus; all that has it on the way can be seen."""
        for _ in range(60):
            self.press("Tab")
            focused = self.page.evaluate(FOCUSED)
            assert focused["seen"], f"not in view with the focus on it: {focused['html']}"
            assert focused["rings"], f"nobody sees the focus on: {focused['html']}"
            if self.page.evaluate("css => document.activeElement.matches(css)", target):
                return
        pytest.fail(f"Tab never came to {target} on {self.page.url}")

    def skip(self, to: str) -> None:
        """Take the skip link with this address, among the first on the page."""
        self.to(f"a.skip[href='{to}']")
        self.press("Enter")


@pytest.fixture
def study(live_server: LiveServer) -> Study:
    return desk_study("keys", promise=PROMISE, asks_background=True, poems=(TYGER, BALLAD))


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 800])  # two panes; one column under a line that stays
def test_the_whole_way_from_link_to_receipt_goes_by_keyboard(
    page: Page, study: Study, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    _, key = invited(study, NAME)
    hands = Hands(page)
    page.goto(f"/invitation/{key}/")
    _agree(hands)
    _tell_of_oneself(hands)
    hands.to("button.button")
    expect(page.get_by_role("button", name="Start")).to_be_focused()
    hands.leave("Enter")
    _read_and_rate(hands)
    _read_and_rate(hands, certain=False)
    expect(page.get_by_role("heading", name="Thank you: this set is done.")).to_be_visible()
    _assert_recorded()
    hands.to("a[href$='/certificate/']")
    hands.leave("Enter")
    expect(page.locator(".certificate")).to_contain_text(f"{NAME} has read and judged 2 poems")
    hands.to("a.leave")
    hands.leave("Enter")
    hands.to("[name=sure]")
    hands.press("Space", "Tab")
    expect(page.get_by_role("button", name="Delete everything")).to_be_focused()
    hands.leave("Enter")
    expect(page).to_have_url(re.compile("/deleted/"))
    facts = page.locator(".facts div")
    expect(facts.filter(has_text="Judgments")).to_contain_text("2")
    _assert_nothing_is_left(page, key)


def _agree(hands: Hands) -> None:
    page = hands.page
    expect(page.get_by_text(f"Welcome, {NAME}.")).to_be_visible()
    hands.skip("#main")
    assert page.evaluate("document.activeElement.id") == "main"
    hands.to("a.button")
    hands.leave("Enter")
    expect(page.get_by_role("heading", name="Taking part")).to_be_visible()
    hands.skip("#main")
    for tick in ("agree", "promise", "quotable", "thanked"):
        hands.to(f"[name={tick}]")
        hands.press("Space")
    hands.to("[name=thanked_as]")  # it opened with the tick
    hands.press("Control+a")
    hands.write(NAME)
    hands.to("button.button")
    hands.leave("Space")


def _tell_of_oneself(hands: Hands) -> None:
    expect(hands.page.get_by_role("heading", name="About you")).to_be_visible()
    hands.to("[name=practice][value=poet]")
    hands.press("Space")
    hands.to("[name=years]")
    hands.press("ArrowUp")  # from what is said if nothing is
    expect(hands.page.locator("[name=years][value='21+']")).to_be_checked()
    hands.to("[name=languages][value=en]")
    hands.press("Space")
    hands.to("[name=conflicts]")
    hands.write(RIVAL)
    hands.to("button.button")
    hands.leave("Enter")


def _read_and_rate(hands: Hands, *, certain: bool = True) -> None:
    """Judge one poem in its two stages, with a line quoted in the comment."""
    page = hands.page
    expect(page.get_by_role("heading", level=1)).to_contain_text("part 1 of 2")
    hands.skip("#answers")
    expect(page.locator(".after-gate")).to_have_attribute("inert", "")
    hands.to("[name=recognition]")
    hands.press("1")
    expect(page.locator(".after-gate")).not_to_have_attribute("inert", "")
    for question, digit in (("overall_quality", "4"), ("emotional_resonance", "5")):
        hands.to(f"[name={question}]")
        hands.press(digit)
        expect(page.locator(f"[name={question}][value='{digit}']")).to_be_checked()
    hands.to("[name=quality_comment]")
    hands.write("2 beats short: ")  # in a comment, digits are digits
    hands.to("input[type=number]")
    hands.press("3", "Enter")
    expect(page.locator("[name=quality_comment]")).to_be_focused()
    hands.write("lovely")
    hands.leave("Control+Enter")

    expect(page.get_by_role("heading", level=1)).to_contain_text("part 2 of 2")
    expect(page.locator(".fixed")).to_contain_text("2 beats short: l. 3: lovely")
    hands.skip("#answers")
    hands.to(".track")
    track = page.locator(".track")
    expect(track).to_have_attribute("aria-valuetext", "not placed yet")
    if certain:
        hands.press("6", "5", "ArrowLeft", "PageUp")
        expect(track).to_have_attribute("aria-valuetext", "0.74")
    else:
        hands.to("[type=checkbox][value=cannot_tell]")
        hands.press("Space")
        expect(track).to_have_attribute("aria-valuetext", "not placed yet")
    hands.leave("Control+Enter")


def _assert_recorded() -> None:
    assert Consent.objects.get().thanked_as == NAME
    placed, unsure = Rating.objects.filter(question="probability_human").order_by("pk")
    assert (placed.number, placed.first, placed.moves) == (740, 740, 0)
    assert (unsure.number, unsure.blank) == (None, Rating.Blank.CANNOT_TELL)
    quality = Rating.objects.filter(question="overall_quality")
    assert list(quality.values_list("number", flat=True)) == [4, 4]


def _assert_nothing_is_left(page: Page, key: str) -> None:
    rows = [str(row) for model in apps.get_models() for row in model.objects.all().values_list()]
    assert rows
    for trace in (NAME, RIVAL, "beats short"):
        assert [row for row in rows if trace in row] == []
    assert not Judge.objects.exists()
    assert not Judgment.objects.exists()
    assert Study.objects.get().experts_deleted == 1
    kept = page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
    assert key not in kept
    assert "beats short" not in kept


@pytest.mark.slow
def test_a_chinese_expert_meets_no_english_from_link_to_receipt(
    live_server: LiveServer, new_context: Callable[..., BrowserContext]
) -> None:
    study = desk_study(
        "zh",
        "proftap-probability-zh",
        title="今人写诗",
        poems=CHINESE,
        promise="我不参考任何其他资料，也不借助任何帮助。",
        honorarium="每组诗人民币三百元",
        asks_background=True,
    )
    _, key = invited(study, "李小诗")
    page = new_context(locale="zh-CN").new_page()
    page.goto(f"/invitation/{key}/")
    _assert_chinese(page)
    for address in ("consent/", "leave/", "answers/", "certificate/"):
        page.goto(f"/desk/{key}/{address}")
        _assert_chinese(page)
    page.goto(f"/desk/{key}/consent/")
    _send(page)  # nothing is ticked
    _assert_chinese(page)
    for tick in ("agree", "promise"):
        page.locator(f"[name={tick}]").check()
    _send(page)
    _assert_chinese(page)
    _send(page)
    page.goto(f"/desk/{key}/")
    _assert_chinese(page)
    _send(page)
    for number in ("0.8", "0.25"):
        _judge_in_chinese(page, number)
    for address in ("", "consent/", "about-you/", "answers/", "certificate/"):
        page.goto(f"/desk/{key}/{address}")
        _assert_chinese(page)
    page.goto(f"/desk/{key}/answers/")
    page.locator(".judged a.button").first.click()
    _assert_chinese(page)
    page.goto(f"/desk/{key}/leave/")
    _assert_chinese(page)
    page.locator(".grave button").click()  # not sure yet
    _assert_chinese(page)
    page.locator("[name=sure]").check()
    page.locator(".grave button").click()
    expect(page).to_have_url(re.compile("/deleted/"))
    _assert_chinese(page)
    page.goto(f"/desk/{key}/")  # the link has gone with all the rest
    _assert_chinese(page)


@pytest.mark.slow
def test_a_chinese_guest_joins_by_an_open_link_without_english(
    live_server: LiveServer, new_context: Callable[..., BrowserContext]
) -> None:
    study = desk_study("zh", "proftap-probability-zh", title="今人写诗", poems=CHINESE)
    secret = links.open_secret(links.open_link(study, quota=1))
    page = new_context(locale="zh-CN").new_page()
    page.goto(f"/join/{secret}/")
    _assert_chinese(page)
    _send(page)
    _assert_chinese(page)
    page.locator("[name=name]").fill("李小诗")
    _send(page)
    expect(page.locator("#copy")).to_be_visible()
    _assert_chinese(page)
    page.goto(f"/join/{secret}/")
    page.locator("[name=name]").fill("杜小诗")
    _send(page)  # but there was one place
    _assert_chinese(page)


def _judge_in_chinese(page: Page, number: str) -> None:
    _assert_chinese(page)
    saved = page.locator("#saved")
    expect(saved).to_have_text(re.compile("[一-鿿]"))
    page.get_by_role("button", name="提交").click()  # nothing is answered
    expect(page.locator("#problems li")).to_have_count(1)
    _assert_chinese(page)
    page.locator("input.typed").fill(number)
    expect(page.locator(".track")).to_have_attribute("aria-valuetext", f"{float(number):.2f}")
    expect(saved).to_have_text(re.compile(r"^已于 \d+:\d\d 保存$"))
    _assert_chinese(page)
    with page.expect_navigation():
        page.get_by_role("button", name="提交").click()


def _send(page: Page) -> None:
    with page.expect_navigation():
        page.locator("main form button[type=submit]").first.click()


def _assert_chinese(page: Page) -> None:
    page.wait_for_load_state()
    assert str(page.get_attribute("html", "lang")).lower() == "zh-hans"
    assert page.evaluate(ENGLISH) == [], page.url
    assert re.search("[一-鿿]", page.locator("h1").inner_text())
