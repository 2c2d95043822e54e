"""A reply that repeats a known poem is asked for anew; what is nearly one is for a person."""

import pytest

from backend.corpus.models import Collection, Poem
from backend.generation import controlling, correcting, writing
from backend.generation.models import Generation, Recital, Run
from backend.generation.providers import ProviderUnavailable, Reply, Request
from backend.generation.work import ATTEMPTS
from tests.backend.generation.conftest import StartRun, forget_pauses, only

pytestmark = pytest.mark.django_db

KNOWN = """The harbour bell has rung the boats to bed,
And every lantern nods above its chain;
The keeper counts the stars he left unsaid,
And walks the long wall home against the rain."""
OWN = """A kettle argues softly with the frost
While morning irons flat the wrinkled lane;
Whatever in the drifting dark was lost
Is written by the sparrows on the pane."""
QUOTING = "\n".join([*OWN.splitlines()[:2], *KNOWN.upper().splitlines()[1:3], "And so it ends."])
EDITED = KNOWN.replace("nods above", "hangs above").replace("stars he left", "stars we left")


@pytest.fixture
def known(db: None) -> Poem:
    shelf = Collection.objects.create(name="Known")
    return Poem.objects.create(
        collection=shelf, title="Harbour", author="A. Poet", text=KNOWN, fingerprint="k" * 64
    )


class Model:
    """Says these replies one after another, and the last for ever."""

    def __init__(self, *replies: str) -> None:
        self._replies = list(replies)
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Reply:
        self.asked.append(request)
        text = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        return Reply(text, "stop", "{}")


def write(run: Run, model: Model, times: int = 1) -> Generation:
    for _ in range(times):
        writing.write_poem(only(run).pk, ask=model)
    return only(run)


@pytest.mark.parametrize("reply", [KNOWN, QUOTING])
def test_a_recited_poem_is_asked_for_anew_by_another_call(
    reply: str, known: Poem, start: StartRun
) -> None:
    run, model = start("ok", seed=1), Model(reply, OWN)
    row = write(run, model)
    assert (row.status, row.turn, row.error_kind, row.attempts) == ("queued", 1, "recited", 0)
    assert "“Harbour” by A. Poet" in row.error
    row = write(run, model)
    assert (row.status, row.text, row.flags, row.error) == ("done", OWN, [], "")
    first, second = row.calls.order_by("pk")
    assert first.identity != second.identity
    assert first.request["seed"] != second.request["seed"]
    assert row.answer == second
    recital = Recital.objects.get()
    assert (recital.kind, recital.poem, recital.call) == ("exact", known, first)
    assert [own.lower() for own, _ in recital.lines] == [its.lower() for _, its in recital.lines]


def test_whoever_recites_every_time_fails_when_the_turns_are_used_up(
    known: Poem, start: StartRun
) -> None:
    run, model = start("ok", turns=3), Model(KNOWN)
    row = write(run, model, times=8)
    assert (row.status, row.error_kind, len(model.asked)) == ("failed", "recited", 4)
    assert row.recitals.count() == 4


def test_of_a_recited_poem_that_is_asked_for_anew_nothing_but_the_record_stays(
    known: Poem, start: StartRun
) -> None:
    row = write(start("ok"), Model(QUOTING))
    assert (row.title, row.text, row.reply, row.trimmed, row.flags) == ("", "", "", [], [])
    assert row.answer is None
    assert row.calls.get().text == QUOTING
    assert row.recitals.get().call == row.calls.get()


@pytest.mark.parametrize("times", [1, 3])
def test_a_later_failure_does_not_let_a_recited_poem_be_corrected_into_a_poem(
    known: Poem, start: StartRun, times: int
) -> None:
    run = start("ok", turns=2)
    write(run, Model(KNOWN), times)
    controlling.retry_failed(run)

    def fails(request: Request) -> Reply:
        raise ProviderUnavailable("server", "It failed", status=500)

    for _ in range(ATTEMPTS):
        forget_pauses(run)
        writing.write_poem(only(run).pk, ask=fails)
    row = only(run)
    assert (row.status, row.error_kind, row.text, row.reply) == ("failed", "server", "", "")
    assert not correcting.can_be_corrected(row)


def test_when_it_is_retried_it_has_all_its_turns_again(known: Poem, start: StartRun) -> None:
    run, model = start("ok", turns=3), Model(KNOWN)
    write(run, model, times=8)
    controlling.retry_failed(run)
    row = write(run, model, times=8)
    assert (row.status, row.error_kind, len(model.asked)) == ("failed", "recited", 8)
    assert "asked for anew 3 times" in row.error


def test_a_refusal_takes_none_of_the_turns_of_what_is_recited(known: Poem, start: StartRun) -> None:
    run, model = start("ok", turns=1), Model("I'm sorry, but I can't help with that.", KNOWN, OWN)
    row = write(run, model, times=3)
    assert (row.status, row.text) == ("done", OWN)


def test_without_turns_a_recited_poem_is_kept_and_flagged(known: Poem, start: StartRun) -> None:
    run, model = start("ok", turns=0), Model(KNOWN)
    row = write(run, model)
    assert (row.status, row.text, len(model.asked)) == ("done", KNOWN, 1)
    assert [flag["rule"] for flag in row.flags] == ["recited"]
    assert "“Harbour” by A. Poet" in row.flags[0]["reason"]


def test_an_edited_quotation_is_kept_and_flagged_for_a_person(known: Poem, start: StartRun) -> None:
    row = write(start("ok"), Model(EDITED))
    assert (row.status, row.text) == ("done", EDITED)
    assert [flag["rule"] for flag in row.flags] == ["near-verbatim"]
    assert [(recital.kind, recital.poem) for recital in row.recitals.all()] == [("near", known)]


def test_a_poem_of_its_own_has_no_flag_and_no_recital(known: Poem, start: StartRun) -> None:
    row = write(start("ok"), Model(OWN))
    assert (row.status, row.flags, row.recitals.count()) == ("done", [], 0)


def test_the_same_question_in_another_run_takes_the_earlier_answer_and_asks_nobody(
    start: StartRun,
) -> None:
    first = start("ok", name="First")
    write(first, Model(OWN))
    second = start("title", name="Second")
    second.generations.update(model=only(first).model)
    model = Model("Another poem\nthat nobody asked for")
    row = write(second, model)
    assert (row.status, row.text, model.asked) == ("done", OWN, [])
    assert row.answer == only(first).answer
