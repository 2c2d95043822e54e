"""Where two texts are compared, an item is a human poem beside a machine's on the same brief."""

import random
from collections import Counter
from statistics import fmean

import pytest
from django.db import IntegrityError, transaction

from annotation.studies.models import Study
from backend.corpus.models import Collection
from backend.design.models import Placement
from backend.design.planning import NothingToJudge
from backend.design.progress import totals, unanswered
from backend.design.services import build, discard
from backend.generation.models import Run
from tests.backend.design.material import Material, draft, material, model, plan, poem, write

pytestmark = pytest.mark.django_db


def pairs(of: Material | None = None, **changes: object) -> Study:
    return draft(of, instrument="pair-choice", **changes)


def placed(study: Study) -> list[Placement]:
    found = Placement.objects.filter(item__study=study).select_related(
        "item", "poem", "generation__brief", "generation__model"
    )
    return list(found.order_by("pk"))


def test_each_machine_poem_stands_beside_the_human_poem_on_its_brief():
    study = pairs()
    key = placed(study)
    assert study.items.count() == len(key) == 6
    assert {(one.poem_id, one.generation_id) for one in key} == {
        (one.generation.brief.poem_id, one.generation_id) for one in key
    }
    assert len({one.generation_id for one in key}) == 6


def test_the_key_says_which_of_the_two_is_the_human_one():
    for one in placed(pairs()):
        shown = (one.item.text, one.item.second)
        human, machine = (shown[1], shown[0]) if one.human_second else shown
        assert human == one.poem.text
        assert machine == one.generation.text


@pytest.mark.parametrize(("poems", "halves"), [(4, {2}), (5, {2, 3})])
def test_the_human_poem_is_the_second_in_half_of_each_models_pairs(poems, halves):
    key = placed(pairs(material(poems=poems)))
    second = Counter(one.generation.model.name for one in key if one.human_second)
    assert len(second) == 2
    assert set(second.values()) <= halves
    assert sum(second.values()) == poems


def test_which_text_stands_first_is_not_told_by_the_seed():
    shelf = material(poems=6)
    sides = {
        tuple(
            one.human_second
            for one in sorted(placed(pairs(shelf)), key=lambda one: one.generation_id)
        )
        for _ in range(6)
    }
    assert len(sides) > 1


def test_over_many_salts_the_human_poem_of_one_title_is_as_often_first_as_second(monkeypatch):
    salts = random.Random(20)
    monkeypatch.setattr(
        "backend.design.models.secrets.token_hex", lambda size: salts.randbytes(size).hex()
    )
    shelf = material(poems=3, models=["Alpha"])
    first = shelf.collection.poems.first()
    seconds = [
        next(one.human_second for one in placed(pairs(shelf)) if one.poem_id == first.pk)
        for _ in range(100)
    ]
    # A fair coin's share has a standard deviation of 0.05 here.
    assert abs(fmean(seconds) - 0.5) < 0.2


def test_both_texts_pass_the_same_steps_under_the_human_poems_title():
    shelf = material(models=[])
    author = model("author")
    human = poem(shelf.collection, 50, text="“A line” – \r\n\r\n\r\nanother…")
    write(shelf.run, author, human, "“B line” – \r\n\r\n\r\nanother…")
    [one] = placed(pairs(shelf, models=[author], shows_titles=True))
    texts = sorted([one.item.text, one.item.second])
    assert texts == ['"A line"—\n\nanother...', '"B line"—\n\nanother...']
    assert one.item.title == human.title
    assert one.item.language == human.language


def test_codes_tell_pairs_of_one_model_and_of_one_title_and_no_others():
    key = placed(pairs())
    assert len({one.item.stratum for one in key}) == 2
    assert len({one.item.twin for one in key}) == 3
    for one in key:
        for other in key:
            assert (one.item.stratum == other.item.stratum) is (
                one.generation.model_id == other.generation.model_id
            )
            assert (one.item.twin == other.item.twin) is (one.poem_id == other.poem_id)


def test_poems_are_drawn_from_those_that_a_machine_answered():
    shelf = material(poems=3)
    for number in range(10, 20):
        poem(shelf.collection, number)
    study = pairs(shelf, poems=2)
    assert len({one.poem_id for one in placed(study)}) == 2
    assert study.items.count() == 4


def test_what_was_written_to_no_poem_or_twice_to_one_is_left_out():
    shelf = material()
    write(shelf.run, shelf.models[0], None, "free", prompt="Write anything.")
    write(shelf.run, shelf.models[0], shelf.collection.poems.first(), "sample two", sample=2)
    assert pairs(shelf).items.count() == 6


def test_progress_counts_pairs():
    study = pairs()
    assert (totals(study).items, totals(study).places) == (6, 12)
    assert unanswered(study) == 0


def test_pairs_without_runs_are_refused_with_the_remedy():
    shelf = material()
    with pytest.raises(NothingToJudge, match="Choose runs and models, too"):
        pairs(shelf, runs=[], models=[])
    assert not Study.objects.exists()


def test_runs_over_another_collection_are_refused_with_the_remedy():
    shelf, other = material(), Collection.objects.create(name="Other shelf")
    poem(other, 99)
    with pytest.raises(NothingToJudge, match="brief of a poem in Other shelf"):
        build(plan(shelf, instrument="pair-choice", collection=other))


def test_an_empty_collection_is_refused_with_the_reason():
    empty = Collection.objects.create(name="Empty shelf")
    with pytest.raises(NothingToJudge, match="Empty shelf holds no poem"):
        pairs(material(), collection=empty)


def test_a_run_that_wrote_only_to_free_briefs_is_refused():
    shelf = material(models=[])
    author, run = model("author"), Run.objects.create(name="free run", template="imported")
    write(run, author, None, "free", prompt="Write anything.")
    with pytest.raises(NothingToJudge, match="nothing to compare"):
        pairs(shelf, runs=[run], models=[author])


def test_a_draft_of_pairs_is_discarded():
    discard(pairs())
    assert not Placement.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"poem": None, "generation": None},
        {"generation": None, "human_second": True},
        {"poem": None, "human_second": True},
    ],
)
def test_a_key_that_means_nothing_is_refused_by_the_database(wrong):
    one = placed(pairs())[0]
    for name, value in wrong.items():
        setattr(one, name, value)
    with pytest.raises(IntegrityError), transaction.atomic():
        one.save()
