"""The one map from domain errors to HTTP, for pages and API alike."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler, set_rollback

from annotation.instruments.instrument import InvalidAnswers
from annotation.instruments.loading import InvalidInstrument
from annotation.judgments.presenting import said
from annotation.judgments.services import AlreadyJudged, NewerDraft, StageAhead
from annotation.studies.amending import AlreadyReplaced, NothingToRaise, TooFew
from annotation.studies.links import AlreadyInvited, NotOpen, QuotaReached, StaleLink, Withdrawn
from annotation.studies.services import NoBackground, NoConsent, NotTakingPart, PlacesGone
from backend.analytics.frames import StillBlinded
from backend.api import problems
from backend.api.errors import answer as staff_answer
from backend.api.views.base import StaffView
from backend.config.views import not_found
from backend.corpus.problems import ImportRefused
from backend.design.instruments import KeyTaken, NewerVersion
from backend.design.opening import NotReady
from backend.design.planning import NothingToJudge
from backend.design.services import SameWording
from backend.design.states import WrongState
from backend.design.unsealing import NoReason, NotPlanned
from backend.generation.controlling import RunCancelled, RunImported
from backend.generation.estimating import UnknownPrice
from backend.generation.services import NameTaken, NothingToWrite
from backend.hooks.receivers import BadAddress
from backend.hooks.services import AlreadyTold
from backend.panel.roster import InvalidRoster
from backend.panel.withdrawing import Unsealed

# Error -> (status, template); each template says what happened and what to do.
PAGES: dict[type[Exception], tuple[int, str]] = {
    StaleLink: (404, "judgments/stale_link.html"),
    NotOpen: (409, "judgments/not_open.html"),
    NoConsent: (409, "judgments/no_consent.html"),
    NoBackground: (409, "judgments/no_consent.html"),
    NotTakingPart: (409, "judgments/not_taking_part.html"),
    QuotaReached: (409, "judgments/full.html"),
    PlacesGone: (503, "judgments/busy.html"),
}
# In how many seconds what came to nothing is worth another try.
RETRY_AFTER = "5"


class DomainErrors:
    """Middleware: a domain error that a page let through becomes a page that explains it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, StaleLink) and getattr(request, "for_staff", False):
            return not_found(request, error)  # the expert, or the study, is gone
        if type(error) not in PAGES:
            return None
        status, template = PAGES[type(error)]
        answer = render(request, template, {"error": error}, status=status)
        if status == 503:
            answer["Retry-After"] = RETRY_AFTER
        return answer


# Error -> (status, the field that it is about, if it is about one), in the API of the staff.
STAFF_API: dict[type[Exception], tuple[int, str]] = {
    StaleLink: (404, ""),
    NotOpen: (409, ""),
    WrongState: (409, ""),
    StillBlinded: (409, ""),
    NotPlanned: (409, ""),
    NoReason: (400, "reason"),
    BadAddress: (400, "url"),
    AlreadyTold: (409, "url"),
    TooFew: (409, "judges_per_item"),
    NothingToRaise: (409, "group"),
    Unsealed: (409, ""),
    Withdrawn: (409, ""),
    SameWording: (400, "texts"),
    NothingToJudge: (400, "collection"),
    NothingToWrite: (400, "template"),
    NameTaken: (409, "name"),
    UnknownPrice: (409, "cap"),
    RunCancelled: (409, ""),
    RunImported: (409, ""),
    AlreadyInvited: (409, "email"),
    AlreadyReplaced: (409, ""),
    KeyTaken: (409, "definition"),
    NewerVersion: (409, "seen"),
}
WHY: dict[type[Exception], str] = {
    NotOpen: "The study is not open.",
    StaleLink: "The expert, or the whole study, was deleted meanwhile.",
    StillBlinded: "The key is sealed; close the study and have it unsealed first.",
}

# Why an expert is given nothing now.
NOTHING_NOW: dict[type[Exception], str] = {
    NotOpen: "the study is not open",
    NoConsent: "consent comes first",
    NoBackground: "the background comes first",
    NotTakingPart: "paused or stopped",
}


def api_errors(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer a domain error raised in an API: the experts', or that of the staff."""
    if isinstance(context.get("view"), StaffView):
        return _to_staff(error, context)
    return _to_experts(error, context)


def _to_staff(error: Exception, context: dict[str, Any]) -> Response | None:
    match error:
        case ImportRefused(problems=found):
            rows = [(one.line, one.column, one.reason, one.remedy) for one in found]
            said = problems.of_rows(str(error), "rows", rows)
        case InvalidRoster(problems=found):
            rows = [(one.line, one.field, one.reason, one.remedy) for one in found]
            said = problems.of_rows("Nobody was invited; rows say why.", "people", rows)
        case InvalidInstrument(problems=found):
            said = problems.body("The data describe no instrument.", {"definition": found})
        case NotReady(checks=found):
            set_rollback()
            told = {one.key: [f"{one.text} {one.remedy}".strip()] for one in found}
            return Response(problems.body("The study is not ready.", told), status=409)
        case _ if (kind := _known(error)) is not None:
            status, field = STAFF_API[kind]
            why = WHY.get(kind) or str(error)
            set_rollback()
            return Response(problems.body(why, {field: [why]} if field else None), status=status)
        case _:
            return staff_answer(error, context)
    set_rollback()
    return Response(said, status=400)


def _known(error: Exception) -> type[Exception] | None:
    """Return the error of the map that this one is, or is a kind of."""
    return next((kind for kind in type(error).__mro__ if kind in STAFF_API), None)


def _to_experts(error: Exception, context: dict[str, Any]) -> Response | None:
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
        case StaleLink():  # deleted or stopped meanwhile, or given anew: as if it had never been
            error = PermissionDenied()
        case AlreadyJudged():
            return Response({"detail": "already answered"}, status=409)
        case NotOpen() | NoConsent() | NoBackground() | NotTakingPart():
            return Response({"detail": NOTHING_NOW[type(error)]}, status=409)
        case PlacesGone():
            busy = {"detail": "try again in a moment"}
            return Response(busy, status=503, headers={"Retry-After": RETRY_AFTER})
    return exception_handler(error, context)
