"""Poems have the form of their brief, recite nothing, and follow from model, brief and seed."""

import re
from itertools import pairwise

import pronouncing
import pytest

from backend.generation.builtin.shipped import shipped_texts
from backend.generation.builtin.writer import ORDERS, Writer
from backend.poetics.pronunciation import syllables

SONNET = "Form: Sonnet\nMeter: Iambic pentameter\nTheme: the sea at night"
NAMES = list(ORDERS)


@pytest.fixture(scope="module")
def shipped() -> dict[str, Writer]:
    return {
        name: Writer(name, order=order, english=shipped_texts("en"), chinese=shipped_texts("zh"))
        for name, order in ORDERS.items()
    }


def bare(line: str) -> str:
    return " ".join(re.findall(r"[a-z]+", line.replace("’", "'").replace("'", "").lower()))


def stanzas(poem: str) -> list[list[str]]:
    return [stanza.split("\n") for stanza in poem.split("\n\n")]


def rhymes(one: str, other: str) -> bool:
    one, other = (line.split()[-1].strip(".,;").lower() for line in (one, other))
    return other in pronouncing.rhymes(one)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("brief", "shape"),
    [
        (SONNET, [14]),
        ("a sonnet, ABBAABBA CDCDCD", [8, 6]),
        ("a ballad, ABCB", [4] * 5),
        ("a limerick", [5]),
        ("a villanelle", [3] * 5 + [4]),
        ("a pantoum", [4] * 4),
        ("a sestina", [6] * 6 + [3]),
        ("a ghazal", [2] * 6),
        ("a poem of 6 lines, AABB", [4, 2]),
    ],
)
def test_a_poem_has_the_stanzas_of_its_form(
    writers: dict[str, Writer], name: str, brief: str, shape: list[int]
) -> None:
    for seed in range(3):
        poem = writers[name].write(brief, seed=seed)
        assert [len(stanza) for stanza in stanzas(poem)] == shape
        assert all(line[0].isupper() or line[0] == "'" for line in poem.split("\n") if line)
        assert poem.endswith(".")


def test_a_villanelle_brings_its_refrains_back(writers: dict[str, Writer]) -> None:
    verses = stanzas(writers["ngram-2"].write("a villanelle", seed=4))
    first, third = verses[0][0], verses[0][2]
    assert first != third
    assert [stanza[-1] for stanza in verses] == [third, first, third, first, third, third]
    assert verses[5][2] == first


def test_a_pantoum_takes_up_two_lines_of_every_stanza(writers: dict[str, Writer]) -> None:
    verses = stanzas(writers["ngram-2"].write("a pantoum", seed=4))
    for stanza, following in pairwise(verses):
        assert (stanza[1], stanza[3]) == (following[0], following[2])
    assert {verses[3][1], verses[3][3]} == {verses[0][0], verses[0][2]}


def test_a_sestina_turns_its_six_end_words(writers: dict[str, Writer]) -> None:
    ends = [
        [line.split()[-1].strip(".,;").lower() for line in stanza]
        for stanza in stanzas(writers["ngram-4"].write("a sestina", seed=1))
    ]
    assert len(set(ends[0])) == 6
    for stanza, following in pairwise(ends[:6]):
        assert following == [stanza[at] for at in (5, 0, 4, 1, 3, 2)]


@pytest.mark.parametrize("name", NAMES)
def test_lines_rhyme_where_the_pattern_says_and_only_there(
    shipped: dict[str, Writer], name: str
) -> None:
    for seed in range(5):
        for a, b, c, d in stanzas(shipped[name].write("a ballad, ABCB", seed=seed)):
            assert rhymes(b, d)
            assert not rhymes(a, b)
            assert not rhymes(a, c)


@pytest.mark.parametrize("name", NAMES)
def test_most_lines_of_a_sonnet_are_of_ten_syllables(shipped: dict[str, Writer], name: str) -> None:
    lines = [
        line for seed in range(5) for line in shipped[name].write(SONNET, seed=seed).split("\n")
    ]
    lengths = [sum(syllables(w) for w in re.findall(r"[a-z']+", line.lower())) for line in lines]
    assert sum(9 <= length <= 11 for length in lengths) / len(lengths) > 0.9


@pytest.mark.parametrize("name", NAMES)
def test_no_poem_recites_a_line_of_the_shipped_collection(
    shipped: dict[str, Writer], name: str
) -> None:
    read = {bare(line) for text in shipped_texts("en") for line in text.split("\n")}
    read_chinese = "\n".join(shipped_texts("zh"))
    for seed in range(30):
        poem = shipped[name].write(SONNET, seed=seed, temperature=(seed % 4) / 2)
        assert not read.intersection(bare(line) for line in poem.split("\n"))
        chinese = shipped[name].write("写一首题为《月》的绝句", seed=seed)
        assert not any(line[:-1] in read_chinese for line in chinese.split("\n"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("asked", "lines", "characters"),
    [
        ("五言絕句", {4}, {5}),
        ("七言绝句", {4}, {7}),
        ("五言律诗", {8}, {5}),
        ("七律", {8}, {7}),
        ("古诗", {4, 8}, {5, 7}),
    ],
)
def test_a_chinese_poem_has_the_lines_and_characters_of_its_form(
    writers: dict[str, Writer], name: str, asked: str, lines: set[int], characters: set[int]
) -> None:
    for seed in range(5):
        poem = writers[name].write(f"请写一首题为《山月》的{asked}", seed=seed).split("\n")
        assert len(poem) in lines
        lengths = {len(re.sub(r"[，。]", "", line)) for line in poem}
        assert len(lengths) == 1
        assert lengths <= characters
        assert [line[-1] for line in poem] == ["，", "。"] * (len(poem) // 2)


@pytest.mark.parametrize("brief", [SONNET, "写一首题为《山月》的古诗"])
def test_model_brief_and_seed_decide_the_poem(writers: dict[str, Writer], brief: str) -> None:
    two, four = writers["ngram-2"], writers["ngram-4"]
    assert two.write(brief, seed=7) == two.write(brief, seed=7)
    assert two.write(brief, seed=7) != two.write(brief, seed=8)
    assert two.write(brief, seed=7) != four.write(brief, seed=7)


def test_at_temperature_0_every_seed_writes_one_poem(writers: dict[str, Writer]) -> None:
    assert len({writers["ngram-4"].write(SONNET, seed=s, temperature=0) for s in range(3)}) == 1


def test_words_of_the_theme_come_up_more_often(shipped: dict[str, Writer]) -> None:
    def mentions(theme: str) -> int:
        return sum(
            len(
                re.findall(
                    r"\bsea\b", shipped["ngram-2"].write(f"a ballad. Theme: {theme}", seed=s)
                )
            )
            for s in range(15)
        )

    assert mentions("the sea") > 2 * mentions("a garden")


def test_words_keep_the_capital_they_are_read_with(shipped: dict[str, Writer]) -> None:
    poems = " ".join(shipped["ngram-2"].write(SONNET, seed=seed) for seed in range(5))
    assert re.search(r"[a-z] I\b", poems)
    assert not re.search(r"\bi\b", poems)
