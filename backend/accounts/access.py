"""What each role may open: one decorator per role, used by every staff page."""

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from backend.accounts.models import User

type_view = Callable[..., HttpResponse]


class StaffRequest(HttpRequest):
    """A request whose user is known to be staff: what a view behind these decorators gets."""

    user: User
    for_staff: bool


def _behind(allowed: Callable[[User], bool], who: str) -> Callable[[type_view], type_view]:
    def decorate(view: type_view) -> type_view:
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
            if not isinstance(request.user, User) or not allowed(request.user):
                raise PermissionDenied(f"This page is for {who}.")
            staff = cast(StaffRequest, request)
            staff.for_staff = True  # so that errors are told as to staff
            return view(staff, *args, **kwargs)

        return guarded

    return decorate


staff_only = _behind(lambda user: user.coordinates, "staff")
researchers_only = _behind(lambda user: user.researches, "researchers")
