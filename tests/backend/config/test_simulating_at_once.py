"""Two runs of `simulate_study` with the same options, at the same time, are one study."""

import io
from collections import Counter
from threading import Barrier, local

import pytest
from django.core.management import call_command
from django.db import connection

from annotation.judgments.models import Judgment
from annotation.studies.models import Study
from backend.config.simulating import answering, building
from backend.judging.models import Hearing
from tests.annotation.studies.panels import assert_books_agree
from tests.annotation.test_two_at_once import at_once

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time"),
]

SMALL = ("--titles", "6", "--models", "2", "--judges", "4", "--per-poem", "2", "--machines", "1")


def meet(monkeypatch, owner, name):
    """Let both runs begin with this together, the first time that they come to it."""
    function, barrier, here = getattr(owner, name), Barrier(2), local()

    def met(*given):
        if not getattr(here, "met", False):
            here.met = True
            barrier.wait(30)
        return function(*given)

    monkeypatch.setattr(owner, name, met)


def run():
    said = io.StringIO()
    call_command("simulate_study", *SMALL, stdout=said)
    return said.getvalue()


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (building, "_built"),
        (building, "_opened"),
        (answering._Filling, "_set"),
        (answering._Filling, "machine"),
        (answering._Filling, "_hear"),
        (building, "unseal"),
    ],
)
def test_wherever_they_meet_they_make_one_study_and_judge_each_poem_once(monkeypatch, owner, name):
    meet(monkeypatch, owner, name)
    for said in at_once(run, run):
        assert "AUC per judgment, machine-1" in said
    study = Study.objects.get()
    assert study.state == Study.State.CLOSED
    assert study.design.unblinded_at is not None
    done = Judgment.objects.counted(study)
    experts = done.filter(assignment__judge__kind="expert")
    assert set(Counter(experts.values_list("assignment__item", flat=True)).values()) == {2}
    assert (experts.count(), done.count(), Hearing.objects.count()) == (36, 54, 18)
    assert_books_agree(study)
