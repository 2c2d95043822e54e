"""The shipped poems that language models recite, and what is found of them in real replies."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from backend.corpus.lines import Finding, find_recited_many
from backend.corpus.models import Collection, Poem
from backend.corpus.services import SAMPLE, WELL_KNOWN, load_sample, load_well_known
from backend.poetics.overlap import equal_runs, verse_lines

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
REPLIES = SHARED / "llm_poem_replies_dev.jsonl"
FIELDS = {
    "form", "title", "author", "author_died", "year", "source", "edition", "language", "content",
}  # fmt: skip

# By the first 16 digits of the reply's SHA-256. Read one by one: these repeat two lines or more.
RECITED = {
    "ce3e2d2a40c91496": {"I Hear America Singing"},
    "5e238efac51fe811": {"Sonnet 18: Shall I compare thee to a summer's day?"},
    "82581e7f5c27ae4c": {"Because I could not stop for Death"},
    "a1edb6d9a20598c4": {"Song of Myself, 1", "Song of Myself, 52"},
    "b549c3dce333c44b": {"Sonnet 18: Shall I compare thee to a summer's day?"},
}
# These quote with other words or other line breaks, or one long line. Each was judged by hand:
# a poem in one paragraph, a recast poem, two lines named as Dickinson's, and twice one of Whitman's
# most quoted lines.
NEAR = {
    "0076739b2312f996": {"I wandered lonely as a cloud"},
    "2b615c4d71b6c726": {"I Hear America Singing"},
    "170574fe74429c4b": {"Success is counted sweetest"},
    "695da618df17e821": {"Song of Myself, 52"},
    "38ecca0077ad89ed": {"Song of Myself, 1"},
}

POEMS: list[dict[str, Any]] = [
    json.loads(line) for line in (SAMPLE / WELL_KNOWN).read_text("utf-8").splitlines()
]
every = pytest.mark.parametrize("poem", POEMS, ids=[poem["title"] for poem in POEMS])


@every
def test_a_poem_is_in_the_public_domain(poem: dict[str, Any]) -> None:
    assert set(poem) == FIELDS
    assert all(poem[field] for field in FIELDS - {"form", "edition"})
    assert poem["author_died"] < 1955
    year = int(poem["year"]) if poem["year"].isdecimal() else 900
    assert poem["year"].isdecimal() or poem["language"] == "zh-Hant"
    assert year < 1930


@every
def test_a_poem_is_written_as_the_sample_is(poem: dict[str, Any]) -> None:
    content = poem["content"]
    assert content.strip("\n") == content
    assert all(line == line.rstrip() for line in content.split("\n"))
    assert not set(content) & set("\t\r\u00a0“”‘’")
    assert "--" not in content
    assert "\n\n\n" not in content
    if poem["language"] == "zh-Hant":
        content.encode("big5")
        assert re.fullmatch(r"[\u4e00-\u9fff，。？\n]+", content)


def test_poems_are_not_there_twice() -> None:
    assert len({(poem["title"], poem["author"]) for poem in POEMS}) == len(POEMS)
    assert len({poem["content"] for poem in POEMS}) == len(POEMS)


def test_poems_that_are_published_beside_this_checkout_agree_with_it() -> None:
    """Line by line, where most lines of a poem are there: then all are, or are known variants."""
    found = published_lines()
    if not found:
        pytest.skip("no published poems are beside this checkout")
    compared = 0
    for poem in POEMS:
        own = {line.letters for line in verse_lines(poem["content"])}
        if len(own & found) > 0.9 * len(own):
            compared += 1
            assert len(own - found) <= 1, poem["title"]
    assert compared >= 18


def published_lines() -> set[str]:
    names = ("forms", "rhyme_chicago", "rhyme_4b4v", "rhyme_epg64", "meter_litlab", "meter_epg64")
    paths = [path for name in names if (path := SHARED / "poetics_dev" / f"{name}.jsonl").exists()]
    found: set[str] = set()
    for path in paths:
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            lines = row["text"].split("\n") if "text" in row else row["lines"]
            text = "\n".join(line if isinstance(line, str) else line["text"] for line in lines)
            found |= {line.letters for line in verse_lines(text)}
    return found


def test_loading_twice_adds_nothing_and_the_sample_stays_apart(db: None) -> None:
    first, second = load_well_known(), load_well_known()
    assert (first.added, second.added, second.known) == (len(POEMS), 0, len(POEMS))
    load_sample()
    assert Collection.objects.count() == 3


def test_no_brief_on_form_and_theme_can_be_written_from_them(db: None) -> None:
    load_well_known()
    assert not Poem.objects.exclude(theme="").exists()


@pytest.fixture
def findings(db: None) -> dict[str, Finding]:
    """What is found in each real reply, as it came, thinking and remarks and all."""
    if not REPLIES.exists():
        pytest.skip("the real replies are not beside this checkout")
    load_well_known()
    replies = [json.loads(line)["reply"] for line in REPLIES.read_text("utf-8").splitlines()]
    names = [hashlib.sha256(reply.encode()).hexdigest()[:16] for reply in replies]
    return dict(zip(names, find_recited_many(replies), strict=True))


def test_recitations_in_real_replies_are_found_and_no_other_reply_is_accused(
    findings: dict[str, Finding],
) -> None:
    assert len(findings) > 300
    found = {
        name: {match.title for match in finding.exact}
        for name, finding in findings.items()
        if finding.is_recited
    }
    assert found == RECITED


def test_edited_quotations_in_real_replies_are_found_and_nothing_else_is(
    findings: dict[str, Finding],
) -> None:
    found = {
        name: {match.title for match in finding.near}
        for name, finding in findings.items()
        if finding.near
    }
    assert found == NEAR


def test_replies_recite_nothing_that_the_published_poems_do_not_hold(db: None) -> None:
    """The same without an index and against 575 poems: no reply is accused by more lines."""
    if not (REPLIES.exists() and (SHARED / "poetics_dev" / "forms.jsonl").exists()):
        pytest.skip("the real replies or the published poems are not beside this checkout")
    rows = (SHARED / "poetics_dev" / "forms.jsonl").read_text("utf-8").splitlines()
    known = [verse_lines(json.loads(row)["text"]) for row in rows]
    accused = set()
    for row in REPLIES.read_text("utf-8").splitlines():
        reply = json.loads(row)["reply"]
        own = verse_lines(reply)
        letters = {line.letters for line in own}
        likely = [poem for poem in known if letters.intersection(line.letters for line in poem)]
        if any(equal_runs(own, poem) for poem in likely):
            accused.add(hashlib.sha256(reply.encode()).hexdigest()[:16])
    assert accused <= RECITED.keys()
