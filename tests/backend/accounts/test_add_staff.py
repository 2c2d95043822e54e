"""Staff accounts are made by a command, with the role and no more."""

from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from backend.accounts.models import User
from backend.accounts.services import staff

pytestmark = pytest.mark.django_db

PASSWORD = "a plum on a bough"


@pytest.fixture(autouse=True)
def _password(monkeypatch):
    monkeypatch.setenv("BLINDVERSE_STAFF_PASSWORD", PASSWORD)


def add(username: str, role: str) -> str:
    out = StringIO()
    call_command("add_staff", username, role=role, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("role", "researches", "keeps_accounts"),
    [("coordinator", False, False), ("researcher", True, False), ("admin", True, True)],
)
def test_an_account_signs_in_and_may_what_its_role_may(role, researches, keeps_accounts):
    assert add("kim", role) == f"kim can sign in as {role}.\n"
    user = User.objects.get()
    assert authenticate(username="kim", password=PASSWORD) == user
    assert user.coordinates
    assert user.researches is researches
    assert (user.is_staff, user.is_superuser) == (keeps_accounts, keeps_accounts)


def test_an_account_that_is_there_is_left_as_it_is():
    add("kim", "coordinator")
    with pytest.raises(CommandError, match="an account named kim already"):
        add("kim", "admin")
    assert not User.objects.get().researches


@pytest.mark.parametrize(
    ("password", "said"),
    [
        ("short", "too short"),
        ("password", "too common"),
        ("7391024856", "entirely numeric"),
        ("kimberley-k", "too similar to the username"),
    ],
)
def test_a_weak_password_is_refused_with_the_reason(monkeypatch, password, said):
    monkeypatch.setenv("BLINDVERSE_STAFF_PASSWORD", password)
    with pytest.raises(CommandError, match=said):
        add("kimberley-k", "coordinator")
    assert not User.objects.exists()


def test_the_password_is_asked_for_where_none_is_set(monkeypatch):
    monkeypatch.delenv("BLINDVERSE_STAFF_PASSWORD")
    monkeypatch.setattr("getpass.getpass", lambda _prompt: "another plum bough")
    add("kim", "coordinator")
    assert User.objects.get().check_password("another plum bough")


def test_an_unknown_role_is_refused():
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("add_staff", "kim", "--role", "poet")


def test_the_password_stands_nowhere_in_the_database():
    add("kim", "coordinator")
    assert PASSWORD not in str(User.objects.values().get())


def test_staff_is_made_once_and_without_a_password_cannot_sign_in_by_one():
    kim = staff("kim", User.Role.COORDINATOR)
    assert staff("kim", User.Role.ADMIN) == kim
    assert not kim.has_usable_password()
    assert (kim.role, kim.is_superuser) == ("coordinator", False)


def test_an_account_that_was_switched_off_may_nothing():
    for role in User.Role:
        user = staff(role, role)
        user.is_active = False
        assert not user.coordinates
        assert not user.researches
