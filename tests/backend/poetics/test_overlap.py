"""Folding lines of verse, parting them, and finding lines that two texts share."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.poetics import overlap
from backend.poetics.overlap import (
    Run,
    Shared,
    equal_runs,
    fold_line,
    is_evidence,
    shared_lines,
    verse_lines,
)
from backend.poetics.overlap_keys import line_keys, pair_keys, shingle_keys
from backend.poetics.overlap_near import quotations

PAPER = Path(__file__).resolve().parents[4] / "shared" / "papers" / "proftap.txt"
DEATH = """Because I could not stop for Death,
He kindly stopped for me;
The carriage held but just ourselves
And Immortality."""
DAFFODILS = """I wandered lonely as a cloud
That floats on high o'er vales and hills,
When all at once I saw a crowd,
A host, of golden daffodils;
Beside the lake, beneath the trees,
Fluttering and dancing in the breeze."""
SNOW = "已訝衾枕冷，復見窗戶明。\n夜深知雪重，時聞折竹聲。"


def runs(own: str, theirs: str) -> list[Run]:
    return equal_runs(verse_lines(own), verse_lines(theirs))


def quoted(own: str, theirs: str) -> list[tuple[tuple[int, int], ...]]:
    return [each.lines for each in quotations(verse_lines(own), verse_lines(theirs))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("  THE Carriage—held, but just: Ourselves ", "The carriage held but just ourselves"),
        ("**Tyger! Tyger!** burning bright", "Tyger Tyger, burning bright"),
        ("‘Tis the wind’s “café”", "'tis the wind's \"cafe\""),
        ("of that fair thou ow'st", "of that fair thou owest"),
        ("Nor shall Death brag thou wander'st", "nor shall death brag thou wand'rest"),
        ("I wander'd o'er th' heav'nly hill", "I wandered over the heavenly hill"),
        ("ne'er, e'er, e'en, whate'er", "never ever even whatever"),
        ("the learn'd and the learnèd", "the learned and the learned"),
        ("Rose & thorn", "rose and thorn"),
        ("ﬁelds of Ｗheat", "fields of wheat"),
        ("牀前明月光", "床前明月光，"),
        ("衆裏尋他，爲誰", "众里寻他为谁"),
        ("看著乾坤", "看着干坤"),
    ],
)  # fmt: skip
def test_what_editions_write_differently_folds_alike(one: str, other: str) -> None:
    assert fold_line(one).replace(" ", "") == fold_line(other).replace(" ", "")


@pytest.mark.parametrize(
    ("one", "other"),
    [("I saw the sea", "I saw the seas"), ("not for me", "for me"), ("明月光", "明月光光")],
)
def test_other_words_fold_differently(one: str, other: str) -> None:
    assert fold_line(one) != fold_line(other)


def test_hyphens_and_spaces_part_no_two_lines() -> None:
    first, second, third = verse_lines("old knight-at-arms\nold knight at arms\nold knightatarms")
    assert first.letters == second.letters == third.letters


def test_an_apostrophe_stands_for_no_letter_outside_english() -> None:
    assert fold_line("l'eau d'or d'r", "fr") == "leau dor dr"


def test_a_line_has_its_own_text_and_its_number_without_blank_lines() -> None:
    lines = verse_lines("\n  One line;\r\n\r\n---\n   and another  \n")
    assert [(each.number, each.text, each.folded) for each in lines] == [
        (1, "One line;", "one line"),
        (2, "and another", "and another"),
    ]


def test_a_text_without_words_has_no_lines() -> None:
    assert verse_lines("") == verse_lines("\n \n") == verse_lines("*** \n —") == []


def test_verses_of_chinese_stand_between_punctuation() -> None:
    lines = verse_lines("床前明月光,疑是地上霜。\n「舉頭望明月！」低頭思故鄉")
    assert [each.text for each in lines] == [
        "床前明月光,", "疑是地上霜。", "「舉頭望明月！」", "低頭思故鄉",
    ]  # fmt: skip
    assert [each.folded for each in lines][2:] == ["举头望明月", "低头思故乡"]


def test_verses_of_chinese_may_stand_between_spaces_and_characters_may_be_spaced() -> None:
    assert [each.text for each in verse_lines("床前明月光　疑是地上霜")] == [
        "床前明月光",
        "疑是地上霜",
    ]
    assert [each.letters for each in verse_lines("床 前 明 月 光")] == ["床前明月光"]


def test_a_comma_parts_no_english_line_but_a_quoted_break_does() -> None:
    assert len(verse_lines("Tyger, tyger, burning bright")) == 1
    assert len(verse_lines("Because I could not stop for Death / He kindly stopped for me")) == 2


@pytest.mark.parametrize(
    "line", ["and so", "春風來", "la la la la", "Break, break, break,", "春春春春"]
)
def test_short_lines_and_refrains_are_no_evidence(line: str) -> None:
    assert not is_evidence(fold_line(line))


@pytest.mark.parametrize("line", ["He kindly stopped", "春風來也"])
def test_three_words_or_four_characters_are_evidence(line: str) -> None:
    assert is_evidence(fold_line(line))


def test_two_equal_lines_in_a_row_are_a_run() -> None:
    own = "My own first line here\nBecause I COULD not stop for death\nHe kindly stopped – for me"
    assert runs(own, DEATH) == [Run(1, 0, 2)]


def test_one_equal_line_is_no_run_nor_are_two_apart() -> None:
    assert runs("Because I could not stop for Death\nI went on", DEATH) == []
    apart = "Because I could not stop for Death\nand more\nHe kindly stopped for me"
    assert runs(apart, DEATH) == []


def test_a_short_line_goes_on_with_a_run_and_makes_none() -> None:
    assert runs("The carriage held but just ourselves\nAnd immortality", DEATH) == []
    assert runs("He kindly stopped for me\n" + DEATH.split("\n", 2)[2], DEATH) == [Run(0, 1, 3)]
    known = "the night is long ago\nah me\nthe day is never done"
    assert runs(known, known) == [Run(0, 0, 3)]


def test_the_same_line_twice_is_one_line_of_evidence() -> None:
    known = "I loved her long ago\n" * 3
    assert runs(known, known) == []


def test_blank_lines_part_no_run() -> None:
    assert runs(DEATH.replace("\n", "\n\n"), DEATH) == [Run(0, 0, 4)]


def test_traditional_and_simplified_characters_are_one_poem() -> None:
    assert runs("夜深知雪重，时闻折竹声。", SNOW) == [Run(0, 2, 2)]


LINES = st.lists(st.sampled_from("abcdef"), max_size=12)


@given(LINES, LINES)
def test_runs_are_equal_maximal_and_apart(own: list[str], theirs: list[str]) -> None:
    mine, others = (
        verse_lines("\n".join(f"the line of {letter} alone" for letter in each))
        for each in (own, theirs)
    )
    found = equal_runs(mine, others)
    taken = [place for run in found for place in range(run.own, run.own + run.length)]
    assert len(taken) == len(set(taken))
    for run in found:
        assert own[run.own : run.own + run.length] == theirs[run.theirs : run.theirs + run.length]
    naive = any(
        own[i : i + 2] == theirs[j : j + 2] and len(set(own[i : i + 2])) == 2
        for i in range(len(own) - 1)
        for j in range(len(theirs) - 1)
    )
    assert bool(found) == naive


@given(LINES, LINES)
def test_texts_with_a_run_have_a_pair_key_in_common(own: list[str], theirs: list[str]) -> None:
    words = {"a": "ah", "b": "oh me", "c": "the sea the sea the"}
    mine, others = (
        verse_lines("\n".join(words.get(letter, f"the line of {letter} alone") for letter in each))
        for each in (own, theirs)
    )
    known = {keys.pair for keys in line_keys(others)}
    if equal_runs(mine, others):
        assert known & set(pair_keys(mine))


@given(st.text(alphabet="ab 'é—\n床光，。/-_\u200b\u2028", max_size=60))
def test_whatever_is_written_folding_twice_changes_nothing(text: str) -> None:
    for line in verse_lines(text):
        assert line.folded
        assert fold_line(line.folded) == line.folded
        assert fold_line(line.text) == line.folded


def test_characters_fold_alike_in_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "_SIMPLIFIED", overlap._Simplified())
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(fold_line, [SNOW] * 64))
    assert found == {"已讶衾枕冷 复见窗户明 夜深知雪重 时闻折竹声"}


def test_new_line_breaks_hide_no_quotation() -> None:
    own = DAFFODILS.replace("\n", " ").replace("wandered", "wander'd")
    assert quoted(own, DAFFODILS) == [tuple((0, line) for line in range(6))]


def test_a_few_other_words_hide_no_quotation() -> None:
    own = """A line of my own to begin with.
