"""A machine judge waits for its model's gate as poems do, and has its share of it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from backend.generation.models import Call, Gate, LanguageModel
from backend.judging import services
from backend.judging.models import Hearing, Reply
from tests.annotation.panel import open_study
from tests.backend.judging.judge_server import SURVEY, Trouble, judge_server
from tests.backend.judging.test_hearing import hear, put

pytestmark = pytest.mark.django_db


def test_a_judge_that_has_to_wait_its_turn_is_asked_nothing_and_loses_nothing():
    with judge_server(SURVEY) as script:
        hearing = put(open_study(), script)
        model = hearing.machine.model
        until = timezone.now() + timedelta(seconds=30)
        Gate.objects.create(model=model, width=16, held_until=until, held_why="told to wait")
        services.hear(hearing.pk)
        hearing.refresh_from_db()
        assert (hearing.status, hearing.attempts, hearing.not_before) == ("queued", 0, until)
        assert (script.asked, Reply.objects.count(), Call.objects.count()) == ([], 0, 0)
        assert hear(hearing).status == "done"


def test_no_more_hearings_are_told_of_than_the_model_lets_through():
    study = open_study(items=12)
    with judge_server(SURVEY) as script:
        model = script.model()
        LanguageModel.objects.update(parallel=4)
        services.put_to(study, [model])
        now = timezone.now()
        first = services.to_hear(now)
        assert first == list(Hearing.objects.values_list("pk", flat=True))[:6]  # two ahead
        assert services.to_hear(now) == []
        for key in first:
            services.hear(key)
        assert len(services.to_hear(now)) == 6
    assert Hearing.objects.filter(status="done").count() == 6


def test_a_judge_that_is_asked_to_wait_loses_no_attempt_however_often():
    with judge_server(*[Trouble(429)] * 6, SURVEY) as script:
        hearing = put(open_study(), script)
        services.hear(hearing.pk)
        hearing.refresh_from_db()
        assert (hearing.status, hearing.attempts, hearing.error_kind) == ("queued", 0, "busy")
        assert Gate.objects.get().held_until > timezone.now()
        for _ in range(5):
            assert hear(hearing).status == "queued"
        assert hear(hearing).status == "done"
    assert Reply.objects.filter(error_kind="busy").count() == 6


def test_a_judge_is_asked_forty_times_at_the_most():
    with judge_server(Trouble(429)) as script:
        hearing = put(open_study(), script)
        for _ in range(42):
            hear(hearing)
    assert (hearing.status, hearing.error_kind, len(script.asked)) == ("failed", "busy", 40)


def test_being_asked_to_wait_gives_no_further_chance_to_a_reply_that_cannot_be_read():
    with judge_server("four", Trouble(429), Trouble(429), "five", SURVEY) as script:
        hearing = put(open_study(), script)
        for _ in range(4):
            hear(hearing)
    assert (hearing.status, hearing.error_kind) == ("failed", "unreadable")


def test_what_waits_for_a_judge_that_nobody_reaches_fails_when_it_is_given_up():
    study = open_study(items=9)
    with judge_server(Trouble(503)) as script:
        services.put_to(study, [script.model()])
        for hearing in [*Hearing.objects.all(), *Hearing.objects.all()]:
            hear(hearing)
    assert set(Hearing.objects.values_list("status", "error_kind")) == {("failed", "server")}
    assert len(script.asked) == 7
    assert "Given up" in Hearing.objects.latest("pk").error


def test_while_poems_fill_the_gate_half_of_it_is_for_judges():
    study = open_study(items=12)
    with judge_server(SURVEY) as script:
        model = script.model()
        LanguageModel.objects.update(parallel=4)
        services.put_to(study, [model])
        now = timezone.now()
        for _ in range(4):
            Call.objects.create(model=model, request={}, expires_at=now + timedelta(minutes=1))
        assert len(services.to_hear(now)) == 2
        assert services.to_hear(now) == []
        Gate.objects.create(model=model, width=4, held_until=now + timedelta(minutes=2))
        assert services.to_hear(now + timedelta(seconds=40)) == []
