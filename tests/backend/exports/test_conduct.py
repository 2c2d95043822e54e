"""A package tells what answers were given for, why they are in no result, and who looked."""

import hashlib
import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.activity.services import Kind, record
from annotation.studies import amending
from annotation.studies.models import Assignment, Group, Item, Judge, Study
from backend.design import freezing
from backend.design.models import Design, DesignVersion, SurfaceCheck
from tests.backend.analytics.answering import again, closed, reopened, with_attention
from tests.backend.exports.opened import packed, table
from tests.studies import make_study, researcher

pytestmark = pytest.mark.django_db


def eventful() -> Study:
    """Anna judged two poems, one of them twice, and failed a test; Ben was withdrawn."""
    study = make_study(titles=["Dawn"], models=["Alpha"], answers=lambda *_: 0.9)
    study = with_attention(study, {"probability_human": 0}, Anna={"probability_human": 1})
    human = study.items.get(placement__poem__isnull=False)
    reopened(study)
    again(study, "Anna", human, Assignment.Purpose.REPEAT, {"probability_human": 0.2})
    closed(study)
    now = timezone.now()
    Assignment.objects.filter(judge__name="Ben").update(withdrawn_at=now)
    Judge.objects.filter(name="Ben").update(withdrawn_at=now, withdrawn_reason="answered at random")
    poets = Group.objects.create(study=study, name="poets", judges_per_item=3)
    Item.objects.filter(pk=human.pk).update(group=poets, places=3)
    Judge.objects.filter(name="Anna").update(group=poets)
    return Study.objects.get(pk=study.pk)


@pytest.mark.parametrize("file", ["ratings.csv", "assignments.csv"])
def test_each_row_says_what_it_was_given_for_and_why_it_is_in_no_result(file: str) -> None:
    package = packed(eventful())
    columns = ("purpose", "withdrawn", "excluded_because", "repeat_of", "item_group")
    codes = dict(Judge.objects.values_list("name", "code"))
    rows = table(package, file)
    anna = [row for row in rows if row["judge"] == codes["Anna"]]
    first = anna[0]["judgment"]
    assert [tuple(row[name] for name in columns) for row in anna] == [
        ("main", "no", "", "", "poets"),
        ("main", "no", "", "", ""),
        ("attention", "no", "attention", "", ""),
        ("repeat", "no", "repeat", first, "poets"),
    ]
    ben = [row for row in rows if row["judge"] == codes["Ben"]]
    assert {tuple(row[name] for name in columns[:4]) for row in ben} == {
        ("main", "yes", "withdrawn", "")
    }


def test_an_attention_test_has_no_author_and_is_no_poem_of_the_package() -> None:
    package = packed(eventful())
    (test,) = [row for row in table(package, "items.csv") if row["attention"] == "yes"]
    assert json.loads(test["expected"]) == {"probability_human": 0}
    (rating,) = [row for row in table(package, "ratings.csv") if row["purpose"] == "attention"]
    assert (rating["item"], rating["author_kind"], rating["author"]) == (
        test["item"], "attention", "",
    )  # fmt: skip
    assert test["item"] not in {row["item"] for row in table(package, "poems.csv")}
    about = json.loads(package.read("study.json"))
    assert (about["items"], about["attention_items"]) == (2, 1)


def test_panel_and_items_name_their_group_and_k() -> None:
    package = packed(eventful())
    codes = dict(Judge.objects.values_list("name", "code"))
    judges = {row["judge"]: row for row in table(package, "judges.csv")}
    told = ("group", "withdrawn", "withdrawn_reason", "given", "answered")
    assert [judges[codes["Anna"]][name] for name in told] == ["poets", "no", "", "2", "2"]
    assert [judges[codes["Ben"]][name] for name in told] == [
        "", "yes", "answered at random", "2", "0",
    ]  # fmt: skip
    items = [(row["group"], row["places"]) for row in table(package, "items.csv")]
    assert items == [("poets", "3"), ("", "2"), ("", "1")]


def test_what_a_rule_leaves_out_is_exported_with_the_rule() -> None:
    study = make_study(judges=["Anna"])
    Design.objects.update(exclusions={"seconds_per_line": 99, "recognised": None})
    package = packed(study)
    assert {row["excluded_because"] for row in table(package, "ratings.csv")} == {"too_fast"}
    about = json.loads(package.read("study.json"))
    assert about["exclusions"] == {"seconds_per_line": 99, "recognised": None}
    assert "99 seconds for each line" in package.read("results/left-out.csv").decode()


def test_who_unsealed_the_key_or_looked_before_is_told() -> None:
    study, vera = make_study(), researcher()
    study.design.unsealings.create(by=vera, reason="All is in")
    study.design.looks.create(number=1, by=vera, reason="A check", judgments=7)
    about = json.loads(packed(study).read("study.json"))
    (asked,), (look,) = about["unsealings"], about["interim_looks"]
    assert (asked["by"], asked["reason"]) == ("vera", "All is in")
    assert (look["by"], look["reason"], look["judgments"]) == ("vera", "A check", 7)


