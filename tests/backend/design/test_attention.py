"""Tests of attention are counted by the study's rule of what is late, as all answers are."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.judgments.models import Judgment
from annotation.judgments.services import submit
from annotation.studies.models import Assignment, Item, Study
from backend.design import attention
from backend.design.models import AttentionCheck
from tests.annotation.panel import expert, open_study, survey

pytestmark = pytest.mark.django_db


def failed(study: Study, **given: object) -> Judgment:
    """Return a wrong answer to a test of attention, by a new expert."""
    judge = expert(study)
    item = Item.objects.create(
        study=study, text="Choose 5.", stratum="a", twin="a", attention=True, places=1
    )
    AttentionCheck.objects.create(item=item, expected={"quality": "5"})
    assignment = Assignment.objects.create(
        judge=judge, item=item, purpose="attention", counts=False, position=1, batch=1, **given
    )
    return submit(assignment, survey(quality="1"), milliseconds=10)


@pytest.mark.parametrize("late", Study.Late)
def test_one_answered_after_its_lease_counts_where_late_answers_do(late: str) -> None:
    study = open_study()
    Study.objects.filter(pk=study.pk).update(late=late)
    study.refresh_from_db()
    judgment = failed(study, given_back_at=timezone.now())
    assert judgment.extra
    judge = judgment.assignment.judge_id
    assert attention.tests(study) == (
        {judge: attention.Tests(answered=1, failed=1)} if late == "in" else {}
    )


@pytest.mark.parametrize("late", Study.Late)
@pytest.mark.parametrize(("seconds", "counts"), [(1, True), (-1, False)])
def test_of_a_closed_study_none_counts_that_came_later(
    late: str, seconds: int, counts: bool
) -> None:
    study = open_study()
    judgment = failed(study)
    closed_at = judgment.submitted_at + timedelta(seconds=seconds)
    Judgment.objects.update(extra=not counts)
    Study.objects.filter(pk=study.pk).update(late=late, state="closed", closed_at=closed_at)
    study.refresh_from_db()
    assert len(attention.tests(study)) == counts
