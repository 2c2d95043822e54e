"""The plagiarism check: 6,090 poems against 1,000,000 lines of human poems, in both databases.

Poems are made of words drawn as words are in English (by rank), with stock phrases between them so
that unlike poems share phrases. One machine poem in twenty has two to eight lines of a known poem
word for word, one in twenty has four with every eighth word another; the rest have none. The check
has to find all of the first, is asked how many it finds of the second, and may name no other.

The baseline holds the consecutive lines of all poems in a set in memory, by the same folding; it
finds equal lines only. Edited lines in memory means comparing with all lines by rapidfuzz: that is
timed on a few lines and multiplied, and marked with a tilde.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
LINES, LINES_IN_POEM = 1_000_000, 20
POEMS, POEM_LINES = 6_090, 16
RECITED_EVERY, EDITED_EVERY = 20, 20
STOCK = 0.1  # of the lines hold a stock phrase
COMPARED = 40  # lines, with all of a million
SEED = 7

Made = TypeVar("Made")


class Generator:
    """Verse without sense: 20,000 words by Zipf's law, and 4,000 phrases of three."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        letters = random.Random(SEED)
        syllables = [
            a + b for a in "bdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "ai", "en")
        ]
        function = "the and of to a in with my that his for her is all on but as not thy at".split()  # noqa: SIM905
        made = {"".join(letters.choices(syllables, k=letters.randint(1, 4))) for _ in range(40_000)}
        self.words = function + sorted(made - set(function))[:20_000]
        letters.shuffle(self.words[20:])
        self.of_words = list(accumulate(1 / (rank + 3) for rank in range(len(self.words))))
        self.phrases = [" ".join(self._drawn(letters, 3)) for _ in range(4_000)]
        self.of_phrases = list(accumulate(1 / (rank + 20) for rank in range(len(self.phrases))))

    def _drawn(self, source: random.Random, number: int) -> list[str]:
        return source.choices(self.words, cum_weights=self.of_words, k=number)

    def line(self) -> str:
        words = self._drawn(self.random, self.random.randint(5, 8))
        if self.random.random() < STOCK:
            phrase = self.random.choices(self.phrases, cum_weights=self.of_phrases)
            start = self.random.randrange(len(words) - 3)
            words[start : start + 3] = phrase
        return " ".join(words).capitalize() + self.random.choice((",", ".", "", ";"))

    def poem(self, lines: int) -> list[str]:
        return [self.line() for _ in range(lines)]


def known_poems() -> Iterator[list[str]]:
    generator = Generator(1)
    for _ in range(LINES // LINES_IN_POEM):
        yield generator.poem(LINES_IN_POEM)


def machine_poems(
    pick: Callable[[random.Random], list[str]],
) -> tuple[list[str], set[int], set[int]]:
    """Texts, and which of them recite and which quote with other words poems that are picked."""
    generator = Generator(2)
    random_, recited, edited, texts = generator.random, set(), set(), []
    for number in range(POEMS):
        lines = generator.poem(POEM_LINES)
        if number % RECITED_EVERY == 0:
            start = random_.randrange(LINES_IN_POEM - 8)
            lines[4:4] = pick(random_)[start : start + random_.randint(2, 8)]
            recited.add(number)
        elif number % EDITED_EVERY == 1:
            start = random_.randrange(LINES_IN_POEM - 4)
            lines[4:4] = [edit(line, random_) for line in pick(random_)[start : start + 4]]
            edited.add(number)
        texts.append("\n".join(lines))
    return texts, recited, edited


def edit(line: str, random_: random.Random) -> str:
    words = line.split()
    return " ".join("otherwise" if random_.random() < 1 / 8 else word for word in words)


def timed(work: Callable[[], Made]) -> tuple[float, Made]:
    began = time.perf_counter()
    made = work()
    return time.perf_counter() - began, made


def forget_peak() -> float:
    """Begin to look for the most memory anew, and return what is held now, in MB."""
    Path("/proc/self/clear_refs").write_text("5")
    return held_at_most()


def held_at_most() -> float:
    """Return the most memory that was held since, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def row(name: str, value: str) -> None:
    print(f"  {name:<66}{value:>16}", flush=True)


def in_database() -> None:
    """Index and check in the database of the environment."""
    import django

    django.setup()
    from django.db import connection

    from backend.corpus import lines
    from backend.corpus.models import Collection, IndexedLine, Poem

    collection = Collection.objects.create(name="Known")
    numbered = enumerate(known_poems())
    while some := list(islice(numbered, 2_000)):
        Poem.objects.bulk_create(
            Poem(
                collection=collection,
                title=f"Poem {number}",
                text="\n".join(poem),
                fingerprint=f"{number}",
            )
            for number, poem in some
        )

    first = Poem.objects.earliest("pk").pk

    def pick(random_: random.Random) -> list[str]:
        number = random_.randrange(LINES // LINES_IN_POEM)
        return Poem.objects.get(pk=first + number).text.split("\n")

    texts, recited, edited = machine_poems(pick)
    before = size_of(connection)
    base = forget_peak()
    took, poems = timed(lines.index_missing)
    row(f"index {poems:,} poems of {LINES:,} lines", f"{took:,.1f} s")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    row(
        f"size of the index, {IndexedLine.objects.count():,} rows",
        f"{size_of(connection) - before:,.0f} MB",
    )
    row(
        "memory of the process, more than before indexing",
        f"{max(0.0, held_at_most() - base):,.0f} MB",
    )
    base = forget_peak()
    took, findings = timed(lambda: lines.find_recited_many(texts))
    row(f"check {POEMS:,} poems", f"{took:,.1f} s")
    row("  a poem", f"{1000 * took / POEMS:,.2f} ms")
    row(
        "memory of the process, more than before checking",
        f"{max(0.0, held_at_most() - base):,.0f} MB",
    )
    some = texts[:200]
    took, _ = timed(lambda: [lines.find_recited(text) for text in some])
    row("  a poem, each asked for by itself", f"{1000 * took / len(some):,.2f} ms")
    judge(findings, recited, edited)


def judge(findings: list, recited: set[int], edited: set[int]) -> None:  # type: ignore[type-arg]
    exact = {number for number, finding in enumerate(findings) if finding.exact}
    near = {number for number, finding in enumerate(findings) if finding.near}
    assert exact >= recited, "a recited poem was not found"
    # Two lines in a row of which no word was changed are recited, too.
    assert exact <= recited | edited, "a poem was accused that recites nothing"
    row(f"recited poems found, of {len(recited)}", f"{len(exact & recited)}")
    row(f"edited quotations found, of {len(edited)}", f"{len((near | exact) & edited)}")
    row("poems named that quote nothing", f"{len((near | exact) - recited - edited)}")


def size_of(connection) -> float:  # type: ignore[no-untyped-def]
    """Return the size of the index's table with its indexes, in MB; SQLite's is the whole file."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_total_relation_size('corpus_indexedline')")
            return cursor.fetchone()[0] / 1e6
    path = Path(connection.settings_dict["NAME"])
    return sum(each.stat().st_size for each in path.parent.glob(f"{path.name}*")) / 1e6


