"""The activity log: sealed in blocks, refusing changes, and finding those that were forced."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotation.activity import sealing, tasks, triggers
from annotation.activity.models import Entry, Seal
from annotation.activity.services import Kind, record
from tests.annotation.activity.unguarded import unguarded
from tests.annotation.test_between_reads import meanwhile, two_writers

ELSEWHERE = "e" * 64


def write(number: int, **details: object) -> list[Entry]:
    """Return so many new entries."""
    return [
        record(Kind.LEASE_GIVEN, study="spring", actor="vera", key="k", about=f"judgment {one}",
               content=one, items=one, **details)
        for one in range(number)
    ]  # fmt: skip


def chain(*blocks: int) -> list[Seal]:
    """Return the seals of blocks of so many entries."""
    for number in blocks:
        write(number)
        sealing.seal()
    return list(Seal.objects.all())


def found(**asked: object) -> list[str]:
    """Return the problems of the chain, but for the triggers that SQLite's tests do without."""
    problems = sealing.verify(**asked).problems
    return [one for one in problems if not one.startswith("The database no longer refuses")]


@pytest.mark.django_db
class TestTheChain:
    def test_an_empty_log_is_sound_and_has_nothing_to_seal(self):
        assert sealing.seal() == 0
        assert found() == []
        verdict = sealing.verify()
        assert (verdict.entries, verdict.seals, verdict.unsealed, verdict.head) == (0, 0, 0, "")

    def test_blocks_follow_one_another_in_the_order_of_entries(self):
        entries = write(5)
        assert [sealing.seal(at_most=2) for _ in range(4)] == [2, 2, 1, 0]
        first, second, third = Seal.objects.all()
        assert (first.previous, second.previous, third.previous) == (
            "0" * 64, first.sha256, second.sha256,
        )  # fmt: skip
        numbers = Entry.objects.order_by("pk").values_list("pk", "seal__number")
        assert list(numbers) == list(zip([one.pk for one in entries], [1, 1, 2, 2, 3], strict=True))
        verdict = sealing.verify()
        assert (verdict.entries, verdict.seals, verdict.unsealed) == (5, 3, 0)
        assert verdict.head == third.sha256
        assert found() == []

    def test_an_entry_that_appears_after_later_ones_goes_into_a_later_block(self):
        early, *later = write(3)
        with unguarded():
            Entry.objects.filter(pk=early.pk).delete()  # as if its transaction were still open
        assert sealing.seal() == 2
        Entry.objects.bulk_create([early])
        assert early.pk < min(one.pk for one in later)
        assert sealing.seal() == 1
        assert Entry.objects.get(pk=early.pk).seal.number == 2
        assert found() == []

    def test_the_sweep_seals_all_that_waits(self):
        write(3)
        tasks.sweep(messages_lost=True)
        assert not Entry.objects.unsealed().exists()

    def test_the_head_stands_for_all_before_it(self):
        first, second = chain(2, 3)
        assert found(expect=first.sha256) == []
        assert found(expect=f" {second.sha256.upper()}\n") == []
        assert found(expect=ELSEWHERE) == [
            f"No seal has the SHA-256 {ELSEWHERE}: the chain was cut, or written anew."
        ]

    def test_a_chain_that_was_cut_or_written_anew_is_found_by_its_former_head(self):
        *_, head = chain(2, 2, 2)
        with unguarded():
            Entry.objects.filter(seal=head).delete()
            head.delete()
        assert found() == []
        assert len(found(expect=head.sha256)) == 1
        with unguarded():
            Entry.objects.update(seal=None, actor="mallory")
            Seal.objects.all().delete()
        assert sealing.seal_all() == 4
        assert found() == []
        assert len(found(expect=head.sha256)) == 1

    def test_entries_that_wait_long_are_told_of_and_fresh_ones_are_only_counted(self):
        write(2)
        now = timezone.now()
        assert found(now=now) == []
        verdict = sealing.verify(now=now + timedelta(minutes=6))
        assert verdict.unsealed == 2
        assert verdict.oldest_unsealed == Entry.objects.earliest("at").at
        assert any("Unsealed entries: 2" in one for one in verdict.problems)

    def test_how_far_the_check_is_can_be_watched(self):
        chain(2, 3)
        write(1)
        told = []
        sealing.verify(progress=lambda done, total: told.append((done, total)))
        assert told == [(2, 5), (5, 5)]

    def test_a_chain_of_more_seals_than_are_read_at_once_is_sound(self, monkeypatch):
        monkeypatch.setattr(sealing, "SEALS_AT_ONCE", 2)
        chain(1, 2, 1, 3, 1)
        assert sealing.verify().entries == 8
        assert found() == []

    def test_a_seal_that_is_gone_is_named(self):
        first, second, _third = chain(1, 1, 1)
        with unguarded():
            Entry.objects.filter(seal=second).delete()
            second.delete()
        (problem,) = found()
        assert problem.startswith("Seal 3 of ")
        assert "follows seal 1: those between are missing" in problem
        with unguarded():
            Entry.objects.filter(seal=first).delete()
            first.delete()
        assert "follows seal 0" in found()[0]

    def test_what_is_missing_from_a_seal_is_counted(self):
        first, _ = chain(3, 2)
        with unguarded():
            first_entry = Entry.objects.filter(seal=first).first()
            first_entry.delete()
        (problem,) = found()
        assert problem.startswith("Seal 1 of ")
        assert problem.endswith("binds 3 entries, and 2 are there.")


