"""A site with an endpoint behind a cable, runs on it, and what must be true of them in the end."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from tests.chaos.cable import Cable
from tests.endpoint.poems import poem
from tests.services.keeper import Kept
from tests.services.site import EndpointProcess, Site
from tests.services.waiting import soon

_START = """
import json
from backend.accounts.models import User
from backend.api import services as tokens
from backend.api.scopes import allowed
from backend.corpus.models import Collection
from backend.corpus.services import import_poems
from backend.generation import services, tasks
from backend.generation.models import LanguageModel, Provider
from tests.endpoint.poems import poem

told = json.loads({told!r})
name = told["name"]
lines = "".join(
    json.dumps({{"title": f"{{name}} {{n}}", "author": "A Poet", "form": "sonnet",
                 "theme": f"{{name}} {{n}}", "text": poem(f"human {{name}} {{n}}")}}) + "\\n"
    for n in range(told["briefs"])
)
import_poems(lines.encode(), file_name="verse.jsonl", collection=name)
shelf = Collection.objects.get(name=name)
at = {{
    wire: Provider.objects.create(
        name=f"{{name}}, {{wire}}", wire=wire, base_url=url, key_variable="CHAOS_KEY",
        parallel=told["at_once"],
    )
    for wire, url in told["urls"].items()
}}
models = [
    LanguageModel.objects.create(
        name=f"{{name}}, {{n}}", provider=at[wire], model_id=model_id, seconds=told["seconds"],
        price_input="2", price_output="8",
    )
    for n, (wire, model_id) in enumerate(told["models"])
]
if told["starts"]:
    run = services.start_run(
        name=name, collection=shelf, models=models, template="poemetric", max_tokens=500, cap="50",
    ).run
    tasks.sweep.delay()
    print(run.pk)
else:
    user = User.objects.create_user(f"{{name}}@example.org", role="researcher")
    token = tokens.make(user, name="a program", scopes=allowed(user)).secret
    print(token, shelf.pk, *(model.pk for model in models))
"""
Model = tuple[str, str]  # its wire, and its name at the endpoint


@dataclass
class World:
    """What can be struck, and what is started again."""

    site: Site
    endpoint: EndpointProcess
    cable: Cable
    workers: list[Kept] = field(default_factory=list)
    web: Kept | None = None

    def ask_for(
        self, name: str, *models: Model, briefs: int, at_once: int = 32, seconds: int = 30
    ) -> "Asked":
        """Start a run, one poem for each brief and model."""
        said = self._told(name, models, briefs, at_once, seconds, starts=True)
        return Asked(self, int(said), name)

    def shelf(
        self, name: str, *models: Model, briefs: int, at_once: int = 32, seconds: int = 30
    ) -> "Shelf":
        """Make all that a run needs, and somebody who may start it."""
        said = self._told(name, models, briefs, at_once, seconds, starts=False)
        token, *keys = said.split()
        collection, *made = (int(key) for key in keys)
        return Shelf(name, token, collection, made)

    def _told(
        self, name: str, models: Sequence[Model], briefs: int, at_once: int, seconds: int, *,
        starts: bool,
    ) -> str:  # fmt: skip
        wires = {wire for wire, _ in models}
        urls = {wire: self.cable.url + "/v1" * (wire == "openai") for wire in wires}
        told = {
            "name": name, "models": models, "briefs": briefs, "at_once": at_once,
            "seconds": seconds, "urls": urls, "starts": starts,
        }  # fmt: skip
        return self.site.run(_START.format(told=json.dumps(told)))

    def worker(self, threads: int) -> Kept:
        """Start a worker that makes calls."""
        self.workers.append(self.site.worker("calls", threads=threads))
        return self.workers[-1]

    def serve(self) -> Kept:
        """Start the web server."""
        self.web = self.site.web()
        return self.web

    def under_way(self) -> int:
        """How many requests the endpoint has not answered yet, by its own count."""
        at_once: int = self.endpoint.count()["at_once"]
        return at_once

    def rest(self) -> None:
        """Stop the workers, and let the servers be well again, however the test ended."""
        for worker in self.workers:
            worker.stop()
        self.workers.clear()
        if self.site.broker.server.exit_code() is not None:
            self.site.broker.restart()
        if self.site.database.server.exit_code() is not None:
            self.site.database.restart()
        if self.web and self.web.exit_code() is None:
            self.web.kill_9()


@dataclass(frozen=True)
class Shelf:
    """What a run of this name can be made of, and a token to ask for it."""

    name: str
    token: str
    collection: int
    models: list[int]


@dataclass(frozen=True)
class Asked:
    """A run, looked at past all code of Blindverse: as the database has it."""

    world: World
    run: int
    name: str

    def states(self) -> Counter[str]:
        """Count its rows by how far they are."""
        found = self.world.site.rows(
            "SELECT status, count(*) FROM generation_generation WHERE run_id = %s GROUP BY 1",
            self.run,
        )
        return Counter(dict(found))

    def finished(self) -> int:
        states = self.states()
        return states["done"] + states["failed"]

    def is_over(self) -> bool:
        states = self.states()
        return bool(states) and not states["queued"] + states["running"]

    def calls(self, what: str = "*", **asked: Any) -> list[tuple[Any, ...]]:
        """Return its calls, the first ones first."""
        query = (
            f"SELECT {what} FROM generation_call WHERE generation_id IN"  # noqa: S608
            " (SELECT id FROM generation_generation WHERE run_id = %s)"
        )
        for name in asked:
            query += f" AND {name} = %s"
        return self.world.site.rows(query + " ORDER BY id", self.run, *asked.values())

    def diary(self) -> str:
        """Say how it stands, for whom a test that failed."""
        rows = self.world.site.rows(
            "SELECT status, error_kind, left(error, 60), attempts, not_before - now(),"
            " leased_until - now(), nudged_at - now(), count(*) FROM generation_generation"
            " WHERE run_id = %s AND status <> 'done' GROUP BY 1, 2, 3, 4, 5, 6, 7 LIMIT 20",
            self.run,
        )
        gates = self.world.site.rows(
            "SELECT width, held_until - now(), held_why, failures, holds FROM generation_gate"
        )
        said = [f"{self.states()}", *map(str, rows), *map(str, gates)]
        said += [worker.said()[-1500:] for worker in self.world.workers[-2:]]
        return "\n".join(said)


def until(asked: Asked, holds: Callable[[], bool], *, within: float = 60.0) -> None:
    """Wait for something to come true, and say how all stands if it does not."""
    assert soon(holds, within), asked.diary()


def check(asked: Asked, *, all_done: bool = True) -> dict[str, int]:
    """Hold the rows against the endpoint's own books, and return what is worth telling."""
    until(asked, lambda: not asked.calls("1", state="open"))
    _check_rows(asked, all_done=all_done)
    counted = asked.world.endpoint.count(keys=True)
    calls = asked.calls("identity, state")
    by_state = Counter(state for _, state in calls)
    answered = [identity for identity, state in calls if state == "answered"]
    assert len(answered) == len(set(answered)), "a call has two answers"
    written = counted["by_key"]
    assert {identity: written.get(identity) for identity in answered} == dict.fromkeys(answered, 1)
    known = {identity for (identity,) in asked.world.site.rows(
        "SELECT identity FROM generation_call"
    )}  # fmt: skip
    assert set(written) <= known, "asked, and not written down"
    # What is asked for again after an answer went out: only what was lost on its way to the row.
    assert counted["replayed"] <= by_state["lost"] + by_state["failed"]
    _check_money(asked)
    return {
        **asked.states(), **{f"calls {state}": number for state, number in by_state.items()},
        "asked": counted["requests"], "written": counted["written"],
        "written twice": counted["written_twice"], "given again": counted["replayed"],
        "most at once": counted["most_at_once"],
    }  # fmt: skip


