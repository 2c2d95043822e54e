"""``manage.py generate``, from end to end."""

import json
from collections.abc import Callable
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from backend.corpus.models import Collection, Poem
from backend.generation import tasks
from backend.generation.models import Brief, Call, Gate, Generation, LanguageModel, Run
from tests.backend.generation.conftest import shelf
from tests.endpoint import Endpoint

# The commands' threads have connections of their own, which see only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

AddModel = Callable[..., LanguageModel]
PRICES = {"price_input": Decimal(1), "price_output": Decimal(2)}


def generate(*arguments: object) -> str:
    said = StringIO()
    call_command("generate", *(str(argument) for argument in arguments), stdout=said)
    return said.getvalue()


def refused(*arguments: object) -> tuple[int, str]:
    """Return the exit status and the words of a command that does not end well."""
    with pytest.raises(CommandError) as refusal:
        generate(*arguments)
    return refusal.value.returncode, str(refusal.value)


def of_verse(*models: str) -> tuple[str, ...]:
    return ("--collection", "Verse", "--models", *models)


def test_a_run_is_started_written_and_summed_up(
    collection: Collection, add: AddModel, endpoint: Endpoint
) -> None:
    add("ok")
    said = generate(*of_verse("ok"), "--samples", 2, "--temperature", 0.5, "--max-tokens", 99)
    assert said.splitlines()[-1] == "ok: 6 of 6 written"
    assert set(Generation.objects.values_list("status", flat=True)) == {"done"}
    assert {
        (asked.body["temperature"], asked.body["max_tokens"]) for asked in endpoint.requests
    } == {(0.5, 99)}
    assert set(endpoint.written.values()) == {1}


def test_the_built_in_writers_write_without_key_or_network(collection: Collection) -> None:
    said = generate(*of_verse("built-in"), "--poems", 2, "--seed", 5)
    assert said.splitlines()[-2:] == [
        "ngram-2 (built-in n-gram model): 2 of 2 written",
        "ngram-4 (built-in n-gram model): 2 of 2 written",
    ]


def test_failures_are_named_and_the_exit_status_tells(
    collection: Collection, add: AddModel
) -> None:
    add("ok")
    add("no-key", name="Shut")
    status, said = refused(*of_verse("ok", "Shut"), "--run", "It's R")
    first, second, *_, last = said.splitlines()
    assert status == 1
    assert first == "3 of 6 failed:"
    assert second.startswith("  Shut to “Dawn”, sample 1: The key was refused")
    assert last == """To ask them again: --run 'It'"'"'s R' --retry-failed"""
    assert Generation.objects.filter(status="done").count() == 3


def test_of_many_failures_twenty_are_named_and_the_others_counted(add: AddModel) -> None:
    shelf("Many", *(f"Poem {number}" for number in range(23)))
    add("bad-request")
    _, said = refused("--collection", "Many", "--models", "bad-request")
    assert said.count("bad-request to “Poem") == 20
    assert "\n  and 3 more\n" in said


def test_the_same_command_again_goes_on_with_the_same_run_and_asks_only_what_is_left(
    collection: Collection, add: AddModel, endpoint: Endpoint
) -> None:
    add("ok")
    command = (*of_verse("ok"), "--poems", 2, "--seed", 1, "--temperature", 0.9)
    generate(*command)
    said = generate(*command)
    assert (
        "Going on with the run “Verse, poemetric, 2 poems, temperature 0.9, seed 1”: 2 of 2" in said
    )
    assert (Run.objects.count(), len(endpoint.requests)) == (1, 2)


def test_other_settings_make_a_run_of_another_name(collection: Collection, add: AddModel) -> None:
    add("ok")
    generate(*of_verse("ok"))
    generate(*of_verse("ok"), "--samples", 2)
    assert set(Run.objects.values_list("name", flat=True)) == {
        "Verse, poemetric",
        "Verse, poemetric, 2 samples",
    }


def test_a_name_that_would_be_too_long_is_cut_and_stays_apart(add: AddModel) -> None:
    names = ["N" * 119 + end for end in "ab"]
    add("ok")
    for number, name in enumerate(names):
        shelf(name, "Dawn" * (number + 1))
        generate("--collection", name, "--models", "ok")
    assert [len(run.name) for run in Run.objects.all()] == [120, 120]


def test_other_settings_under_the_same_name_are_refused_and_named(
    collection: Collection, add: AddModel
) -> None:
    add("ok")
    generate(*of_verse("ok"), "--run", "R", "--poems", 2)
    status, said = refused(
        *of_verse("ok"),
        "--run",
        "R",
        "--temperature",
        1,
        "--samples",
        3,
        "--template",
        "proftap-en",
    )
    assert status == 2
    assert said.splitlines()[1:-1] == [
        "  samples: 1 there, 3 now",
        "  temperature: none there, 1.0 now",
        "  template: poemetric there, proftap-en now",
    ]
    status, said = refused(*of_verse("ok"), "--run", "R")
    assert (status, said.splitlines()[1]) == (2, "  poems: 2 there, 3 now")
    assert "To go on with it: --run R alone." in said


