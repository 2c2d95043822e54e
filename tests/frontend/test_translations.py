"""Every word that an expert may read stands in the catalogues, whole, and nothing else does."""

import gettext
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.template.base import Lexer, TokenType
from django.template.loader import get_template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.translation import trim_whitespace

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "frontend" / "locale" / "zh_Hans" / "LC_MESSAGES"
KEYWORDS = {
    "gettext": None, "gettext_lazy": None, "gettext_noop": None, "ngettext": (1, 2),
    "ngettext_lazy": (1, 2), "pgettext": ((1, "c"), 2), "pgettext_lazy": ((1, "c"), 2),
}  # fmt: skip
Message = tuple[str, ...]
TEMPLATES = ROOT / "frontend" / "templates"
FOR_EXPERTS = sorted(
    path
    for pattern in (
        "reader.html", "judgments/*.html", "panel/letters/*.txt", "analytics/debrief.html",
        "analytics/_accuracy.html", "config/[45]*.html", "config/csrf.html",
    )
    for path in TEMPLATES.glob(pattern)
)  # fmt: skip
# Blocks of the frame that fill an attribute.
IN_A_TAG = ("block root ", "block scheme ", "block body_class ")
# The product's name, the sign of the settings, two texts and a time zone.
NOT_WORDS = {"Blindverse", "Aa", "A", "B", "UTC"}


def test_everything_that_pages_and_services_say_is_translated():
    assert set(_in_python()) | set(_in_templates()) == _catalogued("django")


def test_everything_that_the_scripts_say_is_translated():
    assert set(_in_scripts()) == _catalogued("djangojs")


@pytest.mark.parametrize("path", FOR_EXPERTS, ids=lambda path: path.name)
def test_no_word_of_a_page_for_experts_is_left_unmarked(path):
    words = (word for said in _unmarked(path) for word in re.findall(r"[A-Za-z]+", said))
    assert set(words) <= NOT_WORDS


@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_no_translation_is_missing_doubtful_or_lacks_a_value(domain):
    for message in _read(domain):
        if not message.id:
            continue
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        said = message.string if isinstance(message.string, tuple) else (message.string,)
        assert not message.fuzzy, message.id
        assert all(said), f"no translation of {message.id!r}"
        for each in said:
            assert _values(each) == _values(ids[-1]), message.id
            assert re.search(r"[\u4e00-\u9fff]", each) or not re.search(r"[a-z]{4}", each), each


@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_what_is_used_is_what_was_written(domain):
    compiled = BytesIO()
    write_mo(compiled, _read(domain))
    compiled.seek(0)
    with (LOCALE / f"{domain}.mo").open("rb") as kept:
        used = gettext.GNUTranslations(kept)._catalog
    written = gettext.GNUTranslations(compiled)._catalog
    assert {k: v for k, v in used.items() if k} == {k: v for k, v in written.items() if k}


def _read(domain: str) -> Catalog:
    with (LOCALE / f"{domain}.po").open("rb") as file:
        return read_po(file, locale="zh_Hans")


def _catalogued(domain: str) -> set[Message]:
    found = set()
    for message in _read(domain):
        if message.id:
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            found.add((*((message.context,) if message.context else ()), *ids))
    return found


def _in_python() -> Iterator[Message]:
    for folder in ("annotation", "backend"):
        for path in (ROOT / folder).rglob("*.py"):
            yield from _extracted("python", path)


def _in_scripts() -> Iterator[Message]:
    for path in (ROOT / "frontend" / "static" / "js").glob("*.js"):
        yield from _extracted("javascript", path)


def _extracted(language: str, path: Path) -> Iterator[Message]:
    with path.open("rb") as file:
        for _, message, _, context in extract(language, file, keywords=KEYWORDS):
            ids = message if isinstance(message, tuple) else (message,)
            if all(ids):
                yield (*((context,) if context else ()), *ids)


def _in_templates() -> Iterator[Message]:
    for path in TEMPLATES.rglob("*"):
        if path.suffix not in (".html", ".txt"):
            continue
        for constant in re.findall(r'\b_\("([^"]+)"\)', path.read_text()):
            yield (constant,)
        template = get_template(str(path.relative_to(TEMPLATES))).template
        for node in template.nodelist.get_nodes_by_type(TranslateNode):
            yield (str(node.filter_expression.var.literal).replace("%", "%%"),)
        for node in template.nodelist.get_nodes_by_type(BlockTranslateNode):
            yield tuple(
                _trimmed(node, node.render_token_list(tokens)[0])
                for tokens in (node.singular, node.plural)
                if tokens
            )


def _trimmed(node: BlockTranslateNode, text: str) -> str:
    return trim_whitespace(text) if node.trimmed else text


def _values(text: str) -> set[str]:
    """Return what is filled in: %(name)s in templates, {name} elsewhere, %s in scripts."""
    return set(re.findall(r"%\(\w+\)s|\{\w+\}|%s", text))


def _unmarked(path: Path) -> list[str]:
    """Return what a page says, in text or in an attribute that is read, outside of translations."""
    bare, inside = "", False
    for token in Lexer(path.read_text()).tokenize():
        if token.token_type == TokenType.BLOCK:
            begins = f"{token.contents} ".startswith(("blocktranslate ", *IN_A_TAG))
            ends = token.contents.startswith(("endblocktranslate", "endblock"))
            inside = begins or (inside and not ends)
        elif token.token_type == TokenType.TEXT and not inside:
            bare += token.contents
    said = _Said()
    said.feed(bare)
    return said.found


class _Said(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = ("aria-label", "aria-valuetext", "alt", "title", "placeholder")
        self.found.extend(value for name, value in attrs if name in said and value)
