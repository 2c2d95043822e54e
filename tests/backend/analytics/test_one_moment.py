"""Every table of the results is of the same answers, whoever answers meanwhile."""

from threading import Thread

import pytest
from django.db import connection

from annotation.judgments.models import Judgment
from annotation.judgments.services import submit
from annotation.studies.models import Assignment
from backend.analytics import services
from tests.studies import make_study


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_arrives_while_results_are_read_is_in_none_of_them(monkeypatch) -> None:
    study = make_study(answers=lambda judge, _a, _t: 0.5 if judge == "Anna" else None)
    late = Assignment.objects.select_related("judge__study").filter(judge__name="Ben")[0]
    before = services.report(study)
    read = services.frame

    def answer() -> None:
        submit(late, {"probability_human": 0.1}, milliseconds=1)
        connection.close()

    def then_an_answer_arrives(*args, **options):
        found = read(*args, **options)
        arriving = Thread(target=answer)
        arriving.start()
        arriving.join()
        return found

    monkeypatch.setattr(services, "frame", then_an_answer_arrives)
    assert services.report(study) == before
    assert Judgment.objects.count() == 7
    monkeypatch.undo()
    assert services.report(study) != before
