"""After "delete" no table, file, log line, page or export holds anything of the person."""

import io
import json
import logging
import secrets
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from django.core import signing
from django.core.mail import EmailMessage
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.judgments import leaving
from annotation.judgments.erasing import MAIL_IN_FILES, erase_letters
from annotation.judgments.models import Judgment
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.consenting import record_background
from annotation.studies.models import Assignment, Background, Item, Judge, Study
from backend.design import services as design
from backend.design import unsealing
from backend.panel import reminding, services, tasks
from backend.panel.models import Letter, PanelRules
from tests.annotation.panel import expert, open_study
from tests.backend.exports.opened import packed
from tests.leavers import (
    EMAIL,
    NAME,
    WORDS,
    Leaver,
    another_study,
    delete,
    found_in,
    in_files,
    in_rows,
    neighbour,
    rows,
    study_of_poems,
    visit,
    written,
)
from tests.studies import researcher

ANSWERS, GIVEN, QUESTIONS = 2, 4, 13


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no message go to a broker: the tests send letters themselves."""
    monkeypatch.setattr(tasks.sweep, "delay", lambda: None)


@pytest.fixture
def mail(settings, tmp_path: Path) -> Path:
    settings.EMAIL_BACKEND = MAIL_IN_FILES
    settings.EMAIL_FILE_PATH = folder = tmp_path / "mail"
    folder.mkdir()
    return folder


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(researcher())
    return client


@pytest.fixture
def study(db: None) -> Study:
    return study_of_poems()


@pytest.fixture
def other(study: Study) -> Study:
    return another_study(study)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that any logger says, down to its debug lines, as the site writes it."""
    ours = next(one for one in logging.root.handlers if one.name == "stderr")
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    handler.setFormatter(ours.formatter)
    known = [one for one in logging.root.manager.loggerDict.values()
             if isinstance(one, logging.Logger)]  # fmt: skip
    loggers = [one for one in known if one.name != "django.template"]
    before = [(one, one.level) for one in (logging.root, *loggers)]
    for one, _ in before:
        one.setLevel(logging.DEBUG)
        if one is logging.root or not one.propagate:
            one.addHandler(handler)
    yield said
    for one, level in before:
        one.setLevel(level)
        one.removeHandler(handler)


@pytest.fixture
def leaver(study: Study, other: Study, staff: Client, mail: Path) -> Leaver:
    neighbour(study)
    return visit(study, other, staff, mail)


def changes(before: dict[str, Counter[str]], after: dict[str, Counter[str]]) -> Counter[str]:
    """Return how many rows went from each table, and, with a plus, how many came to it."""
    gone = {table: (before[table] - after[table]).total() for table in before}
    come = {f"+{table}": (after[table] - before[table]).total() for table in after}
    return +Counter({**gone, **come})


def test_no_table_holds_anything_but_two_counts_and_nobody_else_loses_a_row(study, other, leaver):
    before = rows()
    missing = set(leaver.traces) - {
        what for found in in_rows(leaver.traces).values() for what in found
    }
    # What no table may hold even before: the links themselves, and what was typed over in a draft.
    assert missing == {"first link", "link", "typed, then retyped", "sha"}
    places = dict(Item.objects.values_list("pk", "places_taken"))

    delete(leaver)

    assert in_rows(leaver.personal) == {}
    assert Judge.objects.get(email=EMAIL).study == other
    assert in_rows(leaver.traces) == {"studies_judge": ["address"]}
    assert changes(before, rows()) == {
        "studies_judge": 1,
        "studies_invitation": 2,
        "studies_consent": 1,
        "studies_background": 1,
        "studies_assignment": GIVEN,
        "judgments_draft": 1,
        "judgments_judgment": ANSWERS,
        "judgments_rating": ANSWERS * QUESTIONS + 2,
        "panel_letter": 5,
        # What changed, once as it was and once as it is.
        "studies_study": 1,
        "+studies_study": 1,
        "studies_item": GIVEN,
        "+studies_item": GIVEN,
        "studies_cell": GIVEN,
        "+studies_cell": GIVEN,
        # Of the deletion, with the number of judgments; none that told of them can be told apart.
        "+activity_entry": 1,
    }
    study.refresh_from_db()
    assert (study.experts_deleted, study.judgments_deleted) == (1, ANSWERS)
    now = dict(Item.objects.values_list("pk", "places_taken"))
    assert Counter(places[item] - now[item] for item in places) == {
        0: len(places) - GIVEN,
        1: GIVEN,
    }


