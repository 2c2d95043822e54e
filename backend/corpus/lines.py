"""Finds lines of human poems in other texts: every collection's lines are indexed for it.

A text is recited if two consecutive lines of it or more are those of a human poem (ProFTAP,
appendix A.3). An edited quotation is for a person to look at.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, TypeVar

from django.db import connection, transaction

from backend.corpus.models import IndexedLine, Poem
from backend.poetics.overlap import FOLDING, VerseLine, equal_runs, verse_lines
from backend.poetics.overlap_keys import line_keys, pair_keys, shingle_keys
from backend.poetics.overlap_near import quotations

TEXTS_AT_ONCE = 300  # that are looked up in one round of queries
POEMS_AT_ONCE = 500  # that are indexed in one transaction
ROWS_AT_ONCE = 10_000
MOST_MATCHES = 20  # of a kind that are named for one text
# Three words that begin or end more lines than these tell nothing, and would cost the most.
COMMON = 64
# Two of the keys of a known poem within so many stretches, and words of the text, are looked into.
NEAR_STRETCHES = 2
NEAR_WORDS = 24

_TABLE = IndexedLine._meta.db_table
_COLUMNS = "poem_id, place, pair, opening, middle, closing"
_INSERT = f"INSERT INTO {_TABLE} ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s)"  # noqa: S608
_PAIRS = f"SELECT pair, poem_id, place FROM {_TABLE} WHERE pair {{listed}}"  # noqa: S608
_EVERY_SHINGLE = " UNION ALL ".join(
    f"SELECT {words} AS shingle, poem_id, place FROM {_TABLE} WHERE {words} {{listed}}"  # noqa: S608
    for words in ("opening", "middle", "closing")
)
_SHINGLES = f"""
    SELECT shingle, poem_id, place FROM (
        SELECT shingle, poem_id, place, COUNT(*) OVER (PARTITION BY shingle) AS times
        FROM ({_EVERY_SHINGLE}) AS every
    ) AS counted WHERE times <= {COMMON}
