"""Limits hold across workers, a busy provider is left alone, a dead one is given up."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from backend.generation import adapting, calling, gates
from backend.generation.models import Call, Gate, LanguageModel
from backend.generation.providers import ProviderUnavailable
from tests.language_models import model_at

pytestmark = pytest.mark.django_db

URL = "http://127.0.0.1:9/v1"
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def model_with(name: str = "m", **limits: int) -> LanguageModel:
    return model_at(URL, name, **limits)


def trouble(kind: str, retry_after: float | None = None) -> ProviderUnavailable:
    return ProviderUnavailable(kind, "no", retry_after=retry_after)


def begin(model: LanguageModel, now: datetime, *, tokens: int = 10) -> str:
    """Begin a call at that time, if it gets through, and return why it does not."""
    with transaction.atomic():
        call = Call.objects.create(
            model=model, request={}, expires_at=now + timedelta(seconds=model.seconds)
        )
        shut = gates.enter(model, tokens=tokens, now=now)
        if shut:
            call.delete()
    return shut.why if shut else ""


def end_all() -> None:
    Call.objects.filter(state="open").update(state="answered")


def gate_of(model: LanguageModel) -> Gate:
    return Gate.objects.get(model=model)


def refuse(model: LanguageModel, kind: str, now: datetime, started: datetime | None = None,
           **said: float) -> str:  # fmt: skip
    return adapting.note_trouble(model, trouble(kind, **said), started_at=started or now, now=now)


def went_through(model: LanguageModel, times: Iterator[datetime], **asked: int) -> list[datetime]:
    """Try to begin a call at each of these times, ended at once; return when one got through."""
    through = []
    for now in times:
        if not begin(model, now, **asked):
            through.append(now)
            end_all()
    return through


def every(step: timedelta, begin: datetime, length: timedelta) -> Iterator[datetime]:
    now = begin
    while now < begin + length:
        yield now
        now += step


def most_within_a_minute(times: list[datetime]) -> int:
    return max(sum(first <= time < first + MINUTE for time in times) for first in times)


def test_no_more_calls_are_under_way_than_the_model_allows() -> None:
    model, now = model_with(parallel=3), timezone.now()
    assert [begin(model, now) for _ in range(5)] == ["", "", "", "full", "full"]
    Call.objects.filter(pk=Call.objects.earliest("pk").pk).update(state="failed")
    assert [begin(model, now) for _ in range(2)] == ["", "full"]


def test_a_model_without_a_limit_begins_with_sixteen() -> None:
    model, now = model_with(), timezone.now()
    assert [begin(model, now) for _ in range(17)] == [""] * 16 + ["full"]


def test_a_call_whose_worker_died_is_in_nobodys_way_when_its_time_is_over() -> None:
    model, now = model_with(parallel=1, seconds=30), timezone.now()
    assert begin(model, now) == ""
    assert begin(model, now + 29 * SECOND) == "full"
    assert begin(model, now + 31 * SECOND) == ""


def test_models_of_a_provider_share_its_limit() -> None:
    one, other, now = model_with("one"), model_with("other"), timezone.now()
    assert one.provider
    one.provider.parallel = 3
    one.provider.save()
    one.refresh_from_db()
    other.refresh_from_db()
    assert [begin(model, now) for model in (one, other, one, other, one)] == [
        "", "", "", "full", "full",
    ]  # fmt: skip


@pytest.mark.parametrize("limit", [1, 7, 60, 400])
def test_no_minute_has_more_requests_than_are_allowed_and_few_are_given_away(limit: int) -> None:
    model, now = model_with(requests_a_minute=limit), timezone.now()
    times = went_through(model, every(timedelta(milliseconds=130), now, 3 * MINUTE))
    assert most_within_a_minute(times) <= limit
    assert len(times) >= 3 * limit * 0.9 - 1


def test_the_requests_of_all_models_count_towards_their_providers_limit() -> None:
    one, other, now = model_with("one"), model_with("other"), timezone.now()
    assert one.provider
    one.provider.requests_a_minute = 30
    one.provider.save()
    one.refresh_from_db()
    other.refresh_from_db()
    times = went_through(one, every(SECOND, now, MINUTE))
    times += went_through(other, every(SECOND, now + SECOND / 2, MINUTE))
    assert most_within_a_minute(times) <= 30


def test_no_minute_has_more_tokens_than_are_allowed() -> None:
    model, now = model_with(tokens_a_minute=6_000), timezone.now()
    times = went_through(model, every(SECOND / 4, now, 3 * MINUTE), tokens=500)
    assert most_within_a_minute(times) <= 12
    assert len(times) >= 30


def test_tokens_that_were_not_needed_are_given_back() -> None:
    model, now = model_with(tokens_a_minute=600), timezone.now()
    assert begin(model, now, tokens=600) == ""
    assert begin(model, now + 10 * SECOND, tokens=600) == "rate"
    gates.correct_tokens(model, more=-500)
    assert begin(model, now + 10 * SECOND, tokens=600) == ""


def test_the_width_doubles_in_each_round_of_answers_up_to_the_limit() -> None:
    model, now = model_with(parallel=100), timezone.now()
    begin(model, now)
    widths = []
    for _ in range(16 + 32 + 64 + 100):
        adapting.note_answer(model, now=now)
        widths.append(gate_of(model).width)
    assert [widths[at - 1] for at in (15, 16, 47, 48, 111, 112, 212)] == [
        16, 32, 32, 64, 64, 100, 100,
    ]  # fmt: skip


def test_after_a_refusal_it_is_narrower_and_grows_by_one_in_each_round() -> None:
    model, now = model_with(parallel=100), timezone.now()
    begin(model, now)
    assert refuse(model, "busy", now) == "model"
    assert gate_of(model).width == 11
    for _ in range(11):
        adapting.note_answer(model, now=now)
    assert gate_of(model).width == 12
    for _ in range(12):
        adapting.note_answer(model, now=now)
    assert gate_of(model).width == 13


def test_those_refused_together_are_one_refusal() -> None:
    model, now = model_with(parallel=100), timezone.now()
    begin(model, now)
    for second in range(10):
        refuse(model, "busy", now + second * SECOND, started=now - SECOND)
    assert gate_of(model).width == 11
    refuse(model, "busy", now + 20 * SECOND, started=now + 15 * SECOND)
    assert gate_of(model).width == 7


def test_it_is_never_narrower_than_one() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    for minute in range(20):
        refuse(model, "busy", now + minute * MINUTE)
    assert gate_of(model).width == 1


def test_nothing_goes_before_the_provider_said_and_all_goes_after() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    refuse(model, "busy", now, retry_after=7.0)
    assert begin(model, now + 6.9 * SECOND) == "held"
    assert begin(model, now + 7.1 * SECOND) == ""


def test_a_longer_wait_that_was_asked_for_is_not_shortened_by_a_later_refusal() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    refuse(model, "busy", now, retry_after=60.0)
    refuse(model, "busy", now + SECOND, started=now - SECOND, retry_after=2.0)
    assert begin(model, now + 50 * SECOND) == "held"


def test_no_provider_is_waited_for_longer_than_a_quarter_of_an_hour() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    refuse(model, "busy", now, retry_after=86_400.0)
    assert begin(model, now + 14 * MINUTE) == "held"
    assert begin(model, now + 16 * MINUTE) == ""


def test_without_a_word_from_the_provider_pauses_grow_to_a_minute_and_differ() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    pauses = []
    for _ in range(12):
        refuse(model, "busy", now)
        until = gate_of(model).held_until
        assert until
        pauses.append((until - now).total_seconds())
        now = until + SECOND
    assert 0.7 < pauses[0] < 1.3
    assert pauses[3] > 3 * pauses[0]
    assert max(pauses) <= 75.1
    assert min(pauses[-3:]) > 40
    assert len(set(pauses)) == 12
    adapting.note_answer(model, now=now)
    refuse(model, "busy", now + SECOND)
    assert gate_of(model).held_until < now + 3 * SECOND


def test_five_failures_in_a_row_shut_the_gate_and_then_one_call_probes() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    end_all()
    assert [refuse(model, "unreachable", now) for _ in range(5)] == ["row"] * 4 + ["model"]
    assert begin(model, now + 14 * SECOND) == "held"
    assert [begin(model, now + 16 * SECOND) for _ in range(2)] == ["", "full"]


def test_an_answer_between_failures_keeps_the_gate_open() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    for _ in range(4):
        for _ in range(4):
            refuse(model, "server", now)
        adapting.note_answer(model, now=now)
    assert begin(model, now + SECOND) == ""


def test_the_probes_answer_opens_the_gate_at_once() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    for _ in range(5):
        refuse(model, "server", now)
    later = now + 16 * SECOND
    adapting.note_answer(model, now=later)
    end_all()
    assert [begin(model, later) for _ in range(3)] == ["", "", ""]


def test_each_hold_is_twice_as_long_up_to_five_minutes_until_two_hours_are_over() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    adapting.note_answer(model, now=now)
    for _ in range(4):
        refuse(model, "timeout", now)
    begun, holds, verdict = now, [], "model"
    while verdict == "model":
        verdict = refuse(model, "timeout", now)
        until = gate_of(model).held_until
        if until:
            holds.append(round((until - now).total_seconds()))
            now = until + SECOND
    assert verdict == "hopeless"
    assert holds[:6] == [15, 30, 60, 120, 240, 300]
    assert set(holds[6:]) == {300}
    assert timedelta(hours=2) <= now - begun < timedelta(hours=2, minutes=6)
    assert begin(model, now) == ""  # whoever asks again has a fresh try


def test_what_never_answered_at_all_is_given_up_after_three_holds() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    verdicts = []
    for _ in range(7):
        verdicts.append(refuse(model, "unreachable", now))
        now += 5 * MINUTE
    assert verdicts == ["row"] * 4 + ["model"] * 2 + ["hopeless"]


def test_failures_of_last_week_do_not_make_one_of_today_hopeless() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    adapting.note_answer(model, now=now)
    assert [refuse(model, "timeout", now) for _ in range(4)] == ["row"] * 4
    assert refuse(model, "timeout", now + 7 * DAY) == "model"
    assert gate_of(model).holds == 1


def test_an_endpoint_that_was_left_alone_after_a_hold_is_tried_as_if_for_the_first_time() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    adapting.note_answer(model, now=now)
    for _ in range(6):
        refuse(model, "server", now)
    assert gate_of(model).holds == 2
    later = now + 7 * DAY
    assert [refuse(model, "server", later) for _ in range(5)] == ["row"] * 4 + ["model"]
    assert (gate_of(model).holds, gate_of(model).failing_since) == (1, later)


def test_a_call_that_began_soon_after_a_hold_and_took_long_is_no_new_beginning() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    for _ in range(5):
        refuse(model, "timeout", now)
    refuse(model, "timeout", now + 20 * MINUTE, started=now + 20 * SECOND)
    assert gate_of(model).holds == 2


def test_who_asks_to_wait_is_there() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    for _ in range(6):
        refuse(model, "server", now)
    assert gate_of(model).holds == 2
    refuse(model, "busy", now + MINUTE)
    gate = gate_of(model)
    assert (gate.failures, gate.holds, gate.failing_since) == (0, 0, None)
    assert [refuse(model, "server", now + 2 * MINUTE) for _ in range(4)] == ["row"] * 4


def test_those_that_fail_together_make_one_hold() -> None:
    model, now = model_with(), timezone.now()
    begin(model, now)
    for _ in range(16):
        refuse(model, "unreachable", now + SECOND, started=now)
    assert gate_of(model).holds == 1


def test_the_state_says_what_stands_between_a_model_and_its_next_call() -> None:
    model, now = model_with(parallel=8), timezone.now()
    state = gates.state_of(model, now)
    assert (state.width, state.limit, state.in_flight, state.room) == (8, 8, 0, 8)
    begin(model, now)
    refuse(model, "busy", now, retry_after=30.0)
    state = gates.state_of(model, now)
    assert (state.width, state.in_flight, state.room) == (5, 1, 0)
    assert state.held_until == now + 30 * SECOND
    assert state.held_why == "the provider asked to wait"
    assert gates.state_of(model, now + MINUTE).held_until is None


def test_a_call_may_be_open_as_long_as_its_own_time_and_that_to_store_it() -> None:
    assert calling.lasting(model_with(seconds=600)) > timedelta(seconds=630)
