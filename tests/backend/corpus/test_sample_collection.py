"""The shipped sample poems are whole, true to their forms, and free to ship."""

import csv
import json
import re
from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "backend" / "corpus" / "sample"
SHARED = ROOT.parent / "shared" / "data"

FIELDS = {
    "form", "title", "author", "author_died", "year", "source", "edition", "url",
    "meter_pattern", "rhyme_pattern", "theme", "imagery", "language", "content",
}  # fmt: skip
MAY_BE_BLANK = {"url", "meter_pattern", "rhyme_pattern", "author_died"}
ENGLISH_AT_LEAST = {
    "Sonnet": 7, "Ballad": 7, "Limerick": 6, "Villanelle": 2, "Sestina": 1, "Pantoum": 1,
    "Ghazal": 1,
}  # fmt: skip
LINES = {"Sonnet": (14, 14), "Limerick": (4, 5), "Villanelle": (19, 19), "Sestina": (39, 39)}
CHINESE = {"五言絕句": (4, 5), "七言絕句": (4, 7), "五言律詩": (8, 5), "七言律詩": (8, 7)}

# Where the last stanza's end-words come from in the stanza before: 6 1 5 2 4 3.
SESTINA_TURN = (5, 0, 4, 1, 3, 2)

# What each English gloss stands for; a space parts characters of which one must be in the poem.
GLOSS = {
    "accent": "音", "bamboo": "竹", "banks": "岸", "beacon fires": "烽火", "bed": "床",
    "bell": "鐘", "birds": "鳥", "boat": "舟 船", "boy": "童子", "branches": "枝",
    "candle": "燭", "carriage": "車", "children": "兒童", "city": "城", "clouds": "雲",
    "crane": "鶴", "crows": "烏", "cup": "杯", "dust": "塵", "fires": "火", "flowers": "花",
    "forest": "林", "frost": "霜", "gibbons": "猿", "grass": "草", "ground": "地",
    "guest": "客", "gull": "鷗", "hairpin": "簪", "head": "頭", "heart": "心",
    "houses": "人家", "ice": "冰", "inn": "客舍", "island": "洲", "jade jar": "玉壺",
    "leaves": "葉", "letter": "家書", "light": "光", "lotus": "蓮", "maples": "楓",
    "mast": "檣", "medicine": "藥", "mist": "煙", "moon": "月", "moss": "苔",
    "mountain": "山", "mountains": "山", "night": "夜", "pass": "陽關", "path": "徑",
    "paths": "徑", "pine": "松", "pines": "松", "plain": "平野", "pools": "池",
    "rain": "雨", "red beans": "紅豆", "river": "河 江 川", "sand": "沙", "sea": "海",
    "shore": "岸", "sky": "天", "snow": "雪", "south": "南", "spring": "春",
    "spring water": "泉", "stars": "星", "stones": "石", "straw cloak": "蓑", "sun": "日",
    "tears": "淚", "temple": "寺", "temples of hair": "鬢", "terrace": "臺", "tower": "樓",
    "trees": "木 樹", "voices": "語", "willows": "柳", "wind": "風", "window": "窗",
    "wine": "酒",
}  # fmt: skip

Poem = dict[str, Any]


def poems_in(name: str) -> list[Poem]:
    text = (SAMPLE / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


ENGLISH_POEMS = poems_in("english.jsonl")
CHINESE_POEMS = poems_in("classical_chinese.jsonl")
POEMS = ENGLISH_POEMS + CHINESE_POEMS


def of_form(form: str) -> list[Poem]:
    return [poem for poem in ENGLISH_POEMS if poem["form"] == form]


def verses(poem: Poem) -> list[str]:
    return [line for line in poem["content"].split("\n") if line]


def stanzas(poem: Poem) -> list[list[str]]:
    return [stanza.split("\n") for stanza in poem["content"].split("\n\n")]


def letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalpha())


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+(?:-[a-z]+)*", text.casefold())


def agreement(ours: str, theirs: str) -> float:
    return SequenceMatcher(None, letters(ours), letters(theirs), autojunk=False).ratio()


