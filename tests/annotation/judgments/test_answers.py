"""The one door for answers: drafts, judgments, ratings."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.db.models import ProtectedError

from annotation.instruments.instrument import InvalidAnswers
from annotation.judgments import presenting, services
from annotation.judgments.models import Draft, Judgment, Rating
from annotation.studies import amending
from annotation.studies import services as ledger
from annotation.studies.links import StaleLink
from annotation.studies.models import Assignment, Study
from tests.annotation.panel import expert, open_study, survey
from tests.annotation.studies.panels import again, assert_books_agree, reader, shaped, waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment():
    judge = expert(open_study())
    ledger.deal(judge)
    return Assignment.objects.of(judge).in_order().select_related("judge__study").first()


def test_a_judgment_holds_one_rating_for_each_question(assignment):
    answers = survey(imagery="0", quality="2", quality_comment="  Thin.\n")
    judgment = services.submit(assignment, answers, milliseconds=61_000)
    ratings = {r.question: r for r in Rating.objects.filter(judgment=judgment)}
    assert len(ratings) == 13
    assert (ratings["quality"].number, ratings["quality"].blank) == (2, "")
    assert (ratings["imagery"].number, ratings["imagery"].blank) == (0, "na")
    assert ratings["quality_comment"].text == "Thin."
    assert ratings["human_authorship_comment"].blank == "skipped"
    assert (judgment.milliseconds, judgment.extra) == (61_000, False)


@pytest.mark.parametrize(
    "wrong", [{"form": ""}, {"form": "6"}, {"form": "0"}, {"form": "3.5"}, {"metre": "4"}]
)
def test_a_wrong_answer_stores_nothing_and_is_named(assignment, wrong):
    with pytest.raises(InvalidAnswers) as refused:
        services.submit(assignment, survey(**wrong), milliseconds=None)
    assert set(refused.value.problems) == set(wrong)
    assert not Judgment.objects.exists()
    assert not Rating.objects.exists()
    assignment.refresh_from_db()
    assert assignment.answered_at is None


def test_the_first_submission_counts_and_the_second_is_told_so(assignment):
    services.submit(assignment, survey(), milliseconds=None)
    with pytest.raises(services.AlreadyJudged):
        services.submit(assignment, survey(quality="1"), milliseconds=None)
    assert Rating.objects.get(question="quality").number == 4


@pytest.mark.django_db(transaction=True)
def test_five_submissions_at_once_are_one_judgment(assignment):
    def send(point):
        try:
            services.submit(assignment, survey(quality=str(point)), milliseconds=None)
        except services.AlreadyJudged:
            return 0
        else:
            return point
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as pool:
        stored = [point for point in pool.map(send, [1, 2, 3, 4, 5]) if point]
    assert len(stored) == 1
    assert Rating.objects.get(question="quality").number == stored[0]
    assert Rating.objects.count() == 13


@pytest.mark.django_db(transaction=True)
def test_one_submission_sent_eight_times_at_once_is_one_judgment_and_no_error(assignment):
    def send(_):
        try:
            return services.submit(assignment, survey(), milliseconds=None).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        stored = set(pool.map(send, range(8)))
    assert stored == set(Judgment.objects.values_list("pk", flat=True))
    assert Rating.objects.count() == 13


def test_the_time_in_view_is_the_longest_that_any_device_has_told(assignment):
    services.save_draft(assignment, {"form": "1"}, version=0, milliseconds=9_000)
    services.save_draft(assignment, {"form": "2"}, version=1, milliseconds=4_000)
    assert Draft.objects.get().milliseconds == 9_000
    assert services.submit(assignment, survey(), milliseconds=5_000).milliseconds == 9_000


def test_an_answer_to_a_closed_study_is_kept_as_extra(assignment):
    Study.objects.update(state=Study.State.CLOSED)
    assert services.submit(assignment, survey(), milliseconds=None).extra
    assert not Judgment.objects.counted(Study.objects.get()).exists()
    assert Rating.objects.count() == 13


def test_an_answer_to_a_place_that_was_given_back_is_kept_as_extra(assignment):
    ledger.revoke(assignment.judge)
    assert services.submit(assignment, survey(), milliseconds=None).extra


def test_nothing_that_was_answered_can_be_deleted_by_the_way(assignment):
    services.submit(assignment, survey(), milliseconds=None)
    for row in (assignment, assignment.judge, assignment.item, assignment.judge.study):
        with pytest.raises(ProtectedError):
            row.delete()


def test_a_draft_is_kept_as_it_was_typed_and_goes_when_it_is_submitted(assignment):
    typed = {"quality": "2", "quality_comment": "  half a thou"}
    draft = services.save_draft(assignment, typed, version=0)
    assert (draft.answers, draft.version) == (typed, 1)
    again = services.save_draft(assignment, {**typed, "form": "1"}, version=1)
    assert (again.answers["form"], again.version) == ("1", 2)
    services.submit(assignment, survey(), milliseconds=None)
    assert not Draft.objects.exists()


def test_an_older_draft_never_overwrites_a_newer_one(assignment):
    services.save_draft(assignment, {"form": "1"}, version=0)
    services.save_draft(assignment, {"form": "2"}, version=1)
    with pytest.raises(services.NewerDraft) as newer:
        services.save_draft(assignment, {"form": "3"}, version=1)
    assert newer.value.draft.answers == {"form": "2"}
    assert Draft.objects.get().answers == {"form": "2"}


def test_saving_the_same_draft_again_after_a_lost_reply_is_no_conflict(assignment):
    first = services.save_draft(assignment, {"form": "1"}, version=0)
    assert services.save_draft(assignment, {"form": "1"}, version=0).version == first.version


def test_a_judged_poem_takes_no_draft(assignment):
    services.submit(assignment, survey(), milliseconds=None)
    with pytest.raises(services.AlreadyJudged):
        services.save_draft(assignment, {"form": "1"}, version=0)


@pytest.mark.parametrize(
    "answers",
    [
        {"author": "x"},
        {"form": ["1"]},
        {"quality_comment": "a\x00b"},
        {"form": None},
        {"quality_comment": "\ud800"},
    ],
)
def test_a_draft_that_cannot_be_kept_is_refused_by_name(assignment, answers):
    with pytest.raises(InvalidAnswers) as refused:
        services.save_draft(assignment, answers, version=0)
    assert set(refused.value.problems) == set(answers)


def test_a_draft_of_any_size_is_not_taken(assignment):
    with pytest.raises(InvalidAnswers):
        services.save_draft(assignment, {"quality_comment": "x" * 70_000}, version=0)


def test_submitting_throws_no_newer_draft_away(assignment):
    services.save_draft(assignment, survey(), version=0)
    services.save_draft(assignment, survey(quality_comment="From a phone."), version=1)
    with pytest.raises(services.NewerDraft):
        services.submit(assignment, survey(), milliseconds=None, version=1)
    assert not Judgment.objects.exists()
    seen = survey(quality_comment="From a phone.", form="1")
    with pytest.raises(services.NewerDraft):
        services.submit(assignment, seen, milliseconds=None, version=1)
    services.submit(assignment, seen, milliseconds=None, version=2)
    assert Rating.objects.get(question="quality_comment").text == "From a phone."


def test_a_late_answer_counts_as_answered_and_fills_no_place(assignment):
    ledger.revoke(assignment.judge)
    services.submit(assignment, survey(), milliseconds=None)
    assert presenting.progress(assignment.judge).answered == 1
    assignment.item.refresh_from_db()
    assert assignment.item.places_taken == 0


def test_an_answer_to_what_is_given_again_at_that_moment_takes_its_place(monkeypatch):
    study = shaped(strata=1, each=1, judges_per_item=1, batch=1)
    judge = reader(study)
    ledger.deal(again(judge))
    (stale,) = waiting(judge)
    stale.judge = again(judge)
    ledger.give_back_waiting(again(judge))
    hold = services.hold

    def held_late(assignment):
        ledger.deal(again(judge))  # in another tab, before this one held anything
        return hold(assignment)

    monkeypatch.setattr(services, "hold", held_late)
    assert not services.submit(stale, survey(), milliseconds=1).extra
    assert Judgment.objects.counted(study).count() == 1
    assert_books_agree(study)


def test_of_whoever_is_withdrawn_no_late_answer_counts_however_it_came():
    study = shaped(late="in")
    judge = reader(study)
    ledger.deal(again(judge))
    (late, *_) = waiting(judge)
    late.judge = again(judge)
    amending.withdraw(again(judge), "their own poems")
    judgment = services.submit(late, survey(), milliseconds=1)
    assert not Judgment.objects.counted(study).exists()
    # Nor if it was written by a process that did not know.
    Assignment.objects.filter(pk=late.pk).update(withdrawn_at=None)
    assert not Judgment.objects.counted(study).exists()
    amending.restore(again(judge))
    assert Judgment.objects.counted(study).get() == judgment


def test_whoever_is_withdrawn_edits_nothing(assignment):
    judgment = services.submit(assignment, survey(), milliseconds=1)
    amending.withdraw(assignment.judge, "their own poems")
    edits = judgment.ratings.count()
    with pytest.raises(StaleLink):
        services.edit(judgment, survey(quality="1"), edits=edits)
    assert judgment.ratings.count() == edits


def test_an_answer_from_a_page_that_another_took_the_place_of_is_refused_and_not_stored(assignment):
    Assignment.objects.filter(pk=assignment.pk).update(flipped=True, token="of-another-side")
    with pytest.raises(StaleLink):
        services.submit(assignment, survey(), milliseconds=1)
    assert not Judgment.objects.exists()
    assert Assignment.objects.get(pk=assignment.pk).answered_at is None
