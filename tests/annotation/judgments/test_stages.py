"""Questions asked only once earlier answers are fixed, and answers that are edited later."""

import pytest
from django.test import Client

from annotation.instruments.instrument import InvalidAnswers
from annotation.judgments import services
from annotation.judgments.models import Draft, Judgment, Rating
from annotation.studies import services as ledger
from annotation.studies.links import NotOpen
from annotation.studies.models import Assignment, Study
from tests.annotation.panel import enter, expert, open_study, survey

pytestmark = pytest.mark.django_db
JSON = "application/json"
FIRST = {"recognition": "0", "overall_quality": "4", "emotional_resonance": "2"}


@pytest.fixture
def judge():
    """An expert of a study that asks for recognition and quality, then for authorship."""
    study = open_study(instrument="recognised-probability")
    # The keys of the shipped instrument, so that a change of it is noticed here.
    assert [[q.key for q in stage] for stage in study.instrument.stages] == [
        ["recognition", "overall_quality", "emotional_resonance", "quality_comment"],
        ["probability_human", "authorship_comment"],
    ]
    judge = expert(study)
    ledger.deal(judge)
    return judge


@pytest.fixture
def assignment(judge):
    return Assignment.objects.of(judge).in_order().select_related("judge__study").first()


def test_fixed_answers_stand_whatever_is_sent_later(assignment):
    services.fix_stage(assignment, FIRST, stage=0)
    later = {"probability_human": "0.7", "overall_quality": "1"}
    services.submit(assignment, later, milliseconds=None)
    assert Rating.objects.get(question="overall_quality").number == 4
    assert Rating.objects.get(question="probability_human").number == 700


def test_authorship_is_not_taken_before_quality_is_fixed(assignment):
    with pytest.raises(services.StageAhead):
        services.submit(assignment, {**FIRST, "probability_human": "0.7"}, milliseconds=None)
    assert not Judgment.objects.exists()


def test_a_stage_with_a_blank_is_not_fixed_and_the_question_is_named(assignment):
    with pytest.raises(InvalidAnswers) as refused:
        services.fix_stage(assignment, {**FIRST, "overall_quality": ""}, stage=0)
    assert set(refused.value.problems) == {"overall_quality"}
    assert not Draft.objects.exists()


def test_fixing_twice_is_no_error_unless_the_answers_differ(assignment):
    services.fix_stage(assignment, FIRST, stage=0)
    assert services.fix_stage(assignment, FIRST, stage=0).stages_fixed == 1
    with pytest.raises(services.NewerDraft):
        services.fix_stage(assignment, {**FIRST, "overall_quality": "5"}, stage=0)
    assert Draft.objects.get().fixed["overall_quality"] == "4"


def test_a_tab_that_missed_the_fixing_is_told_and_overwrites_nothing(assignment):
    draft = services.save_draft(assignment, FIRST, version=0)
    services.fix_stage(assignment, FIRST, stage=0)
    with pytest.raises(services.NewerDraft):
        services.save_draft(assignment, {**FIRST, "overall_quality": "1"}, version=draft.version)
    fixed = Draft.objects.get().fixed
    assert {name: one for name, one in fixed.items() if one} == FIRST


def test_the_page_asks_for_authorship_only_after_the_stage_is_fixed(judge, assignment):
    reader = enter(Client(), judge)
    page = f"/desk/{reader.key}/poem/{assignment.token}/"
    before = reader.get(page).content.decode()
    assert 'name="overall_quality"' in before
    assert 'name="probability_human"' not in before
    fixed = reader.post(page, {**FIRST, "go": "0.0"})
    assert (fixed.status_code, fixed["Location"]) == (302, page)
    after = reader.get(page).content.decode()
    assert 'name="overall_quality"' not in after
    assert 'name="probability_human"' in after
    assert reader.post(page, {"probability_human": "0.25"}).status_code == 302
    assert Rating.objects.filter(judgment__assignment=assignment).count() == 6


def test_the_api_fixes_a_stage_and_leads_back_to_the_page(judge, assignment):
    reader = enter(Client(), judge)
    address = f"/api/desk/{reader.key}/poem/{assignment.token}/"
    early = {"answers": {**FIRST, "probability_human": "0.7"}}
    assert reader.post(f"{address}judgment/", early, content_type=JSON).status_code == 409
    fixed = reader.post(f"{address}stage/", {"answers": FIRST, "stage": 0}, content_type=JSON)
    assert fixed.json() == {"stage": 1, "next": address.removeprefix("/api")}
    done = {"answers": {"probability_human": "0.7"}}
    assert reader.post(f"{address}judgment/", done, content_type=JSON).status_code == 201
    again = reader.post(f"{address}judgment/", done, content_type=JSON)
    assert again.status_code == 200


def test_how_a_probability_was_placed_is_kept_with_it(assignment):
    services.fix_stage(assignment, FIRST, stage=0)
    placed = {
        "probability_human": "0.35",
        "probability_human.first": "0.8",
        "probability_human.moves": "3",
        "probability_human.touched": "12500",
    }
    services.submit(assignment, placed, milliseconds=None)
    rating = Rating.objects.get(question="probability_human")
    assert (rating.number, rating.first, rating.moves, rating.touched) == (350, 800, 3, 12500)


