"""What the desk says when nothing waits: what is still to come, and what is over."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.formats import date_format

from annotation.studies import amending
from annotation.studies.models import Assignment, Study
from annotation.studies.services import deal
from tests.annotation.panel import desk, enter
from tests.annotation.studies.panels import again, answer, shaped
from tests.annotation.studies.panels import reader as expert

pytestmark = pytest.mark.django_db
OVER = "Every poem here has the judges it needs"


def done(**options: object) -> tuple[Study, Client]:
    """Return a study and an expert's client, who has answered all that there is."""
    study = shaped(strata=1, each=3, batch=3, **options)
    judge = expert(study)
    while deal(again(judge)):
        answer(judge)
    return study, enter(Client(), judge)


def shown(reader: Client) -> str:
    return reader.get(desk(reader)).content.decode()


def days_pass(days: int) -> None:
    for one in Assignment.objects.all():
        earlier = one.answered_at - timedelta(days=days)
        Assignment.objects.filter(pk=one.pk).update(answered_at=earlier)


@pytest.mark.parametrize("dealing", Study.Dealing.values)
def test_whoever_owes_repeats_is_asked_to_come_back_and_not_told_of_what(dealing):
    _, reader = done(dealing=dealing, repeats=2, repeat_after_days=7)
    page = shown(reader)
    first = Assignment.objects.earliest("answered_at").answered_at
    day = date_format(first + timedelta(days=8), "DATE_FORMAT")
    assert f"There may be more from {day} on: please come back then" in page
    assert OVER not in page
    assert "repeat" not in page
    assert "/next/" not in page
    days_pass(7)
    page = shown(reader)
    assert "come back then" not in page
    assert "Judge more poems" in page


@pytest.mark.parametrize("dealing", Study.Dealing.values)
def test_whoever_has_answered_all_and_owes_nothing_may_close_the_page(dealing):
    _, reader = done(dealing=dealing, repeats=1, repeat_after_days=0)
    page = shown(reader)
    assert OVER in page
    assert "come back then" not in page


def closed(**fields: object) -> str:
    study, reader = done()
    Study.objects.filter(pk=study.pk).update(state="closed", **fields)
    return shown(reader)


def test_the_desk_of_a_closed_study_says_that_a_debrief_will_come_or_is_there():
    assert "There is nothing more to do." in closed()
    coming = closed(debriefs=True)
    assert "Once the study’s key is opened, you can see here" in coming
    there = closed(debriefs=True, debrief_at=timezone.now())
    assert "Among your papers below you can now see who wrote what you judged." in there
    assert "There is nothing more to do." not in coming + there


def test_nobody_who_judged_nothing_is_promised_a_debrief():
    study = shaped(debriefs=True)
    reader = enter(Client(), expert(study))
    Study.objects.filter(pk=study.pk).update(state="closed")
    assert "There is nothing more to do." in shown(reader)


def test_in_the_list_of_answers_a_repeat_shows_its_opening_like_any_other():
    _, reader = done(repeats=2, repeat_after_days=0)
    repeats = Assignment.objects.filter(purpose="repeat")
    assert repeats.count() == 2
    assert not repeats.filter(flipped=True).exists()
    # As repeats of one text were stored before.
    repeats.update(flipped=True)
    page = reader.get(f"{desk(reader)}answers/").content.decode()
    assert page.count("Line 0/") == Assignment.objects.count() == 5


@pytest.mark.parametrize(
    ("twins", "said"), [("never", "in sets of up to 2."), ("last", "in sets of up to 4.")]
)
def test_the_desk_promises_no_larger_set_than_can_be_given(twins, said):
    study = shaped(strata=3, each=4, per_brief=2, batch=4, twins=twins)
    assert said in shown(enter(Client(), expert(study)))


def test_whoever_is_replaced_does_not_come_back():
    study = shaped()
    judge = expert(study)
    deal(again(judge))
    amending.replace(again(judge), name="Next")
    reader = enter(Client(), judge)
    page = shown(reader)
    assert "Somebody else has taken your place" in page
    assert "Come back to the study" not in page
    sent = reader.post(f"{desk(reader)}leave/", {"choice": "resume"}, follow=True)
    assert "Somebody else has taken your place" in sent.content.decode()
    assert again(judge).left_at
    assert not Assignment.objects.of(judge).waiting().exists()