def test_who_leaves_the_other_study_too_is_nowhere(other, leaver):
    delete(leaver)
    elsewhere = links.link_for(Judge.objects.get(email=EMAIL))
    delete(Leaver(elsewhere.secret, ""))
    assert in_rows(leaver.traces | {"pseudonym": "Pseudonym Elsewhere"}) == {}


@pytest.mark.django_db(transaction=True)
def test_no_file_holds_a_byte_of_the_person(study, other, leaver, mail):
    assert set(found_in(written(mail), leaver.traces)) >= {"name", "address", "link"}
    elsewhere = links.link_for(Judge.objects.get(study=other, email=EMAIL))
    delete(leaver)
    assert in_files(mail, leaver.traces) == {}
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL's files: freed bytes stay until its next VACUUM, logs and backups")
    assert _in_the_database_files(leaver.personal) == {}
    delete(Leaver(elsewhere.secret, ""))
    assert _in_the_database_files(leaver.traces) == {}


@pytest.mark.django_db(transaction=True)
def test_rows_that_sqlite_moved_leave_no_copy_behind():
    if connection.vendor != "sqlite":
        pytest.skip("SQLite's files")
    # Rows that come, grow, shrink and go in no order, so that pages are split and merged; with
    # this seed, overwriting what is deleted (`secure_delete`) is not enough.
    study, chance, leave, stay = open_study(), Random(0), [], []
    for number in range(300):
        word, group = ("tracewords", leave) if chance.random() < 0.15 else ("somewords", stay)
        email = (
            f"{chance.randbytes(4).hex()}@{word}{chance.randbytes(chance.choice((1, 50))).hex()}"
        )
        group.append(Judge.objects.create(study=study, name=f"{word} {number}", email=email))
        for judge in chance.sample(leave + stay, min(3, number + 1)):
            said = f"{judge.name.split()[0]} " * chance.choice((1, 5, 40, 90, 300, 900))
            record_background(judge, practice=[], years="", languages=[], conflicts=said)
        if len(stay) > 30 and chance.random() < 0.3:
            gone = stay.pop(chance.randrange(len(stay)))
            Background.objects.filter(judge=gone).delete()
            gone.delete()
    with transaction.atomic():
        for judge in leave:
            leaving.delete(judge)
    assert _in_the_database_files({"mark": "tracewords"}) == {}


def _in_the_database_files(traces: dict[str, str]) -> dict[str, list[str]]:
    path = Path(connection.settings_dict["NAME"])
    files = {one.name: one.read_bytes() for one in path.parent.glob(f"{path.name}*")}
    assert files, "no database where it should be"
    told = {name: found_in(content, traces) for name, content in files.items()}
    return {name: found for name, found in told.items() if found}


def test_no_log_line_tells_of_the_person(log, study, other, staff, mail):
    leaver = visit(study, other, staff, mail)
    client = Client()
    for refused in (f"{leaver.desk}consent/", f"{leaver.desk}nothing/", f"{leaver.desk}about-you/"):
        client.post(refused, {"years": WORDS["conflicts"]})
    delete(leaver)
    client.get(leaver.desk)
    client.get(f"/api{leaver.desk}poem/{leaver.traces['token 0']}/")
    logging.getLogger("django.request").debug("the log is heard")
    assert "the log is heard" in log.getvalue()
    assert [line for line in log.getvalue().splitlines() if found_in(line, leaver.traces)] == []
    # Its debug lines print all that a page knows, so no setting may ask for them.
    assert not logging.getLogger("django.template").isEnabledFor(logging.DEBUG)


