"""The surface tells what it tells: known give-aways are found, chance is not."""

import csv
import math
import random
import sys
from pathlib import Path
from statistics import fmean

import pytest

from backend.design.surface import Surface, examine, features

DEV = Path(__file__).resolve().parents[3] / ".." / "shared/data/poemetric_human_poems_dev.csv"

LATIN = "O tide, O moon;\n  come in — go “out”!\n\nNobody knows,\nnobody (2) asks..."
CHINESE = "床前明月光，\n疑是地上霜。\n\n举头望明月；\n低头思故乡！"

COUNTED = {
    "lines": (4, 4),
    "characters": (71, 28),
    "mean line length (characters)": (16.25, 6),
    "longest line (characters)": (19, 6),
    "spread of line length (characters)": (math.sqrt(5.6875), 0),
    "stanzas": (2, 2),
    "lines a stanza": (2, 2),
    "stanza lengths all equal": (1, 1),
    "stanzas of four lines, share": (0, 0),
    "blank lines": (1, 1),
    "commas a line": (0.5, 0.25),
    "full stops a line": (0.75, 0.25),
    "ellipses a line": (0.25, 0),
    "semicolons a line": (0.25, 0.25),
    "colons a line": (0, 0),
    "exclamation marks a line": (0.25, 0.25),
    "question marks a line": (0, 0),
    "em dashes a line": (0.25, 0),
    "other dashes a line": (0, 0),
    "apostrophes a line": (0, 0),
    "quotation marks a line": (0.5, 0),
    "brackets a line": (0.5, 0),
    "share of lines that end in a comma": (0.25, 0.25),
    "share of lines that end in a full stop": (0.25, 0.25),
    "share of lines that end in another mark": (0.5, 0.5),
    "share of lines that begin with a capital": (0.5, 0),
    "curly quotes": (2, 0),
    "share of lines with an indent": (0.25, 0),
    "wide gaps a line": (0, 0),
    "lines with trailing spaces": (0, 0),
    "headings or markup": (0, 0),
    "first line stands alone": (0, 0),
    "last line stands alone": (0, 0),
    "characters in the title": (0, 0),
    "digits": (1, 0),
    "share of letters that are capitals": (3 / 42, 0),
    "share of letters that are not ASCII": (0, 1),
    "other characters that are not ASCII": (3, 4),
}


def plain(number: int) -> str:
    """Return four lines, unlike any other number's, without a pattern."""
    chance = random.Random(number)
    return "\n".join("a" * chance.randint(5, 40) + chance.choice(" ,.;") for _ in range(4))


def study(n: int = 40) -> tuple[list[bool], list[str]]:
    return [number % 2 == 0 for number in range(n)], [f"brief {number // 2}" for number in range(n)]


@pytest.mark.parametrize("text", [0, 1], ids=["latin", "chinese"])
@pytest.mark.parametrize("name", COUNTED)
def test_what_is_counted_is_what_a_hand_counted(name, text):
    assert features((LATIN, CHINESE)[text])[name] == pytest.approx(COUNTED[name][text])


def test_nothing_is_counted_that_no_hand_counted():
    assert features(LATIN).keys() == COUNTED.keys()


@pytest.mark.parametrize(
    ("text", "marks"),
    [("# A\n**b** c", 3), ("*a* b", 1), ("a\n---\nb", 1), ("```\na\n```", 2), ("* * *", 0)],
)
def test_marks_of_a_machines_layout_are_counted(text, marks):
    assert features(text)["headings or markup"] == marks


def test_the_edges_of_a_text_are_seen():
    one = features("A heading\n\n\ta  b \nc", title="Four")
    assert one["first line stands alone"] == 1
    assert one["last line stands alone"] == 0
    assert one["wide gaps a line"] == pytest.approx(1 / 3)
    assert one["lines with trailing spaces"] == 1
    assert one["share of lines with an indent"] == pytest.approx(1 / 3)
    assert one["characters in the title"] == 4


def test_a_text_of_nothing_has_numbers_too():
    assert all(math.isfinite(value) for value in features("").values())


def test_words_are_not_looked_at():
    assert features("The sea,\nthe sky.") == features("Big dog,\nhis cat.")


def test_one_sure_giveaway_tells_every_text_and_is_named():
    human, briefs = study()
    texts = [plain(n) + ("" if of else " —") for n, of in enumerate(human)]
    found = examine(texts, human, briefs, seed=3)
    assert found.auc == 1
    assert math.isnan(found.low)
    assert "nothing varies" in found.reason
    dashes = next(one for one in found.giveaways if one.name == "em dashes a line")
    assert (dashes.auc, dashes.more_in) == (1, "machine")
    assert (dashes.human, dashes.machine) == (0, 0.25)


