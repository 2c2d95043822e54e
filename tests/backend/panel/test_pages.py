"""The coordinator's way on the panel page: invite, hand out links, stop them, watch."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.activity.services import keyed
from annotation.judgments.services import submit
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Group, Invitation, Judge, OpenLink, Study
from backend.panel.models import Letter
from backend.panel.progress import seats
from tests.annotation.panel import expert, survey
from tests.backend.panel.conftest import letter

pytestmark = pytest.mark.django_db


def body(client: Client, page: str, *args: object) -> str:
    response = client.get(reverse(page, args=args))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def post(client: Client, page: str, *args: object, **data: object):  # type: ignore[no-untyped-def]
    return client.post(reverse(page, args=args), data, follow=True)


def panel(client: Client, study: Study) -> str:
    return body(client, "panel", study.slug)


def link(page: str, what: str = "invitation") -> str:
    """Return the path of the link on a page."""
    found = re.search(rf'value="http://testserver(/{what}/[^"]+/)"', page)
    assert found
    return found[1]


def row(page: str, name: str) -> str:
    """Return the row of the experts' table that is about this expert."""
    found = re.search(rf'<th scope="row">{name}.*?</tr>', page)
    assert found
    return found[0]


def test_an_invitation_shows_its_link_which_can_be_shown_again(client, study):
    answer = post(client, "invite", study.slug, name="Ada", email="ada@reader.example")
    address = link(answer.content.decode())
    judge = Judge.objects.get()
    assert (judge.name, judge.email, judge.language) == ("Ada", "ada@reader.example", "")
    assert "no-store" in answer["Cache-Control"]
    assert Client().get(address).status_code == 302
    assert not Letter.objects.exists()
    page = body(client, "panel", study.slug)
    assert "ada@reader.example" in page
    assert "link opened" in row(page, "Ada")
    assert address.split("/")[2] not in page
    again = client.get(reverse("show-link", args=[study.slug, judge.code]))
    assert link(again.content.decode()) == address
    assert "no-store" in again["Cache-Control"]


def test_an_invitation_is_sent_if_asked_in_the_language_and_for_the_days_given(
    client, study, swept
):
    post(
        client, "invite", study.slug, name=" Ada\n B. ", email="ada@reader.example",
        language="zh-hans", days="5", send="on",
    )  # fmt: skip
    judge = Judge.objects.get()
    assert (judge.name, judge.language) == ("Ada B.", "zh-hans")
    queued = Letter.objects.get()
    assert (queued.judge, queued.kind, queued.asked_by.username) == (judge, "invitation", "kim")
    left = judge.invitations.get().expires_at - timezone.now()
    assert timedelta(days=4.9) < left <= timedelta(days=5)


