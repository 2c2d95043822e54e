"""What another tab does between what a request reads and what it stores is not lost on it."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from annotation.instruments.instrument import Instrument
from annotation.judgments import drafting, leaving
from annotation.judgments import services as answers
from annotation.judgments.models import Draft, Judgment
from annotation.studies import giving, leases, links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge, Study
from backend.design import services as design
from tests.annotation.panel import expert, open_study
from tests.annotation.studies.panels import (
    again,
    answer,
    assert_books_agree,
    reader,
    ready,
    shaped,
    survey,
    waiting,
)
from tests.annotation.studies.test_sides import pairs
from tests.annotation.test_two_at_once import somebody_waits
from tests.services.waiting import soon

pytestmark = pytest.mark.django_db(transaction=True)
two_writers = pytest.mark.skipif(
    "connection.vendor == 'sqlite'", reason="SQLite has one writer at a time"
)


def meanwhile(monkeypatch, module, name, act, *, before=False):
    """Let something happen on another connection, the first time that a function is called.

    If it has to wait for what this connection holds, this one goes on.
    """
    real, times = getattr(module, name), []

    def elsewhere():
        try:
            return act()
        finally:
            connection.close()

    def met(*args, **kwargs):
        times.append(name)
        found = None if before else real(*args, **kwargs)
        if len(times) == 1:
            acting.append(pool.submit(elsewhere))
            assert soon(lambda: acting[0].done() or somebody_waits(), within=20)
        return real(*args, **kwargs) if before else found

    acting, pool = [], ThreadPoolExecutor(1)
    monkeypatch.setattr(module, name, met)
    return acting


@two_writers
@pytest.mark.parametrize("read", ["standing", "history"])
def test_two_tabs_that_ask_at_once_are_given_one_set(read, monkeypatch):
    study = open_study(items=12, judges_per_item=1, batch=4)
    judge = expert(study)
    other = meanwhile(monkeypatch, ledger, read, lambda: ledger.deal(again(judge)))
    assert ledger.deal(judge) + other[0].result() == 4
    assert Assignment.objects.of(judge).count() == 4
    assert_books_agree(study)


@two_writers
@pytest.mark.parametrize("dealing", Study.Dealing.values)
def test_what_is_answered_late_while_it_is_given_again_leaves_its_place(dealing, monkeypatch):
    study = shaped(strata=1, each=2, judges_per_item=1, batch=2, dealing=dealing)
    judge, other = reader(study), reader(study)
    ledger.deal(again(judge))
    late = waiting(judge)[0]
    long_ago = timezone.now() - timedelta(days=60)
    Assignment.objects.of(judge).update(given_at=long_ago)
    Judge.objects.filter(pk=judge.pk).update(active_at=long_ago)
    assert leases.expire(timezone.now())
    late.judge = again(judge)
    send = partial(answers.submit, late, survey(), milliseconds=1)
    sent = meanwhile(monkeypatch, ledger, "history", send)
    ledger.deal(again(judge))
    assert sent[0].result().extra
    for _ in range(3):
        for one in (judge, other):
            answer(one)
            ledger.deal(again(one))
    counted = Judgment.objects.counted(study).values_list("assignment__item", flat=True)
    assert Counter(counted) == dict.fromkeys(study.items.values_list("pk", flat=True), 1)


@pytest.fixture
def given_back():
    """A judge of pairs who gave all back, which was given to another since; and their old pages."""
    study = pairs(judges_per_item=2)
    judge, other = expert(study), expert(study)
    ledger.deal(judge)
    pages = list(Assignment.objects.of(judge).select_related("judge__study"))
    ledger.give_back_waiting(judge)
    ledger.deal(other)
    return judge, pages


def sides(pages):
    return {page.pk: page.flipped for page in pages}


@two_writers
def test_a_draft_of_one_side_is_not_kept_under_the_other(given_back, monkeypatch):
    judge, pages = given_back
    key = judge.study.instrument.questions[0].key
    meanwhile(monkeypatch, drafting, "hold", lambda: ledger.deal(again(judge)), before=True)
    with pytest.raises(links.StaleLink):
        drafting.save_draft(pages[0], {key: "1"}, version=0)
    assert sides(Assignment.objects.of(judge)) != sides(pages)
    assert not Draft.objects.exists()


@two_writers
def test_what_is_begun_while_it_is_given_again_keeps_its_side_or_is_refused(
    given_back, monkeypatch
):
    judge, pages = given_back
    key = judge.study.instrument.questions[0].key

    begin = partial(drafting.save_draft, version=0)
    page = next(page for page in pages if page.flipped)
    begun = meanwhile(
        monkeypatch, giving, "_flipped", partial(begin, page, {key: "1"}), before=True
    )
    ledger.deal(again(judge))
    now = Assignment.objects.get(pk=page.pk)
    try:
        begun[0].result()
    except links.StaleLink:
        assert now.token != page.token
    else:
        assert now.flipped == page.flipped


def test_whose_link_was_stopped_a_moment_ago_is_given_nothing():
    study = shaped()
    link = links.invite(study, name="Ada")
    ready(link.invitation.judge)
    judge = links.follow(link.secret).judge
    assert ledger.revoke(again(judge)) == 0
    with pytest.raises(links.StaleLink):
        ledger.deal(judge)
    assert not Assignment.objects.of(judge).exists()
    # With a new link they go on.
    links.link_for(again(judge))
    assert ledger.deal(again(judge))


def test_a_pause_from_a_page_of_before_does_not_undo_that_somebody_stopped():
    judge = reader(shaped())
    earlier = again(judge)
    leaving.stop(again(judge))
    leaving.pause(earlier)
    assert again(judge).left_at


@two_writers
def test_no_edit_is_stored_after_the_study_closed(monkeypatch):
    study = shaped()
    judge = reader(study)
    ledger.deal(again(judge))
    (assignment,) = answer(judge, 1)
    judgment = Judgment.objects.select_related("assignment__judge__study").get(
        assignment=assignment
    )
    closing = meanwhile(monkeypatch, Instrument, "read_stage", partial(design.close, study))
    answers.edit(judgment, survey(creativity="1"), edits=judgment.ratings.count())
    closing[0].result()
    closed_at = Study.objects.get(pk=study.pk).closed_at
    assert judgment.ratings.count() > judgment.ratings.standing().count()
    assert not judgment.ratings.filter(written_at__gt=closed_at).exists()
