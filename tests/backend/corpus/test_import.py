"""Importing poems: whole, exact, once; or refused with every place named."""

import csv
import hashlib
import io
import json
import threading
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import connection
from hypothesis import HealthCheck, given
from hypothesis import settings as trials
from hypothesis import strategies as st

from backend.corpus import services
from backend.corpus.models import Collection, ImportedFile, Poem
from backend.corpus.problems import ColumnsMissing, ImportRefused, Problem
from backend.corpus.services import import_poems, load_sample

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared"
PUBLISHED = SHARED / "data" / "poemetric_human_poems_dev.csv"
SAMPLE = Path(services.__file__).parent / "sample"
HEADER = (
    "form,source,title,author,content,poem_link-href,year,meter_pattern,rhyme_pattern,theme,imagery"
)
FED = {
    "form": "form",
    "source": "source",
    "title": "title",
    "author": "author",
    "content": "text",
    "poem_link-href": "url",
    "year": "year",
    "meter_pattern": "metre",
    "rhyme_pattern": "rhyme",
    "theme": "theme",
    "imagery": "imagery",
}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def take(text: str | bytes, name: str = "poems.csv", **options: object) -> services.Report:
    content = text.encode() if isinstance(text, str) else text
    return import_poems(content, file_name=name, collection="Verse", **options)  # type: ignore[arg-type]


def refused(text: str | bytes, name: str = "poems.csv", **options: object) -> list[Problem]:
    """The problems of a file that must be refused, with the database as it was."""
    with pytest.raises(ImportRefused) as refusal:
        take(text, name, **options)
    assert not Collection.objects.exists()
    assert not Poem.objects.exists()
    assert not ImportedFile.objects.exists()
    assert all(problem.reason and problem.remedy for problem in refusal.value.problems)
    return refusal.value.problems


def places(problems: list[Problem]) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.column) for problem in problems]


@pytest.fixture
def published() -> Path:
    if not PUBLISHED.exists():
        pytest.skip(f"the published table is not here: {PUBLISHED}")
    return PUBLISHED


def test_the_published_table_is_imported_with_every_character_kept(
    db: None, published: Path
) -> None:
    report = import_poems(published.read_bytes(), file_name=published.name, collection="POEMetric")
    assert (report.added, report.known, report.ignored_columns) == (77, 0, ())
    kept = Poem.objects.filter(collection__name="POEMetric").values(*FED.values())
    assert list(kept) == [
        {field: row[column] for column, field in FED.items()} for row in rows_of(published)
    ]
    assert set(Poem.objects.values_list("language", flat=True)) == {"en"}


def test_the_same_file_again_adds_nothing(db: None, published: Path) -> None:
    content = published.read_bytes()
    for _ in range(2):
        report = import_poems(content, file_name=published.name, collection="POEMetric")
    assert (report.added, report.known) == (0, 77)
    assert Poem.objects.count() == 77


def test_another_collection_may_have_the_same_poem(db: None) -> None:
    content = f"title,content\n{'Ode'},{'O'}\n".encode()
    for name in ("Odes", "All verse"):
        assert import_poems(content, file_name="a.csv", collection=name).added == 1
    assert Poem.objects.count() == 2


def test_a_poem_that_stands_twice_in_a_file_is_added_once(db: None) -> None:
    report = take("title,content,year\nOde,O,1819\nOde,O,1820\nOde,O!,1819\n")
    assert (report.added, report.known) == (2, 1)
    assert list(Poem.objects.values_list("text", "year")) == [("O", "1819"), ("O!", "1819")]


def test_an_import_is_recorded_with_the_file_s_checksum(db: None) -> None:
    content = b"title,content,shelf\nOde,O,7\n"
    report = take(content, "odes.csv")
    file = ImportedFile.objects.get()
    assert report.file == file
    assert (file.name, file.added, file.known) == ("odes.csv", 1, 0)
    assert file.sha256 == hashlib.sha256(content).hexdigest()
    assert report.ignored_columns == ("shelf",)
    assert str(report) == "1 poem added to “Verse”, 0 known already. Columns not used: shelf."


lines = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
poems = st.tuples(
    lines.filter(str.strip), lines, st.lists(lines, min_size=1).map("\n".join).filter(str.strip)
)


@trials(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(written=st.lists(poems, min_size=1, max_size=5), mark=st.booleans())
def test_whatever_a_csv_writer_wrote_comes_back_exactly(
    db: None, written: list[tuple[str, str, str]], mark: bool
) -> None:
    Poem.objects.all().delete()
    file = io.StringIO(newline="")
    csv.writer(file).writerows([("title", "author", "content"), *written])
    report = take(file.getvalue().encode("utf-8-sig" if mark else "utf-8"), language="en")
    assert report.added + report.known == len(written)
    kept = list(Poem.objects.values_list("title", "author", "text"))
    assert kept == list(dict.fromkeys(written))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "windows-1252", "latin-1", "gb18030"]
)
def test_other_encodings_are_asked_for_by_name(db: None, encoding: str) -> None:
    asked = "utf-8" if encoding == "utf-8-sig" else encoding
    take("title,content\nLiebe,„é“\n".encode(encoding, "replace"), encoding=asked)
    assert Poem.objects.get().title == "Liebe"
    assert "é" in Poem.objects.get().text


