"""How far the panel came: judgments for each poem, each judge's part, machine replies unread."""

from collections import Counter
from itertools import chain

import numpy as np

from backend.analytics.excluding import ATTENTION, LATE, REPEAT, RULES, WITHDRAWN
from backend.analytics.frames import Frame
from backend.analytics.reports.taking_part import exclusion
from backend.analytics.tables import Cell, Column, Table, gather
from backend.analytics.turnout import MAIN, READ, UNREADABLE, Given, Turnout
from backend.generation.presenting import PLAINLY


def tables(frame: Frame, turnout: Turnout, *, wanted: tuple[int, ...]) -> tuple[Table, ...]:
    """Return the tables of participation.

    `wanted` is K, how many experts were to judge a poem; several where groups of poems differ.
    """
    found = [
        _coverage(frame, turnout, wanted),
        exclusion.table(frame, turnout),
        _judges(frame, turnout),
    ]
    if any(not seat.expert for seat in frame.seats):
        found.append(_replies(frame, turnout))
    return tuple(found)


def _coverage(frame: Frame, turnout: Turnout, wanted: tuple[int, ...]) -> Table:
    experts = {seat.key for seat in frame.seats if seat.expert}
    judged = Counter(one.item for one in turnout.given if one.counted and one.judge in experts)
    kinds = _kinds_of_poem(frame)
    of = [Counter(judged[item] for item in items) for _, items in kinds]
    most = max((*wanted, *chain.from_iterable(of)))
    what = "Pairs" if frame.paired else "Poems"
    k = " or ".join(map(str, wanted))
    were = "was" if wanted == (1,) else "were"
    each = "for each" if len(wanted) == 1 else "for each, by its group"
    return Table(
        key="coverage",
        caption=f"{what} by the number of experts who judged them; {k} {were} wanted {each}",
        explanation=f"{what} with fewer judgments than wanted weigh less in figures per judgment.",
        columns=(
            Column("judgments", "Judgments", "count"),
            *(column for column, _ in kinds),
        ),
        rows=tuple((Cell(n), *(Cell(count[n]) for count in of)) for n in range(most + 1)),
        method="judgments in the results only: what is left out of them, and why, has its own "
        "table",
    )


def _kinds_of_poem(frame: Frame) -> list[tuple[Column, list[int]]]:
    """Return the columns in which items are counted, and the items of each."""
    if frame.paired:
        return [(Column("pairs", "Pairs", "count"), [item.key for item in frame.items])]
    human = [item.key for item in frame.items if not item.model]
    machine = [item.key for item in frame.items if item.model]
    return [
        (Column("human_poems", "Human poems", "count"), human),
        (Column("machine_poems", "Machine poems", "count"), machine),
        (Column("all_poems", "All poems", "count"), human + machine),
    ]


def _judges(frame: Frame, turnout: Turnout) -> Table:
    of: dict[int, list[Given]] = {seat.key: [] for seat in frame.seats}
    for one in turnout.given:
        of[one.judge].append(one)
    return Table(
        key="judges",
        caption="What each judge was given and answered",
        explanation="Experts are numbered in the order of their random codes, never named. Extra "
        "answers arrived after their place was given back or the study closed. Hidden repeats and "
        "tests of attention stand apart and are in no result.",
        columns=(
            Column("judge", "Judge"),
            Column("code", "Code"),
            Column("given", "Given", "count", unit="poems"),
            Column("answered", "In the results", "count", unit="poems"),
            Column("waiting", "Not answered", "count", unit="poems"),
            Column("given_back", "Given back", "count", unit="poems"),
            Column("extra", "Extra", "count", unit="poems"),
            Column("withdrawn", "Withdrawn", "count", unit="poems"),
            Column("left_out", "Left out by a rule", "count", unit="poems"),
            Column("repeats", "Hidden repeats", "count", unit="answered"),
            Column("attention", "Tests of attention", "count", unit="answered"),
            Column("attention_failed", "Failed", "count", unit="tests"),
            Column("timed", "Timed", "count", unit="poems"),
            Column("median_time", "Median time", "number", 0, "seconds per poem"),
        ),
        rows=tuple(
            (
                Cell(seat.label),
                Cell(seat.code),
                *_part(of[seat.key], n_failed=turnout.failed[seat.key]),
            )
            for seat in frame.seats
        ),
        method="median over the judgments in the results whose time was measured: that of an "
        "expert in view, that of a machine judge until its reply was there",
        notes=_deleted(turnout),
    )


