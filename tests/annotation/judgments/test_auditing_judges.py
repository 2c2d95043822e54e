"""Judges beside the log: whose answers are in the analysis, and who is on the panel as what."""

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.judgments import auditing, leaving
from annotation.judgments.models import Judgment
from annotation.judgments.services import submit
from annotation.studies import amending
from annotation.studies.models import Assignment, Judge, Study
from annotation.studies.services import deal, give_all
from tests.annotation.activity.unguarded import unguarded
from tests.annotation.judgments.conftest import answered
from tests.annotation.judgments.test_auditing import began
from tests.annotation.panel import expert, open_study, survey

pytestmark = pytest.mark.django_db


def _given(judgment: Judgment):
    return Assignment.objects.filter(pk=judgment.assignment_id)


class TestWithdrawals:
    @pytest.fixture
    def judge(self, judgments) -> Judge:
        answered(judgments[0].assignment.judge.study)
        return judgments[0].assignment.judge

    def test_they_fit_the_log_and_so_does_what_was_brought_back(self, judge):
        amending.withdraw(judge, "Asked others.", by="kim")
        assert auditing.verify().problems == []
        amending.restore(judge, by="kim")
        assert auditing.verify().problems == []

    def test_one_that_the_log_does_not_know_is_named(self, judge, study):
        Judge.objects.filter(pk=judge.pk).update(withdrawn_at=timezone.now())
        Assignment.objects.of(judge).update(withdrawn_at=timezone.now())
        assert auditing.verify().problems == [
            f"Judge {judge.pk} of study {study.slug} is withdrawn, and the log does not say so."
        ]

    def test_one_for_another_reason_is_named(self, judge, study):
        amending.withdraw(judge, "Asked others.", by="kim")
        Judge.objects.filter(pk=judge.pk).update(withdrawn_reason="Fell ill.")
        assert auditing.verify().problems == [
            f"Judge {judge.pk} of study {study.slug} was withdrawn for another reason than the "
            "one that stands there."
        ]

    def test_one_that_only_the_log_knows_is_named(self, judge, study):
        amending.withdraw(judge, "Asked others.", by="kim")
        Judge.objects.filter(pk=judge.pk).update(withdrawn_at=None)
        Assignment.objects.of(judge).update(withdrawn_at=None)
        assert auditing.verify().problems == [
            f"Judge {judge.pk} of study {study.slug} is not withdrawn, though the log says so."
        ]

    @pytest.mark.parametrize("withdrawn", [True, False])
    def test_one_of_a_few_answers_only_is_named(self, judge, study, withdrawn):
        if withdrawn:
            amending.withdraw(judge, "Asked others.", by="kim")
        one = Assignment.objects.of(judge).first()
        Assignment.objects.filter(pk=one.pk).update(
            withdrawn_at=None if withdrawn else timezone.now()
        )
        where = "out of" if withdrawn else "in"
        assert auditing.verify().problems == [
            f"Judge {judge.pk} of study {study.slug}: not all their answers are {where} the "
            "analysis."
        ]


