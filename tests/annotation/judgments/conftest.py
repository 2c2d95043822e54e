"""An expert who has answered all of a batch, and the study."""

import pytest

from annotation.judgments.models import Judgment
from annotation.judgments.services import submit
from annotation.studies.models import Assignment, Study
from annotation.studies.services import deal
from tests.annotation.panel import expert, open_study, survey


def answered(study: Study, name: str = "") -> list[Judgment]:
    """Return the judgments of a new expert who has answered all of a batch."""
    judge = expert(study, name)
    deal(judge)
    waiting = Assignment.objects.of(judge).waiting().in_order()
    return [submit(one, survey(), milliseconds=1000) for one in list(waiting)]


@pytest.fixture
def study() -> Study:
    return open_study()


@pytest.fixture
def judgments(study: Study) -> list[Judgment]:
    return answered(study)