def test_a_name_alone_goes_on_with_that_run_and_says_what_differs(
    collection: Collection, add: AddModel, endpoint: Endpoint
) -> None:
    add("ok")
    generate(*of_verse("ok"), "--run", "R", "--temperature", 1)
    assert "Going on with the run “R”: 3 of 3 written." in generate("--run", "R")
    assert refused("--run", "R", "--temperature", 0.5)[1].splitlines()[1] == (
        "  temperature: 1.0 there, 0.5 now"
    )
    assert len(endpoint.requests) == 3


def test_further_models_are_added_to_the_run(
    collection: Collection, add: AddModel, endpoint: Endpoint
) -> None:
    add("ok")
    add("title")
    generate(*of_verse("ok"), "--run", "R")
    said = generate(*of_verse("ok", "title"), "--run", "R")
    assert "Added to the run: title." in said
    assert said.splitlines()[-2:] == ["ok: 3 of 3 written", "title: 3 of 3 written"]
    assert (endpoint.asked("ok"), endpoint.asked("title")) == (3, 3)


def test_models_that_a_run_has_besides_are_named(collection: Collection, add: AddModel) -> None:
    add("ok")
    add("title")
    generate(*of_verse("ok", "title"), "--run", "R")
    assert "The run has other models too, and goes on with them: title." in generate(
        *of_verse("ok"), "--run", "R"
    )


def test_only_what_failed_is_asked_again_and_only_if_that_is_said(
    collection: Collection, add: AddModel, endpoint: Endpoint
) -> None:
    add("ok")
    add("heals")
    assert refused(*of_verse("ok", "heals"), "--run", "R")[0] == 1
    endpoint.heal()
    assert refused("--run", "R")[0] == 1
    assert (endpoint.asked("ok"), endpoint.asked("heals")) == (3, 3)
    said = generate("--run", "R", "--retry-failed")
    assert "3 that failed are asked again." in said
    assert (endpoint.asked("ok"), endpoint.asked("heals")) == (3, 6)
    assert "heals: 3 of 3 written" in said


def everything() -> list[int]:
    kinds = (Run, Generation, Brief, Call, Gate, LanguageModel)
    return [kind.objects.count() for kind in kinds]


def test_a_dry_run_estimates_and_leaves_nothing_behind(
    collection: Collection, add: AddModel, endpoint: Endpoint
) -> None:
    add("ok", **PRICES)
    before = everything()
    said = generate(*of_verse("ok", "built-in"), "--samples", 2, "--max-tokens", 500, "--dry-run")
    assert everything() == before
    assert endpoint.requests == []
    (row,) = (line.split() for line in said.splitlines() if line.startswith("ok "))
    assert row[1:3] == ["6", "0"]
    # As long as they may be: 6 x 500 tokens at $2 a million are $0.006, and the prompts little.
    assert row[4] == "3,000"
    assert row[5].startswith("$0.006")
    assert "This would start the run “Verse, poemetric, 2 samples, at most 500 tokens”" in said


def test_a_dry_run_counts_what_was_answered_before_as_free(
    collection: Collection, add: AddModel
) -> None:
    add("ok", **PRICES)
    generate(*of_verse("ok"))
    said = generate(*of_verse("ok"), "--dry-run")
    (row,) = (line.split() for line in said.splitlines() if line.startswith("ok "))
    assert row[1:6] == ["3", "3", "0", "0", "$0.00"]
    assert "This would go on with the run “Verse, poemetric”" in said


@pytest.mark.parametrize(
    ("cap", "prices", "words"),
    [
        ("5", PRICES, "The cap would hold, with $"),
        ("0.0001", PRICES, "The cap would not hold: $0.00"),
        # 3 x 300 tokens at $2 a million are $0.0018, and the prompts little.
        ("0.0021", PRICES, "The cap would hold, but hardly: until it is answered, a call sets"),
        ("5", {}, "A cap cannot be kept without prices; none is known for: ok."),
    ],
)
def test_a_dry_run_says_whether_the_cap_would_hold(
    cap: str, prices: dict[str, Decimal], words: str, collection: Collection, add: AddModel
) -> None:
    add("ok", **prices)
    assert words in generate(*of_verse("ok"), "--cap", cap, "--dry-run")


def test_a_run_that_reaches_its_cap_ends_with_a_status_of_its_own_and_goes_on_with_a_higher_one(
    collection: Collection, add: AddModel, endpoint: Endpoint
) -> None:
    # A call is set aside at 1,000 tokens of answer: a dollar each, so one fits at a time.
    add("ok", price_input=Decimal(0), price_output=Decimal(1000))
    command = (*of_verse("ok"), "--run", "R", "--max-tokens", 1000)
    status, said = refused(*command, "--cap", "0.50")
    assert (status, len(endpoint.requests)) == (3, 0)
    assert "The cap of $0.50 is reached; 3 poems wait." in said
    said = generate(*command, "--cap", "20")
    assert "The cap is $20.00 now." in said
    assert said.splitlines()[-1] == "ok: 3 of 3 written"


