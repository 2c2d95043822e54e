"""Machine judges, asked over real HTTP, answer through the one door or not at all."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.judgments.models import Judgment, Rating
from annotation.judgments.services import submit
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Item, Judge, Study
from backend.generation.models import Call, Gate
from backend.generation.providers import Reply as Said
from backend.generation.providers import Request
from backend.judging import services
from backend.judging.models import Hearing, MachineJudge, Reply
from tests.annotation.panel import enter, expert, open_study, survey
from tests.backend.judging.judge_server import SCORES, SURVEY, Script, Trouble, judge_server

pytestmark = pytest.mark.django_db


def put(study: Study, script: Script, *, temperature: float | None = None) -> Hearing:
    """Put the study to the scripted model and return the first poem's hearing."""
    services.put_to(study, [script.model()], temperature=temperature)
    return Hearing.objects.get(assignment__position=1)


def hear(hearing: Hearing) -> Hearing:
    """Ask once, as if no pause were needed, and return the row as it is then."""
    Hearing.objects.filter(pk=hearing.pk).update(not_before=None)
    Gate.objects.update(held_until=None)
    services.hear(hearing.pk)
    hearing.refresh_from_db()
    return hearing


def test_a_readable_reply_becomes_a_judgment_with_a_rating_for_every_question():
    study = open_study()
    with judge_server(SURVEY) as script:
        hearing = hear(put(study, script))
    judgment = Judgment.objects.get()
    assert judgment.assignment == hearing.assignment
    assert judgment.extra is False
    assert judgment.milliseconds >= 0
    keys = {str(question.number): question.key for question in study.instrument.questions}
    ratings = {rating.question: rating for rating in judgment.ratings.all()}
    assert set(ratings) == set(keys.values())
    assert {number: ratings[keys[number]].number for number in SCORES} == SCORES
    assert ratings["imagery"].blank == "na"
    assert ratings["quality_comment"].text == "Plain."
    assert (hearing.status, hearing.error, hearing.error_kind) == ("done", "", "")
    assert hearing.finished_at is not None
    assert Assignment.objects.get(pk=hearing.assignment_id).answered_at is not None


def test_the_model_is_asked_the_studys_own_prompt_and_the_exchange_is_kept_as_it_was():
    study = open_study()
    with judge_server(f"```json\n{SURVEY}\n```") as script:
        hearing = hear(put(study, script, temperature=0.25))
    item = hearing.assignment.item
    [asked] = script.asked
    assert asked["messages"] == [
        {"role": "user", "content": study.instrument.prompt(brief=item.brief, texts=[item.text])}
    ]
    assert (asked["model"], asked["temperature"]) == ("scripted", 0.25)
    reply = Reply.objects.get()
    assert reply.request == asked
    assert json.loads(reply.response)["choices"][0]["message"]["content"] == reply.text
    assert reply.repairs == ["took the JSON object out of other text"]
    assert reply.ended_at >= reply.started_at


def test_a_model_reads_the_title_where_experts_do():
    study = open_study()
    Item.objects.filter(study=study).update(title="Dawn")
    with judge_server(SURVEY) as script:
        item = hear(put(study, script)).assignment.item
    said = script.asked[0]["messages"][0]["content"]
    assert said == study.instrument.prompt(brief=item.brief, texts=[f"Dawn\n\n{item.text}"])


@pytest.mark.parametrize("flipped", [False, True])
def test_two_texts_are_put_to_a_model_in_the_order_of_its_assignment(flipped):
    study = open_study(instrument="pair-choice")
    Item.objects.filter(study=study).update(second="The other text.")
    with judge_server('{"1": 2, "2": ""}') as script:
        hearing = put(study, script)
        Assignment.objects.filter(pk=hearing.assignment_id).update(flipped=flipped)
        item = hear(hearing).assignment.item
    said = script.asked[0]["messages"][0]["content"]
    texts = ["The other text.", item.text] if flipped else [item.text, "The other text."]
    assert f"## Text A\n{texts[0]}\n\n## Text B\n{texts[1]}\n" in said
    assert Rating.objects.get(question="human_text").number == 2


def test_no_temperature_is_sent_unless_one_was_given():
    with judge_server(SURVEY) as script:
        hear(put(open_study(), script))
    assert "temperature" not in script.asked[0]


def test_an_unreadable_reply_is_asked_once_more_then_fails_and_is_never_a_rating():
    study = open_study()
    with judge_server("four", "five", SURVEY) as script:
        hearing = hear(put(study, script))
        assert (hearing.status, hearing.error_kind) == ("queued", "unreadable")
        hearing = hear(hearing)
        assert (hearing.status, hearing.error_kind) == ("failed", "unreadable")
        services.hear(hearing.pk)
    assert len(script.asked) == 2
    assert [(one.text, one.error_kind) for one in Reply.objects.all()] == [
        ("four", "unreadable"), ("five", "unreadable"),
    ]  # fmt: skip
    assert not Judgment.objects.exists()
    assert not Rating.objects.exists()


