"""The words of each author's poems: how varied, how much of the human original, which ones.

It is of texts alone: no judge has a part in it. Poems count once, as they were shown.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

import numpy as np

from backend.analytics.frames import Codes, Frame, Numbers
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather, number
from backend.poetics.function_words import carries_content
from backend.poetics.lexis import type_token_ratio, words
from backend.statistics.clusters import clustered_mean
from backend.statistics.descriptive import mean_sd
from backend.statistics.estimate import Estimate

FIRST = 50  # words
COMMONEST = 5
_POEM = "poem"


@dataclass(frozen=True)
class Text:
    """A poem's words, and those of the human poem on whose brief it was written.

    Attributes
    ----------
    text : str
    title : int
        Poems of one title go together.
    originals : tuple of frozenset of str
        The different words of each human poem of that title.
    """

    text: str
    title: int
    originals: tuple[frozenset[str], ...] = ()

    @cached_property
    def words(self) -> list[str]:
        return words(self.text)

    @property
    def ratio(self) -> float:
        return type_token_ratio(self.text)

    @property
    def ratio_at_first(self) -> float:
        """Type-token ratio of the first words; ``nan`` if there are not so many."""
        enough = len(self.words) >= FIRST
        return type_token_ratio(self.text, first=FIRST) if enough else math.nan

    @property
    def repeated(self) -> float:
        """Share of the original's different words that recur; ``nan`` without one."""
        kept = [len(one & set(self.words)) / len(one) for one in self.originals if one]
        return sum(kept) / len(kept) if kept else math.nan

    @property
    def taken(self) -> float:
        """Share of all its words that are in the original, too; ``nan`` without one."""
        if not (self.originals and self.words):
            return math.nan
        known = frozenset[str]().union(*self.originals)
        return sum(word in known for word in self.words) / len(self.words)


def tables(frame: Frame) -> tuple[Table, ...]:
    """Return the tables of words; none of pairs, where a text is shown beside another."""
    if frame.paired or not frame.items:
        return ()
    found = _texts(frame)
    counts = {name: _content(texts) for name, texts in found.items()}
    return (_variety(frame, found, counts), _commonest(found, counts))


def _texts(frame: Frame) -> dict[str, list[Text]]:
    originals: dict[int, list[frozenset[str]]] = defaultdict(list)
    for item in frame.items:
        if not item.model and item.title_key is not None:
            originals[item.title_key].append(frozenset(words(item.text)))
    found: dict[str, list[Text]] = {name: [] for name in frame.authors}
    codes = zip(frame.item_author.tolist(), frame.item_title.tolist(), strict=True)
    for item, (code, title) in zip(frame.items, codes, strict=True):
        known = originals.get(item.title_key, []) if item.model and item.title_key else []
        found[frame.authors[code]].append(Text(item.text, title, tuple(known)))
    return found


def _content(texts: Iterable[Text]) -> Counter[str]:
    return Counter(word for one in texts for word in one.words if carries_content(word))


