"""The log keeps who may do what, and who said so."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.activity.models import Entry
from backend.accounts.models import User
from backend.accounts.services import staff

pytestmark = pytest.mark.django_db


def logged(account: str) -> list[tuple[str, str, str]]:
    """Return who made which change of an account: by whom, before, after."""
    entries = Entry.objects.filter(kind="role.changed", details__account=account)
    return [(one.actor, one.details["before"], one.details["after"]) for one in entries]


@pytest.fixture
def ada() -> Client:
    client = Client()
    client.force_login(staff("ada", User.Role.ADMIN))
    return client


def change(client: Client, user: User, **typed: str) -> None:
    page = reverse("admin:accounts_user_change", args=[user.pk])
    assert client.post(page, {"username": user.username, **typed}).status_code == 302


def test_an_account_made_by_command_is_logged_once():
    staff("kim", User.Role.COORDINATOR)
    staff("kim", User.Role.ADMIN)
    assert logged("kim") == [("", "", "coordinator")]


def test_an_account_made_by_an_admin_is_logged_in_their_name(ada):
    typed = {
        "username": "vera", "password1": "a plum on a bough", "password2": "a plum on a bough",
        "role": "researcher", "usable_password": "true",
    }  # fmt: skip
    assert ada.post(reverse("admin:accounts_user_add"), typed).status_code == 302
    assert logged("vera") == [("ada", "", "researcher")]


def test_each_change_of_what_somebody_may_is_logged_and_nothing_else(ada):
    kim = staff("kim", User.Role.COORDINATOR)
    change(ada, kim, role="researcher", is_active="on")
    change(ada, kim, role="researcher", is_active="on", first_name="Kim")
    change(ada, kim, role="researcher")
    change(ada, kim, role="admin", is_active="on")
    assert logged("kim")[1:] == [
        ("ada", "coordinator", "researcher"),
        ("ada", "researcher", "nothing"),
        ("ada", "nothing", "admin"),
    ]


def test_deleted_accounts_stay_in_the_log(ada):
    one, other = staff("kim", User.Role.COORDINATOR), staff("vera", User.Role.RESEARCHER)
    ada.post(reverse("admin:accounts_user_delete", args=[one.pk]), {"post": "yes"})
    ada.post(
        reverse("admin:accounts_user_changelist"),
        {"action": "delete_selected", "_selected_action": [other.pk], "post": "yes"},
    )
    assert not User.objects.exclude(username="ada").exists()
    assert logged("kim")[1:] == [("ada", "coordinator", "")]
    assert logged("vera")[1:] == [("ada", "researcher", "")]


def test_no_password_is_in_the_log(ada):
    staff("kim", User.Role.COORDINATOR, password="a plum on a bough")
    assert "plum" not in str(list(Entry.objects.values()))
