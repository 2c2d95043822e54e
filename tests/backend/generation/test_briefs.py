"""Briefs ask for poems in the papers' own words."""

import re
from pathlib import Path

import pytest

from backend.corpus.models import Poem
from backend.generation.briefs import TEMPLATES, NoBrief

PAPER = Path(__file__).resolve().parents[4] / "shared" / "papers" / "proftap.txt"
POEM = Poem(title="夜雪 {Night} Snow", text="雪", form="Sonnet", theme="About snow.")


@pytest.fixture(scope="module")
def prompts() -> dict[str, str]:
    """ProFTAP's prompt, Appendix A.1, in both languages."""
    if not PAPER.exists():
        pytest.skip("the papers are not beside this checkout")
    printed = re.search(
        r"we use the same prompt as below:\n+(.+?) \(English translation: (.+?)\)\n",
        PAPER.read_text("utf-8"),
    )
    assert printed is not None
    return {"proftap-zh": printed[1], "proftap-en": printed[2]}


@pytest.mark.parametrize("key", ["proftap-zh", "proftap-en"])
def test_proftaps_prompt_is_the_papers_word_for_word_and_mark_for_mark(
    prompts: dict[str, str], key: str
) -> None:
    assert prompts[key].count("{{title}}") == 1
    assert TEMPLATES[key].write(POEM) == prompts[key].replace("{{title}}", POEM.title)


@pytest.mark.parametrize("key", ["proftap-zh", "proftap-en"])
def test_proftap_names_nothing_but_the_title(key: str) -> None:
    bare = Poem(title=POEM.title, text="another text")
    assert TEMPLATES[key].write(POEM) == TEMPLATES[key].write(bare)


def test_a_poem_without_form_or_theme_has_no_brief_of_poemetric() -> None:
    with pytest.raises(NoBrief, match="no form"):
        TEMPLATES["poemetric"].write(Poem(title="A", theme="About snow."))
    with pytest.raises(NoBrief, match="no theme"):
        TEMPLATES["poemetric"].write(Poem(title="A", form="Sonnet"))
