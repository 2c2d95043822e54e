"""The OpenAPI schema as a page reads it: operations by chapter, and the shapes they speak of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator

Parts = Mapping[str, Any]
PAGE = "PageOf"
ONE_OF = "one of "


@dataclass(frozen=True)
class Field:
    """A parameter of an address, or a field of a shape."""

    name: str
    kind: str
    shape: str
    required: bool
    about: str


@dataclass(frozen=True)
class Operation:
    """One operation: what it does, what it takes and what it answers."""

    key: str
    method: str
    path: str
    summary: str
    more: str
    scope: str
    for_researchers: bool
    parameters: tuple[Field, ...]
    body: str
    answers: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Shape:
    """An object in a body or an answer."""

    name: str
    about: str
    fields: tuple[Field, ...]


@cache
def whole_schema() -> dict[str, Any]:
    """Return the schema, made once in each process."""
    generator: Any = SchemaGenerator
    made: dict[str, Any] = generator().get_schema(request=None, public=True)
    return made


def chapters(schema: Parts) -> list[tuple[str, list[Operation]]]:
    """Return the operations by what they are about."""
    found: dict[str, list[Operation]] = {}
    for path, operations in _spelled_out(schema["paths"], schema).items():
        for method, told in operations.items():
            found.setdefault(told["tags"][0], []).append(_operation(path, method, told))
    return list(found.items())


def shapes(schema: Parts) -> list[Shape]:
    """Return the shapes, by name; pages of lists are told with their operations."""
    return [
        Shape(name, told.get("description", ""), tuple(_fields(told)))
        for name, told in sorted(_spelled_out(_named(schema), schema).items())
        if told.get("type") == "object" and not name.startswith(PAGE)
    ]


def _named(schema: Parts) -> Parts:
    named: Parts = schema["components"]["schemas"]
    return named


def _spelled_out(part: Any, schema: Parts) -> Any:
    """Return a part of the schema with lists of values in the places of their names."""
    if isinstance(part, list):
        return [_spelled_out(one, schema) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        meant = _named(schema)[_last(part["$ref"])]
        return meant if "enum" in meant else part
    return {key: _spelled_out(one, schema) for key, one in part.items()}


def _last(reference: str) -> str:
    return reference.rpartition("/")[2]


def _operation(path: str, method: str, told: Parts) -> Operation:
    summary, _, more = told.get("description", "").partition("\n")
    return Operation(
        key=told["operationId"],
        method=method.upper(),
        path=path,
        summary=summary,
        more=more.strip(),
        scope=told.get("x-scope", ""),
        for_researchers=told.get("x-researchers", False),
        parameters=tuple(
            Field(
                one["name"], *_kind(one["schema"]), one.get("required", False), _about(one)
            )
            for one in told.get("parameters", [])
        ),
        body=_shape(told.get("requestBody", {})),
        answers=tuple(
            (status, _shape(answer), answer.get("description", ""))
            for status, answer in sorted(told["responses"].items())
        ),
    )  # fmt: skip


def _fields(told: Parts) -> Iterator[Field]:
    required = told.get("required", [])
    for name, field in told.get("properties", {}).items():
        yield Field(name, *_kind(field), name in required, _about(field))


def _about(told: Parts) -> str:
    """Return what is told of a value, without its choices: they stand beside it already."""
    about: str = told.get("description", "")
    return "\n".join(line for line in about.splitlines() if not line.startswith("* `")).strip()


def _shape(answer: Parts) -> str:
    """Return the name of the shape that a body or an answer has, if it has one."""
    for content in answer.get("content", {}).values():
        kind, shape = _kind(content["schema"])
        name = shape or kind
        return f"page of {name.removeprefix(PAGE)}" if name.startswith(PAGE) else name
    return ""


def _kind(told: Parts) -> tuple[str, str]:
    """Return in words what a value is, and the name of its shape, if it has one."""
    if "$ref" in told:
        shape = _last(told["$ref"])
        return shape, shape
    for several in ("allOf", "oneOf", "anyOf"):
        if several in told:
            kinds = [_kind(one) for one in told[several]]
            return " or ".join(kind for kind, _ in kinds), next((s for _, s in kinds if s), "")
    if told.get("type") == "array":
        kind, shape = _kind(told.get("items", {}))
        return f"list, each {kind}" if kind.startswith(ONE_OF) else f"list of {kind}", shape
    if "enum" in told:
        return _choices(told["enum"]), ""
    kind = told.get("type", "any value")
    named = " or ".join(kind) if isinstance(kind, list) else kind
    return f"{named} ({told['format']})" if "format" in told else named, ""


def _choices(values: list[Any]) -> str:
    """Return in words which values there are to choose from."""
    named = [str(one) for one in values if one not in ("", None)]
    return ONE_OF + ", ".join(named) if named else "empty"
