"""``manage.py runs``: what it shows of runs, and what it does to them."""

import builtins
import json
import sys
import time
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from backend.corpus.models import Collection
from backend.generation import services, tasks
from backend.generation.models import Generation, LanguageModel, Run
from tests.language_models import model_at

pytestmark = pytest.mark.django_db

NOWHERE = "http://127.0.0.1:9/v1"


def runs(*arguments: str) -> str:
    said = StringIO()
    call_command("runs", *arguments, stdout=said, stderr=StringIO())
    return said.getvalue()


def refused(*arguments: str) -> tuple[int, str]:
    """Return the exit status and the words of a command that does not end well."""
    with pytest.raises(CommandError) as refusal:
        runs(*arguments)
    return refusal.value.returncode, str(refusal.value)


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each time that workers are woken."""
    heard: list[str] = []
    monkeypatch.setattr(tasks.sweep, "delay", lambda: heard.append("now"))
    return heard


@pytest.fixture
def run(collection: Collection) -> Run:
    """A run of two models over three poems, none of which is written."""
    models = [model_at(NOWHERE, name) for name in ("one", "two")]
    return services.start_run(
        name="First", collection=collection, models=models, template="poemetric"
    ).run


def become(run: Run, number: int, status: str, kind: str = "", error: str = "") -> None:
    """Let so many poems that wait end in this way."""
    rows = run.generations.filter(status="queued").order_by("pk")[:number]
    Generation.objects.filter(pk__in=[row.pk for row in rows]).update(
        status=status, error_kind=kind, error=error, text="A poem", finished_at=timezone.now()
    )


def cells(said: str, first: str) -> list[str]:
    """Return the words of the one line that begins so."""
    (line,) = (line for line in said.splitlines() if line.startswith(first))
    return line.split()


def test_without_runs_it_says_so() -> None:
    assert runs() == "There are no runs yet.\n"


def test_the_table_counts_what_became_of_each_run(run: Run) -> None:
    become(run, 2, "done")
    become(run, 1, "failed", "server")
    become(run, 1, "failed", "refused")
    become(run, 1, "failed", "recited")
    said = runs()
    assert said.splitlines()[0].split()[:7] == [
        "run", "state", "written", "failed", "refused", "recited", "waiting",
    ]  # fmt: skip
    assert cells(said, "First")[:7] == ["First", "running", "2/6", "1", "1", "1", "1"]


def test_of_one_run_each_model_has_a_line_and_each_failure_its_reason(run: Run) -> None:
    become(run, 2, "failed", "server", "It broke.\x1b[31m")
    said = runs("First")
    assert cells(said, "one")[:2] == ["one", "0/3"]
    assert cells(said, "two")[:2] == ["two", "0/3"]
    assert "one to “Dawn”, sample 1: " in said
    assert "It broke.?[31m" in said
    assert said.splitlines()[-1] == "To ask them again: manage.py runs --retry-failed First"


def test_scripts_get_json(run: Run) -> None:
    become(run, 3, "done")
    (told,) = json.loads(runs("--json"))["runs"]
    assert (told["run"], told["state"], told["total"], told["done"]) == ("First", "running", 6, 3)
    assert json.loads(runs("First", "--json"))["failures"] == []


@pytest.mark.parametrize("words", [("--pause", "First"), ("First", "--pause")])
def test_a_run_is_paused_and_resumed(
    words: tuple[str, ...], run: Run, woken: list[str], django_capture_on_commit_callbacks
) -> None:
    assert runs(*words).startswith("First: paused; 0 of 6 written")
    run.refresh_from_db()
    assert (run.state, woken) == ("paused", [])
    with django_capture_on_commit_callbacks(execute=True):
        assert runs("--resume", "First").startswith("First: running; 0 of 6 written")
    run.refresh_from_db()
    assert (run.state, woken) == ("running", ["now"])


def test_a_run_is_cancelled_once_somebody_is_sure(run: Run) -> None:
    status, said = refused("--cancel", "First")
    assert (status, "--yes" in said) == (2, True)
    assert Run.objects.get().state == "running"
    assert runs("--cancel", "First", "--yes").startswith("First: cancelled; 0 of 6 written")
    assert set(run.generations.values_list("status", "error_kind")) == {("failed", "cancelled")}
    assert "First' is cancelled. To let it go on" in _generate("--run", "First")


def test_the_end_of_the_input_is_no(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(_: str) -> str:
        raise EOFError

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(builtins, "input", ended)
    assert refused("--cancel", "First") == (1, "Nothing was changed.")
    assert Run.objects.get().state == "running"


def _generate(*arguments: str) -> str:
    with pytest.raises(CommandError) as refusal:
        call_command("generate", *arguments)
    return str(refusal.value)


def test_what_failed_is_asked_again(
    run: Run, woken: list[str], django_capture_on_commit_callbacks
) -> None:
    become(run, 2, "failed", "server")
    become(run, 4, "done")
    with django_capture_on_commit_callbacks(execute=True):
        runs("--retry-failed", "First")
    assert run.generations.filter(status="queued").count() == 2
    assert woken == ["now"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Frist",), "There is no run named 'Frist'. Did you mean 'First'?"),
        (("--pause", "Second"), "There is no run named 'Second'."),
        (("--pause",), 'Name the run: --pause "NAME".'),
        (("First", "--pause", "Other"), "Name one run, not two."),
    ],
)
def test_what_cannot_be_done_is_said(arguments: tuple[str, ...], words: str, run: Run) -> None:
    status, said = refused(*arguments)
    assert status == 2
    assert words in said


def test_an_imported_run_is_shown_and_cannot_be_paused(run: Run) -> None:
    become(run, 6, "done")
    Run.objects.update(template="imported")
    assert cells(runs(), "First")[1] == "imported"
    assert refused("--pause", "First")[0] == 2


def test_following_ends_when_the_run_has_ended_and_tells_how(run: Run) -> None:
    become(run, 5, "done")
    become(run, 1, "failed", "refused")
    status, said = refused("First", "--follow")
    assert status == 1
    assert said.startswith("1 of 6 failed:\n  two to “Dusk”, sample 1: ")
    run.generations.update(status="done")
    assert "First: ended" in runs("First", "--follow")


def test_following_a_cancelled_run_does_not_wait(run: Run) -> None:
    runs("--cancel", "First", "--yes")
    assert refused("First", "--follow")[0] == 1


def test_following_a_run_that_waits_for_its_cap_does_not_wait(run: Run) -> None:
    Run.objects.update(cap=1, committed=1)
    LanguageModel.objects.update(price_input=1, price_output=1)
    later = timezone.now() + timedelta(hours=1)
    run.generations.update(error_kind="cap", not_before=later)
    assert refused("First", "--follow") == (3, "The cap of $1.00 is reached.")
    LanguageModel.objects.filter(name="two").update(price_input=None)
    assert refused("First", "--follow") == (
        3,
        "The run has a cap, and what these cost is not known: two.",
    )


def test_a_run_is_followed_as_long_as_one_of_its_models_goes_on(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Run.objects.update(cap=1, committed=1)
    LanguageModel.objects.update(price_input=1, price_output=1)
    capped = {"error_kind": "cap", "not_before": timezone.now() + timedelta(hours=1)}
    run.generations.filter(model__name="one").update(**capped)
    looked: list[float] = []

    def sleep(seconds: float) -> None:
        looked.append(seconds)
        run.generations.filter(model__name="two").update(**capped)

    monkeypatch.setattr(time, "sleep", sleep)
    assert refused("First", "--follow")[0] == 3
    assert len(looked) == 1