def test_a_cap_needs_the_prices_of_all_models(collection: Collection, add: AddModel) -> None:
    add("ok")
    add("title", **PRICES)
    status, said = refused(*of_verse("ok", "title"), "--cap", "20")
    assert (status, Run.objects.count()) == (2, 0)
    assert "ok" in said
    assert "title" not in said


def test_a_fresh_run_takes_no_earlier_answer(
    collection: Collection, add: AddModel, endpoint: Endpoint
) -> None:
    add("ok")
    generate(*of_verse("ok"))
    generate(*of_verse("ok"), "--run", "Free of charge")
    assert len(endpoint.requests) == 3
    generate(*of_verse("ok"), "--fresh")
    generate(*of_verse("ok"), "--fresh")
    assert len(endpoint.requests) == 6
    assert set(Run.objects.values_list("name", flat=True)) == {
        "Verse, poemetric",
        "Free of charge",
        "Verse, poemetric, fresh",
    }


@pytest.mark.parametrize(
    ("fields", "template", "why"),
    [
        ({}, "poemetric", "every poem has a form and a theme"),
        ({"form": ""}, "proftap-en", "3 of 3 poems have no form or no theme"),
        ({"theme": "", "language": "zh-Hant"}, "proftap-zh", "3 of 3 poems"),
    ],
)
def test_the_template_is_guessed_from_the_poems_and_said(
    fields: dict[str, str], template: str, why: str, collection: Collection, add: AddModel
) -> None:
    Poem.objects.update(**fields)
    add("ok")
    said = generate(*of_verse("ok")).splitlines()[0]
    assert said.startswith(f"Template {template} (")
    assert why in said
    assert Run.objects.get().template == template


def test_in_the_background_it_is_only_queued(
    collection: Collection, add: AddModel, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[str] = []
    monkeypatch.setattr(tasks.sweep, "delay", lambda: woken.append("now"))
    add("ok")
    said = generate(*of_verse("ok"), "--background", "--run", "My run")
    assert "3 poems are queued; a worker writes them.\n" in said
    assert "manage.py runs 'My run' --follow" in said
    assert (woken, endpoint.requests) == (["now"], [])


def test_one_json_document_tells_all_at_the_end(collection: Collection, add: AddModel) -> None:
    add("ok", **PRICES)
    add("no-key")
    said, aside = StringIO(), StringIO()
    with pytest.raises(CommandError):
        call_command(
            "generate", *of_verse("ok", "no-key"), "--run", "R", "--json",
            stdout=said, stderr=aside,
        )  # fmt: skip
    told = json.loads(said.getvalue())
    assert (told["ended"], told["exit_status"], told["run"]) == ("done", 1, "R")
    assert (told["total"], told["done"], told["failed"]) == (6, 3, 3)
    assert [(each["model"], each["poem"], each["kind"]) for each in told["failures"]] == [
        ("no-key", title, "key") for title in ("Dawn", "Noon", "Dusk")
    ]
    assert {each["model"]: each["done"] for each in told["models"]} == {"ok": 3, "no-key": 0}
    assert Decimal(told["money"]["spent"]) > 0
    assert "ok: 3 of 3 written" in aside.getvalue()


def test_a_dry_run_is_told_in_json(collection: Collection, add: AddModel) -> None:
    add("ok")
    said = StringIO()
    call_command("generate", *of_verse("ok"), "--dry-run", "--json", stdout=said, stderr=StringIO())
    told = json.loads(said.getvalue())
    assert (told["run"], told["is_new"], told["calls"]) == ("Verse, poemetric", True, 3)
    assert (told["cost"], told["cost_unknown_for"], told["cap_holds"]) == (None, ["ok"], None)


def test_what_there_is_is_listed(collection: Collection, add: AddModel) -> None:
    add("ok", name="GPT")
    said = generate("--list")
    for named in ("Verse (3 poems)", "proftap-zh", "  built-in\n", "  GPT\n"):
        assert named in said


def test_a_paused_run_is_left_alone(
    collection: Collection, add: AddModel, endpoint: Endpoint
) -> None:
    add("ok")
    generate(*of_verse("ok"), "--run", "R")
    Run.objects.update(state="paused")
    status, said = refused("--run", "R")
    assert status == 2
    assert said == "The run 'R' is paused. To let it go on: manage.py runs --resume R"


def test_the_help_explains_itself_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("generate", "runs"):
        with pytest.raises(SystemExit):
            call_command(command, "--help")
        assert f"\n  manage.py {command} " in capsys.readouterr().out
