"""Who may open which page of a study, and by which method."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.studies import links
from annotation.studies.models import Study
from backend.accounts.models import User
from backend.design import services
from tests.backend.design.material import draft
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db

READ = (
    "studies", "new-study", "study", "preview", "study-consent", "instruments", "new-instrument",
    "instrument", "panel", "judging", "surface",
)  # fmt: skip
WRITE = (
    "open-study", "close-study", "discard-study", "invite", "new-link", "revoke", "ask-again",
    "pilot-study", "surface-limit", "study-counts",
)  # fmt: skip
FORMS = ("new-study", "study-consent", "new-instrument", "instrument", "surface")


@pytest.fixture
def study() -> Study:
    study = draft()
    links.invite(study, name="Ada")
    return study


def address(name: str, study: Study) -> str:
    match name:
        case "studies" | "new-study" | "study-counts" | "instruments" | "new-instrument":
            return reverse(name)
        case "instrument":
            return reverse(name, args=["pair-choice"])
        case "new-link" | "revoke":
            return reverse(name, args=[study.slug, study.judges.get().code])
        case _:
            return reverse(name, args=[study.slug])


def signed_in(user: User, *, csrf: bool = False) -> Client:
    client = Client(enforce_csrf_checks=csrf)
    client.force_login(user)
    return client


@pytest.mark.parametrize("name", [*READ, *WRITE, "unblind"])
def test_a_visitor_is_sent_to_sign_in(name, study):
    there = address(name, study)
    for ask in (Client().get, Client().post):
        answer = ask(there)
        assert (answer.status_code, answer["Location"]) == (
            302,
            f"{reverse('sign-in')}?next={there}",
        )
    assert Study.objects.get().state == "draft"


@pytest.mark.parametrize("who", [coordinator, researcher])
@pytest.mark.parametrize("name", READ)
def test_staff_read_the_pages(name, who, study):
    assert signed_in(who()).get(address(name, study)).status_code == 200


@pytest.mark.parametrize("name", WRITE)
def test_what_changes_something_takes_no_get(name, study):
    assert signed_in(coordinator()).get(address(name, study)).status_code == 405
    assert Study.objects.get().state == "draft"


@pytest.mark.parametrize("name", ["studies", "study", "preview", "instruments"])
def test_what_only_shows_takes_no_post(name, study):
    assert signed_in(coordinator()).post(address(name, study)).status_code == 405


@pytest.mark.parametrize("name", ["judging", *FORMS, *WRITE])
def test_nothing_is_changed_without_the_forms_own_token(name, study):
    answer = signed_in(coordinator(), csrf=True).post(address(name, study), {"name": "Eve"})
    assert answer.status_code == 403
    assert Study.objects.get().state == "draft"
    assert study.judges.count() == 1


def test_nothing_is_unsealed_without_the_forms_own_token(study):
    services.open_study(study)
    services.close(study)
    answer = signed_in(researcher(), csrf=True).post(address("unblind", study))
    assert answer.status_code == 403
    study.design.refresh_from_db()
    assert study.design.unblinded_at is None


def test_a_coordinator_may_not_unseal_nor_read_results_or_poems_with_their_authors(study):
    services.open_study(study)
    services.close(study)
    client = signed_in(coordinator())
    assert client.post(address("unblind", study)).status_code == 403
    for name in ("results", "export"):
        assert client.get(reverse(name, args=[study.slug])).status_code == 403
    for name in ("collections", "runs"):
        assert client.get(reverse(name)).status_code == 403
    study.design.refresh_from_db()
    assert study.design.unblinded_at is None


def test_a_researcher_unseals_only_after_closing_and_in_their_own_name(study):
    vera = researcher()
    client, there = signed_in(vera), address("unblind", study)
    services.open_study(study)
    assert "Close the study first" in client.post(there, follow=True).content.decode()
    study.design.refresh_from_db()
    assert study.design.unblinded_at is None
    services.close(study)
    answer = client.post(there)
    assert answer["Location"] == reverse("results", args=[study.slug])
    study.design.refresh_from_db()
    assert study.design.unblinded_by == vera
    assert client.get(there).status_code == 405
    page = client.get(address("study", study)).content.decode()
    assert "The key was unsealed on" in page
    assert "vera" in page


def test_an_account_that_was_switched_off_is_let_in_nowhere(study):
    kim = coordinator()
    client = signed_in(kim)
    User.objects.filter(pk=kim.pk).update(is_active=False)
    assert client.get(address("study", study)).status_code == 302


@pytest.mark.parametrize("name", ["study", "preview", "study-consent", "judging"])
def test_a_study_that_is_not_there_is_not_found(name):
    assert signed_in(coordinator()).get(reverse(name, args=["no-such"])).status_code == 404
