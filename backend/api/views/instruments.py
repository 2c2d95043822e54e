"""Instruments: those published, and the coordinators' own in versions."""

import json
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from annotation.instruments.loading import load, published_all
from backend.api.authentication import TokenRequest
from backend.api.describing import page_of
from backend.api.serializers.instruments import (
    InstrumentLineSerializer,
    InstrumentQuery,
    InstrumentSerializer,
    NewInstrumentSerializer,
    NewVersionSerializer,
    VersionQuery,
)
from backend.api.views.studies import StudyView
from backend.design import instruments
from backend.design.models import OwnInstrument


class InstrumentView(StudyView):
    """Answers about instruments."""

    tag = "Instruments"


class Instruments(InstrumentView):
    """The instruments."""

    @extend_schema(
        operation_id="list_instruments",
        parameters=[InstrumentQuery],
        responses=page_of(InstrumentLineSerializer),
    )
    def get(self, request: TokenRequest) -> Response:
        """List the instruments that a study can be built on, own ones in their newest version."""
        asked = self.query(InstrumentQuery)
        words, language = asked.get("search", "").casefold(), asked.get("language")
        found = [
            line
            for line in (_line(data) for data in instruments.offered().values())
            if words in f"{line['title']}\n{line['key']}".casefold()
            and language in (None, line["language"])
        ]
        return self.page(found, InstrumentLineSerializer)

    @extend_schema(
        operation_id="write_instrument",
        request=NewInstrumentSerializer,
        responses={201: InstrumentSerializer},
    )
    def post(self, request: TokenRequest) -> Response:
        """Write a new instrument, as version 1."""
        text = _text(self.asked(NewInstrumentSerializer))
        saved = instruments.save(text, by=request.user)
        return Response(InstrumentSerializer(_own(saved)).data, status=201)


class InstrumentDetail(InstrumentView):
    """One instrument."""

    @extend_schema(
        operation_id="read_instrument", parameters=[VersionQuery], responses=InstrumentSerializer
    )
    def get(self, request: TokenRequest, key: str) -> Response:
        """Show an instrument; of an own one the newest version, unless another is asked for."""
        version = self.query(VersionQuery).get("version")
        if version is None and key in published_all():
            shown = {**_line(published_all()[key]), "versions": []}
            return Response(InstrumentSerializer(shown).data)
        own = OwnInstrument.objects.filter(key=key)
        found = (own.filter(version=version) if version else own).first()
        if found is None:
            raise Http404
        return Response(InstrumentSerializer(_own(found)).data)


class InstrumentVersions(InstrumentView):
    """The versions of an own instrument."""

    @extend_schema(
        operation_id="write_instrument_version",
        request=NewVersionSerializer,
        responses={201: InstrumentSerializer},
    )
    def post(self, request: TokenRequest, key: str) -> Response:
        """Write the next version of an own instrument; studies keep the one they were built on."""
        if key in published_all() or not OwnInstrument.objects.filter(key=key).exists():
            raise Http404
        asked = self.asked(NewVersionSerializer)
        saved = instruments.save(_text(asked), key=key, seen=asked["seen"], by=request.user)
        return Response(InstrumentSerializer(_own(saved)).data, status=201)


def _text(asked: dict[str, Any]) -> str:
    return json.dumps(asked["definition"], ensure_ascii=False)


def _line(data: dict[str, Any]) -> dict[str, Any]:
    shown = load(data)
    return {
        "key": shown.key,
        "title": shown.title,
        "language": shown.language,
        "version": shown.version,
        "own": shown.key not in published_all(),
        "definition": data,
    }


def _own(saved: OwnInstrument) -> dict[str, Any]:
    versions = OwnInstrument.objects.filter(key=saved.key).values_list("version", flat=True)
    return {**_line(saved.data), "versions": list(versions)}
