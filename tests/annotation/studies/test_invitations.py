"""Personal links: hashed, for one study, expiring, revocable."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.studies import services as ledger
from annotation.studies.models import Invitation, Study
from tests.annotation.panel import open_study

pytestmark = pytest.mark.django_db


def test_a_link_leads_to_its_judge_and_is_nowhere_in_the_database():
    link = ledger.invite(open_study(), name="Ada", email="ada@example.org")
    assert ledger.follow(link.secret) == link.invitation
    stored = Invitation.objects.values().get()
    assert link.secret not in str(stored)
    assert stored["first_used_at"] is not None


@pytest.mark.parametrize("secret", ["", "forged", "../../etc", "床前明月光", "a" * 500])
def test_a_forged_link_leads_nowhere(secret):
    open_study()
    with pytest.raises(ledger.StaleLink):
        ledger.follow(secret)


def test_an_expired_link_leads_nowhere():
    link = ledger.invite(open_study(), name="Ada")
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(ledger.StaleLink):
        ledger.follow(link.secret)


def test_a_new_link_stops_the_old_one():
    old = ledger.invite(open_study(), name="Ada")
    new = ledger.link_for(old.invitation.judge)
    with pytest.raises(ledger.StaleLink):
        ledger.follow(old.secret)
    assert ledger.follow(new.secret).judge == old.invitation.judge


def test_a_stopped_link_leads_nowhere():
    link = ledger.invite(open_study(), name="Ada")
    ledger.revoke(link.invitation.judge)
    with pytest.raises(ledger.StaleLink):
        ledger.follow(link.secret)


def test_one_address_is_invited_once_per_study():
    study = open_study()
    ledger.invite(study, name="Ada", email="ada@example.org")
    with pytest.raises(ledger.AlreadyInvited):
        ledger.invite(study, name="Ada again", email="ADA@example.org")
    ledger.invite(open_study(), name="Ada", email="ada@example.org")


def test_nobody_is_invited_to_a_closed_study():
    study = open_study()
    judge = ledger.invite(study, name="Ada").invitation.judge
    study.state = Study.State.CLOSED
    study.save()
    judge.study.refresh_from_db()
    with pytest.raises(ledger.NotOpen):
        ledger.invite(study, name="Ben")
    with pytest.raises(ledger.NotOpen):
        ledger.link_for(judge)


def test_consent_keeps_the_very_words_and_the_studys_fingerprint():
    study = open_study()
    judge = ledger.invite(study, name="Ada").invitation.judge
    first = ledger.agree(judge)
    assert (first.text, first.fingerprint) == (study.consent_text, study.fingerprint)
    assert ledger.agree(judge) == first
