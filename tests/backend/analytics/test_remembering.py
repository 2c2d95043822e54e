"""A result is made once for the same data, and anew for whatever differs in them."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier, Event, get_ident

import numpy as np
import pytest

from backend.analytics import remembering
from backend.analytics.remembering import Remembered, digest
from tests.services.waiting import soon


@dataclass
class Made:
    times: int = 0

    def again(self) -> int:
        self.times += 1
        return self.times


def data(number: float = 1.0, text: str = "a") -> object:
    return (np.array([number, 2.0]), {"said": [text, None]})


def test_equal_data_are_made_into_a_result_once() -> None:
    found: Remembered[int] = Remembered()
    made = Made()
    assert [found.result(data(), made.again) for _ in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("other", [data(number=1.0 + 1e-15), data(text="b")])
def test_whatever_differs_is_made_anew(other: object) -> None:
    found: Remembered[int] = Remembered()
    made = Made()
    assert [found.result(one, made.again) for one in (data(), other, data())] == [1, 2, 1]


def test_a_long_array_counts_in_every_place() -> None:
    # Printed, the middle of it would be dots.
    one, other = np.zeros(100_000), np.zeros(100_000)
    other[50_000] = 1
    assert digest(one) != digest(other)


def test_only_the_last_few_are_kept() -> None:
    found: Remembered[int] = Remembered(kept=2)
    made = Made()
    for text in "abc":
        found.result(data(text=text), made.again)
    assert found.result(data(text="c"), made.again) == 3
    assert found.result(data(text="a"), made.again) == 4


def test_what_was_asked_for_last_is_kept_longest() -> None:
    found: Remembered[int] = Remembered(kept=2)
    made = Made()
    for text in "abac":
        found.result(data(text=text), made.again)
    assert found.result(data(text="a"), made.again) == 1


def waiters(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Return who waits for what another makes, filled as they come."""
    found: set[int] = set()

    class Counted(Future[int]):
        def result(self, timeout: float | None = None) -> int:
            found.add(get_ident())
            return super().result(timeout)

    monkeypatch.setattr(remembering, "Future", Counted)
    return found


def ask_at_once(found: Remembered[int], make: Callable[[], int], *, times: int) -> list[object]:
    """Return what each of several threads got, a failure in place of what it broke."""
    start = Barrier(times)

    def ask() -> object:
        start.wait(20)
        try:
            return found.result(data(), make)
        except ArithmeticError as failure:
            return failure

    with ThreadPoolExecutor(times) as pool:
        return [one.result(30) for one in [pool.submit(ask) for _ in range(times)]]


def test_of_several_who_ask_at_once_one_makes_it_and_the_others_wait(monkeypatch) -> None:
    found: Remembered[int] = Remembered()
    made, waiting = Made(), waiters(monkeypatch)

    def slowly() -> int:
        soon(lambda: len(waiting) == 3, within=20)
        return made.again()

    assert ask_at_once(found, slowly, times=4) == [1, 1, 1, 1]
    assert len(waiting) == 3


def test_if_it_fails_one_of_those_who_waited_makes_it(monkeypatch) -> None:
    found: Remembered[int] = Remembered()
    made, waiting = Made(), waiters(monkeypatch)

    def slowly() -> int:
        soon(lambda: len(waiting) == 2, within=20)
        if made.again() == 1:
            raise ArithmeticError
        return made.times

    got = ask_at_once(found, slowly, times=3)
    failed = [one for one in got if isinstance(one, ArithmeticError)]
    assert len(failed) == 1
    assert [one for one in got if one not in failed] == [2, 2]
    assert found.result(data(), made.again) == 2


def test_nobody_waits_for_what_is_made_of_other_data() -> None:
    found: Remembered[int] = Remembered()
    begun, through = Event(), Event()

    def slowly() -> int:
        begun.set()
        assert through.wait(20)
        return 1

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(found.result, data(), slowly)
        assert begun.wait(20)
        assert found.result(data(text="b"), lambda: 2) == 2
        through.set()
        assert slow.result(20) == 1
