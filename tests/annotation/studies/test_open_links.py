"""Open links: experts put themselves on the panel, up to the quota and no further."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Judge, OpenLink, Study
from tests.annotation.panel import open_study
from tests.annotation.studies.panels import again, ready, shaped, waiting


@pytest.fixture
def study(db):
    return open_study()


def test_whoever_joins_has_a_personal_link_of_their_own(study):
    open_link = links.open_link(study, quota=2, label="Newsletter")
    secret = links.open_secret(open_link)
    link = links.join(links.opened(secret), name="Ada", email="a@example.org", language="zh-hans")
    assert links.follow(link.secret).judge.joined_by == open_link
    judge = Judge.objects.get()
    assert (judge.study, judge.name, judge.language) == (study, "Ada", "zh-hans")
    assert link.secret != secret
    assert secret not in str(OpenLink.objects.values().get())


def test_personal_and_open_secrets_open_no_doors_of_the_other(study):
    open_link = links.open_link(study, quota=2)
    personal = links.invite(study, name="Ada")
    with pytest.raises(links.StaleLink):
        links.opened(personal.secret)
    with pytest.raises(links.StaleLink):
        links.follow(links.open_secret(open_link))
    # Nor would they if their nonces were the same.
    OpenLink.objects.update(nonce=personal.invitation.nonce)
    assert links.open_secret(OpenLink.objects.get()) != personal.secret


def test_no_more_than_the_quota_join(study):
    open_link = links.open_link(study, quota=2)
    for name in ("Ada", "Ben"):
        links.join(open_link, name=name)
    with pytest.raises(links.QuotaReached):
        links.join(open_link, name="Cid")
    assert OpenLink.objects.get().used == study.judges.count() == 2


def test_whoever_is_on_the_panel_already_takes_no_place(study):
    open_link = links.open_link(study, quota=2)
    links.invite(study, name="Ada", email="ada@example.org")
    with pytest.raises(links.AlreadyInvited):
        links.join(open_link, name="Ada", email="Ada@example.org")
    assert OpenLink.objects.get().used == 0


def test_nobody_joins_by_a_stopped_or_expired_link_not_even_from_a_form_opened_before(study):
    stopped, expired = links.open_link(study, quota=2), links.open_link(study, quota=2)
    links.stop_open_link(stopped)
    OpenLink.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    for link in (stopped, expired):
        with pytest.raises(links.StaleLink):
            links.opened(links.open_secret(link))
        with pytest.raises(links.StaleLink):
            links.join(link, name="Ada")
    assert not study.judges.exists()


def test_stopping_an_open_link_keeps_those_who_joined(study):
    open_link = links.open_link(study, quota=2)
    link = links.join(open_link, name="Ada")
    links.stop_open_link(open_link)
    assert links.follow(link.secret).judge.name == "Ada"


def test_nobody_joins_a_closed_study(study):
    open_link = links.open_link(study, quota=2)
    Study.objects.update(state=Study.State.CLOSED)
    with pytest.raises(links.NotOpen):
        links.join(open_link, name="Ada")
    assert OpenLink.objects.get().used == 0


@pytest.mark.django_db(transaction=True)
def test_many_who_join_at_once_never_exceed_the_quota():
    open_link = links.open_link(open_study(), quota=5)

    def come(number):
        try:
            return links.join(open_link, name=f"Expert {number}").secret
        except links.QuotaReached:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as pool:
        secrets = list(pool.map(come, range(12)))
    assert len({secret for secret in secrets if secret}) == 5
    assert OpenLink.objects.get().used == Judge.objects.count() == 5


@pytest.mark.django_db
def test_whoever_joins_by_a_link_of_a_group_judges_for_that_group():
    study = shaped(strata=1, each=4, groups=(("poets", 2), ("scholars", 2)))
    poets = study.groups.get(name="poets")
    link = links.join(links.open_link(study, quota=3, group=poets), name="Ada")
    judge = ready(link.invitation.judge)
    assert judge.group == poets
    ledger.deal(again(judge))
    assert {one.item.group for one in waiting(judge)} == {poets}
