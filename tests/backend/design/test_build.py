"""A study is built of human and machine poems that nothing shown tells apart."""

import itertools
import random
from statistics import fmean

import pytest
from django.db import IntegrityError, transaction

from annotation.studies.models import Item, Study
from backend.corpus.models import Collection
from backend.design.models import Design, Placement
from backend.design.planning import NothingToJudge
from backend.design.progress import unanswered
from backend.design.services import build
from backend.generation.models import Generation, Run
from tests.backend.design.material import draft, material, model, plan, poem, write

pytestmark = pytest.mark.django_db


def placed(study: Study) -> list[Placement]:
    found = Placement.objects.filter(item__study=study).select_related(
        "item", "poem", "generation__brief", "generation__model"
    )
    return list(found.order_by("pk"))


def about(placement: Placement) -> int | None:
    """Return the human poem that a text is, or was written to."""
    if placement.generation is None:
        return placement.poem_id
    return placement.generation.brief.poem_id


def author(placement: Placement) -> str:
    return placement.generation.model.name if placement.generation else "human"


def test_every_poem_and_what_each_model_wrote_to_it_become_items_with_one_key():
    study = draft()
    key = placed(study)
    assert study.items.count() == len(key) == 9
    assert sum(one.poem_id is not None for one in key) == 3
    assert all(one.item.study_id == study.pk for one in key)


def test_each_item_shows_the_text_of_its_own_poem():
    for one in placed(draft()):
        origin = one.poem or one.generation
        assert one.item.text == origin.text


def test_a_second_sample_or_a_second_run_of_one_brief_is_left_out():
    shelf = material()
    first = shelf.collection.poems.first()
    again = Run.objects.create(name="again", template="poemetric")
    write(shelf.run, shelf.models[0], first, "sample two", sample=2)
    write(again, shelf.models[0], first, "run two")
    key = placed(build(plan(shelf, runs=[shelf.run, again])))
    pairs = [(about(one), author(one)) for one in key]
    assert len(pairs) == len(set(pairs)) == 9


def test_what_is_unfinished_or_not_chosen_is_left_out():
    shelf = material()
    unchosen = model("unchosen")
    other = poem(Collection.objects.create(name="other"), 99)
    write(shelf.run, shelf.models[0], other, "to a poem of another collection")
    for human in shelf.collection.poems.all():
        write(shelf.run, unchosen, human, "by a model not chosen")
    Generation.objects.filter(model=shelf.models[1]).update(status="failed")
    assert {author(one) for one in placed(build(plan(shelf)))} == {"human", shelf.models[0].name}


def test_a_study_of_human_poems_alone_can_be_built():
    assert {author(one) for one in placed(draft(runs=[], models=[]))} == {"human"}


@pytest.mark.parametrize("shows_titles", [True, False])
def test_human_and_machine_texts_on_one_poem_show_one_brief_and_one_title(shows_titles):
    key = placed(draft(shows_titles=shows_titles))
    for _, group in itertools.groupby(sorted(key, key=about), key=about):
        shown = {(one.item.title, one.item.brief, one.item.language) for one in group}
        assert len(shown) == 1
        [(title, brief, _)] = shown
        assert bool(title) is shows_titles
        assert brief.startswith("Write a poem")


def test_an_imported_prompt_stands_over_the_human_poem_as_well():
    """Worded by a template, the human poem's brief would tell it from the machines'."""
    shelf = material(models=[])
    one = model("imported")
    run = Run.objects.create(name="imported run", template="imported")
    for human in shelf.collection.poems.all():
        write(run, one, human, f"machine {human.pk}", prompt=f"Please, a ballad on {human.theme}!")
    study = build(plan(shelf, runs=[run], models=[one]))
    briefs = list(study.items.values_list("brief", flat=True))
    assert len(briefs) == 6
    assert all(briefs.count(brief) == 2 for brief in briefs)
    assert all(brief.startswith("Please, a ballad") for brief in briefs)


def test_briefs_that_differ_for_one_poem_are_refused_where_briefs_are_shown():
    shelf = material(poems=1)
    other = model("other")
    human = shelf.collection.poems.get()
    write(shelf.run, other, human, "machine", prompt="Write what you like.")
    chosen = {"models": [*shelf.models, other]}
    with pytest.raises(NothingToJudge, match="different briefs"):
        build(plan(shelf, **chosen))
    assert build(plan(shelf, instrument="proftap-probability", **chosen)).items.count() == 4


def test_a_human_poem_without_the_imported_prompt_of_the_others_is_refused():
    shelf = material(models=[])
    one = model("imported")
    run = Run.objects.create(name="imported run", template="imported")
    write(run, one, shelf.collection.poems.first(), "machine", prompt="A ballad!")
    with pytest.raises(NothingToJudge, match=r"2 of the poems cannot have one .*were imported"):
        build(plan(shelf, runs=[run], models=[one]))


def test_a_poem_that_can_have_no_brief_is_refused_by_name_where_briefs_are_shown():
    shelf = material()
    poem(shelf.collection, 77, form="")
    with pytest.raises(NothingToJudge, match="77: it has no form"):
        build(plan(shelf))
    assert not Study.objects.exists()
    assert build(plan(shelf, instrument="proftap-probability")).items.count() == 10


def test_no_brief_is_kept_where_the_instrument_shows_none():
    items = draft(instrument="proftap-probability").items.all()
    assert {item.brief for item in items} == {""}


