"""Reports that were made before of the very same data: a page and each file of it cost one."""

import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable
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
        self._lock = Lock()

    def result(self, made_of: object, make: Callable[[], Result]) -> Result:
        """Return what was made of these data before, or make it."""
        key = digest(made_of)
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        # Two who ask at once both make it: better than that one waits for the other's study.
        made = make()
        with self._lock:
            self._found[key] = made
            while len(self._found) > self._kept:
                self._found.popitem(last=False)
        return made


def digest(data: object) -> str:
    """Return the SHA-256 of data as they are written out in full, arrays and all."""
    return hashlib.sha256(pickle.dumps(data, protocol=5)).hexdigest()
