"""A study goes from draft to open to closed to unblinded, and no other way."""

import pytest

from annotation.activity.models import Entry
from annotation.studies import links
from annotation.studies.models import ConsentWording, Group, Item, OpenLink, Study
from backend.corpus.models import Poem
from backend.design import opening, pilot, services, surface_check, unsealing
from backend.design.models import Design, Placement
from backend.design.progress import seats, totals
from backend.design.services import WrongState
from backend.generation.models import Generation
from tests.backend.design.material import draft, material, plan
from tests.studies import HUMAN, coordinator, make_study, researcher

pytestmark = pytest.mark.django_db


def state(study: Study) -> tuple[str, bool]:
    """Return the state of a study and whether its key is unsealed, as the database has them."""
    found = Study.objects.select_related("design").get(pk=study.pk)
    return found.state, found.design.unblinded_at is not None


def opened() -> Study:
    return services.open_study(draft())


def closed() -> Study:
    study = opened()
    services.close(study)
    return study


def unblinded() -> Study:
    study = closed()
    unsealing.ask(study, by=researcher())
    return study


def test_a_draft_is_opened_closed_and_unblinded_in_somebodys_name():
    study = draft()
    assert (study.fingerprint, study.opened_at) == ("", None)
    services.open_study(study)
    assert state(study) == ("open", False)
    assert len(study.fingerprint) == 64
    assert study.opened_at is not None
    services.close(study)
    assert state(study) == ("closed", False)
    vera = researcher()
    unsealing.ask(study, by=vera)
    design = Design.objects.get(study=study)
    assert state(study) == ("closed", True)
    assert design.unblinded_by == vera


WRONG = [
    (draft, services.close, "Only an open study can be closed"),
    (draft, lambda study: unsealing.ask(study, by=researcher()), "Close the study first"),
    (opened, services.open_study, "Only a draft can be opened"),
    (opened, services.discard, "Only a draft"),
    (opened, lambda study: unsealing.ask(study, by=researcher()), "Close the study first"),
    (closed, services.open_study, "Only a draft can be opened"),
    (closed, services.close, "Only an open study can be closed"),
    (closed, services.discard, "Only a draft"),
    (unblinded, services.open_study, "Only a draft can be opened"),
    (unblinded, services.close, "Only an open study can be closed"),
    (unblinded, services.discard, "Only a draft"),
]


@pytest.mark.parametrize(("begin", "step", "said"), WRONG)
def test_a_wrong_step_is_refused_and_changes_nothing(begin, step, said):
    study = begin()
    before = Study.objects.values().get(pk=study.pk), state(study)
    with pytest.raises(WrongState, match=said):
        step(study)
    assert (Study.objects.values().get(pk=study.pk), state(study)) == before


@pytest.mark.parametrize("step", [services.discard, services.open_study, services.close])
def test_a_step_goes_by_the_database_and_not_by_what_was_read_before(step):
    stale = draft()
    services.open_study(Study.objects.get(pk=stale.pk))
    services.close(Study.objects.get(pk=stale.pk))
    with pytest.raises(WrongState):
        step(stale)
    assert state(stale) == ("closed", False)


def test_a_study_without_items_is_not_opened():
    study = draft()
    Placement.objects.all().delete()
    study.items.all().delete()
    with pytest.raises(WrongState, match="no items"):
        services.open_study(study)
    assert state(study) == ("draft", False)


def test_the_key_is_unsealed_once_and_keeps_the_first_name_and_time():
    study, first = closed(), researcher("first")
    unsealing.ask(study, by=first)
    before = Design.objects.values().get(study=study)
    unsealing.ask(study, by=researcher("second"))
    assert Design.objects.values().get(study=study) == before
    assert before["unblinded_by_id"] == first.pk


def test_a_discarded_draft_is_gone_and_its_poems_stay():
    study = draft()
    services.discard(study)
    for model in (Study, Design, Item, Placement, ConsentWording):
        assert not model.objects.exists()
    assert (Poem.objects.count(), Generation.objects.count()) == (3, 6)


def test_a_draft_is_discarded_with_open_links_that_nobody_came_by():
    study = draft()
    links.open_link(study, quota=3)
    services.discard(study)
    assert not OpenLink.objects.exists()


