"""What stands beside a text tells nothing, or the check says so."""

import math
import random

import pytest

from backend.design.surface_ids import IdCheck, IdRow, Trace, examine_ids

HUMAN = [number % 2 == 0 for number in range(60)]
BRIEFS = [str(number // 2) for number in range(60)]


def noise(seed: int, rows: int = 10) -> list[Trace]:
    rng = random.Random(seed)
    return [Trace(f"row {n}", [rng.random() for _ in HUMAN], HUMAN, BRIEFS) for n in range(rows)]


def test_rows_by_chance_are_called_chance():
    # 40 studies of ten rows. At 95 % a row, 40 % of them would raise a false alarm: 16 of 40; at
    # 95 % held together, about two.
    alarmed = [bool(examine_ids(noise(seed)).telling) for seed in range(40)]
    assert sum(alarmed) <= 6


def test_an_order_that_tells_is_found_among_ten_that_do_not():
    leak = Trace("order", [float(n if of else n + 20) for n, of in enumerate(HUMAN)], HUMAN, BRIEFS)
    check = examine_ids([*noise(1), leak])
    assert [row.name for row in check.telling] == ["order"]
    assert check.worst is not None
    assert check.worst.name == "order"
    wins = sum(n > m + 20 for n in range(0, 60, 2) for m in range(1, 60, 2))
    assert check.worst.auc == wins / 900
    assert check.worst.n == 60


def test_what_tells_every_text_is_told_though_no_interval_can_be_drawn():
    (row,) = examine_ids([Trace("size", [float(of) for of in HUMAN], HUMAN, BRIEFS)]).rows
    assert (row.auc, row.tells) == (1, True)
    assert math.isnan(row.low)


def test_what_never_varies_tells_nothing():
    (row,) = examine_ids([Trace("size", [7.0] * 60, HUMAN, BRIEFS)]).rows
    assert (row.auc, row.tells) == (0.5, False)


def test_times_that_differ_by_a_millisecond_are_not_taken_for_one():
    times = [1.8e9 + n / 1000 + (0.5 if of else 0) for n, of in enumerate(HUMAN)]
    assert examine_ids([Trace("time", times, HUMAN, BRIEFS)]).rows[0].auc == 1


def test_of_too_few_items_nothing_is_said():
    check = examine_ids([Trace("order", [1.0, 2.0], [True, False], ["a", "a"])])
    assert math.isnan(check.rows[0].auc)
    assert check.worst is None
    assert check.telling == ()


def test_more_rows_make_wider_intervals():
    alone = examine_ids(noise(2)[:1]).rows[0]
    among = examine_ids(noise(2)).rows[0]
    assert among.auc == alone.auc
    assert among.low < alone.low < alone.high < among.high


def test_nothing_looked_at_tells_nothing():
    assert examine_ids([]) == IdCheck(())


def test_the_worst_is_the_farthest_from_half_on_either_side():
    rows = tuple(IdRow(str(auc), auc, 0.0, 1.0, 60) for auc in (0.6, 0.2, 0.7, math.nan))
    assert IdCheck(rows).worst == rows[1]


def test_a_trace_without_its_kinds_is_refused():
    with pytest.raises(ValueError, match="order"):
        examine_ids([Trace("order", [1.0], [], [])])
