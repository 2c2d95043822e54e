"""Who is reading: the judge whose personal secret stands in the address.

Nothing else is asked: no session, no cookie, no password. A lost cookie loses nothing, the same
address goes on on another device, and nobody can make a browser send what its page did not, since
nobody knows the address: so these views need no CSRF token.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast, overload

from django.conf import settings
from django.db.models import F, Model
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.prepared import Prepared
from annotation.studies import links
from annotation.studies.models import Assignment, AssignmentQuerySet, Judge

Rest = ParamSpec("Rest")
ExpertView = Callable[Concatenate[HttpRequest, Judge, Rest], HttpResponse]
Page = Callable[..., HttpResponse]


class ExpertRequest(HttpRequest):
    """A request whose address holds a personal secret."""

    judge: Judge
    key: str
    expired: bool
    assignment: Assignment  # where the address names one


@overload
def expert_page(view: ExpertView[Rest]) -> Page: ...


@overload
def expert_page(*, begun: bool) -> Callable[[ExpertView[Rest]], Page]: ...


def expert_page(
    view: ExpertView[Rest] | None = None, *, begun: bool = False
) -> Page | Callable[[ExpertView[Rest]], Page]:
    """Give a view the judge whose secret is the `key` in its address, and speak their language.

    With `begun`, an expired link does, too: it brings no new poem, but what was begun may be
    finished, and what was done be looked at or taken back. A link that is unknown, stopped or
    expired raises `StaleLink`, which becomes a page that says what to do.
    """

    def found(view: ExpertView[Rest]) -> Page:
        @never_cache
        @csrf_exempt
        @wraps(view)
        def page(
            request: HttpRequest, key: str, *args: Rest.args, **kwargs: Rest.kwargs
        ) -> HttpResponse:
            speak(request)  # a stale link is told in the language of the browser
            invitation = links.begun(key) if begun else links.follow(key)
            judge = invitation.judge
            expert = remember(request, judge, key)
            expert.expired = invitation.expires_at <= timezone.now()
            return view(expert, judge, *args, **kwargs)

        return page

    return found if view is None else found(view)


def remember(request: HttpRequest, judge: Judge, key: str) -> ExpertRequest:
    """Let templates know who is reading, and speak that judge's language."""
    expert = cast(ExpertRequest, request)
    expert.judge, expert.key = judge, key
    speak(request, judge.language)
    return expert


def speak(request: HttpRequest, language: str = "") -> None:
    """Answer in this language, else in the one that the browser asks for."""
    chosen = language or translation.get_language_from_request(request)
    translation.activate(chosen)


def reading(request: HttpRequest) -> dict[str, Any]:
    """Context processor: what the frame of an expert's page needs."""
    judge: Judge | None = getattr(request, "judge", None)
    if judge is None:
        return {"theme": Judge.Theme.SYSTEM, "text_size": 3, "line_numbers": False}
    return {
        "judge": judge,
        "study": judge.study,
        "key": getattr(request, "key", ""),
        "theme": judge.theme,
        "text_size": judge.text_size,
        "line_numbers": judge.line_numbers,
        "languages": settings.LANGUAGES,
    }


def assignment_of(judge: Judge, token: str) -> Assignment:
    """Return the judge's assignment with this token, or answer 404 if it is nobody's of theirs."""
    assignment = _OWN.first(judge=judge.pk, address=token)
    if assignment is None:
        raise Http404
    assignment.judge = judge
    return assignment


# Begins at the judge, as everywhere: by key, since the statement is written down beforehand.
_OWN = Prepared(
    lambda judge, address: (
        Assignment.objects.filter(judge=judge, token=address)
        .select_related("item", "draft", "judgment")
        .order_by()
    ),
    judge=-1,
    address="address",
)


class HoldsALink(BasePermission):
    """Only whoever holds a personal link may ask; the link is the `key` in the address.

    What the view is about is fetched with it, where the view says how (`by_link`).
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        key = view.kwargs["key"]
        speak(request._request)
        by_link = getattr(view, "by_link", None)
        found = by_link(links.digest(key)) if by_link else None
        if found is not None and not found.link_stopped:
            expert = remember(request._request, found.judge, key)
            expert.assignment, expires_at = found, found.link_expires
        else:
            try:
                invitation = links.begun(key)
            except links.StaleLink:
                return False
            expert = remember(request._request, invitation.judge, key)
            expires_at = invitation.expires_at
        expert.expired = expires_at <= timezone.now()
        return True


# Of judge and study, what saving and going on need; all else is fetched when it is asked for.
_OF_JUDGE = (
    "study", "kind", "name", "log_key", "language", "row", "active_at", "group", "replaces",
    "withdrawn_at",
)  # fmt: skip
_OF_STUDY = (
    "slug", "state", "fingerprint", "created_at", "dealing", "lease_hours", "batch_size", "seed",
    "twins", "apart", "repeats", "repeat_after_days", "attention_every", "conflict_salt", "deals",
    "asks_background", "cells_ready",
)  # fmt: skip


def of_link(digest: str, *fields: str) -> AssignmentQuerySet:
    """Return the assignments of whoever holds a link, with these fields of theirs, and no order."""
    return (
        Assignment.objects.filter(judge__invitations__token_hash=digest)
        .select_related(*{name.split("__")[0] for name in fields if "__" in name}, "judge__study")
        .only(
            *(one.attname for one in Assignment._meta.concrete_fields),
            *fields,
            *(f"judge__{name}" for name in _OF_JUDGE),
            *(f"judge__study__{name}" for name in _OF_STUDY),
        )
        .annotate(
            link_expires=F("judge__invitations__expires_at"),
            link_stopped=F("judge__invitations__revoked_at"),
        )
        .order_by()
    )


def fields_of(name: str, model: type[Model]) -> list[str]:
    """Return the names of all fields of a related row."""
    return [f"{name}__{one.name}" for one in model._meta.concrete_fields]