def test_a_second_reply_that_can_be_read_is_taken():
    with judge_server("four", SURVEY) as script:
        hearing = hear(hear(put(open_study(), script)))
    assert (hearing.status, hearing.error, Judgment.objects.count()) == ("done", "", 1)


def test_an_answer_off_its_scale_is_unreadable_with_every_problem_named():
    with judge_server(json.dumps(SCORES | {"1": 6, "2": "x"})) as script:
        hearing = hear(put(open_study(), script))
    assert "form: Choose a point from 1 to 5" in hearing.error
    assert "theme: Choose" in hearing.error
    assert not Rating.objects.exists()


@pytest.mark.parametrize(
    "said",
    [
        SURVEY[:-1] + ', "\\u0000\\ud800": 1}',
        SURVEY.replace("A simile.", "\\u0000"),
        SURVEY.replace("A simile.", "half \\ud83d"),
    ],
)
def test_a_reply_with_what_no_database_stores_is_kept_and_does_not_stop_the_work(said):
    with judge_server(said) as script:
        hearing = hear(hear(put(open_study(), script)))
    assert (hearing.status, hearing.error_kind) == ("failed", "unreadable")
    assert Reply.objects.filter(text=said).count() == 2


def test_a_reply_cut_off_at_its_length_limit_is_not_read_even_if_it_seems_whole():
    with judge_server(SURVEY, finish="length") as script:
        hearing = hear(put(open_study(), script))
    assert (hearing.error_kind, Judgment.objects.count()) == ("unreadable", 0)
    assert "length limit" in hearing.error


@pytest.mark.parametrize("status", [500, 503, 408])
def test_trouble_at_the_provider_pauses_and_is_tried_again(status):
    with judge_server(Trouble(status), SURVEY) as script:
        hearing = put(open_study(), script)
        services.hear(hearing.pk)
        hearing.refresh_from_db()
        assert (hearing.status, hearing.attempts) == ("queued", 1)
        assert hearing.not_before > timezone.now() + timedelta(seconds=5)
        services.hear(hearing.pk)  # too early: nothing is asked
        assert len(script.asked) == 1
        assert hear(hearing).status == "done"
    assert Judgment.objects.count() == 1


def test_an_answer_that_was_stored_before_its_worker_died_is_read_and_not_asked_for_again():
    with judge_server(SURVEY) as script:
        hearing = put(open_study(), script)
        services.hear(hearing.pk)
        # As if the worker had died right after the answer was stored.
        for rating in Rating.objects.all():
            rating.delete()
        Judgment.objects.all().delete()
        Assignment.objects.update(answered_at=None)
        Reply.objects.all().delete()
        Hearing.objects.update(status="queued")
        assert hear(hearing).status == "done"
    assert len(script.asked) == 1
    assert Judgment.objects.get().assignment == hearing.assignment
    assert Reply.objects.get().text == SURVEY


def test_trouble_does_not_use_up_the_second_chance_of_an_unreadable_reply():
    with judge_server(Trouble(503), "four", SURVEY) as script:
        hearing = hear(put(open_study(), script))
        assert hear(hearing).status == "queued"
        assert hear(hearing).status == "done"


def test_trouble_without_end_fails_after_four_calls():
    with judge_server(Trouble(503)) as script:
        hearing = put(open_study(), script)
        for _ in range(6):
            hear(hearing)
    assert (hearing.status, hearing.error_kind, len(script.asked)) == ("failed", "server", 4)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_fails_at_once_and_says_why(status):
    with judge_server(Trouble(status)) as script:
        hearing = hear(put(open_study(), script))
    assert (hearing.status, len(script.asked)) == ("failed", 1)
    assert str(status) in hearing.error


def test_what_failed_is_asked_again_from_the_beginning_when_that_is_wished():
    study = open_study()
    with judge_server("four", "five", "six", SURVEY) as script:
        hearing = hear(hear(put(study, script)))
        assert services.ask_again(study) == 1
        assert hear(hearing).status == "queued"  # again it has a second chance
        assert hear(hearing).status == "done"
    assert Reply.objects.filter(error_kind="unreadable").count() == 3


def test_what_is_judged_already_stays_one_judgment():
    with judge_server(SURVEY) as script:
        hearing = put(open_study(), script)
        submit(hearing.assignment, survey(form="1"), milliseconds=None)
        hear(hearing)
        services.hear(hearing.pk)
    assert hearing.status == "done"
    assert Judgment.objects.get().ratings.get(question="form").number == 1
    assert Reply.objects.get().repairs == ["an earlier reply was submitted already"]