class TestPlaces:
    """An answer that came in time loses its place only by coming back when that was taken."""

    @pytest.fixture
    def late(self) -> Judge:
        """Return a judge who was brought back when one of two places was taken."""
        study = open_study(items=2, judges_per_item=1, batch=2)
        judge = answered(study)[0].assignment.judge
        amending.withdraw(judge, "Asked others.", by="kim")
        other = expert(study)
        deal(other)
        kept, *_ = Assignment.objects.of(other).waiting().in_order()
        submit(kept, survey(), milliseconds=1)
        leaving.stop(other)
        assert amending.restore(judge, by="kim") == 1
        return judge

    def problem(self, judge: Judge) -> list[str]:
        return [
            f"Judge {judge.pk} of study {judge.study.slug}: which of their answers have lost their "
            "places is not what the log says."
        ]

    def test_those_that_were_taken_meanwhile_fit_the_log(self, late):
        assert auditing.verify().problems == []
        amending.withdraw(late, "Asked others.", by="kim")
        amending.restore(late, by="kim")
        assert auditing.verify().problems == []

    def test_one_that_was_put_out_of_the_analysis_is_named(self, judgments, study):
        Study.objects.update(late="out")
        study.refresh_from_db()
        one, *_ = judgments
        _given(one).update(given_back_at=timezone.now())
        assert Judgment.objects.counted(study).count() == 2
        assert auditing.verify().problems == self.problem(one.assignment.judge)

    def test_another_than_the_one_that_was_taken_is_named(self, late):
        mine = Assignment.objects.of(late).order_by("given_back_at")
        (lost,) = mine.exclude(given_back_at=None)
        (held,) = mine.filter(given_back_at=None)
        Assignment.objects.filter(pk=held.pk).update(given_back_at=lost.given_back_at)
        assert auditing.verify().problems == self.problem(late)
        Assignment.objects.filter(pk=lost.pk).update(given_back_at=None)
        assert auditing.verify().problems == self.problem(late)

    def test_one_that_got_its_place_back_unseen_is_named(self, late):
        Assignment.objects.of(late).update(given_back_at=None)
        assert auditing.verify().problems == self.problem(late)

    def test_answers_after_the_end_of_a_lease_and_of_the_study_fit_the_log(self, study):
        judge = expert(study)
        deal(judge)
        first, second, _ = Assignment.objects.of(judge).waiting().in_order()
        Study.objects.filter(pk=study.pk).update(state="closed", closed_at=timezone.now())
        assert submit(first, survey(), milliseconds=1).extra
        leaving.stop(judge)
        assert submit(second, survey(), milliseconds=1).extra
        amending.withdraw(judge, "Asked others.", by="kim")
        study.items.update(places_taken=study.judges_per_item)
        assert amending.restore(judge, by="kim") == 0
        assert Assignment.objects.of(judge).filter(given_back_at=None).count() == 0
        assert auditing.verify().problems == []


class TestThePanel:
    """Who is an expert and who a language model is in the log."""

    @pytest.fixture
    def machine(self, judgments, study) -> Judge:
        made = Judge.objects.create(study=study, kind=Judge.Kind.MACHINE, name="Alpha")
        give_all(made)
        first, *_ = Assignment.objects.of(made).waiting().in_order()
        submit(first, survey(), milliseconds=1)
        assert auditing.verify().problems == []
        return made

    def test_an_expert_who_was_made_a_language_model_is_named(self, judgments, study):
        judge = judgments[0].assignment.judge
        Judge.objects.filter(pk=judge.pk).update(kind="machine")
        assert auditing.verify().problems == [
            f"Judge {judge.pk} of study {study.slug} is a language model, though the log has them "
            "as an expert."
        ]

    def test_a_language_model_that_was_made_an_expert_is_named(self, machine, study):
        Judge.objects.filter(pk=machine.pk).update(kind="expert")
        assert auditing.verify().problems == [
            f"Judge {machine.pk} of study {study.slug} is an expert, though the log has them as a "
            "language model."
        ]

    def test_an_expert_whom_nobody_invited_is_named(self, judgments, study):
        uninvited = Judge.objects.create(study=study, name="Nobody's")
        assert auditing.verify().problems == [
            f"Judge {uninvited.pk} of study {study.slug} is an expert, and the log does not say "
            "that they were invited."
        ]

    def test_an_expert_from_before_the_log_was_invited_before_it(self, judgments, study):
        with unguarded():
            Entry.objects.all().delete()
        began.begin(apps, connection.schema_editor())
        answered(study)
        assert auditing.verify().problems == []

    def test_answers_that_were_moved_to_another_judge_with_the_key_of_theirs_are_named(
        self, judgments, study
    ):
        judge, other = judgments[0].assignment.judge, expert(study)
        _given(judgments[0]).update(judge=other)
        Judge.objects.filter(pk=other.pk).update(log_key=judge.log_key)
        problems = auditing.verify().problems
        assert f"Judge {other.pk} of study {study.slug} has the key of another judge." in problems
