"""What is gathered of an expert's answers, from rows whose sums can be done by hand."""

import pytest

from annotation.judgments.models import Rating
from annotation.judgments.services import edit, submit
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Item, Judge, Study
from backend.design.attention import tests as attention
from backend.design.models import AttentionCheck
from backend.panel.attentiveness import portraits, records
from backend.panel.careless import Record
from tests.annotation.panel import LIKERT, expert, open_study, survey
from tests.backend.analytics.answering import answered, fitting, pair_study
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def given_again(judge: Judge, item: Item, purpose: str, **fields: object) -> Assignment:
    position = judge.assignments.count() + 1
    return Assignment.objects.create(
        judge=judge, item=item, purpose=purpose, counts=False, position=position, batch=9, **fields
    )


def in_order(judge: Judge) -> list[Assignment]:
    ledger.deal(judge)
    return list(Assignment.objects.of(judge).in_order())


def test_points_stand_in_the_order_of_questions_and_of_answering_with_na_among_them(study):
    judge = expert(study)
    first, second, _ = in_order(judge)
    submit(second, survey(**dict(zip(LIKERT, "1234512345", strict=True))), milliseconds=None)
    submit(first, survey(imagery="0"), milliseconds=None)
    record = records(study)[judge.pk]
    assert record.points == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 4, 4, 4, 4, 4, 4, None, 4, 4, 4]
    assert record.poems == 2


def flags(study: Study) -> list[set[str]]:
    return [{sign.index.key for sign in one.signs if sign.flagged} for one in portraits(study)]


def test_the_same_probability_for_every_poem_is_flagged():
    study = make_study(titles=[f"T{number}" for number in range(6)], unblinded=False)
    assert [record.others for record in records(study).values()] == [([500] * 18,)] * 2
    assert flags(study) == [{"run", "share"}] * 2


def test_probabilities_that_differ_are_not_flagged():
    said = iter(range(100, 1000, 7))
    study = make_study(
        titles=[f"T{number}" for number in range(6)],
        answers=lambda *_: next(said) / 1000,
        unblinded=False,
    )
    assert flags(study) == [set()] * 2


@pytest.mark.parametrize(("always_first", "found"), [(True, {"run", "share"}), (False, set())])
def test_whoever_takes_the_text_shown_first_of_every_pair_is_flagged(always_first, found):
    def turned(_model: str, title: str) -> bool:
        return int(title) % 2 == 1

    study = pair_study(
        # Always the first as shown; or always the human text, wherever it stood.
        lambda _judge, model, title: {
            "human_text": 1 if always_first else 1 + turned(model, title)
        },
        titles=[str(number) for number in range(12)],
        flipped=turned,
    )
    assert flags(study) == [found]


def test_one_label_for_every_text_is_flagged():
    titles = [f"T{number}" for number in range(6)]
    study = make_study(
        instrument="altered-text", titles=titles, models=["Alpha"], answers=lambda *_: 1
    )
    assert flags(study) == [{"run", "share"}] * 2


def test_to_name_no_probability_is_an_answer_and_what_is_known_already_none():
    study = make_study(
        instrument="recognised-probability", judges=["Anna"], answers=lambda *_: None
    )
    said = fitting(study.instrument) | {"probability_human": "cannot_tell"}
    answered(study, said)
    (record,) = records(study).values()
    assert record.others == ([None] * 6,)
    assert record.points == [1] * 12


def test_the_time_of_a_poem_is_divided_by_its_lines_that_are_not_blank(study):
    judge = expert(study)
    for assignment in in_order(judge):
        assignment.item.text = "one\n\n  two\nthree\n   \nfour\n"
        assignment.item.save()
    first, second, third = Assignment.objects.of(judge).in_order()
    submit(first, survey(), milliseconds=8000)
    submit(second, survey(), milliseconds=1000)
    submit(third, survey(), milliseconds=None)
    assert records(study)[judge.pk].seconds_a_line == [2.0, 0.25]


def test_an_edit_later_does_not_mend_how_it_was_answered_first(study):
    judge = expert(study)
    first = in_order(judge)[0]
    submit(first, survey(), milliseconds=None)
    before = records(study)[judge.pk].points
    edit(first.judgment, survey(quality="1"), edits=first.judgment.ratings.count())
    assert Rating.objects.filter(version=2).exists()
    assert records(study)[judge.pk].points == before


@pytest.fixture
def checked(study: Study) -> Item:
    item = Item.objects.create(
        study=study, text="Choose 5.", stratum="a", twin="a", attention=True, places=1
    )
    AttentionCheck.objects.create(item=item, expected={"quality": "5", "form": "4"})
    return item


@pytest.mark.parametrize(("quality", "failed"), [("5", 0), ("4", 1)])
def test_an_attention_item_is_failed_by_any_other_answer_and_is_no_poem(
    study, checked, quality, failed
):
    judge = expert(study)
    submit(
        given_again(judge, checked, "attention"), survey(quality=quality), milliseconds=10
    )  # fmt: skip
    found = attention(study)[judge.pk]
    assert (found.answered, found.failed) == (1, failed)
    assert records(study)[judge.pk] == Record(
        points=[], seconds_a_line=[], tests=1, failed=failed, distances=[]
    )


def test_repeats_are_compared_as_shares_of_the_scale(study):
    judge = expert(study)
    first = in_order(judge)[0]
    submit(first, survey(form="1", theme="5"), milliseconds=None)
    again = given_again(judge, first.item, "repeat")
    submit(again, survey(form="5", theme="3"), milliseconds=None)
    record = records(study)[judge.pk]
    assert sorted(record.distances)[-2:] == [0.5, 1.0]  # of a scale from 1 to 5
    assert set(record.distances) == {0.0, 0.5, 1.0}
    assert record.poems == 1


@pytest.mark.parametrize(("said", "distance"), [("1", 1.0), ("2", 0.0)])
def test_in_a_pair_turned_round_the_same_text_is_the_same_answer(said, distance):
    study = open_study(instrument="pair-choice", second="another text")
    judge = expert(study)
    first = in_order(judge)[0]
    key = study.instrument.questions[0].key
    Assignment.objects.filter(pk=first.pk).update(flipped=False)
    first.refresh_from_db()
    submit(first, {key: "1"}, milliseconds=None)
    again = given_again(judge, first.item, "repeat", flipped=True)
    submit(again, {key: said}, milliseconds=None)
    assert records(study)[judge.pk].distances == [distance]


def test_language_models_have_no_portrait_and_experts_without_answers_none(study):
    expert(study)
    machine = study.judges.create(kind="machine", name="Machine")
    ledger.give_all(machine)
    submit(machine.assignments.first(), survey(), milliseconds=None)
    judge = expert(study, "Ada")
    submit(in_order(judge)[0], survey(), milliseconds=None)
    assert [one.name for one in portraits(study)] == ["Ada"]
