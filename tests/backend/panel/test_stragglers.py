"""Who may need a word: silent, about to lose their poems, or never come."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from annotation.studies.models import Assignment, Judge
from annotation.studies.services import deal
from backend.panel import progress
from backend.panel.models import Letter, PanelRules
from backend.panel.progress import Seat
from backend.panel.stragglers import watches
from tests.annotation.studies.panels import again, answer, reader, shaped

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def seat(**fields: object) -> Seat:
    given = {
        "code": "c", "name": "Ada", "email": "ada@reader.example", "language": "",
        "state": "agreed", "given": 3, "answered": 0, "given_back": 0, "last_answer": None,
        "expires_at": NOW + timedelta(days=3650), "last_letter": None, "opened_at": NOW,
    }  # fmt: skip
    return Seat(**{**given, **fields})


def named(one: Seat, rules: PanelRules | None = None) -> list[str]:
    return [watch.key for watch in watches([one], rules, NOW) if watch.people]


@pytest.mark.parametrize(("days", "silent"), [(6.9, False), (7, True), (30, True)])
def test_without_rules_a_week_is_silence(days, silent):
    idle = seat(idle_since=NOW - timedelta(days=days))
    assert ("silent" in named(idle)) is silent


@pytest.mark.parametrize(("days", "silent"), [(2.9, False), (3, True)])
def test_the_rules_say_what_silence_is(days, silent):
    idle = seat(idle_since=NOW - timedelta(days=days))
    assert ("silent" in named(idle, PanelRules(remind_after_days=3))) is silent


@pytest.mark.parametrize(("days", "ends"), [(5.1, False), (5, True), (0.1, True), (-1, True)])
def test_a_lease_that_ends_within_the_notice_is_named(days, ends):
    held = seat(lease_ends_at=NOW + timedelta(days=days))
    assert ("lease" in named(held, PanelRules(remind_before_lease_days=5))) is ends


@pytest.mark.parametrize(
    ("state", "opened", "is_named"),
    [
        ("invited", None, True),
        ("link expired", None, True),
        ("link expired", NOW, False),
        ("link opened", NOW, False),
        ("link stopped", None, False),
        ("paused", None, False),
        ("withdrawn", None, False),
    ],
)
def test_whoever_never_opened_a_link_that_nobody_stopped_is_named(state, opened, is_named):
    assert ("unopened" in named(seat(state=state, opened_at=opened))) is is_named


@pytest.mark.parametrize("state", ["paused", "left", "withdrawn"])
def test_whoever_takes_no_part_is_left_in_peace(state):
    idle = NOW - timedelta(days=99)
    assert named(seat(state=state, idle_since=idle, lease_ends_at=idle, opened_at=None)) == []


@pytest.mark.django_db
def test_whoever_is_to_be_asked_again_is_among_the_silent_from_when_that_is_due():
    study = shaped(strata=1, each=4, batch=4, repeats=1, repeat_after_days=7)
    judge = reader(study)
    Judge.objects.filter(pk=judge.pk).update(email="ada@reader.example")

    def silent(*, days: int) -> list[bool]:
        """Whether each silent expert can be reminded, when so many days more have passed."""
        age = timedelta(days=days)
        Judge.objects.update(active_at=F("active_at") - age)
        Assignment.objects.update(given_at=F("given_at") - age)
        Assignment.objects.exclude(answered_at=None).update(answered_at=F("answered_at") - age)
        seats = progress.seats(study, Judge.Kind.EXPERT)
        (found, *_) = watches(seats, None, timezone.now())
        assert {one.lease_ends_at for one in found.people} <= {None}
        return [one.remindable for one in found.people]

    deal(again(judge))
    answer(judge)
    assert [silent(days=6), silent(days=7), silent(days=1)] == [[], [], [True]]
    # Begun and laid aside, too, though no lease ends on what holds no place.
    deal(again(judge))
    assert [silent(days=6), silent(days=1)] == [[], [True]]


def to_remind(one: Seat) -> bool:
    (silent, _, _) = watches([one], None, NOW)
    assert silent.people
    return bool(silent.to_remind)


def written(hours: float, **fields: object) -> Letter:
    at = datetime.now(UTC) - timedelta(hours=hours)
    return Letter(kind="reminder", asked_at=at, **fields)


@pytest.mark.parametrize(
    ("fields", "can"),
    [
        ({}, True),
        ({"email": ""}, False),
        ({"expires_at": None}, False),
        ({"last_letter": written(23)}, False),
        ({"last_letter": written(25)}, True),
        ({"last_letter": written(1, status="failed")}, True),
        ({"last_letter": written(25, sent_at=datetime.now(UTC))}, False),
        ({"answered": 3}, False),
        ({"answered": 3, "owed": True}, True),
    ],
)
def test_nobody_is_reminded_twice_a_day_or_of_nothing(fields, can):
    assert to_remind(seat(idle_since=NOW - timedelta(days=9), **fields)) is can
