"""Sealing the activity log block by block, and checking the chain of its seals."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, Min
from django.utils import timezone

from annotation.activity import triggers
from annotation.activity.models import Entry, Seal
from annotation.activity.reading import as_of_one_moment
from annotation.activity.services import canonical

AT_MOST = 5000
BEFORE_ALL = "0" * 64  # what the first seal follows
LONGEST_WAIT = timedelta(minutes=5)
SEALS_AT_ONCE = 100
COVERED = ("pk", "at", "kind", "study", "actor", "subject", "digest", "details")

Progress = Callable[[int, int], None]


class _SealedMeanwhile(Exception):
    """Another worker has sealed what this one was about to."""


@dataclass(frozen=True)
class Verdict:
    """What a check of the whole chain found.

    Attributes
    ----------
    problems : list of str
        What is wrong and where, in a line each; empty if nothing is.
    entries, seals : int
    unsealed : int
        Entries that wait for their seal, and that nothing protects yet but the database's refusal.
    oldest_unsealed : datetime or None
    head : str
        SHA-256 of the last seal. Whoever keeps it elsewhere can find out later whether all that
        came before was rewritten.
    """

    problems: list[str]
    entries: int
    seals: int
    unsealed: int
    oldest_unsealed: datetime | None
    head: str


def seal(at_most: int = AT_MOST) -> int:
    """Bind entries that are not sealed yet into one block. Return how many; 0 if none was left.

    Entries are committed in another order than they are numbered in: one that appears after a
    later one was sealed goes into a later block. Of two workers who seal at once one does, and the
    other returns 0.
    """
    try:
        with transaction.atomic():
            return _seal(at_most)
    except _SealedMeanwhile:
        return 0


def seal_all() -> int:
    """Seal block by block until nothing waits. Return how many entries this worker sealed.

    Where another is quicker, this one goes on with what that one left. It has to see what others
    have committed: a transaction that reads as of one moment would never end here.
    """
    total = 0
    while True:
        try:
            with transaction.atomic():
                sealed = _seal(AT_MOST)
        except _SealedMeanwhile:
            continue
        if not sealed:
            return total
        total += sealed


def verify(
    *, expect: str = "", now: datetime | None = None, progress: Progress | None = None
) -> Verdict:
    """Compute the whole chain anew and say what does not fit.

    `expect` is the SHA-256 of a seal that was written down elsewhere. `progress` is told, after
    each block, how many entries of how many were looked at.
    """
    with as_of_one_moment():
        waiting = Entry.objects.unsealed().aggregate(number=Count("pk"), oldest=Min("at"))
        total = Entry.objects.count() - waiting["number"]
        walk = _Walk(expect.strip().lower())
        for block, rows in _blocks():
            walk.step(block, rows)
            if progress:
                progress(walk.entries, total)
        unguarded = triggers.missing()
    problems = [*walk.problems, *walk.unmet()]
    if unguarded:
        problems.append(
            f"The database no longer refuses changes: {', '.join(unguarded)} "
            "is missing, switched off or replaced."
        )
    if waiting["oldest"] and waiting["oldest"] < (now or timezone.now()) - LONGEST_WAIT:
        problems.append(
            f"Unsealed entries: {waiting['number']}, the oldest since "
            f"{_told(waiting['oldest'])}. The worker that seals them does not run."
        )
    return Verdict(
        problems=problems,
        entries=walk.entries,
        seals=walk.seals,
        unsealed=waiting["number"],
        oldest_unsealed=waiting["oldest"],
        head=walk.head if walk.seals else "",
    )


def _seal(at_most: int) -> int:
    # The last seal is read first: whoever reads an old one then fails on the number, and whoever
    # reads the newest sees what it took.
    last = Seal.objects.order_by("-number").first()
    waiting = Entry.objects.unsealed().order_by("pk")
    rows = list(waiting.values_list(*COVERED)[:at_most])
    if not rows:
        return 0
    made = Seal(
        number=last.number + 1 if last else 1,
        previous=last.sha256 if last else BEFORE_ALL,
        entries=len(rows),
        sealed_at=timezone.now(),
    )
    made.sha256, _ = _digest(made, rows)
    try:
        with transaction.atomic():
            made.save(force_insert=True)
    except IntegrityError as taken:
        raise _SealedMeanwhile from taken
    sealed = Entry.objects.unsealed().filter(pk__in=[row[0] for row in rows]).update(seal=made)
    if sealed != len(rows):
        raise _SealedMeanwhile
    return sealed


def _digest(block: Seal, rows: Iterable[tuple[Any, ...]]) -> tuple[str, int]:
    """Return the SHA-256 of a block, and of how many entries it is."""
    head = [block.number, block.previous, block.entries, _told(block.sealed_at)]
    whole, number = hashlib.sha256(canonical(head)), 0
    for key, at, *rest in rows:
        whole.update(b"\n" + canonical([key, _told(at), *rest]))  # JSON in one line: no ambiguity
        number += 1
    return whole.hexdigest(), number


def _blocks() -> Iterator[tuple[Seal, Iterable[tuple[Any, ...]]]]:
    """Yield each seal with its entries, which have to be read before the next."""
    last = -1
    while seals := list(Seal.objects.filter(number__gt=last).order_by("number")[:SEALS_AT_ONCE]):
        found = Entry.objects.filter(seal__in=seals).order_by("seal__number", "pk")
        rows = found.values_list("seal_id", *COVERED).iterator(chunk_size=2000)
        groups = groupby(rows, key=lambda row: row[0])
        group = next(groups, None)
        for block in seals:
            if group is None or group[0] != block.pk:
                yield block, ()
                continue
            yield block, (row[1:] for row in group[1])
            group = next(groups, None)
        last = seals[-1].number


@dataclass
class _Walk:
    """What is known of the chain up to one of its seals."""

    expect: str
    number: int = 0
    head: str = BEFORE_ALL
    seals: int = 0
    entries: int = 0
    problems: list[str] = field(default_factory=list)

    def step(self, block: Seal, rows: Iterable[tuple[Any, ...]]) -> None:
        sha256, number = _digest(block, rows)
        name = f"Seal {block.number} of {_told(block.sealed_at)}"
        if block.number != self.number + 1:
            self.problems.append(f"{name} follows seal {self.number}: those between are missing.")
        elif block.previous != self.head:
            self.problems.append(f"{name} does not hold the SHA-256 of the seal before it.")
        if number != block.entries:
            self.problems.append(f"{name} binds {block.entries} entries, and {number} are there.")
        elif sha256 != block.sha256:
            self.problems.append(
                f"{name} does not fit: one of its {number} entries was changed, or the seal."
            )
        self.expect = "" if block.sha256 == self.expect else self.expect
        self.number, self.head = block.number, block.sha256
        self.seals += 1
        self.entries += number

    def unmet(self) -> list[str]:
        if not self.expect:
            return []
        return [f"No seal has the SHA-256 {self.expect}: the chain was cut, or written anew."]


def _told(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
