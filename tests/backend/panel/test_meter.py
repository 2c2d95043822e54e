"""The meter of an open study counts, reads no answer, and is for researchers while sealed."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.judgments.models import Rating
from annotation.judgments.services import submit
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge, Study
from backend.accounts.models import User
from backend.design.models import Design
from backend.design.precision import TOO_WIDE, Half
from backend.design.services import open_study as open_draft
from backend.panel import meter as meters
from backend.panel.meter import NOTHING_YET, meter
from tests.annotation.panel import expert, open_study, survey
from tests.backend.design.material import draft, material
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db

HEADING = "How exact an AUC can be"


@pytest.fixture
def study(db: None) -> Study:
    """Three authors with four poems each, and two judges for every poem."""
    study = draft(material(poems=4), twins="last", batch_size=6)
    open_draft(study)
    return Study.objects.get(pk=study.pk)


def answer(judge: Judge, number: int, points: Iterator[str] | None = None) -> None:
    for assignment in Assignment.objects.of(judge).waiting().in_order()[:number]:
        given = survey(human_authorship=next(points)) if points else survey()
        submit(assignment, given, milliseconds=9000)


def page(user: User, name: str, study: Study) -> str:
    client = Client()
    client.force_login(user)
    return client.get(reverse(name, args=[study.slug])).content.decode()


def admin() -> User:
    return User.objects.create_user("ada", role=User.Role.ADMIN)


@pytest.mark.parametrize("name", ["ledger", "ledger-figures"])
def test_while_the_key_is_sealed_researchers_and_admins_alone_see_the_meter(study, name):
    assert HEADING in page(researcher(), name, study)
    assert HEADING in page(admin(), name, study)
    kim = coordinator()
    told = page(kim, name, study)
    assert HEADING not in told
    assert 'data-figure="exact-' not in told
    assert meter(study, kim) is None
    Study.objects.update(state="closed")
    assert HEADING not in page(kim, name, study)
    assert HEADING in page(researcher("wim"), name, study)


@pytest.mark.parametrize("name", ["ledger", "ledger-figures"])
def test_once_the_key_is_unsealed_there_is_no_meter_for_anybody(study, name):
    Study.objects.update(state="closed")
    Design.objects.update(unblinded_at=timezone.now())
    for user in (researcher(), admin(), coordinator()):
        assert HEADING not in page(user, name, study)
        assert meter(study, user) is None


def test_why_there_is_no_figure_yet_stands_below_the_table(study):
    told = page(researcher(), "ledger", study)
    table, below = told.split("How exact an AUC can be", 1)[1].split("</table>", 1)
    assert table.count(">none yet</td>") == 2
    assert NOTHING_YET not in table
    assert f"So far: {NOTHING_YET}" in below
    assert f"With all places answered: {TOO_WIDE}" in below


def test_one_reason_for_both_figures_is_said_once(study):
    for name in ("Ada", "Ben"):
        judge = expert(study, name)
        ledger.deal(judge)
        answer(judge, 6)
    told = page(researcher(), "ledger", study)
    assert told.count(TOO_WIDE) == 1
    assert f"So far, and with all places answered: {TOO_WIDE}" in told


def test_a_refused_form_shows_coordinators_no_meter_either(study):
    client = Client()
    client.force_login(coordinator())
    told = client.post(reverse("raise-places", args=[study.slug]), {"judges_per_item": "x"})
    assert told.status_code == 422
    assert HEADING not in told.content.decode()


def test_counts_are_those_of_judgments_in_so_far_and_of_all_places(study):
    vera = researcher()
    first = meter(study, vera)
    assert (first.now.titles, first.now.judges) == (0, 0)
    assert first.now.half.width is None
    assert first.now.half.reason
    for name in ("Ada", "Ben"):
        judge = expert(study, name)
        ledger.deal(judge)
        answer(judge, 6)
    found = meter(study, vera)
    counted = set(Assignment.objects.filter(judgment__isnull=False).values_list("item", flat=True))
    # Of twelve poems, four by each of three authors.
    assert found.now.titles == len(counted) * 4 // 12
    assert found.now.judges == 2
    assert found.now.per_poem == 12 / len(counted)
    assert (found.whole.titles, found.whole.judges, found.whole.per_poem) == (4, 2, 2)
    expert(study, "Cyd")
    assert meter(study, vera).whole.judges == 3


def test_the_meter_is_the_same_whatever_was_answered(study):
    vera = researcher()
    for name in ("Ada", "Ben"):
        judge = expert(study, name)
        ledger.deal(judge)
        answer(judge, 6, iter("123451"))
    before = meter(study, vera)
    Rating.objects.all().delete()
    assert meter(study, vera) == before


def test_the_meter_shows_both_half_widths_and_says_what_it_reads(study, monkeypatch):
    # So small a study would have none.
    monkeypatch.setattr(meters, "half", lambda titles, *_: Half(titles / 100))
    judge = expert(study)
    ledger.deal(judge)
    answer(judge, 6)
    told = page(researcher(), "ledger", study)
    found = dict(re.findall(r'data-figure="exact-(now|whole)-half">±([\d.]+)<', told))
    # Four poems by each author, and two of these when six of the twelve are judged.
    assert found == {"now": "0.020", "whole": "0.040"}
    assert "No answer and no key is read" in told


def test_there_is_no_meter_of_drafts_of_pairs_or_of_studies_without_an_auc():
    vera, shelf = researcher(), material()
    assert meter(draft(shelf), vera) is None
    pairs = open_draft(draft(shelf, instrument="pair-choice"))
    assert meter(Study.objects.get(pk=pairs.pk), vera) is None
    assert meter(open_study(instrument="altered-text"), vera) is None