def every(poems: list[Poem]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("poem", poems, ids=[poem["title"] for poem in poems])


def test_the_english_poems_cover_the_seven_forms():
    counts = Counter(poem["form"] for poem in ENGLISH_POEMS)
    assert set(counts) == set(ENGLISH_AT_LEAST)
    assert all(counts[form] >= least for form, least in ENGLISH_AT_LEAST.items())
    assert len(ENGLISH_POEMS) >= 28


def test_the_chinese_poems_cover_both_lengths_of_both_forms():
    assert {poem["form"] for poem in CHINESE_POEMS} == set(CHINESE)
    assert len(CHINESE_POEMS) >= 12


def test_no_poem_is_there_twice():
    assert max(Counter(letters(poem["content"]) for poem in POEMS).values()) == 1
    assert max(Counter((poem["title"], poem["author"]) for poem in POEMS).values()) == 1


@every(POEMS)
def test_every_field_is_there_and_filled(poem):
    assert set(poem) == FIELDS
    assert all(poem[field] for field in FIELDS - MAY_BE_BLANK)
    assert all(isinstance(poem[field], str) for field in FIELDS - {"author_died"})
    assert poem["theme"].startswith("About ")
    assert poem["language"] == ("zh-Hant" if poem in CHINESE_POEMS else "en")


@every(POEMS)
def test_the_author_died_before_1956_or_is_unknown(poem):
    if poem["author"] == "Anonymous":
        assert poem["author_died"] is None
    else:
        assert isinstance(poem["author_died"], int)
        assert poem["author_died"] < 1956


@every(POEMS)
def test_lines_carry_no_stray_space_and_quotes_are_straight(poem):
    content = poem["content"]
    lines = content.split("\n")
    assert content == content.strip()
    assert all(line == line.rstrip() for line in lines)
    assert not set(content) & set("\t\r\u00a0“”‘’")
    assert "--" not in content
    assert "\n\n\n" not in content


def test_several_poems_keep_their_indents():
    indented = [poem for poem in ENGLISH_POEMS if "\n  " in poem["content"]]
    assert len({poem["form"] for poem in indented}) >= 3
    assert len(indented) >= 8


@every([poem for poem in ENGLISH_POEMS if poem["form"] in LINES])
def test_a_fixed_form_has_its_number_of_lines(poem):
    least, most = LINES[poem["form"]]
    assert least <= len(verses(poem)) <= most


@every(of_form("Sonnet") + of_form("Villanelle"))
def test_a_rhyme_pattern_of_the_whole_poem_has_a_letter_a_line(poem):
    assert len(poem["rhyme_pattern"]) == len(verses(poem))


@every([poem for poem in ENGLISH_POEMS if poem["form"] in {"Ballad", "Pantoum"}])
def test_a_rhyme_pattern_of_a_stanza_has_a_letter_a_line(poem):
    assert {len(stanza) for stanza in stanzas(poem)} == {len(poem["rhyme_pattern"])}


@every(of_form("Villanelle"))
def test_a_villanelle_turns_on_two_refrains(poem):
    lines = [letters(line) for line in verses(poem)]
    assert [len(stanza) for stanza in stanzas(poem)] == [3, 3, 3, 3, 3, 4]
    assert len({lines[at] for at in (0, 5, 11, 17)}) == 1
    assert len({lines[at] for at in (2, 8, 14, 18)}) == 1


@every(of_form("Sestina"))
def test_a_sestina_rotates_its_six_end_words(poem):
    *sixes, envoi = stanzas(poem)
    expected = [words(line)[-1] for line in sixes[0]]
    assert len(set(expected)) == 6
    assert [len(six) for six in sixes] == [6] * 6
    for six in sixes[1:]:
        expected = [expected[at] for at in SESTINA_TURN]
        ends = [words(line)[-1] for line in six]
        # "along" may stand for "long": poets keep the sound where the word itself will not go.
        assert all(end.endswith(word) for end, word in zip(ends, expected, strict=True))
    assert len(envoi) == 3
    assert set(expected) <= set(words(" ".join(envoi)))


@every(of_form("Pantoum"))
def test_a_pantoum_repeats_second_and_fourth_lines_as_first_and_third(poem):
    quatrains = [[letters(line) for line in stanza] for stanza in stanzas(poem)]
    for before, after in pairwise(quatrains):
        assert (after[0], after[2]) == (before[1], before[3])
    assert quatrains[-1][3] == quatrains[0][0]


@every(of_form("Ghazal"))
def test_a_ghazal_is_couplets_that_end_on_one_refrain(poem):
    couplets = stanzas(poem)
    assert {len(couplet) for couplet in couplets} == {2}
    assert len(couplets) >= 5
    assert len({words(second)[-1] for _, second in couplets}) == 1


@every(CHINESE_POEMS)
def test_a_chinese_poem_has_the_lines_and_characters_of_its_form(poem):
    lines, characters = CHINESE[poem["form"]]
    found = poem["content"].split("\n")
    assert len(found) == lines
    assert {len(line) for line in found} == {characters + 1}
    assert "".join(line[-1] for line in found) == "，。" * (lines // 2)
    assert poem["meter_pattern"] == f"{characters}-yan"


@every(CHINESE_POEMS)
def test_a_chinese_poem_rhymes_its_even_lines(poem):
    pattern = poem["rhyme_pattern"]
    assert len(pattern) == len(poem["content"].split("\n"))
    assert len(set(pattern[1::2])) == 1


@every(CHINESE_POEMS)
def test_a_chinese_poem_is_in_traditional_characters(poem):
    # Big5 holds the traditional characters and not their simplified forms.
    assert (poem["title"] + poem["content"]).encode("big5")


@every(ENGLISH_POEMS)
def test_imagery_of_an_english_poem_occurs_in_it(poem):
    missing = set(words(poem["imagery"])) - set(words(poem["content"]))
    assert not missing


@every(CHINESE_POEMS)
def test_imagery_of_a_chinese_poem_occurs_in_it(poem):
    glosses = [GLOSS[image].split() for image in poem["imagery"].split(", ")]
    assert all(any(said in poem["content"] for said in gloss) for gloss in glosses)


def test_poems_that_poemetric_also_holds_agree_with_it():
    published = SHARED / "poemetric_human_poems_dev.csv"
    if not published.exists():
        pytest.skip("the published POEMetric poems are not beside this checkout")
    with published.open(encoding="utf-8-sig", newline="") as file:
        theirs = list(csv.DictReader(file))
    pairs = [(our, their) for our in ENGLISH_POEMS for their in theirs if is_one_poem(our, their)]
    assert len(pairs) >= 7
    unlike = {
        our["title"]: round(agreement(our["content"], their["content"]), 3)
        for our, their in pairs
        if agreement(our["content"], their["content"]) < 0.97
    }
    assert unlike == {}


def is_one_poem(our: Poem, their: Poem) -> bool:
    """Same surname, and the same title or, as titles vary, the same opening."""
    if our["author"].split()[-1].casefold() != their["author"].split()[-1].casefold():
        return False
    same_title = letters(our["title"]) == letters(their["title"])
    return same_title or letters(our["content"])[:40] == letters(their["content"])[:40]


def test_limericks_agree_with_the_collected_ones_letter_for_letter():
    collected = SHARED / "poetics_dev" / "limericks.jsonl"
    if not collected.exists():
        pytest.skip("the collected limericks are not beside this checkout")
    rows = [json.loads(line) for line in collected.read_text(encoding="utf-8").splitlines()]
    theirs = {letters(row["lines"][0]): letters("".join(row["lines"])) for row in rows}
    ours = {letters(verses(poem)[0]): letters(poem["content"]) for poem in of_form("Limerick")}
    both = ours.keys() & theirs.keys()
    assert len(both) >= 6
    assert {first: ours[first] for first in both} == {first: theirs[first] for first in both}
