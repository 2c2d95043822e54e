"""What all views of the staff API share: who comes in, how bodies are read and lists paged."""

from collections.abc import Iterable, Mapping
from typing import IO, Any, ClassVar, TypeVar

from django.forms import BaseForm
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from rest_framework.exceptions import NotFound, ParseError, ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Serializer
from rest_framework.views import APIView

from backend.api.authentication import BearerToken, HasScope, PerToken
from backend.api.describing import Described
from backend.api.problems import Told, refuse
from backend.api.scopes import Scope

ON_A_PAGE, ON_A_PAGE_AT_MOST = 50, 200
Filled = TypeVar("Filled", bound=BaseForm)
Sent = TypeVar("Sent", bound=Serializer[Any])
READING = ("GET", "HEAD", "OPTIONS")


class Pages(PageNumberPagination):
    """Long lists in pages."""

    page_size = ON_A_PAGE
    page_size_query_param = "page_size"
    max_page_size = ON_A_PAGE_AT_MOST


class OneKind(DefaultContentNegotiation):
    """Answers in the one kind that a view has, whatever the request would like better."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)


class ShallowJSON(JSONParser):
    """Reads JSON that is not nested without end."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return what was sent.

        Raises
        ------
        rest_framework.exceptions.ParseError
            If it is no JSON, or nested too deeply.
        """
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error


@method_decorator(never_cache, name="dispatch")
class StaffView(APIView):
    """Answers programs of the staff. A view names the scope it takes to read and to write."""

    authentication_classes = [BearerToken]
    permission_classes = [HasScope]
    throttle_classes = [PerToken]
    parser_classes = [ShallowJSON]
    content_negotiation_class = OneKind
    schema = Described()

    tag: ClassVar[str] = ""
    reads: ClassVar[Scope | None] = None
    writes: ClassVar[Scope | None] = None
    for_researchers: ClassVar[bool] = False
    conflicts: ClassVar[bool] = False  # whether even to read can be refused with 409

    def scope_of(self, method: str | None) -> Scope | None:
        """Return the scope that this method takes."""
        return self.reads if method in READING else self.writes

    def asked(self, body: type[Serializer[Any]]) -> dict[str, Any]:
        """Return the body that was sent.

        Raises
        ------
        rest_framework.exceptions.ValidationError
            If it cannot be taken, or holds a field that there is none of.
        """
        return dict(self.read(body).validated_data)

    def read(self, body: type[Sent]) -> Sent:
        """Return the body that was sent, as its serializer holds it.

        Raises
        ------
        rest_framework.exceptions.ValidationError
            As `asked` does.
        """
        return self._read(body(data=self.request.data), self.request.data)

    def query(self, parameters: type[Serializer[Any]]) -> dict[str, Any]:
        """Return the parameters of the address.

        Raises
        ------
        rest_framework.exceptions.ValidationError
            As `asked` does: a mistyped filter would otherwise let everything through.
        """
        given = self.request.query_params.dict()
        return dict(self._read(parameters(data=given), given).validated_data)

    def page(self, rows: Any, shown: type[BaseSerializer[Any]]) -> Response:
        """Answer with one page of a list."""
        pages = Pages()
        page: list[Any] | None = pages.paginate_queryset(rows, self.request, view=self)
        return pages.get_paginated_response(shown(page, many=True).data)

    def _read(self, given: Sent, sent: Any) -> Sent:
        if isinstance(sent, Mapping):
            unknown = set(sent) - set(given.fields)
            if unknown:
                raise ValidationError({name: ["There is no such field."] for name in unknown})
        given.is_valid(raise_exception=True)
        return given


class Unknown(StaffView):
    """Answers addresses below the API that are none of its own."""

    schema = None  # type: ignore[assignment]  # left out of the schema

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Let nobody on.

        Raises
        ------
        rest_framework.exceptions.NotFound
            To all who have a token; those without are told that first.
        """
        super().initial(request, *args, **kwargs)
        raise NotFound("There is nothing at this address; every address ends in a slash.")


def filled(
    form: type[Filled], given: Mapping[str, Any], *, told: Told | None = None, **options: Any
) -> Filled:
    """Return a room's form as if its page had been filled in with this and nothing else changed.

    Where the page calls its fields otherwise, `told` takes what is wrong to the names sent.

    Raises
    ------
    rest_framework.exceptions.ValidationError
        If the form is not valid, with each field named.
    """
    blank = form(**options)
    first = {name: blank.get_initial_for_field(field, name) for name, field in blank.fields.items()}
    bound = form({**first, **given}, **options)
    refuse(bound, told)
    return bound


def containing(rows: Iterable[Any], words: str, *names: str) -> list[Any]:
    """Return the rows of which one of these fields contains the words."""
    wanted = words.casefold()
    return [
        row for row in rows
        if any(wanted in str(getattr(row, name)).casefold() for name in names)
    ]  # fmt: skip