def test_a_machine_poem_that_could_have_no_title_is_refused_among_titled_ones():
    shelf = material()
    write(shelf.run, shelf.models[0], None, "free", prompt="Write anything.")
    assert build(plan(shelf, instrument="proftap-probability")).items.count() == 10
    with pytest.raises(NothingToJudge, match="1 of the machine poems"):
        build(plan(shelf, instrument="proftap-probability", shows_titles=True))


def test_a_brief_that_no_human_poem_has_is_refused_where_briefs_are_shown():
    shelf = material()
    write(shelf.run, shelf.models[0], None, "free", prompt="Write anything.")
    with pytest.raises(NothingToJudge, match="it would tell them"):
        build(plan(shelf, instrument="poemetric-survey"))


@pytest.mark.parametrize(
    ("human", "shown"),
    [(["zh-Hant"], {"zh-Hant"}), (["en-GB", "en-GB"], {"en-GB"}), (["en", "en-GB"], {"en"})],
)
def test_the_language_of_a_text_does_not_tell_a_poem_on_a_free_brief(human, shown):
    """A page names it; a free brief has none, so that a human poem's own would stand out."""
    shelf = material(poems=0)
    for number, language in enumerate(human):
        poem(shelf.collection, number, language=language)
    write(shelf.run, shelf.models[0], None, "free", prompt="Write anything.")
    study = build(plan(shelf, instrument="proftap-probability"))
    assert study.items.count() == len(human) + 1
    assert set(study.items.values_list("language", flat=True)) == shown


def test_an_empty_collection_is_refused_with_the_reason():
    empty = Collection.objects.create(name="Empty shelf")
    with pytest.raises(NothingToJudge, match="Empty shelf holds no poem"):
        build(plan(material(), collection=empty, runs=[], models=[]))


def test_so_many_poems_are_drawn_by_the_seed():
    shelf = material(poems=12)
    drawn = [
        {about(one) for one in placed(build(plan(shelf, poems=5, seed=seed)))}
        for seed in (1, 1, 2, 3)
    ]
    assert {len(each) for each in drawn} == {5}
    assert drawn[0] == drawn[1]
    assert len(set(map(frozenset, drawn))) > 1


def test_codes_are_equal_for_one_author_or_one_poem_and_for_no_other():
    human = model("human")  # a model may have any name
    shelf = material()
    for each in shelf.collection.poems.all():
        write(shelf.run, human, each, f"by a model named human {each.pk}")
    key = placed(build(plan(shelf, models=[*shelf.models, human])))
    for one, other in itertools.combinations(key, 2):
        same_author = (one.poem_id is None) == (other.poem_id is None) and author(one) == author(
            other
        )
        assert (one.item.stratum == other.item.stratum) is same_author
        assert (one.item.twin == other.item.twin) is (about(one) == about(other))


def test_codes_tell_nothing_and_differ_from_study_to_study():
    shelf = material()
    codes = []
    for study in (build(plan(shelf)), build(plan(shelf))):
        rows = study.items.values_list("stratum", "twin")
        codes.append({code for row in rows for code in row})
        assert all(len(code) == 16 and int(code, 16) >= 0 for code in codes[-1])
    assert not codes[0] & codes[1]


def test_the_order_of_items_tells_nothing_of_their_origin(monkeypatch):
    """Over many salts, where human items stand among the others is a matter of chance."""
    salts = random.Random(20)
    monkeypatch.setattr(
        "backend.design.models.secrets.token_hex", lambda size: salts.randbytes(size).hex()
    )
    shelf = material(poems=3)
    areas = []
    for _ in range(80):
        keys = {True: [], False: []}
        for one in placed(build(plan(shelf))):
            keys[one.poem_id is not None].append(one.item_id)
        pairs = itertools.product(keys[True], keys[False])
        areas.append(fmean(human > machine for human, machine in pairs))
    # One area has a standard deviation of 0.21 by chance, so their mean has 0.024.
    assert abs(fmean(areas) - 0.5) < 0.08
    assert min(areas) < 0.3
    assert max(areas) > 0.7


def test_the_same_seed_does_not_give_the_same_order():
    shelf = material(poems=8)
    orders = {
        tuple(author(one) + str(about(one)) for one in placed(build(plan(shelf)))) for _ in range(4)
    }
    assert len(orders) == 4


def test_an_item_has_no_field_that_could_tell_who_wrote_it():
    fields = {field.name for field in Item._meta.get_fields() if field.concrete}
    assert fields == {
        "id", "study", "text", "second", "title", "brief", "language", "stratum", "twin",
        "form", "group", "conflicts", "attention", "places", "places_taken",
    }  # fmt: skip


def test_studies_of_one_title_get_names_of_their_own():
    shelf = material(poems=1)
    slugs = [
        build(plan(shelf, title=title)).slug for title in ("Spring", "Spring", "spring!", "春")
    ]
    assert slugs == ["spring", "spring-2", "spring-3", "study"]


@pytest.mark.parametrize("title", ["New", "Instruments"])
def test_a_study_does_not_hide_behind_another_page(title):
    assert draft(title=title).slug == f"{title.casefold()}-2"


@pytest.mark.parametrize("field", ["judges_per_item", "batch_size"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_study_that_asks_for_nobody_is_refused_by_the_database(field, value):
    shelf = material(poems=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        build(plan(shelf, **{field: value}))
    assert not Study.objects.exists()
    assert not Design.objects.exists()


def test_human_poems_that_no_machine_answered_are_counted():
    shelf = material(poems=3)
    for number in (7, 8):
        poem(shelf.collection, number)
    assert unanswered(build(plan(shelf))) == 2
    assert unanswered(build(plan(shelf, runs=[], models=[]))) == 0