def test_a_queued_letter_wakes_the_workers(
    client, study, ada, swept, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        post(client, "send-invitation", study.slug, ada.code)
    assert swept == ["now"]


def test_one_address_is_invited_once(client, study, ada):
    answer = post(client, "invite", study.slug, name="Ada B.", email="ADA@reader.example")
    assert answer.status_code == 422
    assert "is on the panel already" in answer.content.decode()
    assert 'value="Ada B."' in answer.content.decode()
    assert Judge.objects.count() == 1


@pytest.mark.parametrize(
    "typed",
    [
        {"name": ""},
        {"name": "\r\n\x85"},
        {"name": "x" * 121},
        {"name": "A", "email": "a"},
        {"name": "A", "email": "a" * 250 + "@reader.example"},
        {"name": "A", "email": "a@reader.example\nBcc: e@thief.example"},
        {"name": "A", "send": "on"},
        {"name": "A", "days": "0"},
        {"name": "A", "language": "fr"},
    ],
)
def test_a_wrong_invitation_is_refused_on_the_page(client, study, typed):
    answer = post(client, "invite", study.slug, **typed)
    assert answer.status_code == 422
    assert not Invitation.objects.exists()
    assert not Letter.objects.exists()


def test_a_pasted_list_is_invited_whole_and_written_to_where_it_can_be(client, study, swept):
    links.invite(study, name="Zora")
    people = "Ada,ada@reader.example,en\nBen\n李白,li@reader.example,zh-hans"
    page = post(client, "invite-many", study.slug, people=people, days="9", send="on")
    assert "3 experts were added; 4 are on the panel now. Letters queued: 2." in page.text
    assert list(study.judges.values_list("name", "email", "language"))[1:] == [
        ("Ada", "ada@reader.example", "en"),
        ("Ben", "", ""),
        ("李白", "li@reader.example", "zh-hans"),
    ]
    assert {row.judge.name for row in Letter.objects.all()} == {"Ada", "李白"}


def test_a_list_with_one_bad_line_invites_nobody_and_keeps_what_was_typed(client, study, ada):
    people = "Ben,ben@reader.example\nAda,ada@reader.example\n,x"
    answer = post(client, "invite-many", study.slug, people=people)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Line 2: ada@reader.example is on the panel already. Take the line out." in page
    assert "Line 3: The name is missing. Write one." in page
    assert "Ben,ben@reader.example" in page
    assert study.judges.count() == 1


def upload(client: Client, slug: str, content: bytes):  # type: ignore[no-untyped-def]
    file = SimpleUploadedFile("people.csv", content)
    return client.post(reverse("invite-many", args=[slug]), {"file": file, "people": ""})


def test_a_file_is_read_and_shown_for_correcting_if_it_is_refused(client, study):
    assert upload(client, study.slug, "name\nAda\nZoë".encode("utf-8-sig")).status_code == 302
    assert study.judges.count() == 2
    answer = upload(client, study.slug, b"name,email\nBen,b")
    assert answer.status_code == 422
    assert "Ben,b</textarea>" in answer.content.decode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Zoë".encode("latin-1"), "not in UTF-8"),
        (b"a\x00b", "no CSV"),
        (b"name\n" + b"x" * 2**20, "larger than 1 MB"),
        (b" ", "The list is empty"),
    ],
)
def test_a_file_that_is_no_list_is_refused(client, study, content, said):
    answer = upload(client, study.slug, content)
    assert answer.status_code == 422
    assert said in answer.content.decode()


def test_a_new_link_stops_the_old_one_and_the_page_says_so_before(client, study, ada):
    asked = r"New link<[^<]*</span>… ?</summary> <p[^>]*>The one they have stops.*?/new-link/"
    assert re.search(asked, row(panel(client, study), "Ada"))
    old = link(client.get(reverse("show-link", args=[study.slug, ada.code])).content.decode())
    new = link(post(client, "new-link", study.slug, ada.code).content.decode())
    assert Client().get(old).status_code == 404
    assert Client().get(new).status_code == 302


def test_stopping_a_link_gives_unanswered_poems_back_and_keeps_what_was_answered(client, study):
    judge = expert(study, "Ada")
    address = link(client.get(reverse("show-link", args=[study.slug, judge.code])).content.decode())
    assert ledger.deal(judge) == 3
    submit(Assignment.objects.of(judge).in_order()[0], survey(), milliseconds=None)
    page = post(client, "revoke", study.slug, judge.code).content.decode()
    assert "poems that went back to the others: 2" in page
    assert "link stopped" in row(" ".join(page.split()), "Ada")
    assert Client().get(address).status_code == 404
    assert sum(study.items.values_list("places_taken", flat=True)) == 1
    assert Assignment.objects.of(judge).answered().count() == 1
    there = reverse("show-link", args=[study.slug, judge.code])
    assert "has no link that works" in client.get(there, follow=True).content.decode()


def test_an_expert_is_deleted_at_their_wish_and_a_receipt_without_a_name_is_shown(client, study):
    judge = expert(study, "Ada Finch")
    assert ledger.deal(judge) == 3
    submit(Assignment.objects.of(judge).in_order()[0], survey(), milliseconds=None)
    letter(judge, status="done")
    there = reverse("delete-expert", args=[study.slug, judge.code])
    mine = row(panel(client, study), "Ada Finch")
    assert re.search(r'<input type="checkbox" name="sure"[^>]* required>', mine)
    answer = client.post(there, {"sure": "yes"}, follow=True)
    assert answer.redirect_chain[0][0].startswith("/deleted/")
    page = " ".join(answer.content.decode().split())
    assert "<dt>Judgments</dt><dd>1</dd>" in page
    assert "<dt>Places given back</dt><dd>3</dd>" in page
    assert "Ada Finch" not in page
    # Whoever gets the address can open it.
    assert Client().get(answer.redirect_chain[0][0]).status_code == 200
    assert not Judge.objects.exists()
    assert not Letter.objects.exists()
    assert "Nobody is invited yet." in panel(client, study)
    assert client.post(there, {"sure": "yes"}).status_code == 404


