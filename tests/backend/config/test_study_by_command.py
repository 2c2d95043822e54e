"""The whole study without a browser: each command as a script would call it."""

import csv
import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import load_command_class

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.slow

POEMS = """form,title,author,content,year,meter_pattern,rhyme_pattern,theme
Ballad,The Reed,A. N. Other,"A reed beside the river grew,
    The river knew it not.
The wind went by, the river too,
    And both the reed forgot.",1890,,ABAB,About a reed
Limerick,The Clerk,A. N. Other,"There once was a clerk with a quill,
Who never could keep his hand still,",1891,,AABBA,About a clerk
"""


Manage = Callable[..., str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("place")


@pytest.fixture(scope="module")
def manage(place: Path) -> Manage:
    """Call ``manage.py`` as a script does, on a database of its own."""
    own = {"BLINDVERSE_DATA": str(place / "data"), "DATABASE_URL": "", "REDIS_URL": ""}

    def run(*words: str, fails: bool = False) -> str:
        done = subprocess.run(
            [sys.executable, ROOT / "manage.py", *words],
            env={**os.environ, **own},
            cwd=place,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    run("migrate", "-v0")
    return run


def test_a_study_runs_from_import_to_export_by_command(manage, place, monkeypatch):
    (place / "poems.csv").write_text(POEMS, encoding="utf-8")
    assert "2" in manage("import_poems", "poems.csv", "--collection", "Mine")
    manage(
        "generate", "--collection", "Mine", "--template", "poemetric", "--models", "built-in",
        "--run", "First",
    )  # fmt: skip
    opened = manage(
        "open_study", "--title", "Spring", "--contact", "me@example.org",
        "--instrument", "proftap-probability", "--collection", "Mine", "--run", "First",
        "--invite", "Ada",
    )  # fmt: skip
    assert "study spring" in opened
    assert "items 6" in opened
    assert "/invitation/" in opened
    assert "6 of 6 judged" in manage("judge_study", "spring", "--models", "built-in")
    assert "sealed" in manage("export_study", "spring", "--to", "out.zip", fails=True).lower()
    assert not (place / "out.zip").exists()
    monkeypatch.setenv("BLINDVERSE_STAFF_PASSWORD", "a long and unlikely one")
    manage("add_staff", "ada", "--role", "researcher")
    manage("close_study", "spring", "--unblind", "ada")
    manage("export_study", "spring", "--to", "out.zip")
    with zipfile.ZipFile(place / "out.zip") as package:
        assert package.testzip() is None
        ratings = list(csv.DictReader(io.StringIO(package.read("ratings.csv").decode("utf-8-sig"))))
    assert len(ratings) == 6
    assert {row["author_kind"] for row in ratings} == {"human", "model"}


@pytest.mark.parametrize(
    "words",
    [
        ("import_poems", "missing.csv", "--collection", "Mine"),
        ("generate", "--collection", "None such", "--template", "poemetric", "--models", "built-in",
         "--run", "R"),
        ("open_study", "--title", "T", "--contact", "c", "--instrument", "poemetric-survey",
         "--collection", "None such"),
        ("judge_study", "none-such", "--models", "built-in"),
        ("close_study", "none-such"),
        ("export_study", "none-such", "--to", "out.zip"),
    ],
)  # fmt: skip
def test_a_command_that_cannot_says_why_and_fails(manage, words):
    assert len(manage(*words, fails=True).strip()) > 20


@pytest.mark.parametrize(
    ("app", "command"),
    [
        ("backend.corpus", "import_poems"),
        ("backend.generation", "generate"),
        ("backend.generation", "import_generations"),
        ("backend.generation", "runs"),
        ("backend.design", "open_study"),
        ("backend.design", "close_study"),
        ("backend.judging", "judge_study"),
        ("backend.exports", "export_study"),
        ("backend.accounts", "add_staff"),
        ("backend.config", "demo"),
    ],
)
def test_every_command_explains_itself(app, command):
    parser = load_command_class(app, command).create_parser("manage.py", command)
    said = f"{parser.description} {parser.epilog or ''}"
    assert len(said) > 150
    assert "example" in said.casefold() or command == "demo"
    undocumented = [a.dest for a in parser._actions if not a.help]
    assert undocumented == []
