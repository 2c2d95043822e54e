"""The key is unsealed once, by as many people as the design asks for, and the log says so."""

from threading import Thread

import pytest
from django.db import connection

from annotation.activity.models import Entry
from annotation.studies.models import Study
from backend.accounts.models import User
from backend.design import unsealing
from backend.design.models import Design, Unsealing
from tests.studies import make_study, researcher

pytestmark = pytest.mark.django_db


def sealed(*, needs: int = 1, debriefs: bool = False) -> Study:
    study = make_study(titles=["Dawn"], models=["Alpha"], unblinded=False)
    Design.objects.filter(study=study).update(unsealing_needs=needs)
    Study.objects.filter(pk=study.pk).update(debriefs=debriefs)
    return Study.objects.get(pk=study.pk)


def is_open(study: Study) -> bool:
    return Design.objects.get(study=study).unblinded_at is not None


def logged() -> list[tuple[str, str]]:
    kinds = ("unsealing.asked", "study.unsealed")
    return list(Entry.objects.filter(kind__in=kinds).values_list("kind", "actor"))


def test_where_one_is_enough_the_first_unseals() -> None:
    study, vera = sealed(), researcher()
    assert unsealing.ask(study, by=vera, reason=" The panel is done. ")
    assert Design.objects.get(study=study).unblinded_by == vera
    assert Unsealing.objects.get().reason == "The panel is done."
    assert logged() == [("unsealing.asked", "vera"), ("study.unsealed", "vera")]


def test_where_two_are_needed_nobody_unseals_alone() -> None:
    study, vera = sealed(needs=2, debriefs=True), researcher()
    assert not unsealing.ask(study, by=vera)
    assert not unsealing.ask(study, by=vera)
    assert not is_open(study)
    assert Study.objects.get(pk=study.pk).debrief_at is None
    assert unsealing.ask(study, by=researcher("wim"))
    design = Design.objects.get(study=study)
    assert design.unblinded_by.username == "wim"
    assert Study.objects.get(pk=study.pk).debrief_at == design.unblinded_at
    assert logged() == [
        ("unsealing.asked", "vera"), ("unsealing.asked", "wim"), ("study.unsealed", "wim"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "gone", [{"is_active": False}, {"role": User.Role.COORDINATOR}], ids=["left", "other role"]
)
def test_who_is_no_researcher_any_more_counts_no_longer(gone: dict[str, object]) -> None:
    study, vera, wim = sealed(needs=2), researcher(), researcher("wim")
    unsealing.ask(study, by=vera)
    User.objects.filter(pk=vera.pk).update(**gone)
    assert not unsealing.ask(study, by=wim)
    assert not is_open(study)
    assert unsealing.ask(study, by=researcher("xenia"))


def test_what_was_asked_can_be_taken_back_until_the_key_is_open() -> None:
    study, vera, wim = sealed(needs=2), researcher(), researcher("wim")
    unsealing.ask(study, by=vera)
    assert not unsealing.take_back(study, by=wim)
    assert unsealing.take_back(study, by=vera)
    assert not unsealing.ask(study, by=wim)
    assert unsealing.ask(study, by=vera)
    assert not unsealing.take_back(study, by=vera)
    assert Unsealing.objects.count() == 2
    assert [entry.details.get("taken_back") for entry in Entry.objects.filter(actor="vera")] == [
        None, True, None, None,
    ]  # fmt: skip


def test_an_open_key_is_not_asked_for_again() -> None:
    study, vera = sealed(), researcher()
    unsealing.ask(study, by=vera)
    before = Design.objects.filter(study=study).values().get()
    assert unsealing.ask(study, by=researcher("wim"))
    assert Design.objects.filter(study=study).values().get() == before
    assert Unsealing.objects.count() == 1


@pytest.mark.parametrize("state", ["draft", "open"])
def test_only_a_closed_study_is_unsealed(state: str) -> None:
    study = sealed()
    fingerprint = "" if state == "draft" else study.fingerprint
    Study.objects.filter(pk=study.pk).update(state=state, fingerprint=fingerprint)
    with pytest.raises(unsealing.WrongState, match="Close the study first"):
        unsealing.ask(study, by=researcher())
    assert logged() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("needs", [1, 2])
def test_two_people_at_one_moment_unseal_once(needs: int) -> None:
    study = sealed(needs=needs)
    answers: list[bool] = []

    def ask(user: User) -> None:
        answers.append(unsealing.ask(study, by=user))
        connection.close()

    threads = [Thread(target=ask, args=[researcher(name)]) for name in ("vera", "wim")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == ([True, True] if needs == 1 else [False, True])
    assert [kind for kind, _ in logged()].count("study.unsealed") == 1
    assert is_open(study)


def planned(*, state: str = "open", allowed: bool = True) -> Study:
    study = sealed()
    Study.objects.filter(pk=study.pk).update(state=state)
    Design.objects.filter(study=study).update(interim_looks=allowed)
    return Study.objects.get(pk=study.pk)


def test_looks_are_numbered_and_say_who_why_and_on_how_much() -> None:
    study, vera = planned(), researcher()
    looks = [unsealing.look(study, by=vera, reason=f"reason {n}") for n in (1, 2)]
    assert [(one.number, one.by, one.reason, one.judgments) for one in looks] == [
        (1, vera, "reason 1", 4), (2, vera, "reason 2", 4),
    ]  # fmt: skip
    entries = Entry.objects.filter(kind="interim.look")
    assert [(entry.actor, entry.details["number"]) for entry in entries] == [
        ("vera", 1), ("vera", 2),
    ]  # fmt: skip
    assert not is_open(study)


def test_a_look_that_is_asked_for_twice_is_written_down_once() -> None:
    study, vera = planned(), researcher()
    unsealing.look(study, by=vera, reason="a check", seen=0)
    with pytest.raises(unsealing.LookedMeanwhile, match="Look 1, by vera, was recorded already"):
        unsealing.look(study, by=researcher("wim"), reason="a check", seen=0)
    assert unsealing.look(study, by=vera, reason="a check", seen=1).number == 2
    assert unsealing.look(study, by=vera, reason="a check").number == 3


def test_a_look_that_was_not_planned_late_or_without_a_reason_is_refused() -> None:
    vera, study = researcher(), planned(allowed=False)
    with pytest.raises(unsealing.NotPlanned):
        unsealing.look(study, by=vera, reason="I want to know")
    Design.objects.filter(study=study).update(interim_looks=True)
    with pytest.raises(unsealing.NoReason):
        unsealing.look(study, by=vera, reason="  ")
    Study.objects.filter(pk=study.pk).update(state="closed")
    with pytest.raises(unsealing.WrongState):
        unsealing.look(study, by=vera, reason="I want to know")
    assert not Entry.objects.filter(kind="interim.look").exists()