def test_no_export_and_no_page_shows_a_trace_and_the_results_are_computed(study, leaver, staff):
    delete(leaver)
    design.close(study)
    user = researcher("vera-2")
    unsealing.ask(study, by=user)
    study.refresh_from_db()
    package = packed(study)
    for name in package.namelist():
        assert found_in(package.read(name), leaver.traces) == [], name
        assert found_in(name, leaver.traces) == [], name
    about = json.loads(package.read("study.json"))
    assert (about["experts_deleted"], about["judgments_deleted"]) == (1, ANSWERS)
    assert about["experts"] == 1
    pages = [
        reverse(name, args=[study.slug]) for name in ("study", "panel", "results", "links-file")
    ]
    for page in (*pages, reverse("studies"), reverse("start")):
        answer = staff.get(page)
        assert answer.status_code == 200, page
        assert found_in(answer.content, leaver.traces) == [], page


def test_messages_that_the_staff_have_not_looked_at_yet_keep_no_name(study, leaver, staff):
    for _ in range(60):  # more than a cookie holds
        staff.post(reverse("invite", args=[study.slug]), {"name": secrets.token_hex(30)})
    staff.post(reverse("remind", args=[study.slug, leaver.code]), {"again": "yes"})
    delete(leaver)
    assert in_rows(leaver.personal) == {}


def test_the_places_can_be_given_again_up_to_exactly_k(study, leaver):
    delete(leaver)
    Study.objects.filter(pk=study.pk).update(asks_background=False)
    while ledger.deal(expert(Study.objects.get(pk=study.pk))):
        pass
    assert set(study.items.values_list("places_taken", flat=True)) == {study.judges_per_item}
    counting = Assignment.objects.filter(item__study=study, counts=True, given_back_at=None)
    per_item = Counter(counting.values_list("item_id", flat=True))
    assert set(per_item.values()) == {study.judges_per_item}


def test_the_receipt_shows_counts_only_and_a_forged_one_is_not_found(study, leaver):
    receipt = delete(leaver)
    page = Client().get(receipt)
    text = page.content.decode()
    assert found_in(text, leaver.traces) == []
    shown = [f"<dt>{what}</dt><dd>{n}</dd>" for what, n in
             (("Judgments", ANSWERS), ("Drafts", 1), ("Places given back", GIVEN))]  # fmt: skip
    assert [line for line in shown if line not in text] == []
    assert set(vars(leaving.from_token(receipt.split("/")[2]))) == {
        "study_title", "fingerprint", "answers", "drafts", "places", "deleted_at",
    }  # fmt: skip
    token = receipt.split("/")[2]
    other_salt = signing.dumps(signing.loads(token, salt=leaving.SALT), salt="other")
    for forged in (token[:-1] + ("A" if token[-1] != "A" else "B"), "A" + token, "x", other_salt):
        assert Client().get(f"/deleted/{forged}/").status_code == 404


def test_the_link_is_stale_everywhere_afterwards(leaver):
    delete(leaver)
    client = Client()
    token = leaver.traces["token 2"]
    for page in (
        "",
        "leave/",
        "consent/",
        "answers/",
        "answers.json",
        "certificate/",
        f"poem/{token}/",
    ):
        assert client.get(f"{leaver.desk}{page}").status_code == 404, page
    assert client.get(f"/invitation/{leaver.key}/").status_code == 404
    assert client.get(f"/invitation/{leaver.key}/leave/").status_code == 404
    again = client.post(f"{leaver.desk}leave/", {"choice": "delete", "sure": "yes"})
    assert again.status_code == 404
    sent = {"answers": {"quality": "3"}, "version": 2, "milliseconds": 1}
    there = f"/api{leaver.desk}poem/{token}/"
    assert client.put(f"{there}draft/", sent, "application/json").status_code == 403
    assert client.post(f"{there}judgment/", sent, "application/json").status_code == 403


