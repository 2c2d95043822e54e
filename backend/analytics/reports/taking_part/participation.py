"""How far the panel came: judgments for each poem, each judge's part, machine replies unread."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from backend.analytics.excluding import ATTENTION, LATE, REPEAT, RULES, WITHDRAWN
from backend.analytics.frames import Frame, Placed
from backend.analytics.reports.basis import counted, piece
from backend.analytics.reports.taking_part import exclusion
from backend.analytics.tables import Cell, Column, Table, gather
from backend.analytics.turnout import MAIN, READ, UNREADABLE, Given, Turnout
from backend.generation.presenting import PLAINLY


def tables(frame: Frame, turnout: Turnout, *, wanted: Mapping[int, int]) -> tuple[Table, ...]:
    """Return the tables of participation; of experts, only where there are any.

    `wanted` is K, how many experts were to judge an item, by the items that they are to judge.
    """
    found = [_judges(frame, turnout)]
    if any(seat.expert for seat in frame.seats):
        found = [_coverage(frame, turnout, wanted), exclusion.table(frame, turnout), *found]
    if any(not seat.expert for seat in frame.seats):
        found.append(_replies(frame, turnout))
    return tuple(found)


def _coverage(frame: Frame, turnout: Turnout, wanted: Mapping[int, int]) -> Table:
    experts = {seat.key for seat in frame.seats if seat.expert}
    judged = Counter(one.item for one in turnout.given if one.counted and one.judge in experts)
    asked = [item for item in frame.items if item.key in wanted or judged[item.key]]
    kinds = _kinds_of_poem(frame, asked)
    of = [Counter(judged[item] for item in items) for _, items in kinds]
    each_k = sorted({wanted[item.key] for item in asked if item.key in wanted})
    most = max((0, *each_k, *chain.from_iterable(of)))
    one, what = piece(frame), f"{piece(frame).capitalize()}s"
    k = " or ".join(map(str, each_k or [0]))
    were = "was" if each_k == [1] else "were"
    each = "for each, by its group" if len(each_k) > 1 else "for each"
    others = len(frame.items) - len(asked)
    titles = len({item.title_key or -item.key for item in asked})
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
        notes=(
            (f"{what.lower()} of groups that no expert is in, which are not counted: {others}",)
            if others
            else ()
        ),
        basis=f"One unit is a {one} that experts were to judge. "
        f"{counted(len(asked), one)} on {counted(titles, 'title')}, "
        f"{counted(sum(judged.values()), 'judgment')} by "
        f"{counted(sum(seat.expert for seat in frame.seats), 'expert')}",
    )


def _kinds_of_poem(frame: Frame, items: Sequence[Placed]) -> list[tuple[Column, list[int]]]:
    """Return the columns in which items are counted, and the items of each."""
    if frame.paired:
        return [(Column("pairs", "Pairs", "count"), [item.key for item in items])]
    human = [item.key for item in items if not item.model]
    machine = [item.key for item in items if item.model]
    return [
        (Column("human_poems", "Human poems", "count"), human),
        (Column("machine_poems", "Machine poems", "count"), machine),
        (Column("all_poems", "All poems", "count"), human + machine),
    ]


def _judges(frame: Frame, turnout: Turnout) -> Table:
    of: dict[int, list[Given]] = {seat.key: [] for seat in frame.seats}
    for given in turnout.given:
        of[given.judge].append(given)
    one = piece(frame)
    items = f"{one}s"
    return Table(
        key="judges",
        caption="What each judge was given and answered",
        explanation=(
            "Experts are numbered in the order of their random codes, which are in the file; "
            "nobody is named. "
            if any(seat.expert for seat in frame.seats)
            else ""
        )
        + "Extra answers arrived after their place was given back or the study closed. Hidden "
        "repeats and tests of attention stand apart and are in no result.",
        columns=(
            Column("judge", "Judge"),
            Column("code", "Code", shown=False),
            Column("given", "Given", "count", unit=items),
            Column("answered", "In the results", "count", unit=items),
            Column("waiting", "Not answered", "count", unit=items),
            Column("given_back", "Given back", "count", unit=items),
            Column("extra", "Extra", "count", unit=items),
            Column("withdrawn", "Withdrawn", "count", unit=items),
            Column("left_out", "Left out by a rule", "count", unit=items),
            Column("repeats", "Hidden repeats", "count", unit="answered"),
            Column("attention", "Tests of attention", "count", unit="answered"),
            Column("attention_failed", "Failed", "count", unit="tests"),
            Column("timed", "Timed", "count", unit=items),
            Column("median_time", "Median time", "seconds", 1, f"seconds per {one}"),
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
        basis=f"One unit is a {one} that was given to a judge. "
        f"{counted(len(turnout.given), one)} given to {counted(len(frame.seats), 'judge')}, "
        "repeats and tests of attention among them",
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
    one = piece(frame)
    items = f"{one}s"
    return Table(
        key="machine-replies",
        caption="Replies of the machine judges",
        explanation="A reply that could not be read is kept and counted; it is never turned into "
        "a rating. "
        f"A {one} that failed has no answer from this judge.",
        columns=(
            Column("judge", "Judge"),
            Column("asked", "Asked", "count", unit=items),
            Column("answered", "Answered", "count", unit=items),
            Column("failed", "Failed", "count", unit=items),
            Column("unfinished", "Unfinished", "count", unit=items),
            Column("replies", "Calls", "count"),
            Column("unreadable", "Could not be read", "count", unit="replies"),
            Column("no_reply", "No reply", "count", unit="calls"),
        ),
        rows=tuple((Cell(seat.label), *_heard(turnout, seat.key)) for seat in machines),
        method=f"counts of calls and of what came of them; one {one} may take several calls",
        notes=gather([(seat.label, _kinds(turnout, seat.key)) for seat in machines]),
        basis=f"One unit is a {one} put to a machine judge or, of calls and replies, one call. "
        f"{counted(turnout.hearings.total(), one)} put to "
        f"{counted(len(machines), 'machine judge')} in {counted(turnout.replies.total(), 'call')}",
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
