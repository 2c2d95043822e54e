"""A whole stay at a served site: neither its folder nor its log holds anything of who left."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from tests.annotation.panel import survey
from tests.leavers import EMAIL, NAME, WORDS, in_files
from tests.services.keeper import Keeper, Kept
from tests.services.waiting import answer, free_port, soon

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
# Letters are queued here and sent by the worker inside the web process.
PREPARE = f"""
import django; django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from annotation.studies import links
from backend.panel import services
from tests.leavers import neighbour, study_of_poems
study = study_of_poems()
neighbour(study)
judge = links.invite(study, name={NAME!r}, email={EMAIL!r}).invitation.judge
services.write([judge], "invitation", by=None)
services.write([judge], "reminder", by=None)
print(judge.code)
"""
Ask = Callable[..., tuple[str, str]]


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """A site of its own on SQLite, without Redis, that writes its mail to files."""
    foreign = ("DATABASE_URL", "REDIS_URL")
    mine = {name: value for name, value in os.environ.items() if name not in foreign}
    return mine | {
        "BLINDVERSE_DATA": str(tmp_path / "data"),
        "DJANGO_SETTINGS_MODULE": "backend.config.settings",
        "PYTHONPATH": str(ROOT),
        "PORT": str(free_port()),
    }


@pytest.fixture
def code(surroundings: dict[str, str]) -> str:
    """The code of an expert of an open study, to whom two letters wait."""
    made = subprocess.run(
        [sys.executable, "-c", PREPARE],
        env=surroundings, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


@pytest.fixture
def server(keeper: Keeper, surroundings: dict[str, str], code: str, tmp_path: Path) -> Kept:
    site = keeper.start(
        *(sys.executable, "-m", "gunicorn", "-c", "python:backend.config.gunicorn"),
        log=tmp_path / "site.log",
        env=surroundings,
    )
    answer(f"http://127.0.0.1:{surroundings['PORT']}/healthz", site)
    return site


@pytest.fixture
def ask(server: Kept, surroundings: dict[str, str]) -> Ask:
    """Ask the site for a page, or send it a form; return where that led, and the page."""

    def send(path: str, form: dict[str, object] | None = None) -> tuple[str, str]:
        data = urlencode(form, doseq=True).encode() if form is not None else None
        address = f"http://127.0.0.1:{surroundings['PORT']}{path}"
        with urlopen(Request(address, data), timeout=60) as page:
            return page.url.partition(surroundings["PORT"])[2], page.read().decode()

    return send


def _keep_draft(port: str, path: str) -> None:
    sent = json.dumps({"answers": {"quality_comment": WORDS["draft"]}, "version": 0})
    kept = Request(
        f"http://127.0.0.1:{port}{path}", sent.encode(),
        {"Content-Type": "application/json"}, method="PUT",
    )  # fmt: skip
    with urlopen(kept, timeout=60) as page:  # noqa: S310
        assert page.status == 200


def test_a_site_that_is_being_served_keeps_nothing_in_its_folder_or_log(
    ask: Ask, server: Kept, surroundings: dict[str, str], code: str, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    mail = data / "mail"
    theirs = {"address": EMAIL}
    assert soon(lambda: mail.is_dir() and len(in_files(mail, theirs)) == 2), server.said()
    letters = "".join(path.read_text() for path in mail.iterdir())
    (key,) = set(re.findall(r"/invitation/([^/\s]+)/", letters))
    desk, _ = ask(f"/invitation/{key}/")
    ask(f"{desk}consent/", {
        "version": 1, "language": "en", "agree": "yes", "quotable": "yes", "thanked": "yes",
        "thanked_as": WORDS["thanked name"],
    })  # fmt: skip
    ask(f"{desk}about-you/", {"practice": ["poet"], "conflicts": WORDS["conflicts"]})
    first, _ = ask(f"{desk}next/", {})
    second, _ = ask(first, survey(quality_comment=WORDS["comment"]))
    ask(f"{first}change/", {"edits": 13, **survey(quality_comment=WORDS["changed comment"])})
    _keep_draft(surroundings["PORT"], f"/api{second}draft/")
    traces = {
        **{what: WORDS[what] for what in
           ("name", "surname", "thanked name", "conflicts", "comment", "changed comment", "draft")},
        **theirs, "code": code, "link": key,
        **{page: page.split("/")[4] for page in (first, second)},
    }  # fmt: skip

    def held() -> set[str]:
        return {what for found in in_files(data, traces).values() for what in found}

    # SQLite may move rows from its log to its file while both are being read.
    assert soon(lambda: held() == set(traces)), set(traces) - held()

    receipt, page = ask(f"{desk}leave/", {"choice": "delete", "sure": "yes"})

    assert receipt.startswith("/deleted/")
    assert "<dt>Judgments</dt><dd>1</dd>" in page
    assert in_files(data, traces) == {}, "while it is being served"
    with pytest.raises(HTTPError, match="404"):
        ask(desk)
    assert server.stop() == 0
    assert in_files(tmp_path, traces) == {}, "the folder and the log, once it has stopped"
    assert any(path.suffix == ".sqlite3" for path in data.iterdir())
