"""Accounts are kept by admins; nothing else of Blindverse is in Django's admin."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from backend.accounts.models import User
from backend.accounts.services import staff

pytestmark = pytest.mark.django_db

PAGES = ("admin:index", "admin:accounts_user_changelist", "admin:accounts_user_add")


def signed_in(role: User.Role) -> Client:
    client = Client()
    client.force_login(staff(f"some-{role}", role))
    return client


@pytest.mark.parametrize("place", PAGES)
@pytest.mark.parametrize("role", [User.Role.COORDINATOR, User.Role.RESEARCHER])
def test_who_keeps_no_accounts_is_turned_away(place, role):
    answer = signed_in(role).get(reverse(place))
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("admin:login"))


@pytest.mark.parametrize("place", PAGES)
def test_a_visitor_is_turned_away(place):
    assert Client().get(reverse(place)).status_code == 302


@pytest.mark.parametrize("place", PAGES)
def test_an_admin_keeps_accounts(place):
    assert signed_in(User.Role.ADMIN).get(reverse(place)).status_code == 200


def test_only_accounts_are_there():
    assert set(admin.site._registry) == {User}
    assert not admin.site.is_registered(Group)


def test_an_admin_makes_a_researcher():
    client = signed_in(User.Role.ADMIN)
    typed = {
        "username": "vera", "password1": "a plum on a bough", "password2": "a plum on a bough",
        "role": "researcher", "usable_password": "true",
    }  # fmt: skip
    assert client.post(reverse("admin:accounts_user_add"), typed).status_code == 302
    vera = User.objects.get(username="vera")
    assert vera.researches
    assert vera.check_password("a plum on a bough")


def test_who_is_made_an_admin_keeps_accounts_and_who_is_unmade_does_not():
    client = signed_in(User.Role.ADMIN)
    vera = staff("vera", User.Role.RESEARCHER)
    page = reverse("admin:accounts_user_change", args=[vera.pk])
    for role, keeps in (("admin", True), ("coordinator", False)):
        typed = {"username": "vera", "role": role, "is_active": "on"}
        assert client.post(page, typed).status_code == 302
        vera.refresh_from_db()
        assert (vera.is_staff, vera.is_superuser) == (keeps, keeps)
