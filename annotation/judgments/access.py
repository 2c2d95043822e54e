"""Who is reading: the judges whose personal links were opened in this browser."""

from typing import cast

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.studies.models import Assignment, Invitation, Judge

SESSION_KEY = "invitations"


def enter(request: HttpRequest, invitation: Invitation) -> None:
    """Let this browser act as the invited judge, beside any other whose link it opened."""
    here = cast("list[int]", request.session.get(SESSION_KEY, []))
    if invitation.pk not in here:
        request.session.cycle_key()
        request.session[SESSION_KEY] = [*here, invitation.pk]


def judges_here(request: HttpRequest) -> list[int]:
    """Return the judges whose links were opened here and not stopped since.

    A link that has expired under its reader's hands does not end what was begun.
    """
    opened = request.session.get(SESSION_KEY, [])
    if not opened:
        return []
    standing = Invitation.objects.filter(pk__in=opened, revoked_at=None)
    return list(standing.values_list("judge_id", flat=True))


def judge_here(request: HttpRequest, code: str) -> Judge:
    """Return the judge with this code, or answer 404 if this browser does not hold their link."""
    judges = Judge.objects.filter(pk__in=judges_here(request)).select_related("study")
    return get_object_or_404(judges, code=code)


def assignment_here(request: HttpRequest, token: str) -> Assignment:
    """Return the assignment with this token, or answer 404 if it is nobody's here."""
    return get_object_or_404(Assignment.objects.held_by(judges_here(request)), token=token)


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
