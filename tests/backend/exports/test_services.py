"""A package holds everything, names nobody, and is the same every time."""

import csv
import hashlib
import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from zipfile import ZipFile

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from annotation.activity import sealing
from annotation.activity.models import Entry
from annotation.activity.services import Kind, record
from annotation.judgments.models import Judgment
from annotation.judgments.services import submit
from annotation.studies.links import open_link
from annotation.studies.models import Assignment, Background, Consent, Judge
from backend.analytics.frames import StillBlinded
from backend.analytics.services import report
from backend.exports.services import export
from tests.backend.analytics.answering import reopened
from tests.backend.analytics.reports.scales import likert_study
from tests.backend.exports.opened import packed, table
from tests.studies import make_study

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[3]

VERSES = {
    "human": "静夜思\n\n\t床前明月光，\r\n    疑是地上霜。  \n",
    "Alpha": '- a dash, then "quotes",\n\n=1+1\n  @ the end',
    "Beta": "=cmd()\rold line ends\r",
}


class Meddled(io.BytesIO):
    """A file into whose writing an answer falls."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        super().__init__()
        self.meanwhile: Callable[[], None] | None = meanwhile

    def write(self, data: bytes, /) -> int:
        if self.meanwhile:
            meddler = Thread(target=self.meanwhile)
            self.meanwhile = None
            meddler.start()
            meddler.join()
        return super().write(data)


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_arrives_during_an_export_is_in_none_of_its_files() -> None:
    study = make_study(answers=lambda judge, _a, _t: 0.5 if judge == "Anna" else None)
    late = Assignment.objects.select_related("judge__study").filter(judge__name="Ben")[0]

    def meanwhile() -> None:
        submit(late, {"probability_human": 0.1}, milliseconds=1)
        connection.close()

    file = Meddled(meanwhile)
    export(study, file)
    package = ZipFile(file)
    assert Judgment.objects.count() == 7
    assert len(table(package, "ratings.csv")) == 6
    outcomes = [row["outcome"] for row in table(package, "assignments.csv")]
    assert sorted(outcomes) == ["answered"] * 6 + ["never answered"] * 6


def test_a_sealed_study_is_refused_and_nothing_is_written() -> None:
    file = io.BytesIO()
    with pytest.raises(StillBlinded):
        export(make_study(unblinded=False), file)
    assert file.getvalue() == b""


def test_a_package_holds_exactly_these_files() -> None:
    study = make_study(titles=["Dawn"], models=["Alpha"], machines=["Gamma"])
    names = packed(study).namelist()
    results = {name for name in names if name.startswith("results/")}
    assert set(names) - results == {
        *("README.md", "study.json", "instrument.json", "consent/1-en.txt", "codebook.md"),
        *("codebook.csv", "ratings.csv", "edits.csv", "items.csv", "poems.csv", "judges.csv"),
        *("activity.csv", "design_versions.json"),
        *("assignments.csv", "machine_replies.jsonl", "SHA256SUMS"),
        *("poems/00001.txt", "poems/00002.txt"),
    }
    assert results == {f"results/{table.key}.csv" for table in report(study).tables()}
    assert results >= {
        *("results/coverage.csv", "results/auc-judgments-experts-q1.csv"),
        *("results/ratings-machine-1.csv", "results/reliability-experts-q1.csv"),
    }
    assert len(names) == len(set(names))


def test_the_same_study_makes_the_same_bytes() -> None:
    study = make_study(machines=["Gamma"], free=["Alpha"])
    one, other = io.BytesIO(), io.BytesIO()
    assert Entry.objects.of_study(study.slug).unsealed().exists()
    first = export(study, one)
    record(Kind.EXPORT_MADE, study=study.slug)
    sealing.seal_all()
    assert export(study, other) == first
    assert one.getvalue() == other.getvalue()


def test_the_checksums_are_those_of_the_files() -> None:
    package = packed(make_study())
    lines = package.read("SHA256SUMS").decode().splitlines()
    sums = dict(reversed(line.split("  ", 1)) for line in lines)
    assert set(sums) == set(package.namelist()) - {"SHA256SUMS"}
    for name, sha256 in sums.items():
        assert hashlib.sha256(package.read(name)).hexdigest() == sha256


def test_no_name_or_address_of_a_judge_is_in_any_file() -> None:
    study = make_study(judges=["Zebulon Quirke", "Xanthe Ypsilon"], machines=["Gamma"])
    for judge in Judge.objects.filter(study=study).experts():
        Background.objects.create(judge=judge, practice=["poet"], conflicts="Wilhelmina Umlaut")
    Consent.objects.filter(judge__study=study).update(thanked_as="Dame Vashti", quotable=True)
    link = open_link(reopened(study), quota=3, label="Kestrel")
    Judge.objects.filter(name="Xanthe Ypsilon").update(joined_by=link)
    words = ("zebulon", "quirke", "xanthe", "ypsilon", "reader.example", "umlaut", "vashti")
    secrets = [link.nonce, link.token_hash, "Kestrel"]
    package = packed(study)
    for name in package.namelist():
        content = (name + package.read(name).decode()).lower()
        for word in (*words, *map(str.lower, secrets)):
            assert word not in content, name


def test_every_rating_is_a_row_with_its_origin() -> None:
    study = make_study(
        titles=["Dawn"],
        models=["Alpha"],
        judges=["Anna"],
        machines=["Gamma"],
        answers=lambda judge, author, _title: (
            {"Anna": 0.35, "Gamma": 1}[judge] if author == "human" else 0
        ),
    )
    rows = table(packed(study), "ratings.csv")
    told = [
        (row["judge_kind"], row["judge_model"], row["author_kind"], row["author"], row["value"])
        for row in rows
    ]
    assert told == [
        ("expert", "", "human", "The poet of Dawn", "0.350"),
        ("expert", "", "model", "Alpha", "0.000"),
        ("machine", "Gamma", "human", "The poet of Dawn", "1.000"),
        ("machine", "Gamma", "model", "Alpha", "0.000"),
    ]
    assert [row["judgment"] for row in rows] == ["1", "2", "3", "4"]
    assert {(row["title_key"], row["poem_title"], row["form"]) for row in rows} == {
        ("1", "Dawn", "sonnet")
    }


def test_not_applicable_keeps_its_code_and_skipped_is_empty() -> None:
    rows = table(packed(likert_study()), "ratings.csv")
    # The human poem has two N/A from experts and Gamma's; Alpha's poem has one.
    imagery = [(row["value"], row["blank"]) for row in rows if row["question"] == "imagery"]
    assert sorted(imagery) == [("0", "na")] * 4 + [("3", ""), ("4", ""), ("4", ""), ("5", "")]
    warmth = [(row["value"], row["blank"]) for row in rows if row["question"] == "warmth"]
    assert sorted(warmth) == [("", "skipped")] * 4 + [("1", ""), ("3", ""), ("5", ""), ("5", "")]


def test_poems_survive_byte_for_byte() -> None:
    study = make_study(titles=["静夜思"], text=lambda author, _title: VERSES[author])
    package = packed(study)
    poems = table(package, "poems.csv")
    assert {row["author"]: row["text"] for row in poems} == {
        "The poet of 静夜思": VERSES["human"], "Alpha": VERSES["Alpha"], "Beta": VERSES["Beta"],
    }  # fmt: skip
    for row in poems:
        assert package.read(row["file"]) == row["text"].encode()
    shown = {row["item"]: row["text_shown"] for row in table(package, "items.csv")}
    assert shown == {row["item"]: row["text"] for row in poems}


def test_a_cell_that_would_run_is_written_with_an_apostrophe() -> None:
    study = make_study(titles=["=1+1"], text=lambda author, _title: VERSES[author])
    written = packed(study).read("poems.csv").decode()
    assert ",'=1+1," in written
    assert ",'=cmd()" in written.replace('"', "")
    assert not any(cell.startswith("=") for row in csv.reader(io.StringIO(written)) for cell in row)


def test_a_poem_never_answered_is_among_the_assignments() -> None:
    study = make_study(
        titles=["Dawn"],
        models=["Alpha"],
        judges=["Anna"],
        answers=lambda _judge, author, _title: 0.5 if author == "human" else None,
    )
    rows = table(packed(study), "assignments.csv")
    assert [(row["item"], row["outcome"], row["judgment"]) for row in rows] == [
        ("1", "answered", "1"),
        ("2", "never answered", ""),
    ]


def test_an_answer_that_came_too_late_is_kept_and_marked() -> None:
    study = make_study(
        titles=["Dawn"],
        models=[],
        judges=["Anna", "Ben"],
        answers=lambda judge, _author, _title: 0.5 if judge == "Anna" else None,
    )
    submit(Assignment.objects.get(judge__name="Ben"), {"probability_human": 0.1}, milliseconds=1)
    package = packed(study)
    extra = {row["value"]: row["extra"] for row in table(package, "ratings.csv")}
    assert extra == {"0.500": "no", "0.100": "yes"}
    numbers = {row["outcome"]: row["judgment"] for row in table(package, "assignments.csv")}
    by_value = {row["value"]: row["judgment"] for row in table(package, "ratings.csv")}
    assert (numbers["answered"], numbers["extra"]) == (by_value["0.500"], by_value["0.100"])


def test_an_unreadable_reply_is_there_and_no_rating() -> None:
    study = make_study(
        titles=["Dawn"],
        models=[],
        judges=["Anna"],
        machines=["Gamma"],
        answers=lambda judge, _author, _title: 0.5 if judge == "Anna" else None,
    )
    package = packed(study)
    (reply,) = [json.loads(line) for line in package.read("machine_replies.jsonl").splitlines()]
    assert (reply["readable"], reply["error_kind"]) == (False, "unreadable")
    assert reply["response"] == '{"answer": "None"}'
    assert {row["judge_kind"] for row in table(package, "ratings.csv")} == {"expert"}


def test_the_codebook_describes_every_column_of_every_table() -> None:
    package = packed(likert_study())
    described = {(row["file"], row["column"]) for row in table(package, "codebook.csv")}
    for name in package.namelist():
        if name.endswith(".csv"):
            header = package.read(name).decode().split("\r\n", 1)[0].split(",")
            assert {(name, column) for column in header} <= described


def test_the_codebook_gives_each_questions_wording_and_labels() -> None:
    package = packed(likert_study())
    (imagery,) = [row for row in table(package, "codebook.csv") if row["question"] == "imagery"]
    assert imagery["meaning"] == "The imagery is apt."
    assert "1 = point 1; 2 = point 2" in imagery["allowed"]
    assert "0 = N/A (none) (not applicable)" in imagery["allowed"]
    assert "The imagery is apt." in package.read("codebook.md").decode()


def test_the_study_is_described_with_its_fingerprint_and_versions() -> None:
    study = make_study(machines=["Gamma"])
    about = json.loads(packed(study).read("study.json"))
    assert about["fingerprint"] == study.fingerprint
    assert (about["judges_per_item"], about["seed"]) == (2, 17)
    assert (about["experts"], about["machine_judges"], about["items"]) == (2, 1, 6)
    assert about["opened_at"] == "2026-03-01T09:00:00+00:00"
    assert set(about["versions"]) == {"blindverse", "python", "django", "numpy", "scipy"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert about["versions"]["blindverse"] == project["version"]


def test_a_study_that_nobody_joined_can_be_exported() -> None:
    package = packed(make_study(judges=[], judges_per_item=1))
    assert table(package, "ratings.csv") == table(package, "assignments.csv") == []
    assert len(table(package, "items.csv")) == 6


def test_the_number_of_queries_does_not_grow_with_the_study(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    study = make_study(
        titles=[f"Title {n}" for n in range(6)], judges=["Anna", "Ben"], machines=["Gamma", "Delta"]
    )
    sealing.seal_all()
    with django_assert_max_num_queries(58):
        export(study, io.BytesIO())
