"""What share of the human poems each judge knew."""

import pytest

from annotation.studies.models import Assignment
from backend.analytics.frames import frame
from backend.analytics.reports.knowing import by_judge as knowing
from tests.backend.analytics.answering import answer, closed, fitting, reopened
from tests.backend.analytics.reports.scales import figures
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def test_only_human_poems_count_by_judge_and_together() -> None:
    # Anna can name Dawn and has seen nothing else; Ben has seen every poem, Alpha's too.
    study = reopened(
        make_study(instrument="recognised-probability", models=["Alpha"], answers=lambda *_: None)
    )
    for assignment in Assignment.objects.filter(judge__study=study):
        text = assignment.item.text
        level = 1 if assignment.judge.name == "Ben" else 3 if text.startswith("Dawn") else 0
        answer(assignment, {**fitting(study.instrument), "recognition": level})
    (table,) = knowing.tables(frame(closed(study)))
    found = figures(table)
    whole = found["all experts"]
    told = ("named", "n_named", "n_seen", "answers", "poems")
    assert [whole[key].value for key in told] == [1 / 4, 1, 3, 4, 2]
    own = sorted(
        tuple(row[key].value for key in told)
        for label, row in found.items()
        if str(label).startswith("Expert")
    )
    assert own == [(0, 0, 2, 2, 2), (1 / 2, 1, 1, 2, 2)]


def test_an_instrument_that_does_not_ask_has_no_such_table() -> None:
    assert knowing.tables(frame(make_study())) == ()
