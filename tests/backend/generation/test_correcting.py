"""A person's change of a poem that was found in a reply."""

import pytest
from django.db import transaction

from backend.accounts.models import User
from backend.generation import correcting
from backend.generation.correcting import (
    CorrectedMeanwhile,
    NoReason,
    NotAPoem,
    NothingChanged,
    NothingToCorrect,
    correct,
    look_at,
)
from backend.generation.models import Correction, Generation, Recital
from tests.backend.generation.conftest import StartRun, only, write_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def generation(start: StartRun) -> Generation:
    run = start("title")
    write_all(run)
    return only(run)


@pytest.fixture
def vera(db: None) -> User:
    return User.objects.create_user("vera@example.org", role="researcher")


def test_a_correction_records_who_changed_what_and_why_and_the_reply_stays(
    generation: Generation, vera: User
) -> None:
    title, text, reply = generation.title, generation.text, generation.reply
    made = correct(generation, title="A", text="one\ntwo", reason="A line was cut.", by=vera)
    generation.refresh_from_db()
    assert (generation.title, generation.text, generation.reply) == ("A", "one\ntwo", reply)
    assert (made.title_before, made.text_before) == (title, text)
    assert (made.title_after, made.text_after) == ("A", "one\ntwo")
    assert (made.reason, made.by) == ("A line was cut.", vera)


def test_each_correction_is_kept(generation: Generation, vera: User) -> None:
    for text in ("one", "two", "three"):
        correct(generation, title="", text=text, reason="Once more.", by=vera)
    befores = list(generation.corrections.values_list("text_before", flat=True))
    assert befores == [generation.text, "one", "two"]


def test_flags_recitals_and_cuts_stay_as_they_are(generation: Generation, vera: User) -> None:
    flags = [{"rule": "x", "reason": "Odd."}]
    Generation.objects.filter(pk=generation.pk).update(flags=flags)
    poem = generation.brief.poem
    assert poem
    Recital.objects.create(generation=generation, poem=poem, kind="near", lines=[])
    trimmed = generation.trimmed
    correct(generation, title="", text="one", reason="Why", by=vera)
    generation.refresh_from_db()
    assert (generation.flags, generation.trimmed, generation.looked_at) == (flags, trimmed, None)
    assert generation.recitals.count() == 1


@pytest.mark.parametrize("text", ["", "  ", "\r\n \n"])
def test_an_empty_poem_is_none(generation: Generation, vera: User, text: str) -> None:
    with pytest.raises(NotAPoem):
        correct(generation, title="A", text=text, reason="Why", by=vera)


def test_a_correction_says_why(generation: Generation, vera: User) -> None:
    with pytest.raises(NoReason):
        correct(generation, title="A", text="one", reason=" ", by=vera)
    assert not Correction.objects.exists()


def test_what_cannot_be_stored_is_refused(generation: Generation, vera: User) -> None:
    with pytest.raises(NotAPoem):
        correct(generation, title="A", text="one\0two", reason="Why", by=vera)
    with pytest.raises(NotAPoem):
        correct(generation, title="A" * 301, text="one", reason="Why", by=vera)


def test_what_changes_nothing_is_no_correction(generation: Generation, vera: User) -> None:
    same = {"title": generation.title, "text": f"\r\n{generation.text}\r\n", "reason": "Why"}
    with pytest.raises(NothingChanged):
        correct(generation, **same, by=vera)


def test_inner_lines_and_indents_are_kept_as_they_were_typed(
    generation: Generation, vera: User
) -> None:
    correct(generation, title="", text="\n  one\r\n\r\n    two\r\n", reason="Why", by=vera)
    generation.refresh_from_db()
    assert generation.text == "  one\n\n    two"


def test_of_two_who_read_the_same_the_second_is_told(generation: Generation, vera: User) -> None:
    correct(generation, title="", text="first", reason="Why", by=vera, after=0)
    with pytest.raises(CorrectedMeanwhile), transaction.atomic():
        correct(generation, title="", text="second", reason="Why", by=vera, after=0)
    correct(generation, title="", text="second", reason="Why", by=vera, after=1)


def test_a_reply_in_which_no_poem_was_found_gets_one_by_hand(start: StartRun, vera: User) -> None:
    run = start("refusal")
    write_all(run)
    write_all(run)
    generation = only(run)
    assert (generation.status, generation.error_kind) == ("failed", "refused")
    correct(generation, title="", text="It was a poem.", reason="No refusal.", by=vera)
    generation.refresh_from_db()
    assert (generation.status, generation.error_kind, generation.text) == (
        "done",
        "",
        "It was a poem.",
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "queued"},
        {"status": "running"},
        {"status": "failed", "reply": ""},
        {"status": "failed", "error_kind": "recited"},
        {"status": "failed", "error_kind": "server"},
    ],
)
def test_where_no_poem_of_the_models_own_came_there_is_nothing_to_correct(
    generation: Generation, vera: User, fields: dict[str, str]
) -> None:
    Generation.objects.filter(pk=generation.pk).update(**fields)
    generation.refresh_from_db()
    assert not correcting.can_be_corrected(generation)
    with pytest.raises(NothingToCorrect):
        correct(generation, title="", text="one", reason="Why", by=vera)


def test_whoever_looks_first_is_noted(generation: Generation, vera: User) -> None:
    wim = User.objects.create_user("wim@example.org", role="researcher")
    assert look_at(generation, vera)
    assert not look_at(generation, wim)
    generation.refresh_from_db()
    assert generation.looked_by == vera
    assert generation.looked_at is not None
