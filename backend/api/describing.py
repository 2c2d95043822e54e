"""How the API describes itself in its OpenAPI schema."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.serializers import Serializer

from backend.api.problems import ProblemSerializer

PREFIX = "/api/v1/"
PROBLEM = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
WRONG = {
    "400": "Something that was sent cannot be taken; `errors` and `rows` name the places.",
    "401": "There is no token, or it opens nothing.",
    "403": "The token lacks a scope, or the role of its user does not allow this.",
    "404": "There is no such thing, or none that may be seen.",
    "409": "It does not go with how things are; `detail` says what to do.",
    "413": "The body is larger than this site takes.",
    "415": "The body is not JSON.",
    "429": "The token asked too often; `Retry-After` says in how many seconds to try again.",
}


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Names the token as the one way to be let in."""

    target_class = "backend.api.authentication.BearerToken"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A token of the staff: bv_…"}


class Described(AutoSchema):
    """Says of each operation its scope and its group."""

    view: Any  # a `StaffView`, which this module cannot import

    def get_operation(self, *about: Any) -> dict[str, Any] | None:
        made = super().get_operation(*about)
        self.resolve_serializer(ProblemSerializer, "response")  # `with_problems` speaks of it
        return made

    def get_tags(self) -> list[str]:
        return [self.view.tag]

    def get_summary(self) -> str:
        return self.get_description().partition("\n")[0]

    def get_extensions(self) -> dict[str, Any]:
        scope = self.view.scope_of(self.method)
        return {
            "x-scope": scope.value if scope else "",
            "x-researchers": self.view.for_researchers,
            "x-conflicts": self.view.conflicts or self.method != "GET",
        }


class PageQuery(serializers.Serializer[Any]):
    """Which page of a list."""

    page = serializers.IntegerField(min_value=1, required=False)
    page_size = serializers.IntegerField(min_value=1, max_value=200, required=False)


def identifier(**options: Any) -> serializers.IntegerField:
    """Return a field for the number of a row: no larger than a database can compare with."""
    return serializers.IntegerField(min_value=1, max_value=2**63 - 1, **options)


def page_of(shown: type[Serializer[Any]]) -> Any:
    """Return the description of one page of a list of these."""
    name = shown.__name__.removesuffix("Serializer")
    return inline_serializer(
        name=f"PageOf{name}",
        fields={
            "count": serializers.IntegerField(help_text="In all pages."),
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": shown(many=True),
        },
    )


def ours_only(endpoints: list[tuple[str, ...]], **_: Any) -> list[tuple[str, ...]]:
    """Leave out what is not for programs of the staff: the experts' own API."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith(PREFIX)]


def with_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add to every operation the answers that refuse, all of one shape."""
    for operations in result["paths"].values():
        for operation in operations.values():
            for status in _refusals(operation):
                answer = {"description": WRONG[status], "content": PROBLEM}
                if status == "429":
                    answer["headers"] = {"Retry-After": {"schema": {"type": "integer"}}}
                operation["responses"].setdefault(status, answer)
    return result


def _refusals(operation: dict[str, Any]) -> list[str]:
    """Return the statuses by which an operation can refuse what is asked."""
    places = [one["in"] for one in operation.get("parameters", [])]
    takes_body = "requestBody" in operation
    holds = {
        "400": takes_body or "query" in places,
        "401": True,
        "403": True,
        "404": "path" in places or "query" in places,
        "409": operation.pop("x-conflicts", False),
        "413": takes_body,
        "415": takes_body,
        "429": True,
    }
    return [status for status, holding in holds.items() if holding]