def test_a_judge_whose_lease_another_took_over_gives_no_second_judgment():
    study = open_study()
    with judge_server(SURVEY) as script:
        hearing = put(study, script)

        def slowly(_request):
            long_ago = timezone.now() - timedelta(minutes=1)
            Hearing.objects.update(leased_until=long_ago)
            Call.objects.update(expires_at=long_ago)
            services.hear(hearing.pk)  # the other worker, which is done first
            return Said(SURVEY, "stop", "{}")

        services.hear(hearing.pk, ask=slowly)
    hearing.refresh_from_db()
    assert (hearing.status, Judgment.objects.count(), Reply.objects.count()) == ("done", 1, 2)


def test_a_machine_takes_no_experts_place_and_no_expert_sees_it():
    study = open_study(items=6, judges_per_item=1, batch=6)
    with judge_server(SURVEY) as script:
        put(study, script)
        for hearing in Hearing.objects.all():
            hear(hearing)
    assert Judgment.objects.count() == 6
    assert set(Item.objects.values_list("places_taken", flat=True)) == {0}
    assert not Assignment.objects.filter(counts=True).exists()
    ada = expert(study)
    assert ledger.deal(ada) == 6
    client = enter(Client(), ada)
    token = Assignment.objects.of(ada)[0].token
    desk = f"/desk/{client.key}/"
    for path in (desk, f"{desk}poem/{token}/", f"/api{desk}poem/{token}/"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "Scripted judge" not in answer.content.decode()
        assert "A simile." not in answer.content.decode()


def test_every_poem_is_put_to_each_model_once_however_often_it_is_asked():
    study = open_study(items=6)
    with judge_server(SURVEY) as one, judge_server(SURVEY) as other:
        models = [one.model("One"), other.model("Other")]
        for _ in range(3):
            assert len(services.put_to(study, models)) == 2
    assert MachineJudge.objects.count() == Judge.objects.count() == 2
    assert Hearing.objects.count() == Assignment.objects.count() == 12
    orders = [
        list(Assignment.objects.of(judge).in_order().values_list("item_id", flat=True))
        for judge in Judge.objects.all()
    ]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def test_one_judge_does_not_answer_at_two_temperatures():
    study = open_study(items=1)
    judge = services.built_in_judge()
    services.put_to(study, [judge], temperature=0.0)
    with pytest.raises(services.OtherTemperature, match="at temperature 0"):
        services.put_to(study, [judge])
    assert MachineJudge.objects.get().temperature == 0.0


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_a_study_that_is_not_open_is_put_to_nobody(state):
    study = open_study()
    fingerprint = "" if state == "draft" else study.fingerprint
    Study.objects.filter(pk=study.pk).update(state=state, fingerprint=fingerprint)
    study.refresh_from_db()
    with pytest.raises(ledger.NotOpen):
        services.put_to(study, [services.built_in_judge()])
    assert not Judge.objects.exists()


def test_an_answer_after_the_study_closed_is_kept_and_marked_extra():
    study = open_study()

    def ask_while_it_closes(request: Request) -> Said:
        Study.objects.filter(pk=study.pk).update(state="closed")
        return Said(SURVEY, "stop", "{}")

    with judge_server(SURVEY) as script:
        hearing = put(study, script)
    services.hear(hearing.pk, ask=ask_while_it_closes)
    assert Judgment.objects.get().extra is True


def test_a_study_that_closed_is_put_to_nobody_any_more():
    study = open_study()
    with judge_server(SURVEY) as script:
        hearing = put(study, script)
        Study.objects.filter(pk=study.pk).update(state="closed")
        services.hear(hearing.pk)
        assert script.asked == []
    hearing.refresh_from_db()
    assert (hearing.status, hearing.error_kind) == ("failed", "closed")
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    "instrument",
    [
        "poemetric-survey", "proftap-probability", "recognised-probability", "altered-text",
        "pair-choice",
    ],
)  # fmt: skip
def test_the_built_in_judge_answers_each_shipped_instrument_in_english(instrument):
    study = open_study(instrument=instrument, items=2)
    if study.instrument.texts == 2:
        Item.objects.filter(study=study).update(second="The other text.")
    services.put_to(study, [services.built_in_judge()])
    for hearing in Hearing.objects.all():
        assert hear(hearing).status == "done"
    assert Judgment.objects.count() == 2


def test_a_study_that_was_closed_after_it_was_read_is_put_to_no_model():
    study = open_study()
    Study.objects.update(state=Study.State.CLOSED)
    with pytest.raises(ledger.NotOpen):
        services.put_to(study, [services.built_in_judge()])
    assert not MachineJudge.objects.exists()
