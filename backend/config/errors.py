"""The one map from domain errors to HTTP, for pages and API alike."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotation.instruments.instrument import InvalidAnswers
from annotation.judgments.presenting import said
from annotation.judgments.services import AlreadyJudged, NewerDraft, StageAhead
from annotation.studies.links import NotOpen, QuotaReached, StaleLink
from annotation.studies.services import NoBackground, NoConsent, NotTakingPart

# Error -> (status, template); each template says what happened and what to do.
PAGES: dict[type[Exception], tuple[int, str]] = {
    StaleLink: (404, "judgments/stale_link.html"),
    NotOpen: (409, "judgments/not_open.html"),
    NoConsent: (409, "judgments/no_consent.html"),
    NoBackground: (409, "judgments/no_consent.html"),
    NotTakingPart: (409, "judgments/not_taking_part.html"),
    QuotaReached: (409, "judgments/full.html"),
}


class DomainErrors:
    """Middleware: a domain error that a page let through becomes a page that explains it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if type(error) not in PAGES:
            return None
        status, template = PAGES[type(error)]
        return render(request, template, {"error": error}, status=status)


def api_errors(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer a domain error raised in the API."""
    match error:
        case InvalidAnswers(problems=problems):
            told = {key: said(problem) for key, problem in problems.items()}
            error = ValidationError({"answers": told})
        case NewerDraft(draft=draft):
            body = {
                "detail": str(error),
                "answers": draft.answers,
                "version": draft.version,
                "stage": draft.stages_fixed,
            }
            return Response(body, status=409)
        case StageAhead():
            return Response({"detail": "earlier answers come first"}, status=409)
        case StaleLink():  # deleted meanwhile: as if the link had never been
            error = PermissionDenied()
        case AlreadyJudged():
            return Response({"detail": "already answered"}, status=409)
    return exception_handler(error, context)