def in_memory() -> None:
    """Hold all pairs of lines in a set, and compare some lines with all by rapidfuzz."""
    from rapidfuzz import fuzz, process

    from backend.poetics.overlap import verse_lines

    known = list(known_poems())
    texts, recited, _ = machine_poems(lambda random_: random_.choice(known))
    base = forget_peak()

    def held() -> set[str]:
        return {
            f"{a.letters}\n{b.letters}"
            for poem in known
            for a, b in pairwise(verse_lines("\n".join(poem)))
        }

    took, pairs = timed(held)
    row(f"fold {LINES:,} lines into a set of pairs, at every start", f"{took:,.1f} s")
    row("memory of the set", f"{max(0.0, held_at_most() - base):,.0f} MB")

    def found() -> set[int]:
        return {
            number
            for number, text in enumerate(texts)
            if any(f"{a.letters}\n{b.letters}" in pairs for a, b in pairwise(verse_lines(text)))
        }

    took, accused = timed(found)
    assert accused >= recited
    row(f"check {POEMS:,} poems for equal lines", f"{took:,.1f} s")
    row("  a poem", f"{1000 * took / POEMS:,.2f} ms")
    lines = [line.folded for poem in known for line in verse_lines("\n".join(poem))]
    asked = [line.folded for text in texts[:3] for line in verse_lines(text)][:COMPARED]
    took, _ = timed(
        lambda: [
            process.extractOne(line, lines, scorer=fuzz.ratio, score_cutoff=80) for line in asked
        ]
    )
    all_lines = sum(len(text.split("\n")) for text in texts)
    hours = took / len(asked) * all_lines / 3600
    row(f"compare {all_lines:,} lines with all by rapidfuzz", f"~{hours:,.1f} h")


def run(title: str, part: str, **environment: str) -> None:
    print(title, flush=True)
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DJANGO_SETTINGS_MODULE": "backend.config.settings",
    }
    env |= environment
    if part == "database":
        manage = [
            sys.executable,
            str(ROOT / "manage.py"),
            "migrate",
            "-v0",
            "--skip-checks",
            "corpus",
        ]
        subprocess.run(manage, env=env, check=True)
    subprocess.run([sys.executable, __file__, part], env=env, check=True)


def write_to_disk(url: str) -> None:
    """Turn on what the tests turn off, and make the database."""
    import psycopg

    server = urlsplit(url)._replace(path="/postgres").geturl()
    with psycopg.connect(server, autocommit=True) as link:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            link.execute(f"ALTER SYSTEM SET {name} = on")
        link.execute("SELECT pg_reload_conf()")
        link.execute("CREATE DATABASE blindverse")


def main() -> None:
    from tests.services import postgres
    from tests.services.keeper import Keeper

    folder = Path(tempfile.mkdtemp(prefix="blindverse-bench-", dir="/tmp"))
    folder.chmod(0o711)
    keeper = Keeper(folder)
    try:
        database = postgres.start(keeper)
        write_to_disk(database.url)
        data = str(folder / "data")
        run(
            f"{database.name}, fsync on",
            "database",
            DATABASE_URL=database.url,
            BLINDVERSE_DATA=data,
        )
        run(
            "SQLite",
            "database",
            DATABASE_URL=f"sqlite:///{folder}/lines.sqlite3",
            BLINDVERSE_DATA=data,
        )
        run("baseline: a Python set in memory", "memory")
    finally:
        keeper.close()


if __name__ == "__main__":
    parts = {"database": in_database, "memory": in_memory}
    parts.get(sys.argv[1] if len(sys.argv) > 1 else "", main)()
