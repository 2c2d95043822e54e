"""Deletion while the same expert, in another tab, answers, is dealt poems, or deletes as well."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import psycopg
import pytest
from django.db import connection, connections
from django.test import Client

from annotation.judgments import access, leaving
from annotation.judgments.models import Draft, Judgment, Rating
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.consenting import publish
from annotation.studies.models import (
    Assignment,
    Background,
    Consent,
    Invitation,
    Item,
    Judge,
    Study,
)
from backend.panel.models import Letter
from tests.annotation.panel import expert, open_study, survey
from tests.services.keeper import Keeper
from tests.services.waiting import soon

pytestmark = pytest.mark.django_db(transaction=True)

JSON = "application/json"
SECONDS = 60.0
REFUSED = {403, 404}
DELETE = {"choice": "delete", "sure": "yes"}


class Tab:
    """One of the expert's tabs, with the addresses of an answered poem and of one that waits."""

    def __init__(self, judge: Judge) -> None:
        self.client = Client(raise_request_exception=False)
        secret = links.link_for(judge).secret
        self.client.get(f"/invitation/{secret}/")
        tokens = Assignment.objects.of(judge).in_order().values_list("token", flat=True)
        self.desk = f"/desk/{secret}/"
        self.answered, self.waiting, self.begun = (f"{self.desk}poem/{one}/" for one in tokens)

    def post(self, address: str, **sent: object) -> int:
        return self.client.post(address, sent).status_code

    def submit(self) -> int:
        return self.post(self.waiting, **survey(quality_comment="told"))

    def submit_by_script(self) -> int:
        sent = {"answers": survey(), "milliseconds": 5}
        return self.client.post(f"/api{self.waiting}judgment/", sent, JSON).status_code

    def save_new_draft(self) -> int:
        sent = {"answers": {"quality": "1"}, "version": 0}
        return self.client.put(f"/api{self.waiting}draft/", sent, JSON).status_code

    def save_draft_again(self) -> int:
        sent = {"answers": {"quality": "1"}, "version": 1}
        return self.client.put(f"/api{self.begun}draft/", sent, JSON).status_code

    def change(self) -> int:
        return self.post(f"{self.answered}change/", edits=13, **survey(quality="1"))

    def next(self) -> int:
        return self.post(f"{self.desk}next/")

    def agree(self) -> int:
        sent = {"version": 2, "language": "en", "agree": "yes", "thanked": "yes"}
        return self.post(f"{self.desk}consent/", thanked_as="Me", **sent)

    def tell(self) -> int:
        return self.post(f"{self.desk}about-you/", practice="poet", conflicts="Somebody")

    def like(self) -> int:
        return self.post(f"{self.desk}display/", theme="dark")

    def pause(self) -> int:
        return self.post(f"{self.desk}leave/", choice="pause")

    def stop(self) -> int:
        return self.post(f"{self.desk}leave/", choice="stop")

    def delete(self) -> int:
        return self.post(f"{self.desk}leave/", **DELETE)


STEPS = [
    Tab.submit, Tab.submit_by_script, Tab.save_new_draft, Tab.save_draft_again, Tab.change,
    Tab.next, Tab.agree, Tab.tell, Tab.like, Tab.pause, Tab.stop, Tab.delete,
]  # fmt: skip
# They write nothing that hangs on the expert: they lead on, to a link that is stale by then.
HARMLESS = (Tab.like, Tab.pause, Tab.stop)
Step = Callable[[Tab], int]


@pytest.fixture
def study() -> Study:
    return open_study(items=6, judges_per_item=2, batch=3)


@pytest.fixture
def judge(study: Study) -> Judge:
    """An expert with an answered poem, one that waits, and one that is begun."""
    return _begun(study)


@pytest.fixture
def server_log(keeper: Keeper) -> Callable[[], str]:
    """What the database server has written to its log since the test began."""
    path = keeper.folder / "postgres.log"
    start = path.stat().st_size if path.exists() else 0
    return lambda: path.read_bytes()[start:].decode() if path.exists() else ""


def _begun(study: Study) -> Judge:
    judge = expert(study)
    ledger.deal(judge)
    tab = Tab(judge)
    assert tab.post(tab.answered, **survey()) == 302
    sent = {"answers": {"quality": "5"}, "version": 0}
    assert tab.client.put(f"/api{tab.begun}draft/", sent, JSON).status_code == 200
    return judge


def _alone(step: Callable[[], int]) -> int:
    """Take a step in a thread of its own, which gives its connection back."""
    try:
        return step()
    finally:
        connection.close()