def _part(given: list[Given], *, n_failed: int) -> tuple[Cell, ...]:
    main = [one for one in given if one.purpose == MAIN]
    times = [one.milliseconds for one in main if one.counted and one.milliseconds is not None]
    out = Counter(why for one in given for why in one.because)
    return (
        Cell(len(main)),
        Cell(sum(one.counted for one in main)),
        Cell(sum(one.waiting for one in main)),
        Cell(sum(one.given_back and not one.judged for one in main)),
        Cell(out[LATE]),
        Cell(sum(WITHDRAWN in one.because for one in main)),
        Cell(sum(any(rule in one.because for rule in RULES) for one in main)),
        Cell(out[REPEAT]),
        Cell(out[ATTENTION]),
        Cell(n_failed),
        Cell(len(times)),
        Cell(float(np.median(times)) / 1000)
        if times
        else Cell(None, "no time was measured of a judgment in the results"),
    )


def _deleted(turnout: Turnout) -> tuple[str, ...]:
    """Return what is told of experts of whom nothing else is left."""
    if not turnout.experts_deleted:
        return ()
    return (
        f"experts who withdrew and had everything deleted: {turnout.experts_deleted}; judgments "
        f"that went with them: {turnout.judgments_deleted}",
    )


def _replies(frame: Frame, turnout: Turnout) -> Table:
    machines = [seat for seat in frame.seats if not seat.expert]
    return Table(
        key="machine-replies",
        caption="Replies of the machine judges",
        explanation="A reply that could not be read is kept and counted; it is never turned into "
        "a rating. A poem that failed has no answer from this judge.",
        columns=(
            Column("judge", "Judge"),
            Column("asked", "Asked", "count", unit="poems"),
            Column("answered", "Answered", "count", unit="poems"),
            Column("failed", "Failed", "count", unit="poems"),
            Column("unfinished", "Unfinished", "count", unit="poems"),
            Column("replies", "Calls", "count"),
            Column("unreadable", "Could not be read", "count", unit="replies"),
            Column("no_reply", "No reply", "count", unit="calls"),
        ),
        rows=tuple((Cell(seat.label), *_heard(turnout, seat.key)) for seat in machines),
        notes=gather([(seat.label, _kinds(turnout, seat.key)) for seat in machines]),
    )


def _heard(turnout: Turnout, judge: int) -> tuple[Cell, ...]:
    status = Counter({key: n for (who, key), n in turnout.hearings.items() if who == judge})
    kinds = Counter({key: n for (who, key), n in turnout.replies.items() if who == judge})
    return (
        Cell(status.total()),
        Cell(status["done"]),
        Cell(status["failed"]),
        Cell(status["queued"] + status["running"]),
        Cell(kinds.total()),
        Cell(kinds[UNREADABLE]),
        Cell(kinds.total() - kinds[UNREADABLE] - kinds[READ]),
    )


def _plainly(kind: str) -> str:
    told = PLAINLY.get(kind, kind)
    return told[:1].lower() + told[1:]


def _kinds(turnout: Turnout, judge: int) -> tuple[str, ...]:
    return tuple(
        f"{n} call{'s' if n > 1 else ''} without a reply: {_plainly(kind)}"
        for (who, kind), n in sorted(turnout.replies.items())
        if who == judge and kind not in (READ, UNREADABLE)
    )
