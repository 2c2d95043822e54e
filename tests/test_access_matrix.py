"""Who may open what: each address of Blindverse, each kind of caller, own and foreign objects."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from backend.accounts.models import User
from backend.api import services as tokens
from backend.api.authentication import PerToken
from backend.api.scopes import Scope
from tests.access_rules import RULES, Rule
from tests.access_world import Places, places

pytestmark = pytest.mark.django_db

# What comes of being let in: done, shown, led on, or told what is wrong with what was sent.
IN = frozenset({200, 201, 202, 204, 302, 400, 409, 422})
SIGN_IN = "sign-in"
CALLERS = (
    "anonymous", "expert", "coordinator", "researcher", "admin", "token without scope",
    "token with scope",
)  # fmt: skip
SIGNED_IN = ("coordinator", "researcher", "admin")


@dataclass(frozen=True)
class Address:
    """A path to ask for, and whether something in it is somebody else's."""

    path: str
    foreign: str


def routes() -> list[str]:
    """Return every pattern of an address that Blindverse has."""
    return [route for route in _walk(get_resolver(), "") if not route.startswith("admin/")]


def test_every_address_has_an_expectation_and_every_expectation_an_address():
    there = set(routes())
    assert there - set(RULES) == set(), "say in tests/access_rules.py who may open these"
    assert set(RULES) - there == set()


@pytest.mark.slow
@pytest.mark.parametrize("caller", CALLERS)
def test_nobody_opens_more_or_less_than_their_part(caller, monkeypatch):
    monkeypatch.setattr(PerToken, "get_rate", lambda _: None)
    user = _user(caller)
    stand = places(user)
    wrong = []
    for route in routes():
        rule = RULES[route]
        for method in ("GET", "POST"):
            client = _client(caller, user, rule, method)
            for address in _addresses(route, stand, caller, rule):
                outcome = _ask(client, method, address.path)
                expected = _expected(caller, rule, method, address)
                if outcome not in expected:
                    wrong.append(f"{method} {route} ({address.foreign or 'own'}): {outcome}")
    assert not wrong, f"as {caller}:\n" + "\n".join(wrong)


def test_the_pages_of_accounts_are_for_admins_alone():
    for caller in ("anonymous", "coordinator", "researcher"):
        client = _client(caller, _user(caller), RULES["studies/"], "GET")
        for path in ("/admin/", "/admin/accounts/user/", "/admin/accounts/user/1/change/"):
            for method in ("GET", "POST"):
                reply = client.generic(method, path)
                assert (reply.status_code, reply["Location"][:13]) == (302, "/admin/login/")


def _expected(caller: str, rule: Rule, method: str, address: Address) -> frozenset[object]:
    if rule.who == "anyone":
        return _to_let_in(rule, method, address)
    if rule.who == "link":
        # Whoever has the address is let in, and only they: who else is signed in is all the same.
        return _to_let_in(rule, method, address)
    if rule.who in ("staff", "researchers"):
        return _expected_of_a_page(caller, rule, method, address)
    return _expected_of_a_program(caller, rule, method, address)


def _expected_of_a_page(
    caller: str, rule: Rule, method: str, address: Address
) -> frozenset[object]:
    if caller not in SIGNED_IN:
        return frozenset({SIGN_IN})
    if rule.who == "researchers" and caller == "coordinator":
        return frozenset({403})
    return _to_let_in(rule, method, address)


def _expected_of_a_program(
    caller: str, rule: Rule, method: str, address: Address
) -> frozenset[object]:
    if rule.who == "schema" and caller in SIGNED_IN:
        return _to_let_in(rule, method, address)
    if not caller.startswith("token"):
        return frozenset({401})
    if method not in rule.methods and rule.who == "scope":
        return frozenset({403, 405})
    if rule.who in ("schema", "token") or caller == "token with scope":
        return _to_let_in(rule, method, address)
    return frozenset({403})


def _to_let_in(rule: Rule, method: str, address: Address) -> frozenset[object]:
    if method not in rule.methods:
        # Where an address is no one's, that may be told first.
        return frozenset({405, rule.unknown} if address.foreign else {405})
    if address.foreign.startswith("poem/"):
        return frozenset({404})
    if address.foreign:
        return frozenset({rule.unknown})
    return rule.own or IN


def _addresses(route: str, stand: Places, caller: str, rule: Rule) -> Iterator[Address]:
    """Yield the address of what is one's own, and one for each part that is somebody else's.

    Nobody but the expert knows a link: to all others each address of experts is a guess.
    """
    parts = [place for place in stand if place in route]
    # "poems/<int:pk>" stands in "corpus/poems/<int:pk>", too: the longer one is meant.
    parts = [one for one in parts if not any(one != more and one in more for more in parts)]
    knows = rule.who != "link" or caller == "expert"
    if knows:
        yield Address(_filled(route, {one: stand[one][0] for one in parts}), "")
        for part in parts:
            yield Address(_filled(route, {one: stand[one][one == part] for one in parts}), part)
    else:
        yield Address(_filled(route, {one: stand[one][1] for one in parts}), "a guess")


def _filled(route: str, values: dict[str, object]) -> str:
    path = route
    for part, value in sorted(values.items(), key=lambda one: -len(one[0])):
        path = path.replace(part, re.sub(r"<[^>]+>", str(value), part))
    path = path.replace("<str:language>", "en").replace("^", "")
    return "/" + re.sub(r"<[^>]+>", "x", path)


def _ask(client: Client, method: str, path: str) -> object:
    with transaction.atomic():
        reply = client.generic(method, path, content_type=_kind(method, path))
        transaction.set_rollback(True)
    return _told(reply)


def _kind(method: str, path: str) -> str:
    if method == "POST" and not path.startswith("/api/"):
        return "application/x-www-form-urlencoded"
    return "application/json"


def _told(reply: HttpResponse) -> object:
    if reply.status_code == 302 and reply["Location"].startswith("/sign-in/"):
        return SIGN_IN
    return reply.status_code


def _user(caller: str) -> User:
    role = {"coordinator": User.Role.COORDINATOR, "admin": User.Role.ADMIN}.get(
        caller, User.Role.RESEARCHER
    )
    admin = role == User.Role.ADMIN
    return User.objects.create_user(
        caller.replace(" ", "-"), role=role, is_staff=admin, is_superuser=admin
    )


def _client(caller: str, user: User, rule: Rule, method: str) -> Client:
    client = Client(raise_request_exception=False)
    if caller in SIGNED_IN:
        client.force_login(user)
    if caller.startswith("token"):
        needed = dict(zip(rule.methods, rule.scopes, strict=False)).get(method, "")
        with_scope = caller == "token with scope"
        scopes = [one for one in Scope if (one.value == needed) == with_scope]
        secret = tokens.make(user, name="a program", scopes=scopes or list(Scope)).secret
        client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    return client


def _walk(resolver: URLResolver, before: str) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from _walk(pattern, route)
