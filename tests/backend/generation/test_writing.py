"""Asking models over HTTP: every way it can go is shown, and the rest of the run goes on."""

import json

import pytest
from django.utils import timezone

from backend.generation import calling, controlling, writing
from backend.generation.models import Call, Gate, Generation, LanguageModel, Provider
from backend.generation.presenting import PLAINLY
from backend.generation.providers import ProviderUnavailable, Reply, Request
from backend.generation.work import ATTEMPTS
from tests.backend.generation.conftest import AddModel, StartRun, forget_pauses, only, write_all
from tests.backend.generation.fake_provider import POEM, FakeProvider

pytestmark = pytest.mark.django_db

KEY = "key-0123456789/abcdef"

# Behaviour -> the kind of failure, and words of the reason.
FINAL = {
    "no-key": ("key", "The key was refused (401): "),
    "forbidden": ("key", "The key was refused (403): "),
    "unknown": ("request", "The provider refused the request (404): "),
    "redirect": ("request", "(302)"),
    "empty": ("empty", "The reply holds no text."),
    "null": ("empty", "The reply holds no text."),
    "length": ("truncated", "cut off at its length limit"),
    "think-open": ("truncated", "ends within the model's reasoning"),
}
REFUSING = {
    "filtered": ("refused", "content filter"),
    "refusal": ("refused", "The model declined: I'm sorry"),
    "refusal-field": ("refused", "The model declined: I'm sorry"),
}
PASSING = {
    "broken": ("server", "The provider failed (500): "),
    "html": ("server", "no chat completion: <html>"),
    "garbage": ("server", "no chat completion"),
    "no-choices": ("server", "no chat completion"),
    "list": ("server", "no chat completion"),
    "drop": ("unreachable", "broke off"),
}


@pytest.mark.parametrize("behaviour", FINAL)
def test_what_cannot_be_mended_by_asking_again_fails_with_its_reason(
    behaviour: str, start: StartRun, provider: FakeProvider
) -> None:
    run = start(behaviour, "ok")
    write_all(run)
    kind, words = FINAL[behaviour]
    failed = run.generations.filter(model__name=behaviour)
    assert {row.status for row in failed} == {"failed"}
    assert {row.error_kind for row in failed} == {kind}
    assert all(words in row.error for row in failed)
    assert kind in PLAINLY
    assert set(run.generations.filter(model__name="ok").values_list("status", "text")) == {
        ("done", POEM)
    }
    assert provider.asked(behaviour) == len(failed) == 3


@pytest.mark.parametrize("behaviour", PASSING)
def test_what_may_pass_is_queued_again_for_later_with_its_reason(
    behaviour: str, start: StartRun, provider: FakeProvider
) -> None:
    run = start(behaviour, "ok")
    write_all(run)
    kind, words = PASSING[behaviour]
    for row in run.generations.filter(model__name=behaviour):
        assert (row.status, row.error_kind, row.attempts) == ("queued", kind, 1)
        assert words in row.error
        assert row.not_before is not None
    assert kind in PLAINLY
    assert run.generations.filter(model__name="ok", status="done").count() == 3
    assert provider.asked(behaviour) == 3


@pytest.mark.parametrize("behaviour", REFUSING)
def test_a_model_that_declines_is_asked_once_more_and_then_believed(
    behaviour: str, start: StartRun, provider: FakeProvider
) -> None:
    run = start(behaviour)
    kind, words = REFUSING[behaviour]
    key = only(run).pk
    writing.write_poem(key)
    assert (only(run).status, only(run).turn, only(run).error_kind) == ("queued", 1, kind)
    for _ in range(3):
        writing.write_poem(key)
    row = only(run)
    assert (row.status, row.turn, row.error_kind) == ("failed", 1, kind)
    assert words in row.error
    assert provider.asked(behaviour) == 2


