"""An expert who leaves a trace wherever one can, by the real pages, and ways to look for traces."""

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.consenting import agree, record_background, wording_for
from annotation.studies.models import Assignment, Judge, Study
from backend.design import services as design
from backend.panel import tasks
from backend.panel.models import Letter
from tests.annotation.panel import survey
from tests.backend.design.material import Material, draft, material

EMAIL = "zephyrine.quillfeather@reader.example"
NAME = "Zephyrine Quillfeather"
ELSEWHERE = "Pseudonym Elsewhere"  # the same person's name in another study
WORDS = {
    "name": NAME,
    "surname": "Quillfeather",
    "thanked name": "Z. Quillfeather-Thanked",
    "conflicts": "Rivalname Conflicted",
    "comment": "voltawording comes a line too soon",
    "comment in Chinese": "末句收得太急切了",
    "changed comment": "voltawording stands where it should",
    "typed, then retyped": "half-typed hexametrical remark",
    "draft": "hexametrical remark in full",
}
COMMENT, OTHER_COMMENT = "quality_comment", "human_authorship_comment"
JSON = "application/json"


@dataclass
class Leaver:
    """What is known of the expert once they have done all that they do before they leave."""

    key: str
    code: str
    traces: dict[str, str] = field(default_factory=dict)
    queued: list[int] = field(default_factory=list)

    @property
    def desk(self) -> str:
        return f"/desk/{self.key}/"

    @property
    def personal(self) -> dict[str, str]:
        """All traces but the address, which another study may hold."""
        return {what: text for what, text in self.traces.items() if what not in ("address", "sha")}


def study_of_poems(**changes: Any) -> Study:
    """Return an open study of nine poems, built on the real path, that asks for a background."""
    wanted = {"asks_background": True, "batch_size": 4, **changes}
    return design.open_study(draft(material(), **wanted))


def another_study(study: Study) -> Study:
    """Return a second open study, of the same poems."""
    return design.open_study(draft(_same_material(study), title="Autumn study"))


def neighbour(study: Study) -> Judge:
    """Return another expert of the study, who has answered, begun and told as much."""
    judge = links.invite(study, name="Ben Stayer", email="ben@reader.example").invitation.judge
    agree(judge, wording=wording_for(study, "en"), thanked_as="Ben")
    record_background(judge, practice=["poet"], years="3-5", languages=["en"], conflicts="Foe")
    ledger.deal(judge)
    first, second, *_ = Assignment.objects.of(judge).in_order()
    client = Client()
    here = f"/api/desk/{links.secret_of(judge.invitations.get())}/poem"
    told = {"answers": survey(**{COMMENT: "Ben's own words"}), "milliseconds": 5}
    assert client.post(f"{here}/{first.token}/judgment/", told, JSON).status_code == 201
    begun = {"answers": {COMMENT: "Ben's draft"}, "version": 0}
    assert client.put(f"{here}/{second.token}/draft/", begun, JSON).status_code == 200
    return judge


def visit(study: Study, other: Study, staff: Client, mail: Path) -> Leaver:
    """Let the expert be invited, reminded and written to, take part in both studies, and answer."""
    _post(staff, reverse("invite", args=[study.slug]), name=NAME, email=EMAIL, send="on")
    _send_all()
    first_key = re.search(r"/invitation/([^/\s]+)/", written(mail)).group(1)
    judge = Judge.objects.get(study=study, email=EMAIL)
    _post(staff, reverse("new-link", args=[study.slug, judge.code]))
    _post(staff, reverse("remind", args=[study.slug, judge.code]), again="yes")
    _send_all()
    keys = set(re.findall(r"/invitation/([^/\s]+)/", written(mail)))
    (key,) = keys - {first_key}
    _join(other)
    one = Leaver(key, judge.code)
    tokens = _take_part(Client(), one)
    _write(staff, study, judge)
    hashes = judge.invitations.values_list("token_hash", "nonce")
    one.traces = {
        **WORDS,
        "code": judge.code,
        "first link": first_key,
        "link": key,
        **{f"link {n}: {what}": text for n, row in enumerate(hashes) for what, text in
           zip(("hash", "nonce"), row, strict=True)},
        **{f"token {n}": token for n, token in enumerate(tokens)},
        "address": EMAIL,
        "sha": hashlib.sha256(EMAIL.encode()).hexdigest(),
    }  # fmt: skip
    one.queued = list(Letter.objects.unfinished().filter(judge=judge).values_list("pk", flat=True))
    return one


def delete(one: Leaver, client: Client | None = None) -> str:
    """Press delete on the real page, and return the address of the receipt."""
    sent = {"choice": "delete", "sure": "yes"}
    response = (client or Client()).post(f"{one.desk}leave/", sent)
    assert response.status_code == 302
    assert response["Location"].startswith("/deleted/")
    return str(response["Location"])


def written(mail: Path) -> str:
    """Return all letters in the folder, as they lie there."""
    return "".join(path.read_text() for path in sorted(mail.glob("*")))