def test_big5_verse_is_read_and_its_language_guessed(db: None) -> None:
    take("title,content\n靜夜思,床前明月光\n".encode("big5"), encoding="big5")
    poem = Poem.objects.get()
    assert (poem.text, poem.language) == ("床前明月光", "zh-Hant")


def test_line_breaks_blank_lines_and_indents_stay_as_they_came(db: None) -> None:
    text = "  One,\r\n\tTwo \r\n\r\n\n    Three\r"
    take(f'title,content\r\nOde,"{text}"\r\n')
    assert Poem.objects.get().text == text


def test_json_lines_are_read_with_numbers_as_they_are_written(db: None) -> None:
    first = '{"title": "A", "content": "x\\u2028y\u2028\\n\\n  z", "year": 1818, "edition": 1.10}'
    report = take(f'{first}\r\n\n{{"content": "b", "title": "B", "tags": ["x"]}}\n', "a.jsonl")
    poem = Poem.objects.get(title="A")
    assert (poem.text, poem.year, poem.edition) == ("x\u2028y\u2028\n\n  z", "1818", "1.10")
    assert (report.added, report.ignored_columns) == (2, ("tags",))


def test_semicolons_and_tabs_part_cells_too(db: None) -> None:
    take('title;content\nA;"one, two; three"\n')
    take("title\tcontent\nB\tone, two\n", "b.tsv")
    assert list(Poem.objects.values_list("title", "text")) == [
        ("A", "one, two; three"),
        ("B", "one, two"),
    ]


def test_a_mapping_says_which_column_is_which(db: None) -> None:
    report = take(
        "Titel,Gedicht,author,theme\nErlkönig,Wer reitet,Goethe,night\n",
        columns={"title": "Titel", "text": "Gedicht", "theme": ""},
        language="de",
    )
    poem = Poem.objects.get()
    assert (poem.title, poem.text, poem.author) == ("Erlkönig", "Wer reitet", "Goethe")
    assert (poem.theme, poem.language) == ("", "de")
    assert report.ignored_columns == ("theme",)


def test_the_row_s_own_language_goes_before_the_import_s(db: None) -> None:
    take("title,content,language\nA,春眠不覺曉,ja\nB,春眠不覺曉,\n", language="zh-Hans")
    assert list(Poem.objects.values_list("language", flat=True)) == ["ja", "zh-Hans"]


def test_the_shipped_sample_is_loaded_whole_and_once(db: None) -> None:
    first, second = load_sample(), load_sample()
    for name, report, again in zip(services.SAMPLE_COLLECTIONS, first, second, strict=True):
        rows = [json.loads(line) for line in (SAMPLE / name).read_text("utf-8").splitlines()]
        kept = Poem.objects.filter(collection=report.collection).values_list("title", "text")
        assert list(kept) == [(row["title"], row["content"]) for row in rows]
        assert (report.added, again.added, again.known) == (len(rows), 0, len(rows))
    assert {str(report.collection) for report in first} == {
        "Sample: English verse",
        "Sample: classical Chinese verse",
    }


