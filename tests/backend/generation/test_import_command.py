"""``manage.py import_generations``, from end to end."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from backend.corpus.models import Collection
from tests.endpoint.poems import poem

pytestmark = pytest.mark.django_db


def bring(*arguments: object) -> str:
    said = StringIO()
    call_command("import_generations", *(str(argument) for argument in arguments), stdout=said)
    return said.getvalue()


def test_a_file_is_imported_and_never_asked_for(collection: Collection, tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    rows = [
        {"LLM": "M", "title": "DAWN", "reply": poem("M")},
        {"LLM": "M", "title": "Noon", "reply": ""},
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    said = bring(file, "--run", "Old", "--collection", "Verse", "--column", "model=LLM")
    assert said == (
        "2 replies added to “Old”: 1 with a poem, 1 without (1 empty). 0 known already.\n"
    )
    with pytest.raises(CommandError, match="'Old' was imported; there is nothing to ask for"):
        call_command("generate", "--run", "Old")
    with pytest.raises(CommandError, match="'M' is here for its imported poems only"):
        call_command("generate", "--collection", "Verse", "--models", "M")


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


def test_the_help_explains_itself_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("import_generations", "--help")
    assert "\n  manage.py import_generations " in capsys.readouterr().out
