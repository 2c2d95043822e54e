"""Staff sign in by password, go where they meant to and nowhere else, and sign out."""

import pytest
from django.test import Client
from django.urls import reverse

from backend.accounts.models import User
from tests.annotation.panel import enter, expert, open_study

pytestmark = pytest.mark.django_db

PASSWORD = "a plum on a bough"


@pytest.fixture
def kim() -> User:
    return User.objects.create_user("kim", password=PASSWORD)


def sign_in(client: Client, next_: str = "", password: str = PASSWORD):  # type: ignore[no-untyped-def]
    typed = {"username": "kim", "password": password, "next": next_}
    return client.post(reverse("sign-in"), typed)


def signed_in(client: Client) -> bool:
    return client.get(reverse("studies")).status_code == 200


def test_signing_in_leads_to_the_start(kim):
    client = Client()
    assert client.get(reverse("sign-in")).status_code == 200
    assert sign_in(client)["Location"] == reverse("start")
    assert signed_in(client)


def test_signing_in_leads_back_to_the_page_that_asked_for_it(kim):
    client, wanted = Client(), reverse("new-study")
    asked = client.get(wanted)["Location"]
    assert f'name="next" value="{wanted}"' in client.get(asked).content.decode()
    assert sign_in(client, wanted)["Location"] == wanted


@pytest.mark.parametrize(
    "address",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "https:evil.example",
     "javascript:alert(1)", "http://testserver.evil.example/", "\thttps://evil.example", " //e.x"],
)  # fmt: skip
def test_signing_in_leads_to_no_other_site(kim, address):
    client = Client()
    assert sign_in(client, address)["Location"] == reverse("start")
    # Signed in already, the page redirects by itself.
    again = client.get(reverse("sign-in"), {"next": address})
    assert again["Location"] == reverse("start")


@pytest.mark.parametrize("query", ["", "?next=/sign-in/", "?next=/sign-in/%3Fnext%3D/sign-in/"])
def test_whoever_is_signed_in_is_led_on_and_not_round_in_a_circle(kim, query):
    client = Client()
    sign_in(client)
    answer = client.get(reverse("sign-in") + query)
    assert (answer.status_code, answer["Location"]) == (302, reverse("start"))


@pytest.mark.parametrize("password", ["", "wrong", PASSWORD + " "])
def test_a_wrong_password_lets_nobody_in(kim, password):
    client = Client()
    answer = sign_in(client, password=password)
    assert answer.status_code == 200
    assert 'value="kim"' in answer.content.decode()
    assert not signed_in(client)


def test_an_account_that_was_switched_off_is_not_let_in(kim):
    User.objects.update(is_active=False)
    client = Client()
    assert sign_in(client).status_code == 200
    assert not signed_in(client)


def test_signing_in_needs_the_forms_own_token(kim):
    client = Client(enforce_csrf_checks=True)
    assert sign_in(client).status_code == 403
    assert not signed_in(client)


def test_signing_out_is_a_post_and_leads_to_the_start(kim):
    client = Client()
    sign_in(client)
    assert client.get(reverse("sign-out")).status_code == 405
    assert signed_in(client)
    assert client.post(reverse("sign-out"))["Location"] == reverse("start")
    assert not signed_in(client)


def test_an_expert_is_no_member_of_staff():
    judge = expert(open_study())
    client = enter(Client(), judge)
    for page in ("studies", "new-study", "collections"):
        assert client.get(reverse(page))["Location"].startswith(reverse("sign-in"))


def test_signing_in_does_not_put_out_a_judge_who_reads_in_the_same_browser(kim):
    client = enter(Client(), expert(open_study(), "Ada"))
    sign_in(client)
    assert client.get(reverse("desk", args=[client.key])).status_code == 200
