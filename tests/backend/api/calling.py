"""A program that calls the API with a token."""

import json
from typing import Any

from django.http import HttpResponse
from django.test import Client

from backend.accounts.models import User
from backend.api import services
from backend.api.scopes import Scope, allowed


class Program:
    """Calls addresses below /api/v1/ with a token, in JSON."""

    def __init__(self, secret: str = "") -> None:
        self._client = Client(
            headers={"Authorization": f"Bearer {secret}"} if secret else {},
            raise_request_exception=False,
        )

    def get(self, path: str, **query: object) -> Any:
        return self._client.get(f"/api/v1/{path}", query)

    def post(self, path: str, body: object = None) -> Any:
        return self._send("POST", path, body)

    def put(self, path: str, body: object) -> Any:
        return self._send("PUT", path, body)

    def patch(self, path: str, body: object) -> Any:
        return self._send("PATCH", path, body)

    def delete(self, path: str) -> Any:
        return self._send("DELETE", path, None)

    def _send(self, method: str, path: str, body: object) -> HttpResponse:
        sent = "" if body is None else json.dumps(body)
        return self._client.generic(
            method, f"/api/v1/{path}", sent, content_type="application/json"
        )


def secret_of(user: User, *scopes: Scope) -> str:
    """Return the secret of a new token, with these scopes or with all that the role allows."""
    return services.make(user, name="a program", scopes=scopes or allowed(user)).secret


def program(user: User, *scopes: Scope) -> Program:
    return Program(secret_of(user, *scopes))