@pytest.mark.parametrize(
    ("content", "place", "reason"),
    [
        ("", (None, ""), "empty"),
        ("\n \n", (None, ""), "blank"),
        ("title,content\n", (None, ""), "no poems"),
        ("title,content\nA,a\n ,b\n", (3, "title"), "blank"),
        ('title,content\n"A\n\nB","a\nb"\nC," \n"\n', (6, "content"), "blank"),
        ("title,content\nA,a\nB,b,c\n", (3, "3"), "3 cells and the header 2"),
        ("title,content,year\nA,a\n", (2, "year"), "2 cells and the header 3"),
        ('title,content\nA,a\nB,"b\nc\n', (3, ""), "never closed"),
        ('title,content\nA,"a"b\n', (2, ""), "follows the quotation mark"),
        ('title,content\nA,"a\n"b\n', (3, ""), "starts on line 2"),
        ("title,content,title\nA,a,b\n", (1, "title"), "twice"),
        ("title,content\nA,a\nB,b\0c\n", (3, ""), "NUL"),
        (f"title,content\n{'A' * 301},a\n", (2, "title"), "301 characters long, and at most 300"),
        ("title,content,language\nA,a,English\n", (2, "language"), "no language tag"),
        (b"title,content\nA,a\nB,\xe9t\xe9\n", (3, ""), "Byte 0xE9, number 21"),
        (b"title,content\r\nA,\xe9\r\n", (2, ""), "is not utf-8"),
        ("title,content\nA,a\n".encode("utf-16"), (1, ""), "Byte 0xFF"),
        ("title,content\nA,a\n".encode("utf-16-le"), (1, ""), "NUL"),
    ],
)
def test_a_bad_table_is_refused_with_its_place(
    db: None, content: str | bytes, place: tuple[int | None, str], reason: str
) -> None:
    (problem,) = refused(content)
    assert (problem.line, problem.column) == place
    assert reason in problem.reason


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        ('{"title": "B", "content": ', (2, ""), "no JSON"),
        ("just text", (2, ""), "at character 1"),
        ('["B", "b"]', (2, ""), "no object"),
        ("17", (2, ""), "no object"),
        ('{"title": "B", "title": "C", "content": "b"}', (2, ""), "'title' twice"),
        ('{"title": "B", "content": ["b"]}', (2, "content"), "a list, not text"),
        ('{"title": true, "content": "b"}', (2, "title"), "true or false"),
        ('{"title": null, "content": "b"}', (2, "title"), "blank"),
        ('{"title": "B"}', (2, "content"), "blank"),
        ('{"title": "B", "content": "b\\u0000"}', (2, "content"), "NUL"),
        ('{"title": "B", "content": "\\ud800"}', (2, "content"), "half of a character pair"),
        ('{"title": "B", "content": "b", "\\ud800": ""}', (2, ""), "cannot be printed"),
        ("[" * 100_000, (2, ""), "recursion"),
    ],
)
def test_a_bad_json_line_is_refused_with_its_place(
    db: None, line: str, place: tuple[int, str], reason: str
) -> None:
    (problem,) = refused('{"title": "A", "content": "a"}\n' + line, "poems.jsonl")
    assert (problem.line, problem.column) == place
    assert reason in problem.reason


def test_every_bad_row_is_named_and_the_good_ones_are_not_imported(db: None) -> None:
    problems = refused("title,content,year\n,a,\nB,b,\nC,c\n,,1819\n")
    assert places(problems) == [(2, "title"), (4, "year"), (5, "title"), (5, "content")]


def test_columns_that_nothing_feeds_are_named_with_those_of_the_file(db: None) -> None:
    with pytest.raises(ColumnsMissing) as refusal:
        take("Titel,Gedicht\nA,a\n")
    assert refusal.value.header == ["Titel", "Gedicht"]
    assert [problem.column for problem in refusal.value.problems] == ["title", "text"]
    assert "Titel, Gedicht" in refusal.value.problems[0].reason
    assert "--column title=" in refusal.value.problems[0].remedy


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"columns": {"titel": "title"}}, "no field 'titel'"),
        ({"columns": {"title": "Titel"}}, "no such column"),
        ({"encoding": "utf-99"}, "no text encoding 'utf-99'"),
        ({"encoding": "hex"}, "no text encoding 'hex'"),
        ({"encoding": "undefined"}, "no text encoding 'undefined'"),
        ({"language": "German"}, "no language tag"),
        ({"name": "poems.xls"}, "'.xls'"),
        ({"name": "poems"}, "no ending"),
    ],
)
def test_what_is_asked_wrongly_is_refused(
    db: None, options: dict[str, object], reason: str
) -> None:
    (problem,) = refused("title,content\nA,a\n", **options)  # type: ignore[arg-type]
    assert reason in problem.reason


@pytest.mark.parametrize("name", ["", "  ", "x" * 121])
def test_a_collection_needs_a_name_that_fits(db: None, name: str) -> None:
    with pytest.raises(ImportRefused, match="1 problem"):
        import_poems(b"title,content\nA,a\n", file_name="a.csv", collection=name)
    assert not Collection.objects.exists()


def test_a_file_beyond_the_limit_is_refused(db: None, settings: LazySettings) -> None:
    settings.CORPUS_FILE_LIMIT = 2**20
    (problem,) = refused(b"title,content\nA," + b"a" * 2**20)
    assert problem.reason == "The file is larger than 1 MiB"


def test_a_poem_longer_than_the_csv_module_s_own_limit_is_taken(db: None) -> None:
    epic = "Sing, goddess, the anger\n" * 20_000
    take(f'title,content\nIliad,"{epic}"\n')
    assert Poem.objects.get().text == epic


def test_a_fault_while_writing_leaves_nothing_behind(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(ImportedFile.objects, "create", fail)
    with pytest.raises(OSError, match="disk full"):
        take("title,content\nA,a\n")
    assert not Poem.objects.exists()
    assert not Collection.objects.exists()


def test_two_imports_at_once_add_each_poem_once_and_count_right(transactional_db: None) -> None:
    content = "title,content\n" + "".join(f"Ode {n},O {n}\n" for n in range(300))
    reports, start = [], threading.Barrier(4)

    def run() -> None:
        start.wait()
        try:
            reports.append(take(content))
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(report.added for report in reports) == [0, 0, 0, 300]
    assert sorted(report.known for report in reports) == [0, 300, 300, 300]
    assert Poem.objects.count() == 300
