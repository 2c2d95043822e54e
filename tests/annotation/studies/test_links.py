"""Personal links: derived, hashed, for one study, expiring, revocable."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.studies import links
from annotation.studies.models import Invitation, Study
from annotation.studies.services import revoke
from tests.annotation.panel import open_study

pytestmark = pytest.mark.django_db


def expire() -> None:
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def test_a_link_leads_to_its_judge_and_is_nowhere_in_the_database():
    link = links.invite(open_study(), name="Ada", email="ada@example.org", language="zh-hans")
    assert links.follow(link.secret) == link.invitation
    stored = Invitation.objects.values().get()
    assert link.secret not in str(stored)
    assert stored["first_used_at"] is not None
    assert link.invitation.judge.language == "zh-hans"


def test_a_secret_is_derived_from_nonce_and_key_and_can_stand_in_an_address(settings, monkeypatch):
    settings.SECRET_KEY = "for this test"
    monkeypatch.setattr(links, "token", lambda: "nonce")
    link = links.invite(open_study(), name="Ada")
    # The first 24 bytes, in URL-safe base64, of: printf nonce |
    # openssl dgst -sha256 -mac HMAC -macopt hexkey:SHA-256("blindverse.invitation" + key)
    assert link.secret == "EJGfAMAFpKxMNlPT51kS8ZaV72E5fgos"


def test_a_link_can_be_written_again_until_the_key_of_the_site_changes(settings):
    link = links.invite(open_study(), name="Ada")
    stored = Invitation.objects.get()
    assert links.secret_of(stored) == link.secret
    settings.SECRET_KEY = "another"
    assert links.secret_of(stored) is None
    assert links.follow(link.secret) == link.invitation


@pytest.mark.parametrize("secret", ["", "forged", "../../etc", "床前明月光", "a" * 500])
def test_a_forged_link_leads_nowhere(secret):
    open_study()
    for door in (links.follow, links.begun, links.opened):
        with pytest.raises(links.StaleLink):
            door(secret)


def test_an_expired_link_begins_nothing_but_finishes_what_was_begun():
    link = links.invite(open_study(), name="Ada")
    expire()
    with pytest.raises(links.StaleLink):
        links.follow(link.secret)
    assert links.begun(link.secret) == link.invitation
    assert Invitation.objects.get().first_used_at is None


def test_a_new_link_stops_the_old_one():
    old = links.invite(open_study(), name="Ada")
    new = links.link_for(old.invitation.judge)
    for door in (links.follow, links.begun):
        with pytest.raises(links.StaleLink):
            door(old.secret)
        assert door(new.secret).judge == old.invitation.judge


def test_a_stopped_link_leads_nowhere():
    link = links.invite(open_study(), name="Ada")
    revoke(link.invitation.judge)
    for door in (links.follow, links.begun):
        with pytest.raises(links.StaleLink):
            door(link.secret)


def test_one_address_is_invited_once_per_study():
    study = open_study()
    links.invite(study, name="Ada", email="ada@example.org")
    with pytest.raises(links.AlreadyInvited):
        links.invite(study, name="Ada again", email="ADA@example.org")
    links.invite(open_study(), name="Ada", email="ada@example.org")


def test_nobody_is_invited_to_a_closed_study():
    study = open_study()
    study.state = Study.State.CLOSED
    study.save()
    with pytest.raises(links.NotOpen):
        links.invite(study, name="Ben")
    with pytest.raises(links.NotOpen):
        links.open_link(study, quota=1)


def test_whoever_took_part_in_a_closed_study_can_still_get_a_new_link():
    study = open_study()
    judge = links.invite(study, name="Ada").invitation.judge
    Study.objects.update(state=Study.State.CLOSED)
    judge.study.refresh_from_db()
    assert links.follow(links.link_for(judge).secret).judge == judge


def test_nobody_is_invited_to_a_study_that_was_closed_after_it_was_read():
    study = open_study()
    Study.objects.update(state=Study.State.CLOSED)
    with pytest.raises(links.NotOpen):
        links.invite(study, name="Ben")
    with pytest.raises(links.NotOpen):
        links.open_link(study, quota=1)