ENTRY_EDITS: dict[str, Callable[[Entry], object]] = {
    "kind": lambda _: "export.made",
    "study": lambda _: "autumn",
    "actor": lambda one: one.actor + " ",
    "subject": lambda one: one.subject[::-1],
    "digest": lambda _: "0" * 64,
    "details": lambda one: {**one.details, "items": str(one.details["items"])},
    "at": lambda one: one.at + timedelta(microseconds=1),
    "seal": lambda one: Seal.objects.exclude(pk=one.seal_id).first(),
    "id": lambda one: one.pk + 1_000_000,
}
SEAL_EDITS: dict[str, Callable[[Seal], object]] = {
    "number": lambda one: one.number + 100,
    "previous": lambda _: "0" * 63 + "1",
    "entries": lambda one: one.entries + 1,
    "sha256": lambda one: one.sha256[::-1],
    "sealed_at": lambda one: one.sealed_at - timedelta(microseconds=1),
}


def test_each_field_of_an_entry_and_of_a_seal_is_tried():
    assert set(ENTRY_EDITS) == {one.name for one in Entry._meta.concrete_fields}
    # The key of a seal is only what its entries hold it by.
    assert set(SEAL_EDITS) | {"id"} == {one.name for one in Seal._meta.concrete_fields}
    assert set(triggers.ENTRY.split(", ")) | {"seal"} == set(ENTRY_EDITS)


def _edit_entry(draw, _seals: list[Seal]) -> None:
    entry = draw(st.sampled_from(list(Entry.objects.all())))
    name = draw(st.sampled_from(sorted(ENTRY_EDITS)))
    Entry.objects.filter(pk=entry.pk).update(**{name: ENTRY_EDITS[name](entry)})


def _edit_seal(draw, seals: list[Seal]) -> None:
    made, name = draw(st.sampled_from(seals)), draw(st.sampled_from(sorted(SEAL_EDITS)))
    Seal.objects.filter(pk=made.pk).update(**{name: SEAL_EDITS[name](made)})


def _delete_entry(draw, _seals: list[Seal]) -> None:
    draw(st.sampled_from(list(Entry.objects.all()))).delete()


def _delete_block(draw, seals: list[Seal]) -> None:
    gone = draw(st.sampled_from(seals[:-1]))  # without the last, the chain is whole but shorter
    Entry.objects.filter(seal=gone).delete()
    gone.delete()


def _slip_one_in(draw, seals: list[Seal]) -> None:
    (entry,) = write(1)
    Entry.objects.filter(pk=entry.pk).update(seal=draw(st.sampled_from(seals)))


def _swap_entries(draw, _seals: list[Seal]) -> None:
    entries = list(Entry.objects.all())
    one, other = draw(st.lists(st.sampled_from(entries), min_size=2, max_size=2, unique=True))
    name = draw(st.sampled_from(["content", "seal"] if one.seal != other.seal else ["content"]))
    names = ["seal"] if name == "seal" else ["at", "subject", "digest", "details"]
    for to, of in ((one, other), (other, one)):
        Entry.objects.filter(pk=to.pk).update(**{each: getattr(of, each) for each in names})


def _swap_seals(draw, seals: list[Seal]) -> None:
    one, other = draw(st.lists(st.sampled_from(seals), min_size=2, max_size=2, unique=True))
    Seal.objects.filter(pk=one.pk).update(number=1000)
    Seal.objects.filter(pk=other.pk).update(number=one.number)
    Seal.objects.filter(pk=one.pk).update(number=other.number)


TAMPERING = [
    _edit_entry, _edit_seal, _delete_entry, _delete_block, _slip_one_in, _swap_entries, _swap_seals,
]  # fmt: skip


class TestTampering(TestCase):
    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(
        blocks=st.lists(st.integers(1, 3), min_size=2, max_size=4),
        tamper=st.sampled_from(TAMPERING),
        data=st.data(),
    )
    def test_any_edit_deletion_or_swap_is_found(self, blocks, tamper, data):
        seals = chain(*blocks)
        assert found() == []
        with unguarded():
            tamper(data.draw, seals)
        assert found() != []


@pytest.mark.django_db(transaction=True)
def test_workers_who_seal_at_once_seal_each_entry_once_and_the_chain_is_whole():
    write(60)
    together = Barrier(4)

    def work() -> int:
        try:
            together.wait(30)
            return sum(sealing.seal(at_most=5) for _ in range(12))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as workers:
        sealed = [one.result(60) for one in [workers.submit(work) for _ in range(4)]]
    left = sealing.seal_all()
    assert found() == []
    assert sum(sealed) + left == 60
    assert sum(seal.entries for seal in Seal.objects.all()) == 60 == Entry.objects.count()
    assert not Entry.objects.unsealed().exists()


@two_writers
@pytest.mark.django_db(transaction=True)
def test_all_is_sealed_even_where_another_worker_is_quicker_with_some(monkeypatch):
    chain(1)
    write(4)
    other = meanwhile(monkeypatch, sealing, "_digest", lambda: sealing.seal(at_most=1), before=True)
    assert sealing.seal_all() + other[0].result() == 4
    assert other[0].result() == 1
    assert not Entry.objects.unsealed().exists()
    assert found() == []


@pytest.mark.django_db(transaction=True)
def test_sealing_during_a_check_is_no_problem_to_either():
    chain(2, 2)
    write(3)

    def seal_meanwhile(done: int, _total: int) -> None:
        def work() -> None:
            sealing.seal()
            connection.close()

        if done == 2:
            thread = Thread(target=work)
            thread.start()
            thread.join(60)

    verdict = sealing.verify(progress=seal_meanwhile)
    assert (verdict.entries, verdict.seals, verdict.unsealed) == (4, 2, 3)
    assert not Entry.objects.unsealed().exists()
    assert found() == []
