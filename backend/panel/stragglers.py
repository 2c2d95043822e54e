"""Experts who may need a word: silent ones, ones whose lease ends, ones who never came."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from backend.panel.models import PanelRules
from backend.panel.progress import Seat

SILENT_DAYS = 7  # where the rules name none
LEASE_DAYS = 2
NOT_COME = ("invited", "link expired")


@dataclass(frozen=True)
class Watch:
    """Experts in the same situation, and what it is."""

    key: str
    title: str
    nobody: str
    people: tuple[Seat, ...]

    @property
    def to_remind(self) -> tuple[Seat, ...]:
        """Those who can be reminded and had no letter within a day."""
        return tuple(one for one in self.people if one.remindable and not one.just_written_to)


def watches(seats: Iterable[Seat], rules: PanelRules | None, now: datetime) -> list[Watch]:
    """Return the experts of a panel who may need a word, by situation; one may be in several."""
    days = (rules and rules.remind_after_days) or SILENT_DAYS
    notice = (rules and rules.remind_before_lease_days) or LEASE_DAYS
    part = [seat for seat in seats if seat.takes_part]
    return [
        Watch(
            "silent",
            f"Silent for {_days(days)}, with poems waiting",
            "Nobody with poems waiting has been silent for so long.",
            tuple(seat for seat in part if _silent(seat, timedelta(days=days), now)),
        ),
        Watch(
            "lease",
            f"Poems go back to the others within {_days(notice)}",
            "No poems are about to go back.",
            tuple(seat for seat in part if _ends(seat, timedelta(days=notice), now)),
        ),
        Watch(
            "unopened",
            "Never opened their link",
            "Everybody has opened their link.",
            tuple(seat for seat in part if seat.opened_at is None and seat.state in NOT_COME),
        ),
    ]


def _silent(seat: Seat, pause: timedelta, now: datetime) -> bool:
    return seat.idle_since is not None and now - seat.idle_since >= pause


def _ends(seat: Seat, notice: timedelta, now: datetime) -> bool:
    return seat.lease_ends_at is not None and seat.lease_ends_at - now <= notice


def _days(days: int) -> str:
    return "a day" if days == 1 else f"{days} days"