@pytest.mark.parametrize("typed", [{}, {"sure": ""}, {"sure": "no"}])
def test_without_the_tick_nobody_is_deleted(client, study, ada, typed):
    page = post(client, "delete-expert", study.slug, ada.code, **typed).content.decode()
    assert "Nothing was deleted" in page
    assert ada.invitations.usable(timezone.now()).exists()


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ("nothing", "invited"),
        ("opened", "link opened"),
        ("agreed", "agreed"),
        ("paused", "paused"),
        ("left", "left"),
        ("stopped", "link stopped"),
        ("expired", "link expired"),
    ],
)
def test_the_page_says_where_an_expert_stands(client, study, change, state):
    now = timezone.now()
    judge = expert(study, "Ada", agreed=change != "nothing" and change != "opened")
    match change:
        case "opened":
            judge.invitations.update(first_used_at=now)
        case "paused":
            judge.paused_at = now
        case "left":
            judge.left_at = judge.paused_at = now
        case "stopped":
            ledger.revoke(judge)
        case "expired":
            judge.invitations.update(expires_at=now)
    judge.save()
    assert f">{state}</span>" in row(body(client, "panel", study.slug), "Ada")


def test_the_page_counts_answers_and_lists_language_models_apart(client, study):
    judge = expert(study, "Ada")
    ledger.deal(judge)
    for assignment in Assignment.objects.of(judge).in_order()[:2]:
        submit(assignment, survey(), milliseconds=None)
    study.judges.create(kind="machine", name="Machine")
    page = body(client, "panel", study.slug)
    counts = re.findall(r'<td class="number">(\d+)</td>', row(page, "Ada"))
    assert counts == ["2", "1", "0"]
    assert page.index("Machine") > page.index('id="machines"')
    assert "1 expert." in page


