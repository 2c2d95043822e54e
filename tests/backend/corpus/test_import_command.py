"""``manage.py import_poems``."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from backend.corpus.models import Poem


def run(*arguments: object) -> str:
    said = StringIO()
    call_command("import_poems", *(str(argument) for argument in arguments), stdout=said)
    return said.getvalue()


@pytest.fixture
def poems(tmp_path: Path) -> Path:
    return tmp_path / "poems.csv"


def test_a_file_is_imported_and_the_report_printed(db: None, poems: Path) -> None:
    poems.write_text("title,content,shelf\nA,a,1\nB,b,2\n", "utf-8")
    said = run(poems, "--collection", "Verse")
    assert said == "2 poems added to “Verse”, 0 known already. Columns not used: shelf.\n"


def test_columns_encoding_and_language_are_named(db: None, poems: Path) -> None:
    poems.write_text("Titel,Gedicht\nA,für\n", "windows-1252")
    options = ("--encoding", "windows-1252", "--language", "de", "--column", "title=Titel")
    run(poems, "--collection", "Verse", *options, "--column", "text=Gedicht")
    assert Poem.objects.values_list("title", "text", "language").get() == ("A", "für", "de")


def test_each_problem_has_a_line_of_its_own(db: None, poems: Path) -> None:
    poems.write_text("title,content\n,a\nB,\n", "utf-8")
    with pytest.raises(CommandError) as refusal:
        run(poems, "--collection", "Verse")
    assert str(refusal.value).splitlines() == [
        "Nothing was imported: 2 problems.",
        "line 2, column title: The title is blank (Write the poem's title or remove the row)",
        "line 3, column content: The text is blank (Write the poem's text or remove the row)",
    ]
    assert refusal.value.returncode == 1


def test_fifty_problems_are_shown_and_the_rest_counted(db: None, poems: Path) -> None:
    poems.write_text("title,content\n" + ",a\n" * 70, "utf-8")
    with pytest.raises(CommandError) as refusal:
        run(poems, "--collection", "Verse")
    said = str(refusal.value).splitlines()
    assert said[0] == "Nothing was imported: 70 problems."
    assert len(said) == 52
    assert said[-1] == "... and 20 more."


def test_the_sample_needs_no_file(db: None) -> None:
    english, chinese = run("--sample").splitlines()
    assert "added to “Sample: English verse”" in english
    assert "added to “Sample: classical Chinese verse”" in chinese


def test_the_well_known_poems_need_no_file(db: None) -> None:
    (line,) = run("--well-known").splitlines()
    assert "added to “Well-known poems”, 0 known already" in line


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "Name a file"),
        (("a.csv", "--sample"), "Name a file"),
        (("--sample", "--well-known"), "Name a file"),
        (("a.csv",), "--collection"),
        (("no-such.csv", "--collection", "Verse"), "no-such.csv cannot be read"),
    ],
)
def test_what_is_missing_is_said(db: None, arguments: tuple[str, ...], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        run(*arguments)


def test_a_mapping_without_an_equals_sign_is_refused(db: None, poems: Path) -> None:
    poems.write_text("title,content\nA,a\n", "utf-8")
    with pytest.raises(CommandError, match="has no '='"):
        run(poems, "--collection", "Verse", "--column", "title")
