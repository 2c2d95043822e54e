"""A refused form on a long page says so at its top, in the title, and where to go."""

import re

import pytest
from django.urls import reverse

from tests.annotation.panel import expert

pytestmark = pytest.mark.django_db

# The page, what is typed, the field that is refused, and where its entry is.
REFUSED = [
    ("invite", {"name": "Ada", "email": "ada"}, "Email", "invite_email"),
    ("invite-many", {"people": ",x"}, "Experts, one a line", "many_people"),
    ("write-to-panel", {"to": "all", "subject": ""}, "Subject", "message_subject"),
    ("panel-rules", {"remind_after_days": "-1"}, "Remind after so many days", "rules_remind_"),
    ("new-open-link", {"quota": "0"}, "Experts at most", "open_quota"),
    ("raise-places", {"judges_per_item": "1"}, "Reason", "raise_reason"),
    ("add-hook", {"url": "https://host.example/"}, "Tell it when", "id_events_0"),
]


def told(page: str) -> tuple[str, str]:
    """Return the title, and what takes the focus at the top of the page."""
    (title,) = re.findall("<title>(.*?)</title>", page)
    (notice,) = re.findall(r"<main.*?(<div[^>]* autofocus.*?</div>).*?<h1>", page, re.DOTALL)
    return title, notice


@pytest.mark.parametrize(("name", "typed", "label", "entry"), REFUSED)
def test_a_refusal_heads_the_page_and_leads_to_the_entry(client, study, name, typed, label, entry):
    page = client.post(reverse(name, args=[study.slug]), typed)
    assert page.status_code == 422
    title, notice = told(page.text)
    assert title.startswith("Not saved: ")
    assert 'role="alert"' in notice
    (to,) = re.findall(rf'<a href="#({entry}[^"]*)">{label}', notice)
    assert re.search(rf'<(input|textarea|select)[^>]* id="{to}"', page.text)


def test_a_refusal_about_an_experts_part_heads_their_page(client, study):
    ada = expert(study, "Ada")
    page = client.post(reverse("withdraw-expert", args=[study.slug, ada.code]), {})
    title, notice = told(page.text)
    assert title.startswith("Not saved: Ada")
    assert '<a href="#withdraw_reason">Reason</a>' in notice


@pytest.mark.parametrize("name", ["panel", "ledger", "hooks"])
def test_a_page_on_which_nothing_was_refused_does_not_say_so(client, study, name):
    page = client.get(reverse(name, args=[study.slug])).text
    assert "Not saved" not in page
    assert " autofocus" not in page
