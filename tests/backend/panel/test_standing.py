"""An expert's part: withdrawn with a reason, brought back, given to somebody else."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.activity.models import Entry
from annotation.judgments.services import submit
from annotation.studies import services as ledger
from annotation.studies.consenting import agree, wording_for
from annotation.studies.models import Assignment, Group, Judge, Study
from backend.panel.models import Letter
from tests.annotation.panel import expert, survey

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("swept")]


@pytest.fixture
def judge(study: Study) -> Judge:
    """Return an expert with one answer, and two poems waiting."""
    judge = expert(study, "Ada")
    assert ledger.deal(judge) == 3
    submit(Assignment.objects.of(judge).in_order()[0], survey(), milliseconds=None)
    return judge


def post(client: Client, page: str, judge: Judge, **data: object):  # type: ignore[no-untyped-def]
    return client.post(reverse(page, args=[judge.study.slug, judge.code]), data, follow=True)


def taken(study: Study) -> int:
    return sum(study.items.values_list("places_taken", flat=True))


def test_whoever_is_withdrawn_keeps_the_answers_and_gives_all_places_to_others(
    client, study, judge
):
    page = post(client, "withdraw-expert", judge, reason="Knew the poets").content.decode()
    assert "Places that went to others: 3." in page
    assert "Knew the poets" in page
    assert taken(study) == 0
    judge.refresh_from_db()
    assert judge.withdrawn_reason == "Knew the poets"
    assert Assignment.objects.of(judge).answered().count() == 1
    assert Assignment.objects.of(judge).answered().analysed().count() == 0
    entry = Entry.objects.get(kind="judge.withdrawn")
    assert (entry.actor, entry.study) == ("kim", study.slug)
    panel = client.get(reverse("panel", args=[study.slug])).content.decode()
    assert ">withdrawn</span>" in panel
    assert "Knew the poets" in panel


def test_without_a_reason_nobody_is_withdrawn(client, study, judge):
    answer = post(client, "withdraw-expert", judge, reason=" ")
    assert answer.status_code == 422
    assert taken(study) == 3
    judge.refresh_from_db()
    assert judge.withdrawn_at is None


def test_whoever_was_withdrawn_is_brought_back(client, study, judge):
    post(client, "withdraw-expert", judge, reason="A mistake")
    page = post(client, "restore-expert", judge).content.decode()
    assert "Answers that count again: 1." in page
    assert taken(study) == 1
    assert Assignment.objects.of(judge).answered().analysed().count() == 1
    assert Entry.objects.get(kind="judge.restored").actor == "kim"
    assert "is not withdrawn" in post(client, "restore-expert", judge).content.decode()


def test_a_successor_is_in_the_same_group_is_shown_the_link_and_given_what_was_left(client, study):
    group = Group.objects.create(study=study, name="poets", judges_per_item=2)
    study.items.update(group=group)
    judge = expert(study, "Ada")
    Judge.objects.filter(pk=judge.pk).update(group=group)
    assert ledger.deal(judge) == 3
    submit(Assignment.objects.of(judge).in_order()[0], survey(), milliseconds=None)
    left = Assignment.objects.of(judge).waiting().in_order().values_list("item", flat=True)
    left = list(left)
    answer = post(
        client, "replace-expert", judge, name="Ben", email="ben@reader.example", send="on"
    )  # fmt: skip
    page = answer.content.decode()
    assert "Ben is on the panel in place of Ada, whose answers are kept." in page
    ben = Judge.objects.get(name="Ben")
    assert (ben.replaces, ben.group) == (judge, group)
    assert answer.redirect_chain[-1][0] == reverse("show-link", args=[study.slug, ben.code])
    assert Letter.objects.get().judge == ben
    assert not judge.invitations.standing().exists()
    assert taken(study) == 1
    assert "Replaced by Ben" in client.get(
        reverse("expert-part", args=[study.slug, judge.code])
    ).content.decode()  # fmt: skip
    agree(ben, wording=wording_for(study, "en"), promised=True)
    ledger.deal(ben)
    given = Assignment.objects.of(ben).in_order().values_list("item", flat=True)
    assert list(given)[:2] == left


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "Ben", "email": "ADA@reader.example"}, "is on the panel already"),
        ({"name": "Ben", "send": "on"}, "Write the address"),
    ],
)
def test_a_wrong_successor_is_refused_and_nothing_ends(client, study, judge, typed, said):
    Judge.objects.filter(pk=judge.pk).update(email="ada@reader.example")
    answer = post(client, "replace-expert", judge, **typed)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert study.judges.count() == 1
    assert judge.invitations.standing().exists()


def test_nobody_is_replaced_in_a_closed_study(client, study, judge):
    Study.objects.update(state="closed")
    there = reverse("expert-part", args=[study.slug, judge.code])
    assert "in their place" not in client.get(there).content.decode()
    assert "study is closed" in post(client, "replace-expert", judge, name="B").content.decode()
    assert study.judges.count() == 1