def test_after_how_many_looks_an_expert_was_withdrawn_is_told_by_code() -> None:
    study, vera = make_study(), researcher()
    anna, ben = study.judges.order_by("pk")
    Judge.objects.filter(pk=ben.pk).update(withdrawn_at=study.opened_at)
    study.design.looks.create(number=1, by=vera, reason="A check", judgments=7)
    amending.withdraw(anna, "Did not like the result", by="vera")
    amending.restore(anna, by="vera")
    about = json.loads(packed(study).read("study.json"))
    told = about["experts_withdrawn_or_restored"]
    today = timezone.now().date().isoformat()
    assert told == [
        {"judge": ben.code, "what": "withdrawn", "on": "2026-03-01", "after_looks": 0},
        {"judge": anna.code, "what": "withdrawn", "on": today, "after_looks": 1},
        {"judge": anna.code, "what": "restored", "on": today, "after_looks": 1},
    ]


def test_the_surface_check_is_told_that_the_study_was_opened_on() -> None:
    study = make_study()
    for auc, days in ((0.9, -9), (0.7, -1), (0.5, 1)):
        made = SurfaceCheck.objects.create(
            study=study, auc=auc, human=3, machine=4, items_sha256="0" * 64
        )
        made_at = study.opened_at + timedelta(days=days)
        SurfaceCheck.objects.filter(pk=made.pk).update(made_at=made_at)
    about = json.loads(packed(study).read("study.json"))
    assert about["surface_check"]["auc"] == 0.7


def test_the_fingerprint_as_it_was_opened_is_told_beside_that_of_now() -> None:
    study = make_study(unblinded=False)
    Study.objects.update(state="open", fingerprint="a" * 64)
    opened = freezing.freeze(Study.objects.get(), by=None)
    amending.raise_places(Study.objects.get(), 5)
    now = freezing.amend(Study.objects.get(), reason="more", by=None)
    Study.objects.update(state="closed")
    Design.objects.update(unblinded_at=study.closed_at)
    assert now.fingerprint != opened.fingerprint
    package = packed(Study.objects.get())
    readme = package.read("README.md").decode()
    assert f"as it was opened: {opened.fingerprint}\n" in readme
    assert f"as it is now, after later changes if there were any: {now.fingerprint}\n" in readme
    about = json.loads(package.read("study.json"))
    assert about["fingerprint_as_opened"] == opened.fingerprint
    assert about["fingerprint"] == now.fingerprint
    assert {row["fingerprint"] for row in table(package, "ratings.csv")} == {now.fingerprint}


@pytest.mark.parametrize(("late", "said"), [("in", "before the study closed"), ("out", "in time")])
def test_the_plan_says_of_which_judgments_results_are(late: str, said: str) -> None:
    make_study()
    Study.objects.update(late=late)
    plan = json.loads(packed(Study.objects.get()).read("study.json"))["analysis_plan"]
    assert said in plan["judgments"]
    assert ("in time only" in plan["judgments"]) == (late == "out")
    assert (
        freezing.content_of(Study.objects.get())["analysis_plan"]["judgments"]
        == (plan["judgments"])
    )


def test_each_version_of_the_design_is_told() -> None:
    study = make_study()
    for number, reason in ((1, ""), (2, "more judges")):
        DesignVersion.objects.create(
            study=study, number=number, fingerprint=str(number) * 64, content={"k": number},
            reason=reason, made_by=researcher(f"vera{number}"),
        )  # fmt: skip
    versions = json.loads(packed(study).read("design_versions.json"))
    told = [(one["number"], one["reason"], one["by"], one["content"]) for one in versions]
    assert told == [(1, "", "vera1", {"k": 1}), (2, "more judges", "vera2", {"k": 2})]


@pytest.mark.parametrize("kind", [Kind.RESULTS_VIEWED, Kind.DEBRIEF_VIEWED, Kind.EXPORT_MADE])
def test_who_read_what_stays_in_the_log_and_changes_no_package(kind: Kind) -> None:
    study = make_study()
    before = table(packed(study), "activity.csv")
    record(kind, study=study.slug, key="k", about="judge 1")
    assert table(packed(study), "activity.csv") == before


def test_the_log_names_days_and_no_times_and_only_this_study() -> None:
    study = make_study()
    record(Kind.STUDY_CLOSED, study="other", actor="kim")
    made = record(
        Kind.STUDY_CLOSED, study=study.slug, actor="kim", key="k", about="x", content="y", n=3
    )
    rows = table(packed(study), "activity.csv")
    last = rows[-1]
    assert [row["by"] for row in rows].count("kim") == 1
    assert (last["what"], last["by"], last["about"], last["digest"], last["details"]) == (
        "study.closed", "kim", made.subject, made.digest, '{"n":3}',
    )  # fmt: skip
    assert last["on"] == made.at.date().isoformat()
    assert made.at.time().isoformat(timespec="seconds") not in str(rows)


def test_handing_out_a_package_is_logged_with_its_checksum_and_changes_none() -> None:
    make_study()
    client = Client()
    client.force_login(researcher())
    sums = []
    for _ in range(2):
        answer = client.post("/studies/known/export/")
        sums.append(hashlib.sha256(b"".join(answer.streaming_content)).hexdigest())
    assert sums[0] == sums[1]
    entries = Entry.objects.filter(kind="export.made", study="known", actor="vera")
    assert [entry.details["sha256"] for entry in entries] == sums


def test_a_package_made_by_command_is_logged_too(tmp_path) -> None:  # type: ignore[no-untyped-def]
    make_study()
    target = tmp_path / "known.zip"
    call_command("export_study", "known", to=target, verbosity=0)
    (entry,) = Entry.objects.filter(kind="export.made")
    assert entry.details["sha256"] == hashlib.sha256(target.read_bytes()).hexdigest()