def test_a_provider_that_asks_to_wait_is_obeyed_and_it_costs_no_attempt(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("busy")
    write_all(run)
    assert provider.asked("busy") == 1
    assert {(row.status, row.attempts) for row in run.generations.all()} == {("queued", 0)}
    assert "asks to wait (429): " in only(run).error
    assert Gate.objects.get().held_until > timezone.now()


def test_however_often_it_is_asked_to_wait_one_poem_is_asked_for_forty_times_at_the_most(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("busy")
    for _ in range(45):
        forget_pauses(run)
        writing.write_poem(only(run).pk)
    assert (only(run).status, only(run).error_kind) == ("failed", "busy")
    assert provider.asked("busy") == 40


def test_when_it_is_retried_its_calls_count_anew(start: StartRun, provider: FakeProvider) -> None:
    run = start("busy")
    key = only(run).pk
    for _ in range(40):
        forget_pauses(run)
        writing.write_poem(key)
    assert only(run).status == "failed"
    controlling.retry_failed(run)
    for _ in range(39):
        forget_pauses(run)
        writing.write_poem(key)
        assert only(run).status == "queued"
    forget_pauses(run)
    writing.write_poem(key)
    assert (only(run).status, provider.asked("busy")) == ("failed", 80)


def test_a_poem_that_fails_for_its_last_attempt_says_when(start: StartRun) -> None:
    run = start("broken")
    for _ in range(ATTEMPTS):
        forget_pauses(run)
        writing.write_poem(only(run).pk)
    assert only(run).status == "failed"
    assert only(run).finished_at is not None


def declining_or(*others: Exception) -> tuple[calling.Ask, list[int]]:
    """Return a model that declines, before that each time raising the next of these."""
    left, answers = list(others), []

    def ask(request: Request) -> Reply:
        if answers and left:
            raise left.pop(0)
        answers.append(1)
        return Reply("I'm sorry, but I can't help with that.", "stop", "{}")

    return ask, answers


def test_what_comes_between_two_refusals_does_not_make_them_three(start: StartRun) -> None:
    run = start("ok")
    ask, answers = declining_or(
        ProviderUnavailable("busy", "Wait", status=429),
        ProviderUnavailable("server", "It failed", status=500),
    )
    for _ in range(8):
        forget_pauses(run)
        writing.write_poem(only(run).pk, ask=ask)
    assert (only(run).status, only(run).error_kind, len(answers)) == ("failed", "refused", 2)
    assert controlling.retry_failed(run) == 1
    for _ in range(4):
        writing.write_poem(only(run).pk, ask=ask)
    assert (only(run).status, len(answers)) == ("failed", 4)


def test_a_model_that_does_not_answer_in_time_is_asked_again_later(start: StartRun) -> None:
    run = start("hang")
    LanguageModel.objects.update(seconds=1)
    writing.write_poem(only(run).pk)
    row = only(run)
    assert (row.status, row.error_kind) == ("queued", "timeout")
    assert "1 second" in row.error


def test_an_endpoint_that_is_not_there_is_said_to_be_unreachable(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("ok")
    Provider.objects.update(base_url="http://127.0.0.1:9/v1")
    writing.write_poem(only(run).pk)
    assert only(run).error_kind == "unreachable"
    assert provider.requests == []


@pytest.mark.parametrize(
    ("behaviour", "title", "trimmed"),
    [
        ("ok", "", []),
        ("think", "", ["cut the model's reasoning"]),
        (
            "fence",
            "",
            [
                "took the text inside a code fence",
                "cut the opening line: Here it is:",
                "cut the closing words: Enjoy!",
            ],
        ),
        ("nul", "", []),
        (
            "title",
            "The River",
            [
                "cut the opening line: Certainly! Here is a poem:",
                "cut the closing words: I hope you like it!",
                "took the title: The River",
            ],
        ),
    ],
)
def test_the_poem_is_found_in_the_reply_and_each_cut_is_named(
    behaviour: str, title: str, trimmed: list[str], start: StartRun
) -> None:
    run = start(behaviour)
    writing.write_poem(only(run).pk)
    row = only(run)
    assert (row.status, row.title, row.text, row.trimmed) == ("done", title, POEM, trimmed)
    assert row.finished_at is not None
    assert POEM in row.reply


def test_half_a_character_pair_does_not_keep_the_poem_from_being_stored(start: StartRun) -> None:
    run = start("half-a-pair")
    writing.write_poem(only(run).pk)
    assert only(run).text == f"{POEM}?"


def test_a_reply_without_a_poem_is_kept_as_it_came_when_it_is_the_last(start: StartRun) -> None:
    run = start("refusal")
    writing.write_poem(only(run).pk)
    assert (only(run).status, only(run).reply, only(run).answer) == ("queued", "", None)
    writing.write_poem(only(run).pk)
    assert only(run).reply == "I'm sorry, but I can't help with that."


def test_what_is_asked_is_exactly_what_the_run_says(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("ok", samples=2, temperature=0.5, max_tokens=300, seed=7)
    write_all(run)
    first, second = provider.requests[:2]
    assert first.body == {
        "model": "ok",
        "messages": [{"role": "user", "content": only(run).brief.text}],
        "temperature": 0.5,
        "max_tokens": 300,
        "seed": 7001,
    }
    assert second.body == first.body | {"seed": 7002}


def test_what_was_left_to_the_model_is_not_sent(start: StartRun, provider: FakeProvider) -> None:
    writing.write_poem(only(start("ok")).pk)
    assert set(provider.requests[0].body) == {"model", "messages"}


def test_every_call_is_kept_with_what_was_sent_and_what_came(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("broken")
    writing.write_poem(only(run).pk)
    LanguageModel.objects.update(model_id="ok")
    forget_pauses(run)
    writing.write_poem(only(run).pk)
    first, second = only(run).calls.all()
    assert (first.request["model"], first.state, first.status) == ("broken", "failed", 500)
    assert "The server had an error" in first.error
    assert (second.request, second.error) == (provider.requests[1].body, "")
    assert json.loads(second.response)["choices"][0]["message"]["content"] == POEM
    assert None not in {first.ended_at, second.ended_at}


def test_it_gives_up_after_some_attempts_with_longer_and_longer_pauses(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("broken")
    key, pauses = only(run).pk, []
    for _ in range(ATTEMPTS):
        writing.write_poem(key)
        row = only(run)
        if row.not_before:
            call = row.calls.latest("pk")
            pauses.append(round((row.not_before - call.ended_at).total_seconds()))
        writing.write_poem(key)  # too early: nothing happens
        forget_pauses(run)
    assert (only(run).status, only(run).error_kind) == ("failed", "server")
    assert pauses == [10, 30, 90]
    assert provider.asked("broken") == ATTEMPTS


def test_a_dead_endpoint_is_no_single_poems_fault_until_it_is_given_up_for_all(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("broken", samples=4)
    for _ in range(3):
        write_all(run)
        run.generations.filter(status="queued").update(not_before=None)
        Gate.objects.update(held_until=None)
    assert set(run.generations.values_list("status", "error_kind")) == {("failed", "server")}
    assert provider.asked("broken") == 7  # five in a row, and two that looked whether it lives
    assert "Given up" in run.generations.latest("pk").error


def test_what_was_answered_is_not_asked_again_and_retry_asks_only_what_failed(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("ok", "heals")
    write_all(run)
    assert (provider.asked("ok"), provider.asked("heals")) == (3, 3)
    provider.healed = True
    for row in run.generations.all():
        writing.write_poem(row.pk)
    assert len(provider.requests) == 6
    assert controlling.retry_failed(run) == 3
    write_all(run)
    assert (provider.asked("ok"), provider.asked("heals")) == (3, 6)
    assert set(run.generations.values_list("status", "error_kind", "error")) == {("done", "", "")}


def test_a_missing_key_is_named_with_its_remedy_and_nothing_is_asked(
    start: StartRun, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    run = start("ok")
    Provider.objects.update(key_variable="SOME_KEY")
    writing.write_poem(only(run).pk)
    assert only(run).error_kind == "no key"
    assert "SOME_KEY is not set where the worker runs; set it there" in only(run).error
    assert provider.requests == []


def test_a_key_that_no_header_can_carry_is_refused_before_it_is_sent(
    start: StartRun, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "clé-secrète")
    run = start("ok")
    Provider.objects.update(key_variable="SOME_KEY")
    writing.write_poem(only(run).pk)
    assert only(run).error_kind == "key"
    assert "clé" not in only(run).error
    assert provider.requests == []


@pytest.mark.parametrize("behaviour", ["echo-401", "echo-500", "echo-200", "echo-html"])
def test_the_key_is_sent_and_stored_nowhere_even_if_the_provider_repeats_it(
    behaviour: str, start: StartRun, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    run = start(behaviour)
    Provider.objects.update(key_variable="SOME_KEY")
    writing.write_poem(only(run).pk)
    assert provider.requests[0].authorization == f"Bearer {KEY}"
    stored = [
        *Generation.objects.values(),
        *Call.objects.values(),
        *LanguageModel.objects.values(),
    ]
    assert "Bearer" in str(stored)
    assert KEY not in str(stored)


def test_a_stand_in_for_a_key_may_be_a_word_of_the_poem(
    start: StartRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "river")
    run = start("ok")
    Provider.objects.update(key_variable="SOME_KEY")
    writing.write_poem(only(run).pk)
    assert only(run).text == POEM


def test_a_redirect_is_not_followed_with_the_key(
    start: StartRun, provider: FakeProvider, add_model: AddModel
) -> None:
    writing.write_poem(only(start("redirect")).pk)
    assert provider.asked("redirect") == 1
