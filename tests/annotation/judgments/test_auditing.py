"""The stored answers beside the log: what was changed, added or taken away is found."""

from datetime import UTC, datetime, timedelta
from importlib import import_module
from threading import Thread

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.activity.services import Kind, record
from annotation.judgments import auditing, leaving
from annotation.judgments.models import Judgment, Rating
from annotation.judgments.services import edit, submit
from annotation.studies.models import Assignment, Judge, Study
from annotation.studies.services import deal
from tests.annotation.activity.unguarded import unguarded
from tests.annotation.judgments.conftest import answered
from tests.annotation.panel import LIKERT, expert, survey

pytestmark = pytest.mark.django_db

began = import_module("annotation.activity.migrations.0003_log_began")


def change(judgment: Judgment, **changes: object) -> None:
    given = {**survey(), **{one.question: str(one.number) for one in judgment.ratings.standing()
                            if one.number is not None}, **changes}  # fmt: skip
    assert edit(judgment, given, edits=judgment.ratings.count())


def test_answers_and_edits_of_experts_fit_the_log(judgments):
    one, other, _ = judgments
    change(one, quality="2", imagery="1")
    change(one, quality="5")
    change(other, quality="1", quality_comment="Too sweet.")
    audit = auditing.verify()
    assert audit.problems == []
    assert (audit.judgments, audit.before_the_log) == (3, 0)


def test_late_answers_fit_the_log(study):
    judge = expert(study)
    deal(judge)
    first, *_ = Assignment.objects.of(judge).waiting().in_order()
    leaving.stop(judge)
    assert submit(first, survey(), milliseconds=None).extra
    assert auditing.verify().problems == []


@pytest.mark.parametrize(
    "tamper",
    [
        lambda one: one.ratings.filter(question="quality").update(number=5),
        lambda one: one.ratings.filter(question="quality").update(question="another"),
        lambda one: one.ratings.filter(question="quality").update(number=None, blank="skipped"),
        lambda one: one.ratings.filter(question="quality").delete(),
        lambda one: one.ratings.create(question="another", number=3),
        lambda one: Judgment.objects.filter(pk=one.pk).update(extra=True),
        lambda one: Judgment.objects.filter(pk=one.pk).update(milliseconds=90_000),
        lambda one: Judgment.objects.filter(pk=one.pk).update(
            submitted_at=one.submitted_at + timedelta(microseconds=1)
        ),
        lambda one: one.ratings.filter(question="quality").update(first=1),
        lambda one: one.ratings.filter(question="quality").update(moves=2),
        lambda one: one.ratings.filter(question="quality").update(touched=900),
        lambda one: _given(one).update(flipped=True),
        lambda one: _given(one).update(purpose="attention", counts=False),
    ],
)
def test_a_changed_judgment_is_named(judgments, study, tamper):
    _, changed, _ = judgments
    tamper(changed)
    assert auditing.verify().problems == [
        f"Judgment {changed.pk} of study {study.slug} is not as it was submitted."
    ]


def _given(judgment: Judgment):
    return Assignment.objects.filter(pk=judgment.assignment_id)


def test_answers_that_were_moved_to_one_anothers_poems_are_named(judgments, study):
    one, other, _ = judgments
    items = {each: each.assignment.item_id for each in (one, other)}
    spare = study.items.exclude(assignments__judge=one.assignment.judge).first()
    for judgment, item in ((one, spare.pk), (other, items[one]), (one, items[other])):
        _given(judgment).update(item=item)
    assert auditing.verify().problems == [
        f"Judgment {each.pk} of study {study.slug} is not as it was submitted."
        for each in (one, other)
    ]


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (lambda ratings: ratings.filter(version=2).update(number=5), "its edits"),
        (lambda ratings: ratings.filter(version=2).update(version=3), "do not|its newest"),
        (lambda ratings: _stand(ratings, 1), "its newest"),
        (lambda ratings: _forget(ratings), "its edits"),
    ],
)  # fmt: skip
def test_a_changed_edit_is_named(judgments, study, tamper, said):
    one, *_ = judgments
    change(one, quality="2")
    tamper(one.ratings.filter(question="quality"))
    problems = auditing.verify().problems
    assert problems
    assert all(each.startswith(f"Judgment {one.pk} of study {study.slug}") for each in problems)
    assert any(part in problems[0] for part in said.split("|"))


def _stand(ratings, version: int) -> None:
    """Let an earlier answer stand in place of the later one."""
    ratings.update(superseded_at=timezone.now())
    ratings.filter(version=version).update(superseded_at=None)


