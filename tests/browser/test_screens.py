"""Every page of an expert: accessible in each theme, at each width, and under a strict policy."""

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, Response

from tests.browser.conftest import SCREENS, STANDARD
from tests.browser.expert_pages import Stop, stops

DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
THEMES = ("light", "sepia", "dark")
COLOURS = ("color-contrast", "link-in-text-block")  # all that a theme changes
FOLDER = "expert"

# What sticks out of the window, or is cut off by the box it stands in.
TOO_WIDE = """() => {
  const seen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const hidden = (one) => one.closest(".skip, svg") || getComputedStyle(one).clipPath !== "none";
  const found = [...document.querySelectorAll("body *")].filter((one) => {
    if (!seen(one) || hidden(one) || one.matches("input, select, option")) return false;
    const { left, right } = one.getBoundingClientRect();
    const boxed = getComputedStyle(one).overflowX !== "visible";
    const cut = boxed && one.scrollWidth > one.clientWidth + 1;
    return left < -1 || right > document.documentElement.clientWidth + 1 || cut;
  });
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
    found.push(document.documentElement);
  }
  return found.map((one) => one.outerHTML.slice(0, 120));
}"""
# Controls with their size; a box or a button belongs to the label that one can press as well.
TARGETS = """(least) => {
  const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, .track";
  const main = ".button, .point, .tick, .choice, .size, .toggle label, .track, summary, textarea," +
    " select, input[type=text], input[type=email], input[type=number]";
  const inText = (one) => one.matches("a") && !one.matches(".button") &&
    one.parentElement.textContent.trim() !== one.textContent.trim();
  return [...document.querySelectorAll(controls)].flatMap((one) => {
    const target = one.closest("label") ?? one;
    const { width, height } = target.getBoundingClientRect();
    if (!target.checkVisibility() || width < 2 || one.matches(".skip") || inText(one)) return [];
    const needed = target.matches(main) ? least : 24;
    const fits = height >= needed - 0.5 && width >= 24 - 0.5;
    const size = `${Math.round(width)}x${Math.round(height)}`;
    return fits ? [] : [`${size} ${target.outerHTML.slice(0, 120)}`];
  });
}"""
# Lines higher than their text: the mark of a line that runs over would stand there without one.
FALSE_TURNS = """() => [...document.querySelectorAll(".line")].filter((line) => {
  const text = document.createRange();
  text.selectNodeContents(line);
  const leading = parseFloat(getComputedStyle(line).lineHeight);
  return line.getBoundingClientRect().height > text.getBoundingClientRect().height + leading * 0.7;
}).map((line) => line.outerHTML)"""
SET_THEME = """(theme) => {
  document.documentElement.dataset.theme = theme;
  const scheme = document.querySelector("meta[name=color-scheme]");
  scheme.content = { dark: "dark", light: "light", sepia: "light" }[theme];
}"""


@pytest.fixture
def places(live_server: Any) -> list[Stop]:
    found = list(stops())
    assert len({place.name for place in found}) == len(found)
    return found


@pytest.fixture
def visits(places: list[Stop], new_context: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """Visit every page; yields its name, the browser's page and the answer that brought it."""

    def visit(**options: Any) -> Iterator[tuple[str, Page, Response]]:
        page = new_context(reduced_motion="reduce", **options).new_page()
        answers: list[Response] = []
        page.on(
            "response",
            lambda one: answers.append(one) if one.request.is_navigation_request() else None,
        )
        for place in places:
            page.goto(place.address)
            place.then(page)
            yield place.name, page, answers[-1]

    return visit


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_page_is_accessible_in_every_theme_on_a_desktop(visits) -> None:
    faults = []
    for name, page, answer in visits(**DESKTOP):
        _assert_strict(answer)
        faults += _look(page, name, "desktop")
        faults += _fits(page, f"{name}, too small to press", TARGETS, 24)
        for width in (640, 320):  # as at 200 % and 400 %
            page.set_viewport_size({"width": width, "height": 900})
            faults += _fits(page, f"{name}, too wide for {width}", TOO_WIDE)
        page.evaluate("document.documentElement.dataset.size = 5")
        faults += _fits(page, f"{name}, in the largest letters too wide for 320", TOO_WIDE)
        page.set_viewport_size(DESKTOP["viewport"])
        faults += _fits(page, f"{name}, in the largest letters too wide", TOO_WIDE)
    assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_page_is_accessible_in_every_theme_on_a_phone(visits) -> None:
    faults = []
    for name, page, _ in visits(**PHONE):
        faults += _look(page, name, "phone")
        faults += _fits(page, f"{name}, too small for a finger", TARGETS, 44)
    assert not faults, "\n".join(faults)


def _look(page: Page, name: str, device: str) -> list[str]:
    """Check a page and photograph it in each theme."""
    page.evaluate(AXE_SCRIPT)
    faults = _fits(page, f"{name}, too wide for a {device}", TOO_WIDE)
    faults += _fits(page, f"{name}, {device}, marked as run over", FALSE_TURNS)
    for theme in THEMES:
        page.evaluate(SET_THEME, theme)
        rules = {"type": "tag", "values": STANDARD}
        if theme != THEMES[0]:
            rules = {"type": "rule", "values": COLOURS}
        faults += _barriers(page, f"{name}, {device}, {theme}", rules)
        file = SCREENS / FOLDER / f"{name}-{device}-{theme}.png"
        page.screenshot(path=file, full_page=True)
        if _colours(file) < 40:
            faults.append(f"{file.name} looks blank")
    return faults


def _barriers(page: Page, where: str, rules: dict[str, Any]) -> list[str]:
    options = {"runOnly": rules, "resultTypes": ["violations"], "elementRef": False}
    return [
        f"{where}, {found}"
        for found in page.evaluate(
            "options => axe.run(document, options).then(({ violations }) => violations.flatMap("
            "({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)))",
            options,
        )
    ]


def _fits(page: Page, what: str, measure: str, *given: int) -> list[str]:
    return [f"{what}: {element}" for element in page.evaluate(measure, *given)]


def _colours(picture: Path) -> int:
    """Return about how many colours a PNG file has: different pixels in each eighth of its rows."""
    data, at, pixels = picture.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8 : at + 18])
        if kind == b"IDAT":
            pixels += data[at + 8 : at + 8 + length]
        at += length + 12
    assert (depth, colour in (2, 6)) == (8, True)
    channels = 3 if colour == 2 else 4
    rows = np.frombuffer(zlib.decompress(pixels), np.uint8).reshape(height, 1 + width * channels)
    some = rows[::8, 1:].reshape(-1, channels)[:, :3].astype(np.int32)
    return len(np.unique(some @ np.array([1 << 16, 1 << 8, 1])))


def _assert_strict(answer: Response) -> None:
    policy = answer.headers["content-security-policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert "unsafe" not in policy
    assert not re.search(r"[*]|https?:|data:|blob:", policy)
    assert {directives[name] for name in directives if name.endswith("-src")} == {
        "'none'",
        "'self'",
    }
    assert directives["base-uri"] == directives["frame-ancestors"] == "'none'"
    inline = _Inline()
    inline.feed(answer.text())
    assert inline.found == [], answer.url


class _Inline(HTMLParser):
    """Finds scripts and styles that stand in the page itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "style" or (tag == "script" and not given.get("src")):
            self.found.append(f"<{tag}>")
        self.found += [name for name in given if name == "style" or name.startswith("on")]
        self.found += [
            str(link) for link in given.values() if (link or "").startswith("javascript")
        ]