def cosine(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Return the cosine of the angle between two counts of words; ``nan`` if one is empty."""
    lengths = [math.sqrt(sum(n * n for n in counts.values())) for counts in (one, other)]
    if not all(lengths):
        return math.nan
    return sum(n * other.get(word, 0) for word, n in one.items()) / (lengths[0] * lengths[1])


def _variety(
    frame: Frame, found: Mapping[str, Sequence[Text]], counts: Mapping[str, Counter[str]]
) -> Table:
    human = frame.authors[0]
    rates = {name: _rates(texts, is_human=name == human) for name, texts in found.items()}
    return Table(
        key="words",
        caption="Variety of words, and how much machine poems share with the human ones",
        explanation="The type-token ratio (TTR) is different words over all words. It falls with "
        f"length, so authors whose poems differ in length are only comparable over the first "
        f"{FIRST} words. “Original repeated” is the share of the human original's different words "
        "that recur in the machine poem of the same title; “own words” is the share of the "
        "machine poem's words that the original has, too: common words are in both, so neither "
        "is copying by itself. Cosine compares the counts of content words in all poems of an "
        "author with those in all human poems: it describes these poems, and has no interval.",
        columns=(
            Column("author", "Author"),
            Column("poems", "Poems", "count"),
            Column("words_per_poem", "Words", "number", 0, "median per poem"),
            *_columns("ttr", "TTR", under="TTR, whole"),
            *_columns("ttr_first", "TTR", under=f"TTR, first {FIRST} words"),
            *_columns("repeated", "share", under="Original repeated"),
            *_columns("taken", "share", under="Own words in the original"),
            Column("cosine", "Cosine with human poems", "number", 3),
        ),
        rows=tuple(
            (
                Cell(name),
                *_figures(texts, rates[name]),
                _likeness(counts[name], counts[human], is_human=name == human),
            )
            for name, texts in found.items()
        ),
        method="words case-folded, as written (no stemming); a Chinese character is a word; means "
        "and standard deviations (n - 1) over poems; 95 % interval by titles, for other titles, "
        "t(T - 1); content words: all but a fixed list of function words",
        notes=gather(
            [
                (name, tuple(dict.fromkeys(note for one in each for note in one.mean.notes)))
                for name, each in rates.items()
            ]
        ),
        basis=f"One unit is a poem (for the cosine: all of an author’s together). "
        f"{len(frame.items)} poems of the study, judged or not",
    )


def _columns(key: str, label: str, *, under: str) -> tuple[Column, ...]:
    return (
        Column(key, label, "number", 3, under=under),
        Column(f"{key}_low", "95 % from", "number", 3, under=under),
        Column(f"{key}_high", "to", "number", 3, under=under),
        Column(f"{key}_sd", "SD", "number", 3, under=under),
        Column(f"{key}_n", "n", "count", unit="poems", under=under),
    )


@dataclass(frozen=True)
class _Rate:
    """A share of words, averaged over an author's poems."""

    mean: Estimate
    sd: Estimate

    @property
    def cells(self) -> tuple[Cell, ...]:
        return (figure(self.mean), *bounds(self.mean), figure(self.sd), Cell(self.mean.n))


def _rates(texts: Sequence[Text], *, is_human: bool) -> tuple[_Rate, ...]:
    """Return both type-token ratios, and what is repeated and taken of the original."""
    short = f"no poem has {FIRST} words"
    alone = "a human poem is the original" if is_human else "no poem's original is in the study"
    titles = np.array([one.title for one in texts], np.intp)
    return tuple(
        _rate(np.array(values, np.float64), titles, reason)
        for values, reason in (
            ([one.ratio for one in texts], ""),
            ([one.ratio_at_first for one in texts], short),
            ([one.repeated for one in texts], alone),
            ([one.taken for one in texts], alone),
        )
    )


def _rate(values: Numbers, titles: Codes, reason: str) -> _Rate:
    """Return the mean of a share, or why there is none: in these words, if nothing has it."""
    given = ~np.isnan(values)
    sd = mean_sd(values, level=_POEM).sd
    mean = clustered_mean(values[given], titles[given], level=_POEM, span=(0, 1))
    if not mean.n and reason:
        mean, sd = (replace(one, reason=reason) for one in (mean, sd))
    elif mean.counts.get("n_titles") == 1:
        mean = replace(mean, reason="poems on one title alone: how titles differ is not known")
    return _Rate(mean, sd)


def _figures(texts: Sequence[Text], rates: Sequence[_Rate]) -> tuple[Cell, ...]:
    return (
        Cell(len(texts)),
        number(
            median(len(one.words) for one in texts) if texts else math.nan, "no poem in the study"
        ),
        *(cell for one in rates for cell in one.cells),
    )


def _likeness(mine: Counter[str], human: Counter[str], *, is_human: bool) -> Cell:
    if is_human:
        return Cell(None, "human poems are what is compared with")
    return number(cosine(mine, human), "no content word in the poems of this author or of humans")


def _commonest(found: Mapping[str, Sequence[Text]], counts: Mapping[str, Counter[str]]) -> Table:
    return Table(
        key="commonest-words",
        caption="Commonest content words and first words",
        explanation="How often each occurs is in brackets: content words among all words of an "
        "author's poems, first words among poems. They describe these poems, and have no "
        "intervals.",
        columns=(
            Column("author", "Author"),
            Column("poems", "Poems", "count"),
            Column("words", "Words", "count"),
            Column("content_words", f"Commonest {COMMONEST} content words"),
            Column("openings", f"Commonest {COMMONEST} first words"),
        ),
        rows=tuple(
            (
                Cell(name),
                Cell(len(texts)),
                Cell(sum(len(one.words) for one in texts)),
                Cell(_listed(counts[name])),
                Cell(_listed(Counter(one.words[0] for one in texts if one.words))),
            )
            for name, texts in found.items()
        ),
        method="words case-folded, as written; content words: all but a fixed list of function "
        "words; of equally common ones, the first in the order of the alphabet",
        basis="One unit is a word, or a poem’s first word; poems of the study, judged or not",
        aside=True,
    )


def _listed(counts: Counter[str]) -> str:
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{word} ({n})" for word, n in ranked[:COMMONEST])
