"""Who is reading: the judges whose personal links were opened in this browser."""

from typing import cast

from django.http import Http404, HttpRequest
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.studies import services
from annotation.studies.models import Assignment, Judge

SESSION_KEY = "judges"


def enter(request: HttpRequest, judge: Judge) -> None:
    """Let this browser act as `judge`, beside any other whose link it opened."""
    here = judges_here(request)
    if judge.pk not in here:
        request.session.cycle_key()
        request.session[SESSION_KEY] = [*here, judge.pk]


def judges_here(request: HttpRequest) -> list[int]:
    return cast("list[int]", request.session.get(SESSION_KEY, []))


def judge_here(request: HttpRequest, code: str) -> Judge:
    """Return the judge with this code, or answer 404 if this browser does not hold their link."""
    judge = Judge.objects.filter(pk__in=judges_here(request), code=code)
    found = judge.select_related("study").first()
    if found is None or not services.welcome(found):
        raise Http404
    return found


def assignment_here(request: HttpRequest, token: str) -> Assignment:
    """Return the assignment with this token, or answer 404 if it is nobody's here."""
    found = Assignment.objects.held_by(judges_here(request)).filter(token=token).first()
    if found is None or not services.welcome(found.judge):
        raise Http404
    return found


class JudgeSession(BaseAuthentication):
    """Lets the API trust the browser's session, and only with its CSRF token."""

    def authenticate(self, request: Request) -> None:
        SessionAuthentication().enforce_csrf(request)

    def authenticate_header(self, request: Request) -> str:
        return "Session"


class HoldsALink(BasePermission):
    """Only a browser in which a personal link was opened may ask."""

    message = "Open your personal link first."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return bool(judges_here(request._request))
