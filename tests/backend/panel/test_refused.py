"""A refused form on a long page says so at its top, in the title, and where to go."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.studies import services
from annotation.studies.models import Group, Study
from backend.corpus.services import import_poems
from backend.judging.services import built_in_judge
from tests.annotation.panel import expert
from tests.studies import researcher

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


@pytest.mark.usefixtures("swept")
@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("replace-expert", {"name": "Cy"}, "Ben is in the place of Ada already"),
        ("withdraw-expert", {"reason": "Once more"}, "withdrawn already"),
        ("expert-group", {}, "given poems already"),
    ],
)
def test_what_is_offered_no_more_is_refused_at_the_head_of_their_page(
    client, study, name, typed, said
):
    Group.objects.create(study=study, name="poets", judges_per_item=2)
    ada = expert(study, "Ada")
    services.deal(ada)
    for done, answer in (("replace-expert", {"name": "Ben"}), ("withdraw-expert", {"reason": "x"})):
        client.post(reverse(done, args=[study.slug, ada.code]), answer)
    page = client.post(reverse(name, args=[study.slug, ada.code]), typed)
    assert page.status_code == 422
    title, notice = told(page.text)
    assert title.startswith("Not saved: Ada")
    assert said in notice
    assert "what you wrote is below" not in notice
    assert reverse(name, args=[study.slug, ada.code]) not in page.text


def test_a_file_that_was_refused_is_not_said_to_be_still_there(client, study):
    page = client.post(reverse("invite-many", args=[study.slug]), {"people": ",x"}).text
    assert "but a file has to be chosen again" in told(page)[1]


# The page, what is typed, and what is said of it at the top.
OTHERS = [
    ("run-new", {"name": ""}, '<a href="#id_name">Name</a>'),
    ("model-new", {"name": "Mine"}, '<a href="#id_provider">Provider</a>'),
    ("provider-new", {"name": "Mine"}, '<a href="#id_base_url">Base URL</a>'),
    ("run-import", {"run_name": ""}, '<a href="#id_file">'),
    ("run-import", {"file": b"a,b\n1,2\n"}, "<p>Nothing was imported: "),
    ("import-poems", {"collection": ""}, '<a href="#id_file">'),
    ("import-poems", {"file": b"title,content\nOde,\n"}, "<p>Nothing was imported: "),
    ("judging", {}, '<a href="#id_models_0">Language models</a>'),
    ("study-consent", {}, "<li>"),
]


@pytest.mark.parametrize(("name", "typed", "said"), OTHERS)
def test_every_long_form_of_the_staff_says_at_its_top_that_it_was_refused(
    client, study, name, typed, said
):
    client.force_login(researcher())
    shelf = import_poems(b"title,content\nOde,O\n", file_name="a.csv", collection="V").collection
    rest = {"collection": shelf.pk if name == "run-import" else "V", "encoding": "utf-8"}
    if "file" in typed:
        rest |= {"run_name": "Mine", "template": "poemetric"}
        typed = {"file": SimpleUploadedFile("a.csv", typed["file"])}
    there = reverse(name, args=[study.slug] if name in ("judging", "study-consent") else [])
    assert " autofocus" not in client.get(there).text
    page = client.post(there, rest | typed)
    assert page.status_code == 422
    title, notice = told(page.text)
    assert title.startswith("Not saved: ")
    assert said in notice
    assert page.text.count('id="refused"') == 1


@pytest.mark.parametrize("name", ["judging", "study-consent"])
def test_of_a_closed_study_a_form_is_refused_with_the_reason(client, study, name):
    Study.objects.update(state="closed")
    model = built_in_judge()
    texts = {"models": [model.pk], "consent_en": "New words"}
    page = client.post(reverse(name, args=[study.slug]), texts)
    assert page.status_code == 422
    title, notice = told(page.text)
    assert title.startswith("Not saved: ")
    assert "<p>Nothing was changed or sent.</p>" in notice
    assert "<li>" in notice