def test_a_draft_is_discarded_with_open_links_for_one_of_its_groups():
    study = draft()
    links.open_link(study, quota=3, group=Group.objects.create(study=study, judges_per_item=1))
    services.discard(study)
    assert not OpenLink.objects.exists()
    assert not Group.objects.exists()


def test_a_discarded_draft_leaves_in_the_log_who_discarded_it():
    study = draft()
    services.discard(study, by=coordinator("kim"))
    told = Entry.objects.of_study(study.slug).order_by("pk").values_list("kind", "actor")
    assert list(told) == [("study.built", ""), ("study.discarded", "kim")]


def test_a_study_of_the_same_title_does_not_inherit_the_log_of_a_discarded_draft():
    shelf, slugs = material(), []
    for _ in range(3):
        study = services.build(plan(shelf))
        slugs.append(study.slug)
        assert Entry.objects.of_study(study.slug).get().kind == "study.built"
        services.discard(study)
    assert slugs == ["spring-study", "spring-study-2", "spring-study-3"]


@pytest.mark.parametrize("debriefs", [True, False])
def test_experts_are_told_from_the_first_unsealing_on_if_the_study_debriefs(debriefs):
    study = services.open_study(draft(debriefs=debriefs))
    services.close(study)
    study.refresh_from_db()
    assert study.debrief_at is None
    unsealing.ask(study, by=researcher("first"))
    study.refresh_from_db()
    told = study.debrief_at
    assert told == (Design.objects.get(study=study).unblinded_at if debriefs else None)
    unsealing.ask(study, by=researcher("second"))
    study.refresh_from_db()
    assert study.debrief_at == told


def test_a_draft_with_someone_on_its_panel_is_not_discarded():
    study = draft()
    links.invite(study, name="Ada")
    with pytest.raises(WrongState, match="empty panel"):
        services.discard(study)
    assert study.items.count() == Placement.objects.count() == 9


def test_progress_counts_places_answers_and_full_items():
    def answers(judge: str, author: str, title: str) -> float | None:
        return 0.5 if judge == "Anna" or author == HUMAN else None

    study = make_study(answers=answers, machines=("Machine",))
    counted = totals(study)
    assert (counted.items, counted.places, counted.answered, counted.full_items) == (6, 12, 8, 2)
    assert counted.share == pytest.approx(8 / 12)
    assert (seats(study).experts, seats(study).machines) == (2, 1)


def test_progress_of_an_empty_study_is_nothing():
    study = draft()
    assert (seats(study).experts, seats(study).machines) == (0, 0)
    assert (totals(study).answered, totals(study).share) == (0, 0.0)


@pytest.mark.parametrize(
    "invite",
    [
        lambda study, link: links.invite(study, name="Ada"),
        lambda study, link: links.open_link(study, quota=1),
        lambda study, link: links.join(link, name="Ada"),
    ],
    ids=["invite", "open_link", "join"],
)
def test_nobody_comes_onto_the_panel_of_a_draft_that_was_discarded_meanwhile(invite):
    study = draft()
    link = links.open_link(study, quota=3)
    services.discard(Study.objects.get(pk=study.pk))
    with pytest.raises(links.StaleLink):
        invite(study, link)


@pytest.mark.parametrize(
    "step",
    [
        services.open_study,
        lambda study: opening.allow_surface(study, limit=0.9, reason="A sonnet is a sonnet."),
        lambda study: pilot.try_out(study, briefs=1),
    ],
    ids=["open_study", "allow_surface", "try_out"],
)
def test_a_draft_that_was_discarded_meanwhile_goes_no_step_further(step):
    study = draft()
    services.discard(Study.objects.get(pk=study.pk))
    with pytest.raises(WrongState, match="discarded meanwhile"):
        step(study)


def test_a_draft_that_is_discarded_while_its_surface_is_checked_keeps_no_check(monkeypatch):
    study = draft()
    examine = surface_check.examine_ids

    def while_it_is_discarded(traces):
        services.discard(Study.objects.get(pk=study.pk))
        return examine(traces)

    monkeypatch.setattr(surface_check, "examine_ids", while_it_is_discarded)
    with pytest.raises(WrongState, match="discarded meanwhile"):
        opening.check_surface(study, by=None)
