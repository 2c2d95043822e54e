"""Importing machine poems: whole files or nothing, each reply once and as it came."""

import json
from collections import Counter
from pathlib import Path

import pytest
from openpyxl import Workbook

from backend.corpus.models import Collection, Poem
from backend.corpus.problems import ColumnsMissing, ImportRefused
from backend.generation import controlling
from backend.generation.imports import ImportReport, import_generations
from backend.generation.models import Brief, Generation, LanguageModel, Recital, Run
from backend.generation.services import NameTaken
from tests.backend.generation.conftest import AddModel, StartRun, shelf

POEM = "The river keeps the light\nAnd lends it to the stones."
DEV = Path(__file__).resolve().parents[4] / "shared" / "data" / "llm_poem_replies_dev.jsonl"

pytestmark = pytest.mark.django_db


def lines(*rows: dict[str, object]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def take(content: bytes, **options: object) -> ImportReport:
    asked = {"file_name": "replies.jsonl", "run_name": "Imported", **options}
    return import_generations(content, **asked)


def refused(content: bytes, **options: object) -> list[tuple[int | None, str, str, str]]:
    before = counts()
    with pytest.raises(ImportRefused) as refusal:
        take(content, **options)
    assert counts() == before
    return [(p.line, p.column, p.reason, p.remedy) for p in refusal.value.problems]


def counts() -> list[int]:
    return [
        found.objects.count()
        for found in (Run, LanguageModel, Brief, Generation)  # type: ignore[attr-defined]
    ]


def test_a_title_finds_its_poem_whatever_its_case_and_spaces(collection: Collection) -> None:
    report = take(
        lines({"model": "M", "title": " DAWN\u00a0", "reply": POEM}), collection=collection
    )
    made = report.run.generations.get()
    assert (made.brief.poem.title, made.status, made.text) == ("Dawn", "done", POEM)
    assert made.model.reach == LanguageModel.Reach.IMPORTED
    assert made.brief.template == "poemetric"
    assert "Theme: dawn" in made.brief.text


def test_a_human_poem_shares_its_brief_with_imported_and_asked_poems(
    collection: Collection, start: StartRun
) -> None:
    asked = start("ok")
    report = take(lines({"model": "M", "title": "Dawn", "reply": POEM}), collection=collection)
    assert report.run.generations.get().brief in [row.brief for row in asked.generations.all()]


@pytest.mark.parametrize("key", ["pk", "fingerprint"])
@pytest.mark.parametrize("column", ["poem_key", "poem_id"])
def test_a_key_names_one_of_two_poems_of_one_title(key: str, column: str, db: None) -> None:
    collection = shelf("Verse", "Song", "Song")
    second = collection.poems.last()
    row = {"model": "M", column: str(getattr(second, key)), "title": "Song", "reply": POEM}
    assert take(lines(row), collection=collection).run.generations.get().brief.poem == second


def test_a_prompt_beside_a_title_is_the_briefs_wording(collection: Collection) -> None:
    row = {"model": "M", "title": "Dawn", "prompt": "Write of dawn.\n", "reply": POEM}
    brief = take(lines(row), collection=collection).run.generations.get().brief
    assert (brief.poem.title, brief.template, brief.text) == (
        "Dawn",
        "imported",
        "Write of dawn.\n",
    )


def test_a_prompt_alone_is_a_brief_of_no_human_poem(db: None) -> None:
    brief = take(lines({"model": "M", "prompt": "Go.", "reply": POEM})).run.generations.get().brief
    assert (brief.poem, brief.template, brief.text) == (None, "imported", "Go.")


def test_the_template_is_chosen(collection: Collection) -> None:
    row = {"model": "M", "title": "Dawn", "reply": POEM}
    report = take(lines(row), collection=collection, template="proftap-zh")
    assert "《Dawn》" in report.run.generations.get().brief.text


@pytest.mark.parametrize(
    "reply",
    ["  a\r\n\r\nb \t\n", "ﬁ\u2028e\u0301", "Sure!\n\nthe\nriver", "<think>x</think>\na\nb"],
)
def test_a_reply_is_kept_as_it_came(reply: str, db: None) -> None:
    take(lines({"model": "M", "prompt": "Go.", "reply": reply}))
    assert Generation.objects.get().reply == reply


def test_a_reply_without_a_poem_is_kept_as_failed_and_counted(db: None) -> None:
    rows = [
        {"model": "M", "prompt": "Go.", "reply": reply, "finish_reason": finish}
        for reply, finish in [
            (POEM, "stop"),
            ("", "stop"),
            ("I'm sorry, but I can't.", "stop"),
            ("The river", "MAX_TOKENS"),
        ]
    ]
    report = take(lines(*rows))
    assert (report.poems, report.without, report.known) == (
        1,
        Counter(empty=1, refused=1, truncated=1),
        0,
    )
    assert str(report) == (
        "4 replies added to “Imported”: 1 with a poem, 3 without (1 empty, 1 refused, "
        "1 truncated). 0 known already."
    )
    shown = report.run.generations.order_by("sample").values_list("status", "error_kind", "sample")
    assert list(shown) == [
        ("done", "", 1),
        ("failed", "empty", 2),
        ("failed", "refused", 3),
        ("failed", "truncated", 4),
    ]


def test_what_was_imported_is_never_asked_for(db: None) -> None:
    report = take(lines({"model": "M", "prompt": "Go.", "reply": ""}))
    assert controlling.retry_failed(report.run) == 0
    assert Generation.objects.get().status == "failed"


def test_samples_are_numbered_and_the_same_file_again_adds_nothing(db: None) -> None:
    content = lines(
        *({"model": "M", "prompt": "Go.", "reply": reply} for reply in ("a\nb", "c\nd", "a\nb"))
    )
    first = take(content)
    assert (first.added, first.known) == (2, 1)
    again = take(content)
    assert (again.added, again.known, again.run) == (0, 3, first.run)
    more = take(lines({"model": "M", "prompt": "Go.", "reply": "e\nf"}))
    assert (more.added, more.known) == (1, 0)
    samples = Generation.objects.order_by("sample").values_list("sample", "reply")
    assert list(samples) == [(1, "a\nb"), (2, "c\nd"), (3, "e\nf")]


def test_a_model_that_is_known_is_not_made_twice(add_model: AddModel) -> None:
    known = add_model("ok", name="M")
    take(lines({"model": "M", "prompt": "Go.", "reply": POEM}))
    assert list(LanguageModel.objects.all()) == [known]
    known.refresh_from_db()
    assert known.reach == LanguageModel.Reach.ENDPOINT


def test_a_run_that_asked_its_models_takes_no_imported_poems(start: StartRun) -> None:
    run = start("ok")
    with pytest.raises(NameTaken, match="choose another name"):
        take(lines({"model": "M", "prompt": "Go.", "reply": POEM}), run_name=run.name)
    assert not LanguageModel.objects.filter(name="M").exists()


def test_a_table_and_a_workbook_say_the_same(collection: Collection, tmp_path: Path) -> None:
    table = [("model", "title", "reply"), ("M", "Dawn", POEM), ("N", "Dusk", f"{POEM}\nEnd")]
    quoted = "\r\n".join(",".join(f'"{cell}"' for cell in row) for row in table).encode()
    book = Workbook()
    for row in table:
        book.active.append(row)
    book.save(tmp_path / "replies.xlsx")
    take(quoted, file_name="a.csv", run_name="A", collection=collection)
    content = (tmp_path / "replies.xlsx").read_bytes()
    take(content, file_name="b.xlsx", run_name="B", collection=collection)
    first, second = (
        list(run.generations.values_list("model__name", "brief", "reply", "text"))
        for run in Run.objects.order_by("name")
    )
    assert first == second
    assert [row[2] for row in first] == [POEM, f"{POEM}\nEnd"]


@pytest.mark.parametrize("name", ["reply", "text", "poem", "content", "output", "response"])
def test_the_reply_goes_by_several_names(name: str, db: None) -> None:
    take(lines({"MODEL": "M", "prompt": "Go.", name.title(): POEM}))
    assert Generation.objects.get().reply == POEM


def test_columns_are_named_and_those_not_used_are_told(db: None) -> None:
    row = {"LLM": "M", "Bitte": "Los.", "Antwort": POEM, "temperature": 0.7, "title": "x"}
    columns = {"model": "LLM", "prompt": "Bitte", "reply": "Antwort", "title": ""}
    report = take(lines(row), columns=columns)
    assert report.ignored_columns == ("temperature", "title")
    assert "Columns not used: temperature, title." in str(report)


def test_every_bad_row_is_named_and_nothing_is_imported(db: None) -> None:
    collection = shelf("Verse", "Dawn", "Song", "Song", "Formless")
    Poem.objects.filter(title="Formless").update(form="")
    first, second = Poem.objects.filter(title="Song").values_list("pk", flat=True)
    content = lines(
        {"model": "M", "title": "Dawn", "reply": POEM},
        {"model": "M", "title": "Night", "reply": POEM},
        {"model": "M", "title": "song", "reply": POEM},
        {"model": " ", "title": "Dawn", "reply": POEM},
        {"model": "M", "title": "Dawn"},
        {"model": "M", "reply": POEM},
        {"model": "M", "poem_key": "999", "reply": POEM},
        {"model": "M", "title": "Formless", "reply": POEM},
        {"model": "M", "title": "Dawn", "reply": "a\0b"},
        {"model": "M" * 121, "title": "Dawn", "reply": ["a"]},
    )
    assert [problem[:3] for problem in refused(content, collection=collection)] == [
        (2, "title", "No poem of “Verse” is titled “Night”"),
        (
            3,
            "title",
            f"2 poems are titled “song”: Author of Song, key {first}; Author of Song, key {second}",
        ),
        (4, "model", "The model is blank"),
        (5, "reply", "The row has no reply"),
        (6, "", "The row says neither to which poem nor to which prompt the reply was written"),
        (7, "poem_key", "No poem of “Verse” has the key '999'"),
        (
            8,
            "",
            "The template “POEMetric: form, metre, rhyme, theme” cannot put “Formless” as a "
            "brief: it has no form",
        ),
        (9, "reply", "It holds a NUL character or half of a character pair"),
        (10, "model", "The model's name is 121 characters long, and at most 120 fit"),
        (10, "reply", "The value is a list, not text"),
    ]


def test_the_remedy_for_two_poems_of_one_title_is_the_poem_key(db: None) -> None:
    collection = shelf("Verse", "Song", "Song")
    (problem,) = refused(
        lines({"model": "M", "title": "Song", "reply": POEM}), collection=collection
    )
    assert problem[3] == "Name the one that is meant by its key in a column poem_key"


def test_a_poem_of_another_collection_is_not_found(collection: Collection) -> None:
    other = shelf("Other", "Elsewhere")
    key = other.poems.get().pk
    (problem,) = refused(
        lines({"model": "M", "poem_key": str(key), "reply": POEM}), collection=collection
    )
    assert problem[:2] == (1, "poem_key")


def test_a_title_without_a_collection_is_refused(db: None) -> None:
    (problem,) = refused(lines({"model": "M", "title": "Dawn", "reply": POEM}))
    assert problem[2] == "It names a human poem, and no collection is chosen to look for it"


def test_missing_columns_are_named_together(db: None) -> None:
    with pytest.raises(ColumnsMissing) as refusal:
        take(lines({"author": "M"}))
    named = [problem.column for problem in refusal.value.problems]
    assert named == ["model", "reply", "title, poem_key or prompt"]


def test_a_broken_line_is_named_with_the_rest(db: None) -> None:
    content = (
        lines({"model": "M", "prompt": "Go.", "reply": POEM})
        + b"\n{broken\n"
        + lines({"model": "", "prompt": "Go.", "reply": POEM})
    )
    assert [problem[0] for problem in refused(content)] == [2, 3]


@pytest.mark.parametrize("name", ["", "  ", "n" * 121])
def test_a_run_without_a_proper_name_is_refused(name: str, db: None) -> None:
    assert refused(lines({"model": "M", "prompt": "Go.", "reply": POEM}), run_name=name)


@pytest.mark.skipif(not DEV.exists(), reason="the development replies are not on this machine")
def test_330_real_replies_are_imported_as_they_came_and_once(db: None) -> None:
    content = DEV.read_bytes()
    rows = [json.loads(line) for line in content.decode().splitlines()]
    distinct = {(row["model"], row["prompt"], row["reply"]) for row in rows}
    report = take(content, file_name=DEV.name)
    assert len(rows) == report.added + report.known == 330
    assert report.added == len(distinct)
    assert LanguageModel.objects.count() == 12
    kept = Generation.objects.values_list("model__name", "brief__text", "reply")
    assert set(kept) == distinct
    # Counted in the file: reasoning that opens and never closes.
    unclosed = [row for row in rows if "<think>" in row["reply"] and "</think>" not in row["reply"]]
    assert report.without == Counter(truncated=len(unclosed))
    again = take(content, file_name=DEV.name)
    assert (again.added, again.known) == (0, 330)
    assert report.ignored_columns == ("system_prompt", "temperature", "max_tokens")


def test_imported_poems_are_held_against_known_ones_and_flagged() -> None:
    known = Poem.objects.create(
        collection=Collection.objects.create(name="Known"),
        title="Dusk",
        author="A. Poet",
        text="The evening folds her linen on the hill,\nAnd every lamp remembers what it was.",
        fingerprint="1",
    )
    repeats = f"Here is my poem:\n\n{known.text.upper()}"
    recast = "The evening folds her linen on a hill,\nAnd every lamp remembers what it is."
    report = take(
        lines(
            {"model": "M", "prompt": "One.", "reply": repeats},
            {"model": "M", "prompt": "Two.", "reply": recast},
            {"model": "M", "prompt": "Three.", "reply": POEM},
        )
    )
    flagged = [[flag["rule"] for flag in made.flags] for made in report.run.generations.all()]
    assert flagged == [["recited"], ["near-verbatim"], []]
    assert [(one.kind, one.poem, one.call) for one in Recital.objects.order_by("pk")] == [
        ("exact", known, None), ("near", known, None),
    ]  # fmt: skip


def test_what_cleaning_doubts_in_an_imported_reply_is_flagged() -> None:
    two = f"Poem 1:\n\n{POEM}\n\nPoem 2:\n\nThe hills stand up by day\nAnd lie down in the dark."
    made = take(lines({"model": "M", "prompt": "One.", "reply": two})).run.generations.get()
    assert made.flags
    assert made.looked_at is None
