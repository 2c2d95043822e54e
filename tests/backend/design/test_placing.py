"""Items carry codes of whom a judge may be in conflict with; the codes tell no origin."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations

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
    [nameless] = [one.item for one in key if one.poem and one.poem.author == ""]
    everybody = {
        code
        for name in ("Zelda", *(f"Zaphquill {n}" for n in range(2)))
        for code in conflicts.codes(study.conflict_salt, name)
    }
    assert not everybody & set(nameless.conflicts)


def shares(study: Study, poets: Iterable[str]) -> tuple[Fraction, Fraction]:
    """Return what share of the human and of the machine poems these names keep from a judge."""
    names = conflicts.declared(study.conflict_salt, "\n".join(poets))
    kept: dict[bool, list[bool]] = {True: [], False: []}
    for one in placed(study):
        kept[one.poem is not None].append(not names.isdisjoint(one.item.conflicts))
    human, machine = kept[True], kept[False]
    return Fraction(sum(human), len(human)), Fraction(sum(machine), len(machine))


def shelf_of(authors: Sequence[str], *, written_to: Sequence[int], free: int) -> Material:
    """Return a poem by each author, machine poems to some of them, and to free briefs."""
    shelf = material(poems=0)
    humans = [poem(shelf.collection, n, author=author) for n, author in enumerate(authors)]
    for one in shelf.models:
        for n in written_to:
            write(shelf.run, one, humans[n], f"machine {one.name} {n}")
        for n in range(free):
            write(shelf.run, one, None, f"free {one.name} {n}", prompt=f"Write of {n}.")
    return shelf


def subsets(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(names, n) for n in range(len(names) + 1))


@pytest.mark.parametrize(
    ("authors", "written_to", "free"),
    [
        ("Xa Xy Zu Zu", range(4), 4),
        ("Xa Xy Zu Zu", [], 8),
        ("Xa Xy Zu Zu", [0, 1], 2),  # all free briefs have to be Zu's
        ("Xa Xy Zu Zu", [2, 3], 6),
    ],
)
def test_whichever_poets_are_declared_the_same_share_of_both_kinds_is_kept_away(
    authors, written_to, free
):
    shelf = shelf_of(authors.split(), written_to=written_to, free=free)
    study = build(plan(shelf, instrument="proftap-probability"))
    for names in subsets(sorted(set(authors.split()))):
        human, machine = shares(study, names)
        assert human == machine, names


def test_where_numbers_do_not_divide_the_shares_differ_by_less_than_one_brief():
    shelf = shelf_of(["Xa", "Xy", "Zu"], written_to=[0], free=4)
    study = build(plan(shelf, instrument="proftap-probability"))
    for names in subsets(["Xa", "Xy", "Zu"]):
        human, machine = shares(study, names)
        assert abs(human - machine) < Fraction(1, 5), names
    assert shares(study, ["Xa", "Xy", "Zu"]) == (1, 1)


def test_as_large_a_share_of_both_kinds_has_no_known_poet():
    shelf = shelf_of(["Xa", "", ""], written_to=[], free=6)
    study = build(plan(shelf, instrument="proftap-probability"))
    assert shares(study, ["Xa"]) == (Fraction(1, 3), Fraction(1, 3))


def test_which_poet_a_free_brief_is_lent_is_drawn_anew_for_each_study():
    shelf = shelf_of(["Xa", "Xy", "Zu", "Zy"], written_to=[], free=4)
    lent = set()
    for _ in range(8):
        study = build(plan(shelf, instrument="proftap-probability"))
        poets = {
            frozenset(one.item.conflicts): one.poem.author for one in placed(study) if one.poem
        }
        lent.add(
            tuple(
                poets[frozenset(one.item.conflicts)]
                for one in sorted(placed(study), key=lambda one: one.generation_id or 0)
                if one.generation
            )
        )
    assert len(lent) > 1


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
