"""What a letter says, to whom, in which language; and what it never says."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from annotation.judgments import presenting
from annotation.judgments.services import submit
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge, Study
from backend.panel import letters
from backend.panel.letters import NotSendable, compose
from tests.annotation.panel import expert, survey
from tests.backend.design.material import AUTHOR, MODEL, SOURCE, TITLE, agree, draft
from tests.backend.panel.conftest import letter
from tests.studies import coordinator

pytestmark = pytest.mark.django_db

SITE = "https://poems.example.org"


@pytest.fixture(autouse=True)
def address(settings) -> None:
    settings.ADDRESS = SITE


def test_an_invitation_says_who_invites_to_what_how_long_and_where(study, ada):
    secret = links.secret_of(ada.invitations.get())
    message = compose(letter(ada))
    assert message.to == ["ada@reader.example"]
    assert message.subject == "Invitation to judge poems: Verse & “Voice”"
    for said in (
        "Dear Ada,",
        "Dr Vera Lang <vera@university.example> invites you",
        "“Verse & “Voice””",
        "You read 3 poems at a time",
        f"\n{SITE}/invitation/{secret}/\n",
        f"To pause, or to leave the study: {SITE}/invitation/{secret}/leave/",
        "It works until ",
    ):
        assert said in message.body
    assert "Honorarium" not in message.body


def test_where_poems_come_one_at_a_time_no_letter_tells_how_many(study, ada):
    Study.objects.update(dealing=Study.Dealing.DRAW, attention_every=1)
    study.items.filter(pk=study.items.first().pk).update(attention=True)
    ada.study.refresh_from_db()
    body = compose(letter(ada)).body
    assert "You read one poem after another, as many as you like" in body
    assert f"A poem takes about {presenting.minutes_at_a_time(ada.study)} minute" in body
    assert "poems at a time" not in body
    agree(ada)
    ledger.deal(ada)
    assert Assignment.objects.of(ada).waiting().count() == 2  # a test is one of them
    assert "1 poem is waiting for you" in compose(letter(ada, "reminder")).body


@pytest.mark.parametrize("kind", ["invitation", "message"])
def test_a_letter_about_a_draft_says_that_the_link_works_from_when_it_opens(ada, kind):
    said = "The study has not opened yet: the link works from when it opens."
    words = {"subject": "A word", "body": "Thank you."}
    assert said not in compose(letter(ada, kind, **words)).body
    ada.study.state = "draft"
    assert said in compose(letter(ada, kind, status="done", **words)).body


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "It works until 20 January 2030."), ("zh-hans", "2030年1月20日")],
)
def test_a_letter_writes_dates_in_the_way_of_its_language(ada, language, said):
    ada.language = language
    ada.invitations.update(expires_at=datetime(2030, 1, 20, 12, tzinfo=UTC))
    assert said in compose(letter(ada)).body


def test_a_letter_is_plain_text_with_a_way_out_in_its_head(ada):
    secret = links.secret_of(ada.invitations.get())
    message = compose(letter(ada))
    assert message.content_subtype == "plain"
    assert message.extra_headers == {
        "List-Unsubscribe": f"<{SITE}/invitation/{secret}/leave/>",
    }
    assert message.reply_to == ["Dr Vera Lang <vera@university.example>"]
    assert message.message()["Message-ID"]


def test_a_reminder_says_that_no_person_wrote_it_and_how_many_poems_wait(study):
    judge = expert(study, "Ben")
    judge.email = "ben@reader.example"
    judge.save()
    ledger.deal(judge)
    message = compose(letter(judge, "reminder"))
    assert message.subject == "A reminder: Verse & “Voice”"
    assert "3 poems are waiting for you" in message.body
    assert message.extra_headers["Auto-Submitted"] == "auto-generated"


def test_a_reminder_says_until_when_the_poems_are_kept(study):
    judge = expert(study, "Ben")
    judge.email = "ben@reader.example"
    judge.save()
    ledger.deal(judge)
    Judge.objects.update(active_at=datetime(2030, 2, 26, 12, tzinfo=UTC))  # fourteen days more
    body = compose(letter(Judge.objects.get(), "reminder")).body
    assert "They are kept for you until 12 March 2030. After that they go to other readers." in body
    first, *_, last = Assignment.objects.of(judge).in_order()
    for assignment in (first, last):
        submit(assignment, survey(), milliseconds=None)
    Judge.objects.update(active_at=datetime(2030, 2, 26, 12, tzinfo=UTC))
    body = compose(letter(Judge.objects.get(), "reminder", status="done")).body
    assert "It is kept for you until 12 March 2030. After that it goes to another reader." in body


def test_whoever_has_not_begun_is_told_of_no_poems(ada):
    body = compose(letter(ada, "reminder")).body
    assert "You are invited to judge poems" in body
    assert "waiting" not in body
    assert "kept" not in body


def test_what_is_paid_is_said_in_the_studys_words(study, ada):
    study.honorarium = "20 € an hour"
    study.save()
    ada.study.refresh_from_db()
    assert "Honorarium: 20 € an hour" in compose(letter(ada)).body


def test_a_message_carries_the_coordinators_words_and_the_way_out(ada):
    message = compose(letter(ada, "message", subject="News", body="Good <news> & more.\n\nVera"))
    assert message.subject == "News"
    assert message.body.startswith("Good <news> & more.\n\nVera\n")
    assert "/leave/" in message.body


@pytest.mark.parametrize(
    ("theirs", "studys", "language"),
    [
        ("zh-hans", "en", "zh-hans"),
        ("", "zh", "zh-hans"),
        ("en", "zh", "en"),
        ("", "xx", "en"),
        ("", "zh-tw", "zh-hans"),
    ],
)
def test_letters_are_in_the_experts_language_else_the_studys_else_english(
    ada, theirs, studys, language
):
    ada.language, ada.study.language = theirs, studys
    assert letters.language_of(ada) == language


@pytest.mark.parametrize("kind", ["invitation", "reminder", "message"])
def test_a_break_in_a_name_title_or_subject_makes_no_header(study, ada, kind):
    ada.name = "Ada\r\nBcc: eve@thief.example"
    study.title = "Verse\nBcc: eve@thief.example\x07"
    study.contact = "Vera\r\n <vera@university.example>"
    for row in (ada, study):
        row.save()
    ada.study = study
    message = compose(letter(ada, kind, subject="A\r\nBcc: eve@thief.example")).message()
    assert set(message.keys()) <= {
        "Content-Type", "MIME-Version", "Content-Transfer-Encoding", "Subject", "From", "To",
        "Reply-To", "Date", "Message-ID", "List-Unsubscribe", "Auto-Submitted",
    }  # fmt: skip
    assert message["To"] == "ada@reader.example"


@pytest.mark.parametrize("contact", ["", "the office, room 3", "who@", "Vera <vera@>"])
def test_a_contact_without_address_is_nobody_to_reply_to(study, ada, contact):
    ada.study.contact = contact
    assert compose(letter(ada)).reply_to == []


def happen(judge, change, settings):
    """Let something happen to an expert, or to the site, that keeps a letter back."""
    now = timezone.now()
    match change:
        case "paused" | "left":
            setattr(judge, f"{change}_at", now)
        case "no address":
            judge.email = ""
        case "closed" | "draft":
            judge.study.state = change
        case "stopped":
            ledger.revoke(judge)
        case "expired":
            judge.invitations.update(expires_at=now)
        case "other key":
            settings.SECRET_KEY = "another key of the site, as long as it should be"
        case "no mail":
            settings.SENDS_MAIL = False


@pytest.mark.parametrize(
    ("change", "kind", "reason"),
    [
        ("paused", "invitation", "has paused"),
        ("paused", "message", "has paused"),
        ("left", "reminder", "has left"),
        ("left", "message", "has left"),
        ("no address", "invitation", "no address"),
        ("closed", "reminder", "study is closed"),
        ("closed", "invitation", "study is closed"),
        ("draft", "reminder", "not open yet"),
        ("stopped", "reminder", "is stopped; make a new link"),
        ("expired", "invitation", "has expired; make a new link"),
        ("other key", "invitation", "key has changed"),
        ("no mail", "invitation", "sends no mail"),
    ],
)
def test_nobody_is_written_to_who_must_not_or_cannot_be(ada, settings, change, kind, reason):
    happen(ada, change, settings)
    with pytest.raises(NotSendable, match=reason):
        compose(letter(ada, kind))


def test_a_message_after_the_close_reaches_whoever_has_a_link_that_expired(ada):
    ada.study.state = "closed"
    ada.invitations.update(expires_at=timezone.now())
    body = compose(letter(ada, "message", subject="Thanks", body="Thank you.")).body
    assert "/leave/" in body
    assert "Your personal link" not in body  # it would lead nowhere


def test_no_letter_tells_where_poems_come_from():
    study = draft()
    study.state = "open"
    judge = links.invite(study, name="Ada", email="ada@reader.example").invitation.judge
    judge.study = study
    for kind in ("invitation", "reminder", "message"):
        text = compose(letter(judge, kind, subject="s", body="b")).message().as_string()
        assert not [secret for secret in (AUTHOR, SOURCE, TITLE, MODEL) if secret in text]
        assert judge.code not in text


def test_an_invitation_tells_the_minutes_that_the_desk_tells(study, ada):
    study.items.update(text="word " * 600, brief="")  # ten minutes' reading, without the questions
    minutes = presenting.minutes_at_a_time(study)
    assert minutes > 30
    assert f"That takes about {minutes} minutes." in compose(letter(ada)).body


@pytest.mark.parametrize("change", ["nothing", "paused", "left", "closed", "draft"])
def test_whoever_asked_for_their_link_gets_it_even_to_leave(ada, settings, change):
    ada.link_wanted_at = timezone.now()
    happen(ada, change, settings)
    message = compose(letter(ada))
    secret = links.secret_of(ada.invitations.get())
    assert message.subject == "Your personal link: Verse & “Voice”"
    assert f"\n{SITE}/invitation/{secret}/\n" in message.body
    assert f"{SITE}/invitation/{secret}/leave/" in message.body
    assert "invites you" not in message.body
    assert message.extra_headers["Auto-Submitted"] == "auto-generated"


@pytest.mark.parametrize("change", ["paused", "left", "closed"])
def test_having_asked_once_lets_no_coordinators_letter_through(ada, settings, change):
    ada.link_wanted_at = timezone.now()
    happen(ada, change, settings)
    for asked in ({"kind": "invitation", "asked_by": coordinator()}, {"kind": "reminder"}):
        with pytest.raises(NotSendable):
            compose(letter(ada, **asked))


@pytest.mark.parametrize("change", ["stopped", "expired", "no address", "no mail", "other key"])
def test_a_link_that_was_asked_for_is_not_sent_where_it_cannot_be(ada, settings, change):
    ada.link_wanted_at = timezone.now()
    happen(ada, change, settings)
    with pytest.raises(NotSendable):
        compose(letter(ada))
