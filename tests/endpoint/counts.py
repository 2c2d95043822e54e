"""What the endpoint counts: who asked, what was written and paid for, what was delivered."""

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from tests.endpoint.asked import Asked


@dataclass
class Counts:
    """The endpoint's own books; by idempotency key, or a digest of what was asked."""

    requests: list[Asked] = field(default_factory=list)
    written: Counter[str] = field(default_factory=Counter)
    delivered: Counter[str] = field(default_factory=Counter)
    replayed: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    most_at_once: int = 0
    kept: dict[str, bytes] = field(default_factory=dict)  # what was written, by idempotency key
    _came: Counter[str] = field(default_factory=Counter)
    _poems: Counter[tuple[str, str]] = field(default_factory=Counter)
    _turns: defaultdict[str, asyncio.Lock] = field(
        default_factory=lambda: defaultdict(asyncio.Lock)
    )

    def came(self, asked: Asked) -> Asked:
        """Write down a request, and return it with its place among the others."""
        self._came[asked.key] += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        placed = replace(
            asked,
            number=len(self.requests) + 1,
            time=self._came[asked.key],
            at_once=self.at_once,
            poems=self._poems[asked.model, asked.prompt],
        )
        self.requests.append(placed)
        return placed

    def turn(self, asked: Asked) -> asyncio.Lock:
        """Return what lets requests of one idempotency key be answered one after the other."""
        return self._turns[asked.idempotency_key or f"#{asked.number}"]

    def wrote(self, asked: Asked, body: bytes) -> None:
        """Write down an answer, which would be paid for."""
        self.written[asked.key] += 1
        self._poems[asked.model, asked.prompt] += 1
        if asked.idempotency_key:
            self.kept[asked.idempotency_key] = body

    def forget(self) -> None:
        """Begin to count anew. What was written is still kept for those who ask for it again."""
        self.requests.clear()
        for counter in (self.written, self.delivered, self.replayed, self._came, self._poems):
            counter.clear()
        self.most_at_once = self.at_once

    def totals(self) -> dict[str, Any]:
        """Return the books as JSON has them."""
        return {
            "requests": len(self.requests),
            "written": self.written.total(),
            "written_twice": sum(times > 1 for times in self.written.values()),
            "delivered": self.delivered.total(),
            "replayed": self.replayed.total(),
            "keys": len(self.written),
            "at_once": self.at_once,
            "most_at_once": self.most_at_once,
            "first_at": self.requests[0].at if self.requests else None,
            "last_at": self.requests[-1].at if self.requests else None,
        }