def _left(study: Study) -> dict[str, int]:
    """Return how many rows of experts are left, and how many places are taken."""
    tables = (Judge, Invitation, Consent, Background, Assignment, Draft, Judgment, Rating, Letter)
    counts = {table.__name__: table.objects.count() for table in tables}
    counts["places"] = sum(Item.objects.values_list("places_taken", flat=True))
    return {what: number for what, number in counts.items() if number}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_a_step_that_finds_its_expert_just_before_the_deletion_is_refused(
    study: Study, judge: Judge, step: Step, monkeypatch, server_log
) -> None:
    deleting, found = Event(), Event()
    erase = leaving.erase_letters
    tab = _ready_for(step, judge)

    def all_but_committed(address: str) -> int:
        deleting.set()
        assert found.wait(SECONDS)
        if connection.vendor == "postgresql":
            # It stands at a lock of ours, or is done without one.
            assert soon(lambda: other.done() or _somebody_waits(), SECONDS)
        return erase(address)

    def step_of_the_other_tab() -> int:
        assert deleting.wait(SECONDS)
        for name in ("begun", "follow"):
            monkeypatch.setattr(links, name, _telling(getattr(links, name), found))
        # Where the API finds a poem together with its reader.
        monkeypatch.setattr(access, "remember", _telling(access.remember, found))
        return _alone(lambda: step(tab))

    monkeypatch.setattr(leaving, "erase_letters", all_but_committed)
    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(step_of_the_other_tab)
        leave = pool.submit(lambda: _alone(Tab.delete.__get__(_same(tab))))
        assert leave.result(SECONDS) == 302
        assert other.result(SECONDS) in (REFUSED if step not in HARMLESS else {302})
    assert _left(study) == {}
    assert Study.objects.get().experts_deleted == 1
    assert "ERROR" not in server_log()


@pytest.mark.parametrize("step", STEPS[:-1], ids=lambda step: step.__name__)
def test_a_deletion_waits_for_a_step_that_is_under_way_and_takes_it_along(
    study: Study, judge: Judge, step: Step, monkeypatch, server_log
) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite lets one write at a time, so nothing is ever half under way")
    tab = _ready_for(step, judge)
    written, waits = Event(), Event()

    def hold_the_commit() -> int:
        # The first commit: what the step writes in one transaction is written by then.
        own = connections["default"]
        commit, first = own._commit, [True]

        def held() -> None:
            if first:
                first.clear()
                written.set()
                assert waits.wait(SECONDS)
            commit()

        own._commit = held
        try:
            return step(tab)
        finally:
            del own._commit

    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(lambda: _alone(hold_the_commit))
        assert soon(lambda: written.is_set() or other.done(), SECONDS)
        leave = pool.submit(lambda: _alone(Tab.delete.__get__(_same(tab))))
        assert soon(lambda: leave.done() or _somebody_waits(), SECONDS)
        waits.set()
        assert leave.result(SECONDS) == 302
        assert other.result(SECONDS) < 400
    assert _left(study) == {}
    assert "ERROR" not in server_log()


def test_whatever_comes_in_whatever_order_nothing_fails_and_nothing_stays(study, server_log):
    for _ in range(4):
        judge = _begun(study)
        steps = [Tab.delete, Tab.submit, Tab.save_draft_again, Tab.change, Tab.next, Tab.tell]
        tab, start = Tab(judge), Barrier(len(steps))

        def come(step, tab=tab, start=start):
            start.wait(SECONDS)
            return _alone(step.__get__(_same(tab)))

        with ThreadPoolExecutor(len(steps)) as pool:
            statuses = list(pool.map(come, steps))
        assert [status for status in statuses if status not in {200, 302, 409, *REFUSED}] == []
        assert _left(study) == {}
    assert Study.objects.get().experts_deleted == 4
    assert "ERROR" not in server_log()


def _ready_for(step: Step, judge: Judge) -> Tab:
    """Return a tab of the expert from which this step can be taken."""
    tab = Tab(judge)
    if step is Tab.next:
        assert [tab.post(one, **survey()) for one in (tab.waiting, tab.begun)] == [302, 302]
    if step is Tab.agree:
        publish(judge.study, {"en": "New words."})
    return tab


def _same(tab: Tab) -> Tab:
    """Return the same expert's other tab, with a client of its own."""
    other = object.__new__(Tab)
    other.__dict__ = {**vars(tab), "client": Client(raise_request_exception=False)}
    return other


def _telling(find: Callable[..., Any], found: Event) -> Callable[..., Any]:
    def tell(*given: Any) -> Any:
        what = find(*given)
        found.set()
        return what

    return tell


def _somebody_waits() -> bool:
    """Whether a session of this database waits for another's lock."""
    settings = connection.settings_dict
    with psycopg.connect(
        host=settings["HOST"], user=settings["USER"], dbname=settings["NAME"]
    ) as own:
        row = own.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
        return bool(row and row[0])
