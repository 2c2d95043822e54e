"""Starts runs over the web, where the server may be killed in the middle."""

import json
from http.client import RemoteDisconnected
from threading import Thread
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import psycopg

from tests.chaos.world import Shelf, World
from tests.services.keeper import Kept
from tests.services.waiting import soon


def start_run(world: World, shelf: Shelf) -> tuple[int, int]:
    """Post a new run; return the status, and the run's key, 0 if there is none."""
    asked = {
        "name": shelf.name, "collection": shelf.collection, "template": "poemetric",
        "models": shelf.models, "samples": 1, "max_tokens": 500,
    }  # fmt: skip
    request = Request(
        f"http://127.0.0.1:{world.site.port}/api/v1/runs/",
        json.dumps(asked).encode(),
        {"Authorization": f"Bearer {shelf.token}", "Content-Type": "application/json"},
    )
    try:
        with urlopen(request, timeout=60) as found:  # noqa: S310
            return found.status, json.load(found)["run"]["id"]
    except HTTPError as refused:
        return refused.code, 0


def kill_in_the_middle(world: World, shelf: Shelf, web: Kept) -> None:
    """Post a new run, and kill the web server while it writes the rows down."""
    lost: list[object] = []

    def post() -> None:
        try:
            start_run(world, shelf)
        except (URLError, RemoteDisconnected, ConnectionError) as gone:
            lost.append(gone)

    with psycopg.connect(world.site.database.url) as link:
        link.execute("LOCK TABLE generation_generation IN EXCLUSIVE MODE")
        posting = Thread(target=post)
        posting.start()
        assert soon(lambda: _writes_rows(world)), web.said()[-2000:]
        web.kill_9()
    posting.join()
    assert lost
    assert soon(lambda: not _writes_rows(world))


def _writes_rows(world: World) -> bool:
    return bool(
        world.site.rows(
            "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
            " AND query LIKE 'INSERT INTO \"generation_generation\"%%'"
        )
    )