def test_letters_that_were_queued_are_gone_and_never_sent(leaver, mail):
    assert len(leaver.queued) == 2
    delete(leaver)
    before = written(mail)
    for key in leaver.queued:
        tasks.send_letter(key)
    tasks.sweep()
    assert written(mail) == before
    assert not Letter.objects.filter(pk__in=leaver.queued).exists()


@pytest.mark.parametrize("moment", ["composed", "let go", "written"])
def test_a_letter_that_a_worker_has_claimed_leaves_no_copy(leaver, mail, monkeypatch, moment):
    sent = []

    def then_delete(step, after):
        def leave_meanwhile(*args, **kwargs):
            result = step(*args, **kwargs) if after else None
            delete(leaver)
            return result if after else step(*args, **kwargs)

        return leave_meanwhile

    real = EmailMessage.send
    if moment == "composed":
        compose = then_delete(services.letters.compose, after=True)
        monkeypatch.setattr(services.letters, "compose", compose)
        monkeypatch.setattr(EmailMessage, "send", lambda self: sent.append(self) or real(self))
    elif moment == "let go":
        # The deletion has looked for copies; only now is this one written.
        monkeypatch.setattr(EmailMessage, "send", then_delete(real, after=False))
    else:
        monkeypatch.setattr(EmailMessage, "send", then_delete(real, after=True))
    tasks.send_letter(leaver.queued[0])
    assert sent == []
    assert in_files(mail, leaver.traces) == {}
    assert in_rows(leaver.personal) == {}


def test_a_copy_that_another_deletion_takes_away_first_stops_nobody(mail, monkeypatch):
    EmailMessage("Poems", "Dear reader", to=[EMAIL]).send()
    there = Path.is_file
    monkeypatch.setattr(Path, "is_file", lambda path: there(path) and not path.unlink())
    assert erase_letters(EMAIL) == 0


@pytest.mark.parametrize("choice", ["pause", "stop"])
def test_whoever_pauses_or_stops_is_not_written_to_and_can_return(
    study, staff, mail, leaver, choice
):
    PanelRules.objects.create(study=study, remind_after_days=1, remind_before_expiry_days=0)
    judge = Judge.objects.get(study=study, email=EMAIL)
    taken = sum(study.items.values_list("places_taken", flat=True))
    client, before = Client(), written(mail)
    assert client.post(f"{leaver.desk}leave/", {"choice": choice})["Location"] == leaver.desk

    for key in leaver.queued:  # asked for before
        tasks.send_letter(key)
    later = timezone.now() + timezone.timedelta(days=30)
    assert judge not in reminding.with_something_left(study, later)
    staff.post(reverse("remind-all", args=[study.slug]))
    reminding.queue_reminders(later)
    assert not Letter.objects.unfinished().filter(judge=judge).exists()
    assert written(mail) == before
    given_back = taken - sum(study.items.values_list("places_taken", flat=True))
    assert given_back == (GIVEN - ANSWERS if choice == "stop" else 0)
    assert Judgment.objects.filter(assignment__judge=judge).count() == ANSWERS
    assert client.post(f"{leaver.desk}next/").status_code == 409

    assert client.post(f"{leaver.desk}leave/", {"choice": "resume"}).status_code == 302
    response = client.post(f"{leaver.desk}next/")
    assert response["Location"].startswith(f"{leaver.desk}poem/")
    staff.post(reverse("remind", args=[study.slug, judge.code]), {"again": "yes"})
    for key in Letter.objects.unfinished().filter(judge=judge).values_list("pk", flat=True):
        tasks.send_letter(key)
    assert NAME in written(mail).removeprefix(before)
