"""The expert's page and draft under load: 50 experts at once, PostgreSQL, one machine.

Each expert is a connection that asks without think time, or once a second; web server, database
and load share the machine, and the database writes to disk before it answers. The baseline of the
ratio is /healthz on the same server in the same run: what Django answers when it has nothing to do.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection, RemoteDisconnected
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests.services import postgres
from tests.services.keeper import Keeper, Kept

EXPERTS = 50
SECONDS = 8.0
PORT = 8997
HOST = "127.0.0.1"
ROOT = Path(__file__).resolve().parents[1]


class Expert:
    """One expert at work: their desk's address, their poem's, the version of their draft."""

    def __init__(self, secret: str) -> None:
        self.link = HTTPConnection(HOST, PORT, timeout=30)
        self.desk = self.ask("GET", f"/invitation/{secret}/")[1]["location"]
        self.poem = self.ask("POST", f"{self.desk}next/")[1]["location"]
        self.version = 0

    def ask(
        self, method: str, path: str, body: str = "", kind: str = "application/json"
    ) -> tuple[int, dict[str, str], bytes]:
        headers = {"Content-Type": kind} if body else {}
        try:
            self.link.request(method, path, body or None, headers)
            answer = self.link.getresponse()
        except (RemoteDisconnected, OSError):  # idle for long: a browser opens a new one, too
            self.link.close()
            self.link.request(method, path, body or None, headers)
            answer = self.link.getresponse()
        content = answer.read()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, content


def health(expert: Expert) -> bool:
    return expert.ask("GET", "/healthz")[0] == 200


def item_page(expert: Expert) -> bool:
    return expert.ask("GET", expert.poem)[0] == 200


def draft(expert: Expert) -> bool:
    body = json.dumps(
        {
            "answers": {"form": "4", "quality_comment": f"A comment, version {expert.version}."},
            "version": expert.version,
            "milliseconds": 1000 * expert.version,
        }
    )
    status, _, content = expert.ask("PUT", f"/api{expert.poem}draft/", body)
    expert.version = json.loads(content).get("version", 0) if status == 200 else expert.version
    return status == 200


def measure(
    experts: list[Expert], ask: Callable[[Expert], bool], *, every: float = 0.0
) -> tuple[float, float, float, int]:
    """Return requests a second, median and p95 in milliseconds, and how many were refused.

    Each expert asks again at once, or `every` so many seconds, beginning at a moment of their own.
    """
    times: list[float] = []
    refused = [0]
    end = time.monotonic() + SECONDS

    def work(expert: Expert) -> None:
        mine, bad = [], 0
        time.sleep(every * experts.index(expert) / len(experts))
        while (start := time.monotonic()) < end:
            bad += not ask(expert)
            mine.append(time.monotonic() - start)
            time.sleep(max(0.0, start + every - time.monotonic()))
        times.extend(mine)
        refused[0] += bad

    threads = [threading.Thread(target=work, args=(expert,)) for expert in experts]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    cuts = statistics.quantiles(times, n=20)
    return len(times) / took, cuts[9] * 1000, cuts[18] * 1000, refused[0]


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="blindverse-bench-", dir="/tmp"))
    folder.chmod(0o711)
    keeper = Keeper(folder)
    try:
        database = postgres.start(keeper)
        _write_to_disk(database.url)
        env = {
            **os.environ,
            "DATABASE_URL": database.url,
            "BLINDVERSE_DATA": str(folder / "data"),
            "PYTHONPATH": str(ROOT),
            "PORT": str(PORT),
            "BLINDVERSE_WEB_WORKERS": "2",
            "BLINDVERSE_WORKER_INSIDE": "False",
        }
        env.pop("REDIS_URL", None)
        secrets = _study(env)
        _serve(keeper, folder, env)
        experts = [Expert(secret) for secret in secrets]
        _table(experts, database.name)
    finally:
        keeper.close()


def _table(experts: list[Expert], database: str) -> None:
    print(f"{EXPERTS} experts at once, {SECONDS:.0f} s each, {database}, 2 web processes")
    heads = ("per second", "median ms", "p95 ms", "ratio", "refused")
    print(f"{'request':<22}" + "".join(f"{head:>12}" for head in heads))
    asked = (
        ("/healthz (baseline)", health, 0.0),
        ("item page", item_page, 0.0),
        ("save a draft", draft, 0.0),
        ("item page, 1/s each", item_page, 1.0),
        ("draft, 1/s each", draft, 1.0),
    )
    baseline = 0.0
    for name, ask, every in asked:
        rate, median, p95, refused = measure(experts, ask, every=every)
        baseline = baseline or rate
        cells = (f"{rate:.0f}", f"{median:.1f}", f"{p95:.1f}", f"{rate / baseline:.2f}", refused)
        print(f"{name:<22}" + "".join(f"{cell:>12}" for cell in cells))


def _write_to_disk(url: str) -> None:
    """Turn on what the tests turn off: an answer is on disk before it is acknowledged."""
    server = urlsplit(url)._replace(path="/postgres").geturl()
    with psycopg.connect(server, autocommit=True) as link:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            link.execute(sql.SQL("ALTER SYSTEM SET {} = on").format(sql.Identifier(name)))
        link.execute("SELECT pg_reload_conf()")
        link.execute("CREATE DATABASE blindverse")


def _study(env: dict[str, str]) -> list[str]:
    """Open a study of 300 poems with 50 experts who agreed; return their links' secrets."""
    manage = [sys.executable, str(ROOT / "manage.py")]
    subprocess.run([*manage, "migrate", "-v0"], env=env, check=True)
    script = (
        "from tests.annotation.panel import open_study, expert\n"
        "from annotation.studies import links\n"
        "study = open_study(items=300, judges_per_item=3, batch=6)\n"
        f"print(*[links.link_for(expert(study)).secret for _ in range({EXPERTS})])\n"
    )
    made = subprocess.run(
        [*manage, "shell", "-v0", "-c", script], env=env, check=True, capture_output=True, text=True
    )
    return made.stdout.split()


def _serve(keeper: Keeper, folder: Path, env: dict[str, str]) -> Kept:
    command = (sys.executable, "-m", "gunicorn", "-c", "python:backend.config.gunicorn")
    server = keeper.start(*command, "backend.config.wsgi", log=folder / "web.log", env=env)
    for _ in range(200):
        try:
            link = HTTPConnection(HOST, PORT, timeout=2)
            link.request("GET", "/readyz")
            if link.getresponse().status == 200:
                return server
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the web server does not answer:\n{server.said()}")


if __name__ == "__main__":
    main()