def _forget(ratings) -> None:
    """Take the edit back as if it had never been."""
    ratings.filter(version=2).delete()
    ratings.update(superseded_at=None)


def _edit_by_hand(judgment: Judgment, at: datetime) -> None:
    judgment.ratings.filter(question="quality").update(superseded_at=at)
    judgment.ratings.create(question="quality", version=2, number=1)


def test_an_edit_that_claims_to_be_older_than_the_log_is_named(judgments, study):
    one, *_ = judgments
    _edit_by_hand(one, Entry.objects.earliest("pk").at - timedelta(days=1))
    name = f"Judgment {one.pk} of study {study.slug}"
    assert auditing.verify().problems == [
        f"{name} has an edit from before it was submitted.",
        f"{name}: its edits are not those in the log (1 there, 0 in the log).",
    ]


def test_an_edit_that_is_older_than_its_judgment_is_named_even_from_before_the_log(
    judgments, study
):
    one, other, _ = judgments
    with unguarded():
        Entry.objects.all().delete()
    began.begin(apps, connection.schema_editor())
    _edit_by_hand(one, one.submitted_at + timedelta(microseconds=1))
    assert auditing.verify().problems == []
    _edit_by_hand(other, other.submitted_at - timedelta(microseconds=1))
    assert auditing.verify().problems == [
        f"Judgment {other.pk} of study {study.slug} has an edit from before it was submitted."
    ]


@pytest.mark.parametrize("number", [-7, 0])
@pytest.mark.parametrize("age", [timedelta(), timedelta(days=900)])
def test_a_judgment_with_a_number_that_none_is_given_is_named(judgments, study, number, age):
    judge = expert(study)
    deal(judge)
    given = Assignment.objects.of(judge).first()
    forged = Judgment.objects.create(pk=number, assignment=given, submitted_at=timezone.now() - age)
    assert Judgment.objects.counted(study).filter(pk=forged.pk).exists()
    assert auditing.verify().problems == [
        f"Judgment {number} of study {study.slug} has no entry in the log."
    ]


def test_no_judgment_is_from_before_the_log_in_a_study_that_it_saw_opened(study):
    record(Kind.STUDY_OPENED, study=study.slug)
    judge = expert(study)
    given = Assignment.objects.create(judge=judge, item=study.items.first(), position=1, batch=1)
    old = Judgment.objects.create(assignment=given, submitted_at=datetime(2020, 1, 1, tzinfo=UTC))
    answered(study)
    assert auditing.verify().problems == [
        f"Judgment {old.pk} of study {study.slug} has no entry in the log."
    ]


def test_judgments_that_cannot_be_looked_at_are_counted(judgments):
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    nobodys = Judgment.objects.create(assignment_id=10**9)
    problems = auditing.verify().problems
    nobodys.delete()
    assert problems == ["There are 4 judgments, and 3 could be looked at."]


def test_a_judgment_that_came_past_the_door_is_named(judgments, study):
    judge = expert(study)
    assignment = Assignment.objects.create(
        judge=judge, item=study.items.first(), position=1, batch=1
    )
    slipped_in = Judgment.objects.create(assignment=assignment)
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    for submitted_at in (timezone.now(), long_ago):
        Judgment.objects.filter(pk=slipped_in.pk).update(submitted_at=submitted_at)
        assert auditing.verify().problems == [
            f"Judgment {slipped_in.pk} of study {study.slug} has no entry in the log."
        ]


def test_a_judgment_that_was_taken_away_is_missed(judgments, study):
    gone, *_ = judgments
    Rating.objects.filter(judgment=gone).delete()
    gone.delete()
    (problem,) = auditing.verify().problems
    assert problem.startswith(f"Study {study.slug}: the log has 3 submitted judgments; 2 are there")


def test_answers_that_went_with_their_expert_are_not_missed(judgments, study):
    answered(study)
    leaving.delete(judgments[0].assignment.judge)
    audit = auditing.verify()
    assert audit.problems == []
    assert audit.judgments == 3


def test_deletions_that_never_happened_are_found(judgments, study):
    Entry.objects.create(kind=Kind.EXPERT_DELETED, study=study.slug, details={"judgments": 1})
    (problem,) = auditing.verify().problems
    assert "3 are there, and 1 were deleted" in problem


