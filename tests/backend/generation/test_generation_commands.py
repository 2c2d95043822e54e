"""``manage.py generate`` and ``manage.py import_generations``, from end to end."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from backend.corpus.models import Collection
from backend.generation import tasks, work
from backend.generation.models import Generation, Run
from tests.backend.generation.conftest import AddModel, StartRun
from tests.backend.generation.fake_provider import POEM, FakeProvider

# The commands' threads have connections of their own, which see only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)


def generate(*arguments: object) -> str:
    said = StringIO()
    call_command("generate", *(str(argument) for argument in arguments), stdout=said)
    return said.getvalue()


def new_run(*models: str) -> tuple[str, ...]:
    return ("--run", "R", "--collection", "Verse", "--template", "poemetric", "--models", *models)


def test_a_run_is_started_written_and_summed_up(
    collection: Collection, add_model: AddModel, provider: FakeProvider
) -> None:
    add_model("ok")
    said = generate(*new_run("ok"), "--samples", 2, "--temperature", 0.5, "--max-tokens", 99)
    assert said.splitlines()[-1] == "ok: 6 written, 0 failed"
    assert set(Generation.objects.values_list("status", "text")) == {("done", POEM)}
    assert {
        (asked.body["temperature"], asked.body["max_tokens"]) for asked in provider.requests
    } == {(0.5, 99)}


def test_the_built_in_writers_write_without_key_or_network(collection: Collection) -> None:
    said = generate(*new_run("built-in"), "--poems", 2, "--seed", 5)
    assert said.splitlines()[-2:] == [
        "ngram-2 (built-in n-gram model): 2 written, 0 failed",
        "ngram-4 (built-in n-gram model): 2 written, 0 failed",
    ]


def test_failures_are_named_and_the_exit_status_tells(
    collection: Collection, add_model: AddModel
) -> None:
    add_model("ok")
    add_model("refusal")
    with pytest.raises(CommandError) as failure:
        generate(*new_run("ok", "refusal"))
    first, second, *_, last = str(failure.value).splitlines()
    assert first == "3 of 6 failed:"
    assert second.startswith("  refusal to “Dawn”, sample 1: The model declined. The model")
    assert last == "To ask them again: --run 'R' --resume --retry-failed"
    assert Generation.objects.filter(status="done").count() == 3


def test_pauses_are_waited_out(
    collection: Collection, add_model: AddModel, provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(work, "FIRST_PAUSE", timedelta(milliseconds=50))
    add_model("busy")
    with pytest.raises(CommandError, match="The provider asked to wait"):
        generate(*new_run("busy"), "--poems", 1)
    assert provider.asked("busy") == work.ATTEMPTS


def test_a_run_is_resumed_and_only_what_failed_is_asked_again(
    start: StartRun, provider: FakeProvider
) -> None:
    start("ok", "heals", name="R")
    with pytest.raises(CommandError):
        generate("--run", "R", "--resume")
    provider.healed = True
    with pytest.raises(CommandError):
        generate("--run", "R", "--resume")
    assert (provider.asked("ok"), provider.asked("heals")) == (3, 3)
    said = generate("--run", "R", "--resume", "--retry-failed")
    assert said.splitlines()[0] == "3 that failed are asked again."
    assert (provider.asked("ok"), provider.asked("heals")) == (3, 6)
    assert "heals: 3 written, 0 failed" in said


def test_in_the_background_it_is_only_queued(
    collection: Collection, add_model: AddModel, provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    woken: list[str] = []
    monkeypatch.setattr(tasks.sweep, "delay", lambda: woken.append("now"))
    add_model("ok")
    assert generate(*new_run("ok"), "--background") == (
        "3 poems are queued; a worker writes them.\n"
    )
    assert (woken, provider.requests) == (["now"], [])


def test_what_there_is_is_listed(collection: Collection, add_model: AddModel) -> None:
    add_model("ok", name="GPT")
    said = generate("--list")
    for named in ("Verse (3 poems)", "proftap-zh", "  built-in\n", "  GPT\n"):
        assert named in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Name the run"),
        (("--run", "R"), "Name the collection"),
        (("--run", "R", "--collection", "Prose"), "no collection named 'Prose'"),
        (("--run", "R", "--collection", "Verse"), "Choose a --template: poemetric"),
        (new_run("Nobody"), "no model named 'Nobody' to ask; there are: built-in, ngram-2"),
        (new_run("built-in")[:-2], "Choose at least one language model"),
        ((*new_run("built-in"), "--poems", 0), "--poems is 0; at least 1 it is"),
        ((*new_run("built-in"), "--threads", 0), "--threads is 0"),
        (("--run", "R", "--resume"), "no run named 'R' to go on with"),
    ],
)
def test_what_is_missing_is_named(
    arguments: tuple[object, ...], words: str, collection: Collection
) -> None:
    with pytest.raises(CommandError) as refusal:
        generate(*arguments)
    assert words in str(refusal.value)
    assert Run.objects.count() == 0


def test_a_name_that_is_taken_needs_resume(start: StartRun) -> None:
    start("ok", name="R")
    with pytest.raises(CommandError, match="already; choose another name"):
        generate(*new_run("ok"))


def test_the_help_explains_itself_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("generate", "import_generations"):
        with pytest.raises(SystemExit):
            call_command(command, "--help")
        assert f"\n  manage.py {command} " in capsys.readouterr().out


def bring(*arguments: object) -> str:
    said = StringIO()
    call_command("import_generations", *(str(argument) for argument in arguments), stdout=said)
    return said.getvalue()


def test_a_file_is_imported_and_never_asked_for(collection: Collection, tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    rows = [
        {"LLM": "M", "title": "DAWN", "reply": POEM},
        {"LLM": "M", "title": "Noon", "reply": ""},
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    said = bring(file, "--run", "Old", "--collection", "Verse", "--column", "model=LLM")
    assert said == (
        "2 replies added to “Old”: 1 with a poem, 1 without (1 empty). 0 known already.\n"
    )
    with pytest.raises(CommandError, match="was imported; there is nothing to ask for"):
        generate("--run", "Old", "--resume")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("absent.csv", "--run", "R"), "absent.csv cannot be read: No such file"),
        (("FILE", "--run", "R", "--collection", "Prose"), "no collection named 'Prose'"),
        (("FILE", "--run", "R", "--column", "model"), "has no '='; write --column reply=Output"),
        (("FILE", "--run", "R"), "line 2, column title: It names a human poem"),
    ],
)
def test_what_cannot_be_imported_says_why(
    arguments: tuple[str, ...], words: str, collection: Collection, tmp_path: Path
) -> None:
    file = tmp_path / "replies.csv"
    file.write_text("model,title,reply\nM,Dawn,x\n")
    with pytest.raises(CommandError) as refusal:
        bring(*(str(file) if word == "FILE" else word for word in arguments))
    assert words in str(refusal.value)
