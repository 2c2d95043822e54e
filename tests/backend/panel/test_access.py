"""Who may open which page of a panel, and by which method."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.studies import links
from annotation.studies.models import Invitation, Judge, Study
from backend.panel.models import Letter, PanelRules
from tests.backend.panel.conftest import letter
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db

READ = (
    "panel", "show-link", "links-file", "open-link", "ledger", "ledger-figures", "care",
    "expert-part",
)  # fmt: skip
OF_AN_EXPERT = (
    "new-link", "revoke", "send-invitation", "remind", "delete-expert", "withdraw-expert",
    "restore-expert", "replace-expert", "expert-group",
)  # fmt: skip
WRITE = (
    "invite", "invite-many", "new-open-link", "stop-open-link", "remind-all", "write-to-panel",
    "panel-rules", "send-again", "raise-places", "remind-these", *OF_AN_EXPERT,
)  # fmt: skip


@pytest.fixture
def addresses(study, ada) -> dict[str, str]:
    opened, failed = links.open_link(study, quota=3), letter(ada, status="failed")
    keys: dict[str, object] = dict.fromkeys(("show-link", "expert-part", *OF_AN_EXPERT), ada.code)
    keys |= {
        "remind-these": "silent",
        "open-link": opened.pk,
        "stop-open-link": opened.pk,
        "send-again": failed.pk,
    }
    return {
        name: reverse(name, args=[study.slug, *([keys[name]] if name in keys else [])])
        for name in (*READ, *WRITE)
    }


def unchanged(study: Study) -> bool:
    return (
        study.judges.count() == 1
        and Invitation.objects.filter(revoked_at=None).count() == 1
        and study.open_links.filter(revoked_at=None).count() == 1
        and list(Letter.objects.values_list("status", flat=True)) == ["failed"]
        and not PanelRules.objects.exists()
        and not study.judges.filter(withdrawn_at__isnull=False).exists()
        and set(study.items.values_list("places", flat=True)) == {study.judges_per_item}
    )


@pytest.mark.parametrize("name", [*READ, *WRITE])
def test_a_visitor_is_sent_to_sign_in(name, addresses, study):
    for ask in (Client().get, Client().post):
        answer = ask(addresses[name])
        assert answer.status_code == 302
        assert answer["Location"].startswith(reverse("sign-in"))
    assert unchanged(study)


@pytest.mark.parametrize("who", [coordinator, researcher])
@pytest.mark.parametrize("name", READ)
def test_staff_read_the_pages(name, who, addresses):
    client = Client()
    client.force_login(who())
    assert client.get(addresses[name]).status_code == 200


@pytest.mark.parametrize("name", READ)
def test_what_only_shows_takes_no_post(name, client, addresses):
    assert client.post(addresses[name]).status_code == 405


@pytest.mark.parametrize("name", WRITE)
def test_what_changes_something_takes_no_get(name, client, addresses, study):
    assert client.get(addresses[name]).status_code == 405
    assert unchanged(study)


@pytest.mark.parametrize("name", WRITE)
def test_nothing_is_changed_without_the_forms_own_token(name, addresses, study):
    client = Client(enforce_csrf_checks=True)
    client.force_login(coordinator())
    typed = {"name": "Eve", "people": "Eve", "quota": "2", "to": "all", "subject": "s", "body": "b"}
    typed |= {"sure": "yes", "reason": "r", "judges_per_item": "9", "again": "yes"}
    assert client.post(addresses[name], typed).status_code == 403
    assert unchanged(study)


@pytest.mark.parametrize("name", ["show-link", "expert-part", *OF_AN_EXPERT])
def test_a_judge_of_another_study_or_a_machine_has_no_link(name, client, study):
    other = Study.objects.create(
        slug="other", title="Other", instrument_data=study.instrument_data, contact="c",
        judges_per_item=1, batch_size=1, seed=1,
    )  # fmt: skip
    stranger = links.invite(other, name="Eve").invitation.judge
    machine = study.judges.create(kind="machine", name="Machine")
    ask = client.get if name in READ else client.post
    for judge in (stranger, machine):
        address = reverse(name, args=[study.slug, judge.code])
        assert ask(address, {"sure": "yes"}).status_code == 404
    assert Judge.objects.filter(pk__in=(stranger.pk, machine.pk)).count() == 2


@pytest.mark.parametrize("name", ["open-link", "stop-open-link"])
def test_an_open_link_of_another_study_is_not_found(name, client, study):
    other = Study.objects.create(
        slug="other", title="Other", instrument_data=study.instrument_data, contact="c",
        judges_per_item=1, batch_size=1, seed=1,
    )  # fmt: skip
    opened = links.open_link(other, quota=2)
    ask = client.get if name == "open-link" else client.post
    assert ask(reverse(name, args=[study.slug, opened.pk])).status_code == 404


@pytest.mark.parametrize("name", ["panel", "links-file", "ledger", "ledger-figures", "care"])
def test_a_study_that_is_not_there_is_not_found(name, client):
    assert client.get(reverse(name, args=["no-such"])).status_code == 404
