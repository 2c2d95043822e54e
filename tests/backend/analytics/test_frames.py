"""Ratings meet the key only when it is unsealed, and only those that count."""

import numpy as np
import pytest
from pytest_django import DjangoAssertNumQueries

from annotation.instruments.loading import published
from annotation.judgments.models import Judgment, Rating
from annotation.judgments.services import edit, submit
from annotation.studies.models import Assignment, Judge
from backend.analytics.frames import HUMAN, StillBlinded, frame, items
from backend.design.models import Design
from tests.backend.analytics.answering import closed, pair_study, reopened
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def test_a_sealed_study_is_refused() -> None:
    study = make_study(unblinded=False)
    with pytest.raises(StillBlinded):
        frame(study)
    with pytest.raises(StillBlinded):
        items(study)


def test_a_study_without_a_design_is_refused() -> None:
    study = make_study()
    Design.objects.filter(study=study).delete()
    with pytest.raises(StillBlinded):
        frame(study)


def test_each_rating_comes_with_its_judge_author_title_and_number() -> None:
    study = make_study(
        titles=["Dawn"],
        models=["Alpha"],
        judges=["Anna"],
        answers=lambda _judge, author, _title: 0.9 if author == HUMAN else 0.25,
    )
    found = frame(study)
    rows = {
        (
            found.seats[judge].label,
            found.authors[found.item_author[item]],
            found.items[item].title,
            found.questions[question].key,
            number,
        )
        for judge, item, question, number in zip(
            found.judge, found.item, found.question, found.number.tolist(), strict=True
        )
    }
    assert rows == {
        ("Expert 1", "human", "Dawn", "probability_human", 900.0),
        ("Expert 1", "Alpha", "Dawn", "probability_human", 250.0),
    }


def test_a_human_poem_and_those_written_to_its_brief_share_a_title() -> None:
    found = frame(make_study(titles=["Dawn", "Dusk"], models=["Alpha", "Beta"]))
    keys = {
        title: {item.title_key for item in found.items if item.title == title}
        for title in ("Dawn", "Dusk")
    }
    assert [len(each) for each in keys.values()] == [1, 1]
    assert keys["Dawn"] != keys["Dusk"]
    assert sorted(item.model for item in found.items if item.title == "Dawn") == [
        "", "Alpha", "Beta",
    ]  # fmt: skip


def test_a_poem_on_a_free_brief_has_a_title_of_its_own() -> None:
    found = frame(make_study(models=["Alpha"], free=["Alpha", "Beta"]))
    free = [item for item in found.items if item.title_key is None]
    assert [(item.model, item.title) for item in free] == [
        ("Alpha", "A title of its own"),
        ("Beta", "A title of its own"),
    ]
    codes = found.item_title[[item.title_key is None for item in found.items]]
    assert (codes < 0).all()
    assert len(set(codes.tolist())) == 2


def test_an_answer_that_came_too_late_is_not_in_it() -> None:
    study = make_study(
        judges=["Anna", "Ben"], answers=lambda judge, _a, _t: 0.5 if judge == "Anna" else None
    )
    late = Assignment.objects.filter(judge__name="Ben").first()
    assert late is not None
    assert submit(late, {"probability_human": 0.1}, milliseconds=None).extra
    assert frame(study).number.tolist() == [500.0] * 6


def test_of_an_edited_answer_only_what_stands_is_in_it() -> None:
    study = reopened(make_study(titles=["Dawn"], models=[], judges=["Anna"]))
    judgment = Judgment.objects.get()
    assert edit(judgment, {"probability_human": 0.1}, edits=1) == 1
    assert Rating.objects.count() == 2
    assert frame(closed(study)).number.tolist() == [100.0]


def test_whoever_cannot_tell_neither_gave_a_probability_nor_skipped() -> None:
    data = published("proftap-probability")
    (question,) = data["questions"]
    offers = {**question, "required": False, "cannot_tell": "I cannot tell"}
    said = {"Anna": "cannot_tell", "Ben": "", "Cem": 0.5}
    found = frame(
        make_study(
            instrument={**data, "questions": [offers]},
            titles=["Dawn"],
            models=[],
            judges=list(said),
            answers=lambda judge, _author, _title: {"probability_human": said[judge]},
        )
    )
    order = [said_by.key for said_by in found.seats]
    names = dict(Judge.objects.values_list("pk", "name"))
    by_name = {names[order[judge]]: place for place, judge in enumerate(found.judge)}
    assert found.cannot_tell[by_name["Anna"]]
    assert found.skipped[by_name["Ben"]]
    assert found.scored[by_name["Cem"]]
    assert (found.cannot_tell.sum(), found.skipped.sum(), found.scored.sum()) == (1, 1, 1)


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("side", [1, 2])
def test_a_choice_of_a_side_becomes_one_of_the_human_or_the_machine_text(
    second: bool, flipped: bool, side: int
) -> None:
    found = frame(
        pair_study(
            lambda *_: {"human_text": side},
            titles=["Dawn"],
            human_second=lambda *_: second,
            flipped=lambda *_: flipped,
        )
    )
    (placed,) = found.items
    assert (placed.model, placed.poet, placed.title) == ("Alpha", "The poet of Dawn", "Dawn")
    # The texts as they were shown: stored order, turned round if flipped.
    shown = ["machine", "human"] if second else ["human", "machine"]
    if flipped:
        shown.reverse()
    assert found.number.tolist() == [1.0 if shown[side - 1] == "human" else 0.0]


def test_experts_and_machine_judges_sit_on_separate_panels() -> None:
    found = frame(make_study(judges=["Anna", "Ben"], machines=["Gamma"]))
    experts, gamma = found.panels
    assert (experts.expert, gamma.expert, gamma.label) == (True, False, "Gamma")
    together = found.of(experts).astype(int) + found.of(gamma).astype(int)
    assert np.array_equal(together, np.ones(len(found.number)))
    assert found.of(gamma).sum() == len(found.items)


def test_no_expert_is_named() -> None:
    found = frame(make_study(judges=["Zebulon Quirke"]))
    assert "Quirke" not in repr(found.seats)


def test_the_number_of_queries_does_not_grow_with_the_study(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    study = make_study(titles=[f"Title {n}" for n in range(8)], judges=["Anna", "Ben", "Cem"])
    with django_assert_max_num_queries(5):
        frame(study)


def test_what_rules_leave_out_stays_in_the_entire_frame_alone() -> None:
    study = make_study(judges=["Anna", "Ben"])
    assert frame(study).entire is None
    Judgment.objects.filter(assignment__judge__name="Ben").update(milliseconds=1)
    Design.objects.filter(study=study).update(exclusions={"seconds_per_line": 1})
    found = frame(study)
    assert found.entire is not None
    assert (found.number.size, found.entire.number.size) == (6, 12)
    assert found.entire.left_out.judgments == {}


def test_the_margin_and_the_seed_are_the_studys_own() -> None:
    study = make_study()
    Design.objects.filter(study=study).update(margin=0.05)
    found = frame(study)
    assert (found.margin, found.seed) == (0.05, study.seed)


def test_of_a_part_of_the_ratings_everything_is_kept_in_step() -> None:
    found = frame(make_study(answers=lambda judge, _a, _t: 0.9 if judge == "Anna" else 0.1))
    high = found.only(found.number == 900)
    assert np.unique(high.judge).size == 1
    assert high.item.tolist() == found.item[found.number == 900].tolist()
    assert high.scored.size == high.author.size == high.number.size == 6
