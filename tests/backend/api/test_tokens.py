"""A token opens what it says, for whom it says, as long as it says."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.activity.models import Entry
from backend.accounts.models import User
from backend.api import services
from backend.api.models import Token
from backend.api.scopes import Scope
from tests.backend.api.calling import Program, program, secret_of
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db


def test_a_secret_is_43_random_characters_and_only_its_hash_is_kept():
    made = services.make(coordinator(), name="nightly", scopes=[Scope.STUDIES_READ])
    assert re.fullmatch(r"bv_[A-Za-z0-9_-]{43}", made.secret)
    row = Token.objects.values().get()
    assert not any(made.secret[8:] in str(value) for value in row.values())
    assert made.secret.startswith(row["prefix"])


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer wrong", "Basic a2ltOmtpbQ==", "bv_x"])
def test_whoever_has_no_token_is_told_how_to_come_in(header):
    headers = {"Authorization": header} if header else {}
    refused = Client(headers=headers).get("/api/v1/studies/")
    assert refused.status_code == 401
    assert refused["WWW-Authenticate"].startswith("Bearer")
    assert set(refused.json()) == {"detail"}


def test_a_session_opens_nothing():
    client = Client()
    client.force_login(researcher())
    assert client.get("/api/v1/studies/").status_code == 401
    assert client.post("/api/v1/studies/", {}).status_code == 401


def _revoked(token: Token) -> None:
    services.revoke(token)


def _expired(token: Token) -> None:
    Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def _deactivated(token: Token) -> None:
    User.objects.filter(pk=token.user_id).update(is_active=False)


@pytest.mark.parametrize("end", [_revoked, _expired, _deactivated])
def test_a_token_that_has_ended_opens_nothing(end):
    kim = program(coordinator())
    assert kim.get("studies/").status_code == 200
    end(Token.objects.get())
    assert kim.get("studies/").status_code == 401


def test_a_missing_scope_is_named():
    kim = program(coordinator(), Scope.PANEL_READ)
    refused = kim.get("studies/")
    assert refused.status_code == 403
    assert "studies:read" in refused.json()["detail"]


def test_to_read_is_not_to_write(study):
    kim = program(coordinator(), Scope.STUDIES_READ)
    refused = kim.post(f"studies/{study.slug}/close/")
    assert refused.status_code == 403
    assert "studies:write" in refused.json()["detail"]
    study.refresh_from_db()
    assert study.state == "open"


def test_a_token_can_never_do_more_than_the_role_of_its_user_allows_now():
    vera = researcher()
    asks = program(vera, Scope.CORPUS_READ)
    assert asks.get("collections/").status_code == 200
    vera.role = User.Role.COORDINATOR
    vera.save()
    refused = asks.get("collections/")
    assert refused.status_code == 403
    assert "corpus:read" in refused.json()["detail"]


def test_no_token_is_made_beyond_the_role_of_its_user():
    with pytest.raises(services.NotAllowed, match="results:read"):
        services.make(coordinator(), name="too much", scopes=[Scope.RESULTS_READ])


def test_use_is_noted_at_most_once_a_minute():
    kim = program(coordinator())
    kim.get("studies/")
    first = Token.objects.get().last_used_at
    kim.get("studies/")
    assert Token.objects.get().last_used_at == first
    Token.objects.update(last_used_at=first - timedelta(minutes=2))
    kim.get("studies/")
    assert Token.objects.get().last_used_at > first - timedelta(minutes=2)


def test_a_token_that_asks_too_often_is_told_when_to_try_again(settings):
    settings.REST_FRAMEWORK = {
        **settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"token": "2/min"}
    }  # fmt: skip
    kim, lee = program(coordinator("kim")), program(coordinator("lee"))
    assert [kim.get("studies/").status_code for _ in range(3)] == [200, 200, 429]
    refused = kim.get("studies/")
    assert 0 < int(refused["Retry-After"]) <= 60
    assert set(refused.json()) == {"detail"}
    assert lee.get("studies/").status_code == 200  # each token is counted by itself


def test_what_the_api_tells_is_kept_out_of_caches():
    told = program(coordinator()).get("studies/")
    assert "no-store" in told["Cache-Control"]


def test_the_page_shows_a_new_secret_once_and_notes_who_made_it():
    kim = coordinator()
    client = Client()
    client.force_login(kim)
    made = client.post(
        "/account/tokens/", {"name": "nightly", "scopes": ["studies:read"], "days": "30"}
    )
    (secret,) = re.findall(r"bv_[A-Za-z0-9_-]{43}", made.content.decode())
    assert Program(secret).get("studies/").status_code == 200
    assert secret not in client.get("/account/tokens/").content.decode()
    entry = Entry.objects.get(kind="token.made")
    assert entry.actor == "kim"
    assert secret not in str(entry.details)


def test_the_page_offers_only_what_the_role_allows():
    client = Client()
    client.force_login(coordinator())
    page = client.get("/account/tokens/").content.decode()
    assert "studies:write" in page
    assert "results:read" not in page
    refused = client.post("/account/tokens/", {"name": "more", "scopes": ["results:read"]})
    assert refused.status_code == 422
    assert not Token.objects.exists()


def test_one_revokes_ones_own_tokens_and_no_others():
    kim, lee = coordinator("kim"), coordinator("lee")
    secret_of(kim)
    secret_of(lee)
    client = Client()
    client.force_login(kim)
    foreign, own = Token.objects.get(user=lee), Token.objects.get(user=kim)
    assert client.post(f"/account/tokens/{foreign.pk}/revoke/").status_code == 404
    assert client.post(f"/account/tokens/{own.pk}/revoke/").status_code == 302
    foreign.refresh_from_db()
    own.refresh_from_db()
    assert foreign.revoked_at is None
    assert own.revoked_at is not None


def test_before_a_token_is_revoked_the_page_says_what_that_does():
    client = Client()
    kim = coordinator()
    client.force_login(kim)
    secret_of(kim)
    there = f"/account/tokens/{Token.objects.get().pk}/revoke/"
    page = client.get("/account/tokens/").text
    assert re.search(rf"<details>\s*<summary>Revoke.*?cannot be brought back.*?{there}", page, re.S)
    assert page.count(there) == 1


def test_a_refused_token_is_said_at_the_top_of_the_page():
    client = Client()
    client.force_login(coordinator())
    page = client.post("/account/tokens/", {"name": "", "scopes": ["studies:read"]}).text
    assert "<title>Not saved: Tokens" in page
    assert re.search(
        r'role="alert"[^>]* autofocus.*?<a href="#id_name">Name</a>.*?<h1>', page, re.S
    )