def test_all_links_are_handed_out_as_a_table_no_spreadsheet_runs(client, study, ada):
    links.invite(study, name='=HYPERLINK("x")')
    stopped = links.invite(study, name="Stopped").invitation.judge
    ledger.revoke(stopped)
    answer = client.get(reverse("links-file", args=[study.slug]))
    assert "no-store" in answer["Cache-Control"]
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    header, first, second = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert header == ["name", "email", "link", "expires"]
    assert first[:2] == ["Ada", "ada@reader.example"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", first[3])
    assert first[2].startswith("http://testserver/invitation/")
    assert Client().get(first[2].removeprefix("http://testserver")).status_code == 302
    assert second[0] == """'=HYPERLINK("x")"""


def test_an_open_link_is_made_shown_listed_and_stopped(client, study):
    answer = post(client, "new-open-link", study.slug, label="Poets' list", quota="3", days="9")
    address = link(answer.content.decode(), "join")
    made = OpenLink.objects.get()
    assert (made.label, made.quota) == ("Poets' list", 3)
    assert links.opened(address.split("/")[2]) == made
    links.join(made, name="Ada")
    page = body(client, "panel", study.slug)
    assert "1 of 3" in page
    assert address.split("/")[2] not in page
    stop = reverse("stop-open-link", args=[study.slug, made.pk])
    assert re.search(rf"Nobody else can join by it.*?</p> <form [^>]*{stop}", page)
    assert "stopped" in post(client, "stop-open-link", study.slug, made.pk).content.decode()
    with pytest.raises(links.StaleLink):
        links.opened(address.split("/")[2])
    assert client.get(reverse("open-link", args=[study.slug, made.pk])).status_code == 404
    assert study.judges.count() == 1


def test_an_open_link_can_be_for_the_poems_of_one_group(client, study):
    assert 'name="group"' not in body(client, "panel", study.slug)
    poets = study.groups.create(name="poets", judges_per_item=2)
    post(client, "new-open-link", study.slug, quota="3", group=poets.pk)
    assert links.join(OpenLink.objects.get(), name="Ada").invitation.judge.group == poets
    assert "for the poems of poets" in body(client, "panel", study.slug)


@pytest.mark.parametrize("typed", [{"quota": "0"}, {"quota": ""}, {"quota": "2", "days": "-1"}])
def test_a_wrong_open_link_is_refused(client, study, typed):
    assert post(client, "new-open-link", study.slug, **typed).status_code == 422
    assert not OpenLink.objects.exists()


def test_a_closed_study_takes_no_more_experts(client, study, ada):
    study.state = "closed"
    study.save()
    page = body(client, "panel", study.slug)
    assert reverse("invite", args=[study.slug]) not in page
    for name, args, typed in (
        ("invite", [], {"name": "Ben"}),
        ("invite-many", [], {"people": "Ben\nEve"}),
        ("new-open-link", [], {"quota": "2"}),
        ("send-invitation", [ada.code], {}),
    ):
        said = post(client, name, study.slug, *args, **typed).content.decode()
        assert "nobody can be invited to it any more" in said
    assert study.judges.count() == 1
    # Who took part can still be let in: to take their papers home, or to leave.
    assert "has a new link" in post(client, "new-link", study.slug, ada.code).content.decode()


def test_the_pages_of_a_site_without_mail_say_so_and_offer_no_letter(client, study, ada, settings):
    settings.SENDS_MAIL = False
    letter(ada, status="failed")
    page = body(client, "panel", study.slug)
    assert "This site sends no mail" in page
    for name in ("send-invitation", "remind", "remind-all", "write-to-panel", "send-again"):
        assert f"/{name}/" not in page
    assert reverse("send-invitation", args=[study.slug, ada.code]) not in page
    assert "Send it to" not in body(client, "show-link", study.slug, ada.code)
    letter_count = Letter.objects.count()
    post(client, "invite", study.slug, name="Ben", email="ben@reader.example", send="on")
    assert study.judges.filter(name="Ben").exists()
    assert Letter.objects.count() == letter_count


def test_a_late_answer_is_counted_once(client, study):
    judge = expert(study)
    given = ledger.deal(judge)
    late = Assignment.objects.of(judge).first()
    ledger.revoke(judge)
    submit(late, survey(), milliseconds=None)
    (seat,) = [one for one in seats(study, Judge.Kind.EXPERT) if one.code == judge.code]
    counts = (seat.given, seat.answered, seat.given_back, seat.waiting)
    assert counts == (given, 1, given - 1, 0)


def test_experts_are_invited_into_a_group_one_by_one_or_by_a_list(client, study):
    page = panel(client, study)
    assert "all poems" not in page
    poets = Group.objects.create(study=study, name="Poets", judges_per_item=2)
    page = panel(client, study)
    assert "all poems" in page
    assert "A fourth is the group: Poets." in page
    post(client, "invite", study.slug, name="Ada", group=poets.pk)
    post(client, "invite", study.slug, name="Ben")
    post(client, "invite-many", study.slug, people="Cy,,,poets\nDi")
    found = {judge.name: judge.group for judge in study.judges.all()}
    assert found == {"Ada": poets, "Ben": None, "Cy": poets, "Di": None}
    assert "<td>Poets</td>" in row(panel(client, study), "Ada")
    elsewhere = Group.objects.create(
        study=Study.objects.create(
            slug="other", title="Other", instrument_data=study.instrument_data, contact="c",
            judges_per_item=1, batch_size=1, seed=1,
        ),
        name="Strangers", judges_per_item=1,
    )  # fmt: skip
    answer = post(client, "invite", study.slug, name="Eve", group=elsewhere.pk)
    assert answer.status_code == 422


def test_whoever_is_shown_a_link_stands_in_the_log_and_the_link_does_not(client, study, ada):
    client.get(reverse("show-link", args=[study.slug, ada.code]))
    client.get(reverse("links-file", args=[study.slug]))
    one, all_of_them = Entry.objects.filter(kind="link.shown").order_by("pk")
    assert (one.actor, one.study) == ("kim", study.slug)
    assert one.subject == keyed(ada.log_key, f"judge {ada.pk}")
    assert all_of_them.details == {"links": 1}
    ledger.revoke(ada)
    client.get(reverse("show-link", args=[study.slug, ada.code]))
    assert Entry.objects.filter(kind="link.shown").count() == 2
