"""Experts and models are put on a panel while others put the same there, or discard the study."""

import pytest
from django.db import connection

from annotation.studies import amending, links
from annotation.studies import services as ledger
from annotation.studies.models import Judge, Study
from backend.design import services as design
from backend.judging import services as judging
from backend.judging.models import Hearing
from backend.panel import inviting
from backend.panel.roster import InvalidRoster, Person
from tests.annotation.studies.panels import again, reader, shaped
from tests.annotation.test_two_at_once import Meeting, at_once
from tests.backend.design.material import draft, model
from tests.studies import coordinator

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time"),
]

REFUSALS = (links.AlreadyInvited, links.StaleLink, InvalidRoster, design.WrongState)


def refused(call):
    """Return the call, which returns a refusal instead of raising it."""

    def told():
        try:
            return call()
        except REFUSALS as refusal:
            return refusal

    return told


def read(study):
    """Return the study as a request of its own finds it."""
    return Study.objects.get(pk=study.pk)


def meet_by_name(monkeypatch, module, name, first):
    """Let whoever is through with a judge of this name meet whoever comes there with another."""
    meeting, function = Meeting(), getattr(module, name)
    one = meeting.at("one", function, before=False)
    other = meeting.at("other", function, before=True)

    def met(judge, **options):
        return (one if judge.name == first else other)(judge, **options)

    monkeypatch.setattr(module, name, met)


def test_of_two_lists_of_the_same_people_in_another_order_one_is_taken(monkeypatch):
    study, kim = shaped(), coordinator()
    people = [Person(1, name, f"{name}@reader.example", "", "") for name in ("ada", "ben")]
    meet_by_name(monkeypatch, links, "link_for", "ada")

    def invite(order):
        return inviting.invite_many(read(study), order, days=9, send=False, by=kim)

    done = at_once(refused(lambda: invite(people)), refused(lambda: invite(people[::-1])))
    assert {type(one) for one in done} == {list, InvalidRoster}
    assert study.judges.count() == 2


def test_one_address_is_invited_and_put_in_anothers_place_once(monkeypatch):
    study, kim = shaped(), coordinator()
    judge = reader(study)
    meeting = Meeting()
    monkeypatch.setattr(links, "link_for", meeting.at("one", links.link_for, before=False))
    monkeypatch.setattr(amending, "invite", meeting.at("other", amending.invite, before=True))
    person = {"name": "Ben", "email": "ben@reader.example", "language": "", "send": True, "by": kim}
    done = at_once(
        refused(lambda: inviting.invite(read(study), days=9, **person)),
        refused(lambda: inviting.replace(again(judge), **person)),
    )
    assert {type(one) for one in done} == {Judge, links.AlreadyInvited}


def test_a_study_is_put_to_the_same_models_in_another_order(monkeypatch):
    study = shaped()
    alpha, beta = model("Alpha"), model("Beta")
    meet_by_name(monkeypatch, ledger, "give_all", "Alpha")
    at_once(
        lambda: judging.put_to(read(study), [alpha, beta]),
        lambda: judging.put_to(read(study), [beta]),
    )
    assert Hearing.objects.count() == 2 * study.items.count()


def test_a_draft_is_discarded_or_somebody_is_on_its_panel(monkeypatch):
    study = draft()
    meeting = Meeting()
    monkeypatch.setattr(links, "link_for", meeting.at("one", links.link_for, before=False))
    monkeypatch.setattr(design, "record", meeting.at("other", design.record, before=False))
    invited, discarded = at_once(
        refused(lambda: links.invite(read(study), name="Ada")),
        refused(lambda: design.discard(read(study))),
    )
    if Study.objects.filter(pk=study.pk).exists():
        assert invited.invitation.judge in study.judges.all()
        assert isinstance(discarded, design.WrongState)
    else:
        assert isinstance(invited, links.StaleLink)
