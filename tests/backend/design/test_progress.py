"""What pages and the API say of a study's progress is what the ledger says."""

import pytest

from annotation.judgments.services import submit
from annotation.studies import amending, counting
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge
from backend.design.progress import totals
from tests.annotation.panel import expert, open_study, survey

pytestmark = pytest.mark.django_db


def answer_all(judge: Judge) -> None:
    while ledger.deal(judge):
        for assignment in Assignment.objects.of(judge).waiting():
            submit(assignment, survey(), milliseconds=9000)


def test_an_answer_whose_place_went_to_another_is_not_counted_once_its_expert_is_restored():
    study = open_study()
    first, *others = [expert(study, name) for name in ("Ada", "Ben", "Eve", "Fay")]
    answer_all(first)
    amending.withdraw(first, "Left for a while.")
    for judge in others:
        answer_all(judge)
    assert totals(study).answered == totals(study).places
    amending.restore(Judge.objects.get(pk=first.pk))
    counted = totals(study)
    assert counted.answered == counting.counts(study).total.done == counted.places