def rows() -> dict[str, Counter[str]]:
    """Return every row of every table of the database itself, and every session as it reads."""
    found: dict[str, Counter[str]] = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608
            found[table] = Counter("\t".join(map(_text, row)) for row in cursor.fetchall())
    found["sessions, read"] = Counter(str(one.get_decoded()) for one in Session.objects.all())
    return found


def found_in(content: str | bytes, traces: dict[str, str]) -> list[str]:
    """Return which traces there are, also as JSON may write them."""
    whole = content.encode() if isinstance(content, str) else content
    return [what for what, text in traces.items() if any(form in whole for form in _forms(text))]


def in_rows(traces: dict[str, str]) -> dict[str, list[str]]:
    """Return which traces are in which table."""
    told = {table: found_in("\n".join(kept), traces) for table, kept in rows().items()}
    return {table: found for table, found in told.items() if found}


def in_files(folder: Path, traces: dict[str, str]) -> dict[str, list[str]]:
    """Return which traces are in which file below a folder, read as bytes."""
    told = {str(path.relative_to(folder)): found_in(_read(path), traces) for path in _files(folder)}
    return {name: found for name, found in told.items() if found}


def _files(folder: Path) -> Iterator[Path]:
    for at, _, names in os.walk(folder):
        yield from (Path(at, name) for name in sorted(names))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # SQLite takes files away with its last connection
        return b""


def _forms(text: str) -> Iterable[bytes]:
    escaped = json.dumps(text)[1:-1]
    return text.encode(), escaped.encode(), text.encode("utf-16-le")


def _text(value: object) -> str:
    return bytes(value).decode("utf-8", "replace") if isinstance(value, memoryview | bytes) else (
        str(value)
    )  # fmt: skip


def _same_material(study: Study) -> Material:
    run = study.design.runs.get()
    return Material(study.design.collection, run, list(study.design.models_chosen.all()))


def _join(other: Study) -> None:
    secret = links.open_secret(links.open_link(other, quota=2))
    page = Client().post(f"/join/{secret}/", {"name": ELSEWHERE, "email": EMAIL})
    assert page.status_code == 200, "joined"


def _take_part(client: Client, one: Leaver) -> list[str]:
    """Follow the link, agree, tell, answer two poems, change one answer, and begin a third."""
    assert client.get(f"/invitation/{one.key}/")["Location"] == one.desk
    _post(
        client, f"{one.desk}consent/", version="1", language="en", agree="yes", quotable="yes",
        thanked="yes", thanked_as=WORDS["thanked name"],
    )  # fmt: skip
    _post(
        client, f"{one.desk}about-you/", practice=["poet", "critic"], years="11-20",
        languages=["en", "zh"], conflicts=WORDS["conflicts"],
    )  # fmt: skip
    _post(client, f"{one.desk}display/", theme="sepia", text_size="5", line_numbers="yes")
    client.post(f"{one.desk}next/")
    judge = Judge.objects.get(code=one.code)
    tokens = list(Assignment.objects.of(judge).in_order().values_list("token", flat=True))
    first, second, third, *_ = tokens
    _put(client, one, first, {COMMENT: WORDS["typed, then retyped"]}, 0)
    _post(client, f"{one.desk}poem/{first}/", **survey(**{COMMENT: WORDS["comment"]}))
    _post(
        client, f"{one.desk}poem/{second}/",
        **survey(**{COMMENT: "Well.", OTHER_COMMENT: WORDS["comment in Chinese"]}),
    )  # fmt: skip
    changed = survey(quality="2", **{COMMENT: WORDS["changed comment"]})
    _post(client, f"{one.desk}poem/{first}/change/", edits="13", **changed)
    _put(client, one, third, {COMMENT: WORDS["typed, then retyped"]}, 0)
    _put(client, one, third, {COMMENT: WORDS["draft"], "quality": "5"}, 1)
    assert client.get(one.desk).status_code == 200
    assert client.get(f"{one.desk}answers.json").status_code == 200
    return tokens


def _write(staff: Client, study: Study, judge: Judge) -> None:
    """Write to the expert, and queue two letters more that are not sent yet."""
    said = {"to": "all", "subject": "News", "body": "Good news for all of you."}
    _post(staff, reverse("write-to-panel", args=[study.slug]), **said)
    _send_all()
    _post(staff, reverse("remind", args=[study.slug, judge.code]), again="yes")
    _post(staff, reverse("write-to-panel", args=[study.slug]), **{**said, "subject": "More"})
    # What a page tells the staff is told once.
    assert staff.get(reverse("panel", args=[study.slug])).status_code == 200


def _send_all() -> None:
    for key in Letter.objects.unfinished().order_by("pk").values_list("pk", flat=True):
        tasks.send_letter(key)


def _post(client: Client, address: str, **data: object) -> None:
    response = client.post(address, data)
    assert response.status_code == 302, response.content.decode()


def _put(client: Client, one: Leaver, token: str, answers: object, version: int) -> None:
    sent = {"answers": answers, "version": version, "milliseconds": 900}
    response = client.put(f"/api{one.desk}poem/{token}/draft/", sent, JSON)
    assert response.status_code == 200, response.content
