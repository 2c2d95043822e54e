"""Items wait for an expert as long as the expert does something now and then, and no longer."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from annotation.judgments import services
from annotation.judgments.leaving import pause
from annotation.judgments.models import Judgment
from annotation.studies import leases
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Item, Judge, Study
from tests.annotation.panel import enter, expert, open_study, survey
from tests.annotation.studies.panels import (
    again,
    answer,
    assert_books_agree,
    holders,
    reader,
    shaped,
    waiting,
)
from tests.services.waiting import soon

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
LONG_AGO = timezone.now() - 30 * DAY
FIRST = {"recognition": "0", "overall_quality": "4", "emotional_resonance": "2"}


def study_of(days=2, **options):
    return shaped(lease_hours=24 * days, **options)


def rest_since(judge, moment):
    """Let it be so that the judge was given all they have, and did the last thing, at a moment."""
    Judge.objects.filter(pk=judge.pk).update(active_at=moment)
    Assignment.objects.of(judge).update(given_at=moment)


def rested(study, moment=LONG_AGO):
    """Return a judge for whom a set waits, and who did nothing since then."""
    judge = reader(study)
    ledger.deal(judge)
    rest_since(judge, moment)
    return again(judge)


def was_active(judge):
    return Judge.objects.get(pk=judge.pk).active_at > LONG_AGO


def first_of(judge):
    return Assignment.objects.of(judge).in_order().select_related("item", "judge__study")[0]


def save_draft(judge, reader):
    services.save_draft(first_of(judge), {"quality": "4"}, version=0)


def see_a_poem(judge, reader):
    assert reader.get(f"/desk/{reader.key}/poem/{first_of(judge).token}/").status_code == 200


def send_answers(judge, reader):
    services.submit(first_of(judge), survey(), milliseconds=1000)


@pytest.mark.parametrize("deed", [save_draft, see_a_poem, send_answers])
def test_what_an_expert_does_renews_their_lease(deed):
    judge = rested(study_of())
    deed(judge, enter(Client(), judge))
    assert was_active(judge)


def test_fixing_a_stage_renews_the_lease():
    judge = expert(open_study(instrument="recognised-probability"))
    ledger.deal(judge)
    rest_since(judge, LONG_AGO)
    services.fix_stage(first_of(judge), FIRST, stage=0)
    assert was_active(judge)


def test_a_new_set_begins_a_lease_and_a_click_that_gives_nothing_does_not_renew_it():
    judge = rested(study_of(batch=2))
    assert ledger.deal(judge) == 0
    assert not was_active(judge)
    answer(judge)
    rest_since(judge, LONG_AGO)
    assert ledger.deal(again(judge)) == 2
    assert was_active(judge)


def test_a_look_at_the_desk_renews_nothing():
    judge = rested(study_of())
    client = enter(Client(), judge)
    client.get(f"/desk/{client.key}/")
    assert not was_active(judge)


def test_a_lease_ends_its_length_after_the_last_deed_and_never_before_its_length_after_dealing():
    judge = rested(study_of(days=2))
    assert leases.ends_at(judge) == LONG_AGO + 2 * DAY
    leases.renew(judge, LONG_AGO + DAY)
    assert leases.ends_at(judge) == LONG_AGO + 3 * DAY
    Assignment.objects.of(judge).update(given_at=LONG_AGO + 5 * DAY)
    assert leases.ends_at(judge) == LONG_AGO + 7 * DAY


def test_whoever_has_nothing_waiting_has_no_lease():
    judge = reader(study_of())
    assert leases.ends_at(judge) is None
    ledger.deal(judge)
    answer(judge)
    assert leases.ends_at(again(judge)) is None


def test_renewing_within_a_moment_is_written_down_once():
    judge = rested(study_of(days=2))
    for minutes in (0, 1, 2):
        leases.renew(judge, LONG_AGO + DAY + timedelta(minutes=minutes))
    assert Judge.objects.get(pk=judge.pk).active_at == LONG_AGO + DAY


def test_those_whose_lease_ends_soon_are_named_and_nobody_else():
    study = study_of(days=2)
    soonest, later = rested(study), rested(study, LONG_AGO + DAY)
    done = rested(study)
    answer(done)
    rest_since(done, LONG_AGO)
    at = LONG_AGO + 2 * DAY
    within = timedelta(hours=1)
    assert leases.ending(study, at - timedelta(hours=2), within) == []
    assert leases.ending(study, at - timedelta(minutes=30), within) == [soonest]
    assert leases.ending(study, at + DAY, within) == [soonest, later]


def test_places_go_back_when_the_lease_is_over_and_not_a_moment_before():
    study = study_of(days=2, batch=3)
    judge, busy = rested(study), rested(study, LONG_AGO + DAY)
    end = LONG_AGO + 2 * DAY
    assert leases.expire(end - timedelta(seconds=1)) == 0
    assert len(waiting(judge)) == 3
    assert leases.expire(end) == 3
    assert (waiting(judge), len(waiting(busy))) == ([], 3)
    assert_books_agree(study)
    assert leases.expire(end) == 0


def test_answers_stay_when_the_rest_of_a_set_goes_back():
    study = study_of(batch=4)
    judge = rested(study)
    answer(judge, 1)
    rest_since(judge, LONG_AGO)
    assert leases.expire(timezone.now()) == 3
    assert Judgment.objects.counted(study).count() == 1
    assert sum(holders(study).values()) == 1


def test_a_set_that_is_being_drawn_goes_back_even_where_nothing_of_it_waits():
    # Answered by a link that had expired meanwhile: the next item was not drawn.
    study = study_of(batch=4, dealing=Study.Dealing.DRAW)
    judge = rested(study)
    answer(judge)
    rest_since(judge, LONG_AGO)
    assert len(again(judge).row) == 3
    assert leases.expire(timezone.now()) == 0  # no item
    assert again(judge).row == []
    assert_books_agree(study)


@pytest.mark.parametrize("late", Study.Late.values)
def test_an_answer_after_the_lease_is_kept_as_extra_and_counted_as_the_study_says(late):
    study = study_of(batch=2, late=late)
    judge = rested(study)
    one, other = Assignment.objects.of(judge).in_order().select_related("judge__study")
    leases.expire(timezone.now())
    assert services.submit(one, survey(), milliseconds=1).extra
    counted = Judgment.objects.counted
    assert counted(study).count() == (late == Study.Late.IN)
    assert holders(study) == {}
    study.state, study.closed_at = Study.State.CLOSED, timezone.now()
    study.save()
    assert services.submit(other, survey(), milliseconds=1).extra
    assert Judgment.objects.count() == 2
    assert counted(study).count() == (late == Study.Late.IN)


def test_whoever_comes_back_is_given_the_same_items_with_what_they_had_begun():
    study = study_of(batch=3, strata=2, each=10)
    judge = rested(study)
    before = waiting(judge)
    services.save_draft(first_of(judge), {"quality": "2"}, version=0)
    rest_since(judge, LONG_AGO)
    assert leases.expire(timezone.now()) == 3
    assert ledger.deal(again(judge)) == 3
    assert [one.pk for one in waiting(judge)] == [one.pk for one in before]
    assert first_of(judge).draft.answers == {"quality": "2"}
    assert_books_agree(study)


def test_what_others_took_meanwhile_is_not_given_a_second_time():
    study = study_of(batch=4, strata=1, each=4, judges_per_item=1)
    judge, other = rested(study), reader(study)
    leases.expire(timezone.now())
    ledger.deal(other)
    answer(other, 1)
    assert ledger.deal(again(judge)) == 0
    assert_books_agree(study)


def test_a_judge_who_paused_keeps_their_items_no_longer_than_others():
    study = study_of(batch=3)
    judge = rested(study)
    pause(judge)
    assert leases.expire(LONG_AGO + 2 * DAY) == 3


def test_language_models_have_all_the_time_they_need():
    study = study_of()
    machine = Judge.objects.create(study=study, kind=Judge.Kind.MACHINE, name="Alpha")
    assert ledger.give_all(machine) == 8
    Assignment.objects.update(given_at=LONG_AGO)
    assert leases.ends_at(machine) is None
    assert leases.ending(study, timezone.now(), DAY) == []
    assert leases.expire(timezone.now()) == 0
    assert len(waiting(machine)) == 8


def test_a_closed_study_is_left_as_it_was():
    study = study_of(batch=3)
    judge = rested(study)
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    assert leases.expire(timezone.now()) == 0
    assert len(waiting(judge)) == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite has one writer at a time")
def test_whoever_does_something_at_this_very_moment_keeps_what_they_have():
    study = study_of(batch=3)
    judge = rested(study)
    renewed = Event()

    def sweep():
        try:
            assert renewed.wait(30)
            return leases.expire(timezone.now())
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        swept = pool.submit(sweep)
        with transaction.atomic():
            leases.renew(judge)  # not yet committed: the sweep still sees an idle judge
            renewed.set()
            assert soon(waits_for_us, within=30)
        assert swept.result() == 0
    assert len(waiting(judge)) == 3
    assert set(Item.objects.exclude(places_taken=0).values_list("places_taken", flat=True)) == {1}


def waits_for_us():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0] > 0
