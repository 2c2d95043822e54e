"""Collections and poems with their authors: for researchers."""

import json
from typing import Any

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from backend.api.authentication import TokenRequest
from backend.api.describing import page_of
from backend.api.scopes import Scope
from backend.api.serializers.corpus import (
    CollectionQuery,
    CollectionSerializer,
    ImportedSerializer,
    ImportSerializer,
    PoemQuery,
    PoemSerializer,
)
from backend.api.views.base import StaffView
from backend.api.visible import collections_of, poems_of
from backend.corpus import services
from backend.corpus.models import Collection


class CorpusView(StaffView):
    """Answers about human poems."""

    tag = "Poems"
    reads, writes = Scope.CORPUS_READ, Scope.CORPUS_WRITE
    for_researchers = True

    def counted(self, request: TokenRequest) -> QuerySet[Collection]:
        return collections_of(request.user).annotate(n_poems=Count("poems"))


class Collections(CorpusView):
    """The collections of human poems."""

    @extend_schema(
        operation_id="list_collections",
        parameters=[CollectionQuery],
        responses=page_of(CollectionSerializer),
    )
    def get(self, request: TokenRequest) -> Response:
        """List the collections with the number of their poems."""
        asked = self.query(CollectionQuery)
        found = self.counted(request).filter(name__icontains=asked.get("search", ""))
        return self.page(found.order_by(asked.get("ordering", "name")), CollectionSerializer)


class CollectionDetail(CorpusView):
    """One collection."""

    @extend_schema(operation_id="read_collection", responses=CollectionSerializer)
    def get(self, request: TokenRequest, pk: int) -> Response:
        """Show one collection."""
        shelf = get_object_or_404(self.counted(request), pk=pk)
        return Response(CollectionSerializer(shelf).data)


class Poems(CorpusView):
    """The poems of a collection."""

    @extend_schema(
        operation_id="list_poems", parameters=[PoemQuery], responses=page_of(PoemSerializer)
    )
    def get(self, request: TokenRequest, pk: int) -> Response:
        """List the poems of a collection, those asked for."""
        asked = self.query(PoemQuery)
        get_object_or_404(self.counted(request), pk=pk)
        found = poems_of(request.user).filter(collection=pk)
        found = found.containing(asked.get("search", "")).of_form(asked.get("form", ""))
        if "language" in asked:
            found = found.filter(language__iexact=asked["language"])
        return self.page(found.order_by(asked.get("ordering", "id"), "pk"), PoemSerializer)


class PoemDetail(CorpusView):
    """One poem."""

    @extend_schema(operation_id="read_poem", responses=PoemSerializer)
    def get(self, request: TokenRequest, pk: int) -> Response:
        """Show one poem with its annotation."""
        return Response(PoemSerializer(get_object_or_404(poems_of(request.user), pk=pk)).data)


class Import(CorpusView):
    """Takes poems."""

    @extend_schema(
        operation_id="import_poems", request=ImportSerializer, responses={201: ImportedSerializer}
    )
    def post(self, request: TokenRequest) -> Response:
        """Add poems to a collection: all, or none and every bad row named.

        A poem that is there already, letter for letter, is counted and not added again.
        """
        asked = self.asked(ImportSerializer)
        report = services.import_poems(
            _lines(asked["rows"]),
            file_name="api.jsonl",
            collection=asked["collection"],
            language=asked["language"],
            user=request.user,
        )
        return Response(ImportedSerializer(report).data, status=201)


def _lines(rows: list[dict[str, Any]]) -> bytes:
    """Return the rows as a file of the importer's: row n stands on line n."""
    return "\n".join(json.dumps(row, ensure_ascii=True) for row in rows).encode()
