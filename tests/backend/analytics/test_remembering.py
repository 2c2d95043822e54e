"""A result is made once for the same data, and anew for whatever differs in them."""

from dataclasses import dataclass

import numpy as np
import pytest

from backend.analytics.remembering import Remembered, digest


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
