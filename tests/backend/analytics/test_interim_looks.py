"""Results of an open study are seen as its design allows, once for each look, and that is told."""

import pytest
from django.test import Client

from annotation.activity.models import Entry
from annotation.studies.models import Judge, Study
from backend.accounts.models import User
from backend.analytics.frames import StillBlinded, frame
from backend.design.models import Design, InterimLook
from backend.panel import withdrawing
from tests.backend.analytics.answering import reopened
from tests.studies import coordinator, make_study, researcher

pytestmark = pytest.mark.django_db

PAGE = "/studies/known/results/"
LOOK = "/studies/known/look/"
EXPORT = "/studies/known/export/"


@pytest.fixture
def study() -> Study:
    made = reopened(make_study(unblinded=False))
    Design.objects.filter(study=made).update(interim_looks=True)
    return made


@pytest.fixture
def vera(client: Client) -> Client:
    client.force_login(researcher())
    return client


def test_a_look_shows_the_results_once(study: Study, vera: Client) -> None:
    answer = vera.post(LOOK, {"reason": "A check of the scale"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Telling human from machine: the experts" in page
    assert "interim look 1" in page
    assert "Alpha" in page
    assert "/results/known/" not in page  # no table can be had as a file
    assert EXPORT not in page
    again = vera.get(PAGE)
    assert again.status_code == 409
    assert "Alpha" not in again.content.decode()
    assert vera.get("/results/known/coverage.csv").status_code == 409
    assert vera.post(EXPORT).status_code == 409


def test_what_is_sent_again_by_reloading_is_no_other_look(study: Study, vera: Client) -> None:
    def shown() -> str:
        return vera.get(PAGE).content.decode().split('name="seen" value="')[1].split('"')[0]

    sent = {"reason": "A check of the scale", "seen": shown()}
    assert vera.post(LOOK, sent).status_code == 200
    for again in (sent, {**sent, "seen": "none"}, {"reason": "From an old page"}):
        answer = vera.post(LOOK, again)
        assert answer.status_code == 409
        assert "Look 1, by vera, was recorded already" in answer.content.decode()
        assert "Alpha" not in answer.content.decode()
    assert InterimLook.objects.count() == 1
    assert vera.post(LOOK, {**sent, "seen": shown()}).status_code == 200
    assert InterimLook.objects.count() == 2


def test_the_results_tell_of_every_look_for_ever(study: Study, vera: Client) -> None:
    for seen, reason in enumerate(("A check of the scale", "Curiosity <i>")):
        vera.post(LOOK, {"reason": reason, "seen": seen})
    Study.objects.filter(pk=study.pk).update(state="closed")
    vera.post("/studies/known/unblind/")
    page = " ".join(vera.get(PAGE).content.decode().split())
    assert "2 interim looks before closing" in page
    assert "vera, " in page
    assert "Curiosity &lt;i&gt;" in page
    assert "not corrected for these looks" in page


def test_the_results_tell_after_which_look_an_expert_was_withdrawn(
    study: Study, vera: Client
) -> None:
    page = " ".join(vera.post(LOOK, {"reason": "A check"}).content.decode().split())
    assert "Nobody was withdrawn from the analysis or brought back into it." in page
    anna, ben = study.judges.order_by("pk")
    by = User.objects.get(username="vera")
    withdrawing.withdraw(anna, "Did not like the result", by=by)
    vera.post(LOOK, {"reason": "Again", "seen": 1})
    withdrawing.restore(anna, by=by)
    Judge.objects.filter(pk=ben.pk).update(withdrawn_at=study.opened_at)
    Study.objects.filter(pk=study.pk).update(state="closed")
    vera.post("/studies/known/unblind/")
    page = " ".join(vera.get(PAGE).content.decode().split())
    assert f"Expert <code>{ben.code}</code>: withdrawn on 1 March 2026, 09:00 UTC, before" in page
    for what, number in (("withdrawn", 1), ("brought back", 2)):
        told = page.split(f"Expert <code>{anna.code}</code>: {what} on ")[1].split("</li>")[0]
        assert told.endswith(f"after look {number}")


def test_a_study_without_looks_says_nothing_of_them(vera: Client) -> None:
    make_study()
    assert "interim look" not in vera.get(PAGE).content.decode()


def test_a_look_that_the_design_does_not_allow_is_refused_with_the_reason(
    study: Study, vera: Client
) -> None:
    Design.objects.update(interim_looks=False)
    answer = vera.post(LOOK, {"reason": "A check"})
    assert answer.status_code == 409
    assert "allows for no look" in answer.content.decode()
    assert f'action="{LOOK}"' not in answer.content.decode()
    assert not InterimLook.objects.exists()


def test_a_look_without_a_reason_is_refused(study: Study, vera: Client) -> None:
    answer = vera.post(LOOK)
    assert answer.status_code == 409
    assert "Say why you look now" in answer.content.decode()
    assert not InterimLook.objects.exists()


def test_no_look_by_a_coordinator_or_a_link(study: Study, client: Client) -> None:
    client.force_login(coordinator())
    assert client.post(LOOK, {"reason": "A check"}).status_code == 403
    client.force_login(researcher())
    assert client.get(LOOK).status_code == 405
    assert not InterimLook.objects.exists()


def test_a_look_at_one_study_opens_no_other(study: Study) -> None:
    other = make_study(slug="other", unblinded=False)
    look = study.design.looks.create(number=1, by=researcher(), reason="x", judgments=1)
    assert frame(study, look=look).number.size == 12
    with pytest.raises(StillBlinded):
        frame(other, look=look)
    with pytest.raises(StillBlinded):
        frame(study, look=InterimLook(design=study.design))


def test_reading_results_is_logged_once_an_hour_for_each_reader(vera: Client) -> None:
    make_study()
    entries = Entry.objects.filter(kind="results.viewed", study="known")
    for address in (PAGE, PAGE, "/results/known/coverage.csv"):
        vera.get(address)
    assert [entry.actor for entry in entries] == ["vera"]
    other = Client()
    other.force_login(researcher("wim"))
    other.get(PAGE)
    assert {entry.actor for entry in entries.all()} == {"vera", "wim"}


def test_what_was_not_shown_is_not_logged_as_read(study: Study, vera: Client) -> None:
    vera.get(PAGE)
    assert not Entry.objects.filter(kind="results.viewed").exists()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"reason": "A <second> check", "seen": 0}, "<li>Look 1, by vera, was recorded already"),
        ({"reason": " ", "seen": 1}, '<a href="#id_reason">Why do you look now?</a> – Say why'),
    ],
)
def test_a_refused_look_heads_the_page_and_keeps_the_reason(
    study: Study, vera: Client, sent: dict[str, object], said: str
) -> None:
    vera.post(LOOK, {"reason": "A check", "seen": 0})
    page = vera.post(LOOK, sent).text
    assert "<title>Not saved: " in page
    notice = page.split(" autofocus", 1)[1].split("</div>")[0]
    assert said in notice
    assert page.index(said) < page.index("<h1>")
    entry = page.split('<input type="text" name="reason"')[1].split(">")[0]
    assert ("A &lt;second&gt; check" in entry) == bool(str(sent["reason"]).strip())
    assert 'name="seen" value="1"' in page


def test_a_page_that_only_says_the_key_is_sealed_refuses_nothing(
    study: Study, vera: Client
) -> None:
    page = vera.get(PAGE).text
    assert "<title>Sealed: " in page
    assert " autofocus" not in page