"""  # noqa: S608
# One parameter holds all keys: thousands of parameters are slow, and SQLite limits them.
_LISTED = {"postgresql": "= ANY(%s::bigint[])", "sqlite": "IN (SELECT value FROM json_each(%s))"}


Item = TypeVar("Item")


class MatchedLine(NamedTuple):
    """A line of the text beside the line of the human poem; numbers leave out blank lines."""

    own_number: int
    its_number: int
    own_text: str
    its_text: str


@dataclass(frozen=True)
class Match:
    """A human poem of which a text has lines.

    Attributes
    ----------
    lines : tuple of MatchedLine
        In the order of the text if they are equal, else of the human poem.
    similarity : float
        Share of letters in common; 1 if the lines are equal.
    """

    poem_id: int
    title: str
    author: str
    lines: tuple[MatchedLine, ...]
    similarity: float = 1.0


@dataclass(frozen=True)
class Finding:
    """What a text has from human poems: word for word (`exact`), or edited (`near`)."""

    exact: tuple[Match, ...] = ()
    near: tuple[Match, ...] = ()

    @property
    def is_recited(self) -> bool:
        return bool(self.exact)


@dataclass
class _Text:
    """A text that is looked up, and the poems that may have lines of it."""

    lines: list[VerseLine]
    equal: set[int] = field(default_factory=set)
    hits: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    def close(self) -> dict[int, set[int]]:
        """Return the stretches to look into, of each poem that has two of them close together."""
        return {
            poem: {place for place, _ in hits}
            for poem, hits in self.hits.items()
            if len(hits) > 1 and _are_close(sorted(hits))
        }


def find_recited(text: str, *, language: str = "", ignore_poems: Collection[int] = ()) -> Finding:
    """Find lines of human poems, of all collections, in a text.

    Parameters
    ----------
    language : str
        Of the text, if it is known; Chinese is known by its characters.
    ignore_poems : collection of int
        Primary keys of poems that are no matches.
    """
    return find_recited_many([text], language=language, ignore_poems=ignore_poems)[0]


def find_recited_many(
    texts: Sequence[str], *, language: str = "", ignore_poems: Collection[int] = ()
) -> list[Finding]:
    """Find lines of human poems in many texts: one round of queries for a few hundred."""
    index_missing()
    found: list[Finding] = []
    for some in _batches(texts, TEXTS_AT_ONCE):
        found += _found_in([_Text(verse_lines(text, language)) for text in some], ignore_poems)
    return found


def index_missing() -> int:
    """Index the poems that are not yet, or were by another folding; return how many."""
    done = 0
    while Poem.objects.filter(folding__lt=FOLDING).exists():
        with transaction.atomic():
            waiting = Poem.objects.select_for_update().filter(folding__lt=FOLDING).order_by("pk")
            poems = list(waiting.only("pk", "text", "language")[:POEMS_AT_ONCE])
            IndexedLine.objects.filter(poem__in=poems).delete()
            index(poems)
            Poem.objects.filter(pk__in=[poem.pk for poem in poems]).update(folding=FOLDING)
            done += len(poems)
    return done


def index(poems: Iterable[Poem]) -> None:
    """Write the lines of poems that have none in the index into it."""
    rows = (
        (poem.pk, place, keys.pair, keys.opening, keys.middle, keys.closing)
        for poem in poems
        for place, keys in enumerate(line_keys(verse_lines(poem.text, poem.language)))
    )
    for some in _batches(rows, ROWS_AT_ONCE):
        _write(some)


def _write(rows: list[tuple[int, int, int | None, int | None, int | None, int | None]]) -> None:
    # Not by the ORM, which takes longer over a million objects than all the rest together.
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {_TABLE} ({_COLUMNS}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            cursor.executemany(_INSERT, rows)


def _found_in(texts: Sequence[_Text], ignored: Collection[int]) -> list[Finding]:
    _look_up_pairs(texts, frozenset(ignored))
    _look_up_shingles(texts, frozenset(ignored))
    near = [text.close() for text in texts]
    poems = {poem for text in texts for poem in text.equal}
    known = _Known(poems.union(*near))
    return [_finding(text, places, known) for text, places in zip(texts, near, strict=True)]


def _look_up_pairs(texts: Sequence[_Text], ignored: frozenset[int]) -> None:
    asking: dict[int, list[_Text]] = defaultdict(list)
    for text in texts:
        for key in pair_keys(text.lines):
            asking[key].append(text)
    for key, poem, _ in _rows(_PAIRS, asking):
        if poem not in ignored:
            for text in asking[key]:
                text.equal.add(poem)


def _look_up_shingles(texts: Sequence[_Text], ignored: frozenset[int]) -> None:
    asking: dict[int, list[tuple[_Text, int]]] = defaultdict(list)
    for text in texts:
        for word, key in shingle_keys(text.lines):
            asking[key].append((text, word))
    for key, poem, place in _rows(_SHINGLES, asking):
        if poem not in ignored:
            for text, word in asking[key]:
                text.hits[poem].append((place, word))


def _rows(query: str, keys: Mapping[int, object]) -> list[tuple[int, int, int]]:
    if not keys:
        return []
    listed = list(keys) if connection.vendor == "postgresql" else str(list(keys))
    query = query.format(listed=_LISTED[connection.vendor])
    with connection.cursor() as cursor:
        cursor.execute(query, [listed] * query.count("%s"))
        rows: list[tuple[int, int, int]] = cursor.fetchall()
    return rows


def _are_close(hits: list[tuple[int, int]]) -> bool:
    """Whether two stretches close together have words that stand close together in the text."""
    for index, (place, word) in enumerate(hits):
        for other, there in hits[index + 1 :]:
            if other - place > NEAR_STRETCHES:
                break
            if 0 < abs(there - word) <= NEAR_WORDS:
                return True
    return False


class _Known:
    """Poems that may be matches: read once, folded when they are first asked for."""

    def __init__(self, pks: Collection[int]) -> None:
        fields = ("pk", "title", "author", "text", "language", "fingerprint")
        self._poems = Poem.objects.only(*fields).in_bulk(list(pks))
        self._lines: dict[int, list[VerseLine]] = {}

    def __getitem__(self, pk: int) -> Poem:
        return self._poems[pk]

    def lines(self, pk: int) -> list[VerseLine]:
        if pk not in self._lines:
            self._lines[pk] = verse_lines(self[pk].text, self[pk].language)
        return self._lines[pk]

    def without_copies(self, matches: Iterable[Match]) -> tuple[Match, ...]:
        """Those with the most lines, one of each poem, though several collections may hold it."""
        order = sorted(matches, key=lambda each: (-len(each.lines), -each.similarity, each.poem_id))
        first: dict[str, Match] = {}
        for match in order:
            first.setdefault(self[match.poem_id].fingerprint, match)
        return tuple(islice(first.values(), MOST_MATCHES))


def _finding(text: _Text, near: Mapping[int, set[int]], known: _Known) -> Finding:
    exact = [match for pk in text.equal if (match := _exact(text, known, pk)) is not None]
    copied = {known[match.poem_id].fingerprint for match in exact}
    edited = [
        match
        for pk, places in near.items()
        if known[pk].fingerprint not in copied
        and (match := _near(text, known, pk, places)) is not None
    ]
    return Finding(known.without_copies(exact), known.without_copies(edited))


def _exact(text: _Text, known: _Known, pk: int) -> Match | None:
    theirs = known.lines(pk)
    pairs = [
        (run.own + step, run.theirs + step)
        for run in equal_runs(text.lines, theirs)
        for step in range(run.length)
    ]
    return _match(text, known, pk, pairs)


def _near(text: _Text, known: _Known, pk: int, places: set[int]) -> Match | None:
    theirs = known.lines(pk)
    stretches = line_keys(theirs)
    around = {stretches[place].line for place in places if place < len(stretches)}
    found = quotations(text.lines, theirs, around)
    pairs = [pair for quotation in found for pair in quotation.lines]
    similarity = max((quotation.similarity for quotation in found), default=0.0)
    return _match(text, known, pk, pairs, similarity)


def _match(
    text: _Text, known: _Known, pk: int, pairs: Sequence[tuple[int, int]], similarity: float = 1.0
) -> Match | None:
    if not pairs:
        return None
    own, theirs, poem = text.lines, known.lines(pk), known[pk]
    lines = tuple(
        MatchedLine(own[a].number, theirs[b].number, own[a].text, theirs[b].text) for a, b in pairs
    )
    return Match(poem.pk, poem.title, poem.author, lines, similarity)


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