def test_nothing_leads_from_the_log_to_a_judgment_without_its_judge(judgments):
    judge = judgments[0].assignment.judge
    assert Entry.objects.filter(kind=Kind.JUDGMENT_SUBMITTED).exclude(subject="").count() == 3
    Judge.objects.filter(pk=judge.pk).update(log_key="another")
    problems = auditing.verify().problems
    assert sum(one.endswith("has no entry in the log.") for one in problems) == 3


def test_judgments_from_before_the_log_are_counted_and_what_is_newer_is_compared(study):
    judge = expert(study)
    assignment = Assignment.objects.create(
        judge=judge, item=study.items.first(), position=1, batch=1, answered_at=timezone.now()
    )
    old = Judgment.objects.create(
        assignment=assignment, submitted_at=timezone.now() - timedelta(days=3)
    )
    for question in LIKERT:
        old.ratings.create(question=question, number=4)
    for question in ("literary_devices", "quality", "human_authorship"):
        old.ratings.create(question=f"{question}_comment", blank="skipped")
    answered(study)
    audit = auditing.verify()
    assert audit.problems == []
    assert (audit.judgments, audit.before_the_log) == (4, 1)
    change(old, quality="2")
    assert auditing.verify().problems == []
    old.ratings.filter(version=2).update(number=5)
    assert len(auditing.verify().problems) == 1


def test_an_edit_of_an_older_judgment_may_be_the_first_that_is_logged(judgments, study):
    one, *_ = judgments
    with unguarded():
        Entry.objects.all().delete()
    change(one, quality="2")
    assert Entry.objects.get().kind == Kind.JUDGMENT_EDITED
    audit = auditing.verify()
    assert (audit.problems, audit.before_the_log) == ([], 3)
    one.ratings.filter(version=2).update(number=5)
    assert len(auditing.verify().problems) == 1


class TestTheBeginning:
    """What a database that has judgments already is given with its log."""

    @pytest.fixture
    def upgraded(self, judgments) -> list[Judgment]:
        with unguarded():
            Entry.objects.all().delete()
        began.begin(apps, connection.schema_editor())
        assert Entry.objects.get().kind == Kind.LOG_BEGAN
        return judgments

    def test_what_was_before_it_is_counted_and_what_comes_after_is_compared(self, upgraded, study):
        one, *_ = upgraded
        change(one, quality="2")
        answered(study)
        audit = auditing.verify()
        assert (audit.problems, audit.judgments, audit.before_the_log) == ([], 6, 3)

    def test_an_expert_from_before_it_can_be_deleted(self, upgraded, study):
        Study.objects.update(opened_at=timezone.now() - timedelta(days=9))
        answered(study)
        leaving.delete(upgraded[0].assignment.judge)
        audit = auditing.verify()
        assert (audit.problems, audit.judgments, audit.before_the_log) == ([], 3, 0)

    def test_a_judgment_that_came_past_the_door_after_it_is_named(self, upgraded, study):
        judge = expert(study)
        item = study.items.first()
        given = Assignment.objects.create(judge=judge, item=item, position=1, batch=1)
        slipped_in = Judgment.objects.create(assignment=given)
        (problem,) = auditing.verify().problems
        assert problem.startswith(f"Judgment {slipped_in.pk} of study {study.slug} has no entry")

    def test_it_is_written_once_and_not_into_a_database_without_judgments(self, upgraded):
        began.begin(apps, connection.schema_editor())
        assert Entry.objects.count() == 1
        with unguarded():
            Entry.objects.all().delete()
        Rating.objects.all().delete()
        Judgment.objects.all().delete()
        began.begin(apps, connection.schema_editor())
        assert not Entry.objects.exists()


def test_many_judgments_are_compared_part_by_part(study, monkeypatch):
    monkeypatch.setattr(auditing, "AT_ONCE", 2)
    answered(study)
    answered(study)
    told = []
    audit = auditing.verify(progress=lambda done, total: told.append((done, total)))
    assert audit.problems == []
    assert told == [(2, 6), (4, 6), (6, 6)]


@pytest.mark.django_db(transaction=True)
def test_answers_and_edits_during_a_check_are_no_problem_to_it(study, monkeypatch):
    monkeypatch.setattr(auditing, "AT_ONCE", 2)
    *_, last = answered(study)

    def answer_meanwhile(done: int, _total: int) -> None:
        def work() -> None:
            change(last, quality="1")
            answered(study)
            connection.close()

        if done == 2:
            thread = Thread(target=work)
            thread.start()
            thread.join(60)

    audit = auditing.verify(progress=answer_meanwhile)
    assert audit.problems == []
    assert audit.judgments == 3
    assert Judgment.objects.count() == 6
    assert auditing.verify().problems == []
