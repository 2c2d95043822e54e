"""Items carry codes of whom a judge may be in conflict with; the codes tell no origin."""

import pytest

from annotation.studies import conflicts
from annotation.studies.models import Study
from backend.design.models import Placement
from backend.design.services import build
from tests.backend.design.material import Material, draft, material, plan, poem, write

pytestmark = pytest.mark.django_db


def placed(study: Study) -> list[Placement]:
    found = Placement.objects.filter(item__study=study)
    return list(found.select_related("item", "poem", "generation__brief__poem"))


def with_free_briefs() -> Material:
    """Return poets with two names, one name and none, and machine poems on free briefs."""
    shelf = material(poems=2)
    for number, author in ((10, "Zelda"), (11, "")):
        human = poem(shelf.collection, number, author=author)
        for one in shelf.models:
            write(shelf.run, one, human, f"machine {one.name} {number}")
    for one in shelf.models:
        write(shelf.run, one, None, f"free {one.name}", prompt="Write anything.")
    return shelf


def test_a_machine_poem_carries_the_codes_of_the_poet_whose_brief_it_was_written_to():
    for one in placed(draft()):
        poet = (one.poem or one.generation.brief.poem).author
        salt = one.item.study.conflict_salt
        assert sorted(one.item.conflicts) == sorted(conflicts.codes(salt, poet))
        assert set(one.item.conflicts) & conflicts.declared(salt, poet)


def test_a_pair_carries_the_codes_of_its_poet():
    for one in placed(draft(instrument="pair-choice")):
        assert set(conflicts.codes(one.item.study.conflict_salt, one.poem.author)) == set(
            one.item.conflicts
        )


def test_neither_presence_nor_number_nor_look_of_codes_tells_an_origin():
    study = build(plan(with_free_briefs(), instrument="proftap-probability"))
    key = placed(study)
    assert len(key) == 4 + 8 + 2
    assert {len(one.item.conflicts) for one in key} == {2}
    for one in key:
        assert one.item.conflicts == sorted(one.item.conflicts)
        assert all(len(code) == 16 and int(code, 16) >= 0 for code in one.item.conflicts)


def test_texts_on_one_brief_have_the_same_codes_and_fill_in_codes_are_nobodys():
    study = build(plan(with_free_briefs(), instrument="proftap-probability"))
    key = placed(study)
    codes = {one.item.twin: set(one.item.conflicts) for one in key}
    for one in key:
        assert set(one.item.conflicts) == codes[one.item.twin]
    assert len(set().union(*codes.values())) == sum(map(len, codes.values()))
    [nameless] = [one.item for one in key if one.poem and one.poem.author == ""]
    everybody = {
        code
        for name in ("Zelda", *(f"Zaphquill {n}" for n in range(2)))
        for code in conflicts.codes(study.conflict_salt, name)
    }
    assert not everybody & set(nameless.conflicts)


def test_codes_differ_from_study_to_study():
    shelf = material()
    one, other = (
        {code for item in build(plan(shelf)).items.all() for code in item.conflicts}
        for _ in range(2)
    )
    assert one
    assert not one & other


def test_where_no_poet_is_known_there_are_no_codes():
    shelf = material(poems=0)
    poem(shelf.collection, 1, author="")
    study = build(plan(shelf, instrument="proftap-probability"))
    assert [item.conflicts for item in study.items.all()] == [[]]