def test_a_giveaways_area_is_what_a_hand_counts():
    # Lines of a human text 1 2 3 4, of a machine text 2 3 4 5. Of 16 pairs the machine's has more
    # in 4 + 3 + 2 + 1 = 10, as many in 3: (10 + 1.5) / 16. Each is there five times, which changes
    # nothing.
    human_lines, machine_lines = [1, 2, 3, 4] * 5, [2, 3, 4, 5] * 5
    texts = ["\n".join("a" * n) for n in human_lines + machine_lines]
    briefs = [str(n % 20) for n in range(40)]
    found = examine(texts, [n < 20 for n in range(40)], briefs, seed=0)
    lines = next(one for one in found.giveaways if one.name == "lines")
    assert lines.auc == 11.5 / 16
    assert (lines.more_in, lines.human, lines.machine) == ("machine", 2.5, 3.5)


def test_giveaways_are_sorted_and_few():
    human, briefs = study()
    found = examine([plain(n) for n in range(40)], human, briefs, seed=0).giveaways
    areas = [one.auc for one in found]
    assert areas == sorted(areas, reverse=True)
    assert 0 < len(areas) <= 8
    assert all(0.5 < area <= 1 for area in areas)


def chance(seed: int) -> Surface:
    rng = random.Random(seed)
    human, briefs = study(80)
    return examine([plain(rng.randrange(10**9)) for _ in human], human, briefs, seed=seed)


def test_where_nothing_differs_the_area_is_about_half():
    # At 95 %, intervals of 30 studies miss 0.5 one or two times; five times, in one of 60 trials.
    found = [chance(seed) for seed in range(30)]
    assert sum(not one.low <= 0.5 <= one.high for one in found) <= 4
    assert fmean(one.auc for one in found) == pytest.approx(0.5, abs=0.06)


def test_a_text_is_never_told_by_its_twin():
    # Both texts of a brief have the same lines, and no two briefs have: learnt by heart, that
    # would tell; out of the fold, it is nothing.
    human, briefs = study(80)
    texts = [plain(n // 2) for n in range(80)]
    found = examine(texts, human, briefs, seed=1)
    assert found.auc == pytest.approx(0.5, abs=1e-9)


def test_the_same_seed_gives_the_same_figure():
    assert chance(5) == chance(5)


@pytest.mark.parametrize("seed", [0, 2**63 - 1])
def test_any_seed_of_a_study_will_do(seed):
    human, briefs = study()
    assert examine([plain(n) for n in range(40)], human, briefs, seed=seed).human == 20


@pytest.mark.parametrize(
    ("human", "briefs", "said"),
    [
        ([], [], "too few human texts: 0 on 0 briefs"),
        ([True] * 30, [str(n) for n in range(30)], "too few machine texts: 0"),
        ([n < 9 for n in range(30)], [str(n) for n in range(30)], "too few human texts: 9 on 9"),
        ([n < 15 for n in range(30)], [str(n % 4) for n in range(30)], "human texts: 15 on 4"),
    ],
)
def test_of_too_few_texts_nothing_is_said_but_why(human, briefs, said):
    found = examine([plain(n) for n, _ in enumerate(human)], human, briefs, seed=1)
    assert math.isnan(found.auc)
    assert said in found.reason
    assert found.giveaways == ()
    assert (found.human, found.machine) == (sum(human), len(human) - sum(human))


def test_the_least_number_of_texts_is_enough_wherever_their_briefs_lie():
    human = [True] * 10 + [False] * 40
    briefs = [str(n // 2) for n in range(10)] + [f"machine {n // 8}" for n in range(40)]
    assert math.isfinite(examine([plain(n) for n in range(50)], human, briefs, seed=2).auc)


def test_kinds_and_briefs_of_other_texts_are_refused():
    with pytest.raises(ValueError, match="its kind and its brief"):
        examine(["a"], [True, False], ["1"], seed=1)


def test_poems_in_which_each_dash_was_doubled_are_told():
    if not DEV.exists():
        pytest.skip("the human poems' development data are not beside this checkout")
    csv.field_size_limit(sys.maxsize)
    with DEV.open(encoding="utf-8", newline="") as file:
        poems = [row["content"] for row in csv.DictReader(file)]
    texts = [*poems, *(poem.replace("\n", " —\n") for poem in poems)]
    briefs = [str(n) for n in range(len(poems))] * 2
    found = examine(texts, [n < len(poems) for n in range(len(texts))], briefs, seed=1)
    assert found.auc > 0.95
    assert found.giveaways[0].more_in == "machine"
