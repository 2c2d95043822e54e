"""For each kind of question, what answers it and what is then to be kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

from annotation.instruments.loading import LIMITS, load

KEY = "asked"


@dataclass(frozen=True)
class Given:
    """One answer.

    Attributes
    ----------
    type : callable
        Gives it on a page, whatever stood there before.
    fields : dict of str to str
        What a draft has to hold, besides how a probability came about.
    rating : tuple
        Number, text and blank of the rating it becomes.
    words : str
        What a judge reads of it where it is shown again.
    """

    type: Callable[[Page], None]
    fields: Mapping[str, str]
    rating: tuple[int | None, str, str]
    words: str


@dataclass(frozen=True, eq=False)
class Way:
    """One way to answer: a question, and two answers to it that differ."""

    name: str
    question: Mapping[str, Any]
    one: Given
    other: Given

    @property
    def instrument(self) -> dict[str, Any]:
        """The data of an instrument that asks this question and no other."""
        shown = "{text_a} {text_b}" if self.compares else "{the_poem}"
        data = {
            **dict.fromkeys(LIMITS, ""),
            "key": "small",
            "version": "1",
            "language": "en",
            "title": "One question",
            "judge_prompt": f"{shown} {{questions}}",
            "questions": [{"key": KEY, "text": "What do you say?", **self.question}],
        }
        load(data)
        return data

    @property
    def compares(self) -> bool:
        return self.question["kind"] == "forced_choice"

    def __str__(self) -> str:
        return self.name


def typed(page: Page) -> dict[str, str]:
    """Return what the form holds, by field name; what is empty is left out."""
    held: dict[str, str] = page.evaluate(
        """key => Object.fromEntries(
            [...new FormData(document.getElementById("answers"))]
                .filter(([name, value]) => name.split(".")[0] === key && value !== "")
        )""",
        KEY,
    )
    return held


def _point(code: int, words: str) -> Given:
    def choose(page: Page) -> None:
        page.locator(f"input[name='{KEY}'][value='{code}']").check()

    return Given(choose, {KEY: str(code)}, (code, "", ""), words)


def _comment(words: str) -> Given:
    def write(page: Page) -> None:
        page.locator("textarea").fill(words)

    return Given(write, {KEY: words}, (None, words, ""), words.split("\n", maxsplit=1)[0])


def _named(name: str) -> Given:
    def recognise(page: Page) -> None:
        page.get_by_label("I can name it").check()
        page.get_by_label("Which poem, or whose?").fill(name)

    return Given(recognise, {KEY: "2", f"{KEY}.named": name}, (2, name, ""), name)


def _pointed(thousandths: int) -> Given:
    def drag(page: Page) -> None:
        track = page.locator(".track")
        track.scroll_into_view_if_needed()
        box = track.bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] / 2, middle)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * thousandths / 1000, middle, steps=3)
        page.mouse.up()

    return _probability(thousandths, drag)


def _pressed(thousandths: int, *keys: str) -> Given:
    def press(page: Page) -> None:
        page.locator(".track").focus()
        for key in (*keys, "Tab"):
            page.keyboard.press(key)

    return _probability(thousandths, press)


def _written(thousandths: int) -> Given:
    def write(page: Page) -> None:
        page.locator("input.typed").fill(f"{thousandths / 1000:.3f}")
        page.keyboard.press("Tab")

    return _probability(thousandths, write)


def _cannot_tell() -> Given:
    def tick(page: Page) -> None:
        page.get_by_label("I cannot tell").check()

    return Given(tick, {KEY: "cannot_tell"}, (None, "", "cannot_tell"), "I cannot tell")


def _probability(thousandths: int, give: Callable[[Page], None]) -> Given:
    words = f"{thousandths / 1000:.3f}" if thousandths % 10 else f"{thousandths / 1000:.2f}"
    return Given(give, {KEY: words}, (thousandths, "", ""), words)


PROBABILITY = {
    "kind": "probability",
    "low_label": "machine",
    "high_label": "human",
    "cannot_tell": "I cannot tell",
}

WAYS = (
    Way(
        "likert",
        {"kind": "likert", "points": [[1, "bad"], [2, "middling"], [3, "good"]]},
        _point(1, "bad"),
        _point(3, "good"),
    ),
    Way("probability-by-pointer", PROBABILITY, _pointed(300), _pointed(720)),
    Way(
        "probability-by-keys",
        PROBABILITY,
        _pressed(350, "3", "5"),
        _pressed(110, "Home", "PageUp", "ArrowUp"),
    ),
    Way("probability-typed", PROBABILITY, _written(715), _cannot_tell()),
    Way(
        "comment",
        {"kind": "comment"},
        _comment("Ein „schöner“ Schluß,\n  床前明月光 – and more."),
        _comment("l. 2: \\ < & > are no marks here.\n\nTwo lines on."),
    ),
    Way(
        "recognition",
        {
            "kind": "recognition",
            "levels": [[0, "I have never seen it"], [1, "I know it"], [2, "I can name it"]],
            "named_label": "Which poem, or whose?",
        },
        _named("Blake: The Sick Rose"),
        _named("李白：静夜思"),
    ),
    Way("forced-choice", {"kind": "forced_choice"}, _point(1, "Text A"), _point(2, "Text B")),
    Way(
        "altered",
        {"kind": "altered", "labels": ["as it was written", "altered"]},
        _point(0, "as it was written"),
        _point(1, "altered"),
    ),
)