def _check_rows(asked: Asked, *, all_done: bool) -> None:
    rows = asked.world.site.rows(
        "SELECT row.id, row.status, row.error_kind, row.error, row.text, brief.text,"
        " call.identity, call.state, call.generation_id, call.text, call.request"
        " FROM generation_generation AS row"
        " JOIN generation_brief AS brief ON brief.id = row.brief_id"
        " LEFT JOIN generation_call AS call ON call.id = row.answer_id WHERE row.run_id = %s",
        asked.run,
    )
    assert rows
    for key, status, kind, error, text, brief, identity, state, owner, said, sent in rows:
        if status == "failed":
            assert kind, key
            assert error, key
            assert not all_done, (key, kind, error)
            continue
        assert (status, state, owner) == ("done", "answered", key)
        # The endpoint writes one poem for each key, like no other.
        assert poem(identity) in said
        assert _lines(text) == _lines(poem(identity))
        assert brief in json.dumps(sent, ensure_ascii=False).replace("\\n", "\n")
    identities = [row[6] for row in rows if row[1] == "done"]
    assert len(identities) == len(set(identities))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _check_money(asked: Asked) -> None:
    """The run's sum is that over its calls: what they cost, or what may be billed for them."""
    committed, set_aside, cost = _money(asked)
    assert committed == set_aside
    assert cost > 0
    # What a crash took of the settling is settled by the sweep, a minute later.
    until(asked, lambda: _money(asked)[0] == _money(asked)[2], within=120)


def _money(asked: Asked) -> tuple[Decimal, Decimal, Decimal]:
    """Return the run's own sum, what is set aside for its calls, and what they take of that."""
    ((committed,),) = asked.world.site.rows(
        "SELECT committed FROM generation_run WHERE id = %s", asked.run
    )
    found = asked.calls(
        "coalesce(reserved, 0), coalesce(cost, reserved, 0)"  # unknown: as much as it may be
    )
    return committed, *(sum(column) for column in zip(*found, strict=True))


def port_of(endpoint: EndpointProcess) -> int:
    port = urlsplit(endpoint.url).port
    assert port
    return port
