"""Leaving: a pause, a stop that keeps the answers, a deletion that keeps nothing."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.apps import apps
from django.core.signing import BadSignature
from django.db import connection

from annotation.activity.models import Entry
from annotation.activity.services import keyed
from annotation.judgments import erasing, leaving
from annotation.judgments.models import Draft, Judgment
from annotation.judgments.services import edit, save_draft, submit
from annotation.studies import services as ledger
from annotation.studies.amending import withdraw
from annotation.studies.consenting import agree, record_background, wording_for
from annotation.studies.links import StaleLink, follow, invite, join, open_link
from annotation.studies.models import Assignment, Item, Judge, OpenLink, Study
from backend.panel.models import Letter
from tests.annotation.panel import expert, open_study, survey

# Each of them in one place only, so that whatever is left betrays where.
SECRETS = {
    "name": "Ada Quillfeather",
    "email": "ada.quillfeather@reader.example",
    "thanked_as": "A. Quillfeather-Thanked",
    "conflicts": "Conflicted Rivalname",
    "draft": "a half-written remark on hexameters",
    "comment": "the volta comes a line too soon",
    "edited": "the volta is where it should be",
    "letter": "Dear reader of the first canto",
}
RECEIPT = leaving.Receipt(
    study_title="Study 诗",
    fingerprint="f" * 64,
    answers=2,
    drafts=1,
    places=3,
    deleted_at=datetime(2026, 5, 1, 12, 30, 15, 250, tzinfo=UTC),
)


def comment_question(study):
    return next(one.key for one in study.instrument.questions if one.kind == "comment")


def person(study):
    """Return an expert who left a trace wherever an expert can: one answer, edited, one draft."""
    by = open_link(study, quota=3)
    judge = join(by, name=SECRETS["name"], email=SECRETS["email"]).invitation.judge
    agree(
        judge,
        wording=wording_for(study, "en"),
        quotable=True,
        thanked_as=SECRETS["thanked_as"],
    )
    record_background(
        judge, practice=["poet"], years="3-5", languages=["en"], conflicts=SECRETS["conflicts"]
    )
    ledger.deal(judge)
    first, second, *_ = Assignment.objects.of(judge).in_order()
    comment = comment_question(study)
    judgment = submit(first, survey(**{comment: SECRETS["comment"]}), milliseconds=1000)
    edits = judgment.ratings.count()
    edit(judgment, survey(**{comment: SECRETS["edited"]}), edits=edits)
    save_draft(second, {comment: SECRETS["draft"]}, version=0)
    Letter.objects.create(judge=judge, kind="message", subject="News", body=SECRETS["letter"])
    return judge


def everything_stored():
    """Return every value of every row of every table, as one text."""
    rows = (
        row for model in apps.get_models(include_auto_created=True)
        for row in model._base_manager.values_list()
    )  # fmt: skip
    return "\n".join(str(value) for row in rows for value in row)


def files_of_the_database():
    name = connection.settings_dict["NAME"]
    return b"".join(path.read_bytes() for path in Path(name).parent.glob(Path(name).name + "*"))


def places(study):
    return list(study.items.order_by("pk").values_list("places_taken", flat=True))


@pytest.mark.django_db
def test_whoever_pauses_is_given_nothing_and_keeps_what_they_have_until_they_resume():
    study = open_study(items=6, batch=3)
    judge = expert(study)
    ledger.deal(judge)
    leaving.pause(judge)
    assert list(study.judges.at_work()) == []
    assert Assignment.objects.of(judge).waiting().count() == 3
    with pytest.raises(ledger.NotTakingPart):
        ledger.deal(judge)
    leaving.resume(judge)
    assert list(study.judges.at_work()) == [judge]
    assert ledger.deal(judge) == 0  # the batch of before is not done


@pytest.mark.django_db
def test_whoever_stops_gives_places_back_and_keeps_answers_drafts_and_link():
    study = open_study(items=3, judges_per_item=1, batch=3)
    link = invite(study, name="Ada")
    judge = link.invitation.judge
    agree(judge, wording=wording_for(study, "en"))
    ledger.deal(judge)
    first, second, _ = Assignment.objects.of(judge).in_order()
    submit(first, survey(), milliseconds=1000)
    save_draft(second, {"quality": "4"}, version=0)
    assert leaving.stop(judge) == 2
    assert Counter(places(study)) == {0: 2, 1: 1}
    assert (Judgment.objects.count(), Draft.objects.count()) == (1, 1)
    assert follow(link.secret).judge.left_at is not None
    assert list(study.judges.at_work()) == []
    assert ledger.deal(expert(study)) == 2


@pytest.mark.django_db
def test_pauses_stops_and_returns_are_in_the_log_even_if_nothing_waited():
    judge = expert(open_study())
    for deed in (leaving.pause, leaving.resume, leaving.stop, leaving.resume):
        deed(judge)
    about = Entry.objects.filter(subject=keyed(judge.log_key, f"judge {judge.pk}")).order_by("pk")
    kinds = ["judge.invited", "judge.paused", "judge.resumed", "judge.stopped", "judge.resumed"]
    assert list(about.values_list("kind", flat=True)) == kinds
    leaving.delete(judge)
    gone = Entry.objects.count()
    leaving.pause(judge)
    assert Entry.objects.count() == gone


@pytest.mark.django_db
def test_whoever_comes_back_after_a_stop_goes_on_where_they_were():
    judge = expert(open_study(items=6, batch=3))
    ledger.deal(judge)
    had = dict(Assignment.objects.of(judge).values_list("item_id", "token"))
    leaving.stop(judge)
    leaving.resume(judge)
    assert ledger.deal(judge) == 3
    again = dict(Assignment.objects.of(judge).waiting().values_list("item_id", "token"))
    assert again == had  # the same addresses, and so the same drafts
    assert Item.objects.filter(places_taken=1).count() == 3


@pytest.mark.django_db
def test_whoever_comes_back_late_is_given_what_is_left():
    study = open_study(items=6, batch=3, judges_per_item=1)
    judge, other = expert(study), expert(study)
    ledger.deal(judge)
    leaving.stop(judge)
    assert ledger.deal(other) == 3
    leaving.resume(judge)
    assert ledger.deal(judge) == 3
    assert set(Item.objects.values_list("places_taken", flat=True)) == {1}


@pytest.mark.django_db
def test_a_deletion_leaves_nothing_in_any_table_but_two_counts(settings, tmp_path):
    settings.EMAIL_BACKEND = erasing.MAIL_IN_FILES
    settings.EMAIL_FILE_PATH = tmp_path
    study = open_study(items=6, batch=3)
    judge = person(study)
    code, keys = judge.code, set(Assignment.objects.of(judge).values_list("token", flat=True))
    letter = tmp_path / "1.log"
    letter.write_bytes(f"To: {SECRETS['email']}\n\nHello.\n".encode())
    before = everything_stored()
    traces = [*SECRETS.values(), code, *keys]
    assert [trace for trace in traces if trace not in before] == []

    receipt = leaving.delete(judge)

    after = everything_stored()
    assert [trace for trace in traces if trace in after] == []
    assert not letter.exists()
    study.refresh_from_db()
    assert (study.experts_deleted, study.judgments_deleted) == (1, 1)
    assert (receipt.study_title, receipt.fingerprint) == (study.title, "f" * 64)
    assert (receipt.answers, receipt.drafts, receipt.places) == (1, 1, 3)
    assert OpenLink.objects.get().used == 1


@pytest.mark.django_db(transaction=True)
def test_a_deletion_leaves_no_bytes_in_the_files_of_sqlite():
    if connection.vendor != "sqlite":
        pytest.skip("SQLite only")
    study = open_study(items=6, batch=3)
    # Many rows around the person's, so that pages are split and merged.
    for _ in range(30):
        other = expert(study)
        record_background(other, practice=[], years="", languages=[], conflicts="Nobody " * 40)
    judge = person(study)
    traces = [text.encode() for text in SECRETS.values()]
    held = files_of_the_database()
    assert [trace for trace in traces if trace not in held] == []
    leaving.delete(judge)
    held = files_of_the_database()
    assert [trace for trace in traces if trace in held] == []


@pytest.mark.django_db
def test_deleted_places_can_be_given_again_up_to_exactly_k():
    study = open_study(items=4, judges_per_item=2, batch=4)
    leaver, stayer = expert(study), expert(study)
    for judge in (leaver, stayer):
        ledger.deal(judge)
    for assignment in Assignment.objects.of(leaver).in_order()[:3]:
        submit(assignment, survey(), milliseconds=1000)
    assert leaving.delete(leaver).places == 4
    assert places(study) == [1] * 4
    while ledger.deal(expert(study)):
        pass
    assert places(study) == [2] * 4
    counting = Assignment.objects.filter(counts=True, given_back_at=None)
    assert set(Counter(counting.values_list("item_id", flat=True)).values()) == {2}


@pytest.mark.django_db
def test_a_place_that_was_given_back_before_is_not_given_back_twice():
    study = open_study(items=3, judges_per_item=2, batch=3)
    leaver, stayer = expert(study), expert(study)
    for judge in (leaver, stayer):
        ledger.deal(judge)
    submit(Assignment.objects.of(leaver).in_order().first(), survey(), milliseconds=1000)
    assert leaving.stop(leaver) == 2
    receipt = leaving.delete(leaver)
    assert (receipt.places, receipt.answers) == (1, 1)
    assert places(study) == [1] * 3


@pytest.mark.django_db
def test_a_deletion_touches_nobody_else():
    study = open_study(items=6, batch=3)
    stayer = expert(study, "Ben")
    ledger.deal(stayer)
    submit(Assignment.objects.of(stayer).in_order().first(), survey(), milliseconds=1000)
    leaving.delete(person(study))
    assert list(study.judges.all()) == [stayer]
    assert Judgment.objects.get().ratings.count() == len(study.instrument.questions)
    assert stayer.consents.count() == stayer.invitations.count() == 1


@pytest.mark.django_db
def test_the_link_of_a_deleted_expert_leads_nowhere_and_the_address_can_be_invited_again():
    study = open_study()
    link = invite(study, name="Ada", email="ada@example.org")
    leaving.delete(link.invitation.judge)
    with pytest.raises(StaleLink):
        follow(link.secret)
    invite(study, name="Ada", email="ada@example.org")


@pytest.mark.django_db
def test_a_language_model_cannot_be_deleted():
    study = open_study()
    machine = Judge.objects.create(study=study, kind=Judge.Kind.MACHINE, name="Alpha")
    with pytest.raises(ValueError, match="language model"):
        leaving.delete(machine)
    assert study.judges.get() == machine


@pytest.mark.django_db
def test_nothing_is_deleted_where_a_copy_of_a_letter_cannot_be(monkeypatch):
    study = open_study()
    judge = person(study)

    def full(_address):
        raise PermissionError("read-only")

    monkeypatch.setattr(leaving, "erase_letters", full)
    with pytest.raises(PermissionError):
        leaving.delete(judge)
    study.refresh_from_db()
    assert study.experts_deleted == 0
    assert judge.assignments.count() == 3


@pytest.mark.django_db(transaction=True)
def test_two_who_press_delete_at_once_delete_once():
    study = open_study(items=6, judges_per_item=2, batch=3)
    judge = person(study)

    def press(_):
        try:
            return leaving.delete(Judge.objects.get(pk=judge.pk)).places
        except Judge.DoesNotExist:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        pressed = list(pool.map(press, range(4)))
    assert Counter(pressed) == {None: 3, 3: 1}
    assert Study.objects.get().experts_deleted == 1
    assert places(study) == [0] * 6


@pytest.mark.django_db(transaction=True)
def test_experts_may_be_deleted_while_others_come_and_answer():
    study = open_study(items=8, judges_per_item=3, batch=4)
    leavers, stayers = ([expert(study) for _ in range(4)] for _ in range(2))

    def come(judge):
        try:
            ledger.deal(judge)
            for assignment in Assignment.objects.of(judge).waiting():
                submit(assignment, survey(), milliseconds=1000)
            if judge in leavers:
                leaving.delete(Judge.objects.get(pk=judge.pk))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(come, [judge for pair in zip(leavers, stayers, strict=True) for judge in pair])
        )
    standing = Counter(Assignment.objects.values_list("item_id", flat=True))
    assert dict(Item.objects.values_list("pk", "places_taken")) == {
        item: standing[item] for item in study.items.values_list("pk", flat=True)
    }
    assert Study.objects.get().experts_deleted == 4


def test_a_receipt_comes_back_from_its_token_and_a_forged_one_does_not():
    token = leaving.to_token(RECEIPT)
    assert leaving.from_token(token) == RECEIPT
    for forged in ("", "x", token[:-1] + ("A" if token[-1] != "A" else "B"), "A" + token):
        with pytest.raises(BadSignature):
            leaving.from_token(forged)


@pytest.mark.django_db
def test_whoever_was_withdrawn_is_deleted_with_every_answer_and_the_reason():
    study = open_study()
    judge = expert(study)
    ledger.deal(judge)
    for one in Assignment.objects.of(judge).waiting()[:2]:
        submit(one, survey(), milliseconds=1)
    withdraw(judge, "Ada Quillfeather told us that she knew the poets.")
    receipt = leaving.delete(Judge.objects.get(pk=judge.pk))
    assert (receipt.answers, receipt.places) == (2, 0)
    assert not Judgment.objects.exists()
    assert set(study.items.values_list("places_taken", flat=True)) == {0}
    assert Study.objects.get(pk=study.pk).judgments_deleted == 2
    assert not any("Quillfeather" in str(entry) for entry in Entry.objects.values_list())
