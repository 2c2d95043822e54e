"""Reports that were made before of the very same data: a page and each file of it cost one."""

import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from threading import Lock
from typing import Generic, TypeVar

KEPT = 8

Result = TypeVar("Result")


class Remembered(Generic[Result]):
    """The last few results, each under the digest of all that it was made of.

    Whoever asks hands over the data themselves, not their names: whatever differs in them, however
    it came to differ, has another digest. So nothing here is ever out of date.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._found: OrderedDict[str, Result] = OrderedDict()
        self._begun: dict[str, Future[Result]] = {}
        self._lock = Lock()

    def result(self, made_of: object, make: Callable[[], Result]) -> Result:
        """Return what was made of these data before, or make it.

        Of those who ask for the same at once, one makes it and the others wait for that; nobody
        waits for what is made of other data. Whatever `make` raises, it raises for whoever called
        it; one of those who waited then makes it anew.
        """
        key = digest(made_of)
        while True:
            with self._lock:
                if key in self._found:
                    self._found.move_to_end(key)
                    return self._found[key]
                begun = self._begun.get(key)
                if begun is None:
                    self._begun[key] = mine = Future[Result]()
            if begun is None:
                return self._make(key, make, mine)
            with suppress(CancelledError):
                return begun.result()

    def _make(self, key: str, make: Callable[[], Result], mine: Future[Result]) -> Result:
        try:
            made = make()
            mine.set_result(made)
        finally:
            with self._lock:
                del self._begun[key]
                if mine.done():
                    self._found[key] = made
                while len(self._found) > self._kept:
                    self._found.popitem(last=False)
            mine.cancel()  # of no effect on what was made
        return made


def digest(data: object) -> str:
    """Return the SHA-256 of data as they are written out in full, arrays and all."""
    return hashlib.sha256(pickle.dumps(data, protocol=5)).hexdigest()