I wandered quiet as a cloud
That floats so high o'er vales and hills
And then I sat and wept."""
    assert quoted(own, DAFFODILS) == [((1, 0), (2, 1))]


def test_one_whole_first_line_is_an_allusion_and_no_quotation() -> None:
    own = "I wandered lonely as a cloud\nThrough all the rooms of yesterday\nAnd found nobody home"
    assert quoted(own, DAFFODILS) == []


def test_one_line_of_ten_words_is_a_quotation() -> None:
    known = "For every atom belonging to me as good belongs to you."
    own = "So let us walk,\nas every atom belonging to me as good belongs to you,\nand sing."
    assert quoted(own, known) == [((1, 0),)]


def test_one_of_two_lines_does_not_speak_for_both() -> None:
    known = "The multitudinous melancholy murmurs of mournful mariners\nI go on"
    own = "The multitudinous melancholy murmurs of mournful mariners\nsleep sound"
    assert quoted(own, known) == []


def test_a_refrain_of_few_words_is_no_quotation() -> None:
    assert quoted("la la la la la la\n" * 4, "la la la la la la\n" * 4) == []


def test_verse_of_the_same_manner_is_no_quotation() -> None:
    own = """In twilight's hush, where shadows play,
The stars come out to dance and sway,
Beside the sea, beneath the trees,
A whisper carried on the breeze."""
    assert quoted(own, DAFFODILS) == []


def test_the_papers_own_borrowing_is_a_quotation() -> None:
    if not PAPER.exists():
        pytest.skip("the papers are not beside this checkout")
    borrowed = re.search(r"\(Night Snow\)\n(.+)", PAPER.read_text("utf-8"))
    assert borrowed is not None
    assert runs(borrowed[1], SNOW) == []
    assert quoted(borrowed[1], SNOW) == [((0, 0), (1, 1))]


def test_only_the_named_lines_are_looked_at() -> None:
    lines = verse_lines(DAFFODILS)
    assert quotations(lines, lines, around=[]) == []
    assert [each.lines for each in quotations(lines, lines, around=[0])] == [((0, 0), (1, 1))]


def test_a_poem_is_found_by_its_lines_keys() -> None:
    lines = verse_lines(DAFFODILS)
    known = line_keys(lines)
    asked = {key for _, key in shingle_keys(lines)}
    assert [keys.line for keys in known] == list(range(6))
    assert [keys.pair for keys in known[:-1]] == pair_keys(lines)
    assert known[-1].pair is None
    for keys in known:
        assert {keys.opening, keys.middle, keys.closing} - {None} <= asked


def test_keys_are_the_same_in_every_process_and_fit_eight_bytes() -> None:
    # From `printf 'ihearthesea\nandseethesky' | b2sum -l 64`, as a signed number.
    assert pair_keys(verse_lines("I hear the sea\nAnd see the sky")) == [-4_756_196_947_836_976_228]
    keys = [key for _, key in shingle_keys(verse_lines(DEATH))]
    assert all(-(2**63) <= key < 2**63 for key in keys)


def test_a_long_line_is_known_by_every_stretch_of_it() -> None:
    known = line_keys(verse_lines(" ".join(f"word{number}" for number in range(24))))
    assert [keys.line for keys in known] == [0, 0, 0]
    assert len({keys.opening for keys in known}) == 3


def test_words_met_with_everywhere_are_no_key() -> None:
    assert shingle_keys(verse_lines("and so it was of the sea")) == []


def test_lines_that_several_texts_share_are_reported_once() -> None:
    texts = [
        f"Something of my own\n{DEATH}",
        "Nothing to be seen here\nat all, I say",
        f"{DEATH}\nAnd then the end of it all",
        "\n".join(DEATH.split("\n")[:2]),
    ]
    first, second, third, fourth = DEATH.split("\n")
    assert shared_lines(texts) == [
        Shared((first, second), (0, 2, 3)),
        Shared((second, third), (0, 2)),
    ]
    assert fourth  # one word: no evidence
    assert shared_lines([DEATH, "He kindly stopped for me"]) == []


def test_refrains_inside_one_poem_are_shared_with_nobody() -> None:
    refrain = "The art of losing is mine\nand it is hard to master\n"
    assert shared_lines([refrain * 3, "Another poem altogether\nwith lines of its own"]) == []