def test_cannot_tell_is_neither_a_half_nor_untouched(assignment):
    services.fix_stage(assignment, FIRST, stage=0)
    services.submit(assignment, {"probability_human": "cannot_tell"}, milliseconds=None)
    rating = Rating.objects.get(question="probability_human")
    assert (rating.number, rating.blank) == (None, "cannot_tell")


def test_a_blank_answer_is_fixed_as_blank(assignment):
    services.fix_stage(assignment, FIRST, stage=0)
    later = {"probability_human": "0.7", "quality_comment": "A late thought."}
    services.submit(assignment, later, milliseconds=None)
    assert Rating.objects.get(question="quality_comment").blank == "skipped"


def test_going_on_again_with_more_words_is_told_not_swallowed(assignment):
    services.fix_stage(assignment, FIRST, stage=0)
    with pytest.raises(services.NewerDraft):
        services.fix_stage(assignment, {**FIRST, "quality_comment": "A page."}, stage=0)


def test_no_stage_is_fixed_before_its_time_or_twice_by_accident(assignment):
    for stage in (1, 2, 7):
        with pytest.raises(services.StageAhead):
            services.fix_stage(assignment, FIRST, stage=stage)
    services.fix_stage(assignment, FIRST, stage=0)
    assert services.fix_stage(assignment, FIRST, stage=0).stages_fixed == 1


def test_going_on_throws_no_newer_draft_away(assignment):
    services.save_draft(assignment, FIRST, version=0)
    services.save_draft(assignment, {**FIRST, "quality_comment": "From a phone."}, version=1)
    with pytest.raises(services.NewerDraft) as newer:
        services.fix_stage(assignment, FIRST, stage=0, version=1)
    assert newer.value.draft.answers["quality_comment"] == "From a phone."
    seen = {**FIRST, "quality_comment": "From a phone."}
    assert services.fix_stage(assignment, seen, stage=0, version=1).stages_fixed == 1


@pytest.fixture
def judgment():
    """A judgment of the survey, which has one stage."""
    judge = expert(open_study())
    ledger.deal(judge)
    assignment = Assignment.objects.of(judge).in_order().select_related("judge__study").first()
    return services.submit(assignment, survey(quality="2"), milliseconds=None)


def test_an_edit_keeps_both_values(judgment):
    changed = services.edit(judgment, survey(quality="5"), edits=13)
    assert changed == 1
    versions = Rating.objects.filter(question="quality").order_by("version")
    assert [(one.number, one.superseded_at is None) for one in versions] == [(2, False), (5, True)]
    assert judgment.ratings.standing().count() == 13


def test_an_edit_that_does_not_fit_changes_nothing(judgment):
    with pytest.raises(InvalidAnswers):
        services.edit(judgment, survey(quality="9", form="1"), edits=13)
    assert Rating.objects.count() == 13


def test_an_edit_never_overwrites_one_from_elsewhere(judgment):
    services.edit(judgment, survey(quality="5"), edits=13)
    with pytest.raises(services.EditedElsewhere):
        services.edit(judgment, survey(quality="1"), edits=13)
    assert judgment.ratings.standing().get(question="quality").number == 5


def test_the_same_edit_sent_twice_is_one_edit(judgment):
    assert services.edit(judgment, survey(quality="5"), edits=13) == 1
    assert services.edit(judgment, survey(quality="5"), edits=13) == 0
    assert Rating.objects.count() == 14


def test_nothing_is_edited_once_the_study_is_closed(judgment):
    Study.objects.update(state=Study.State.CLOSED)
    with pytest.raises(NotOpen):
        services.edit(judgment, survey(quality="5"), edits=13)


def test_what_was_fixed_cannot_be_edited(assignment):
    services.fix_stage(assignment, FIRST, stage=0)
    judgment = services.submit(assignment, {"probability_human": "0.7"}, milliseconds=None)
    services.edit(judgment, {"probability_human": "0.2", "overall_quality": "1"}, edits=6)
    standing = judgment.ratings.standing()
    assert standing.get(question="probability_human").number == 200
    assert standing.get(question="overall_quality").number == 4


def test_answers_are_changed_on_a_page_and_the_other_tab_is_told(judgment):
    judge = judgment.assignment.judge
    reader = enter(Client(), judge)
    page = f"/desk/{reader.key}/poem/{judgment.assignment.token}/change/"
    assert 'name="edits" value="13"' in reader.get(page).content.decode()
    done = reader.post(page, {**survey(quality="1"), "edits": "13"})
    assert (done.status_code, done["Location"]) == (302, f"/desk/{reader.key}/answers/")
    stale = reader.post(page, {**survey(quality="3"), "edits": "13"})
    assert stale.status_code == 409
    assert judgment.ratings.standing().get(question="quality").number == 1


def test_the_answers_to_take_home_hold_every_value_and_their_checksum(judgment):
    services.edit(judgment, survey(quality="5", quality_comment="Thin."), edits=13)
    reader = enter(Client(), judgment.assignment.judge)
    taken = reader.get(f"/desk/{reader.key}/answers.json").json()
    (one,) = taken["answers"]
    assert one["answers"]["quality"] == "5"
    assert one["answers"]["quality_comment"] == "Thin."
    earlier = {each["question"]: each["number"] for each in one["earlier"]}
    assert earlier == {"quality": 2, "quality_comment": None}
    assert len(taken["sha256"]) == 64
