"""The page on which staff make and revoke their own tokens."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.activity.services import Kind, record
from backend.accounts.access import StaffRequest, staff_only
from backend.api import services
from backend.api.forms import TokenForm
from backend.api.models import Token


@never_cache
@staff_only
@require_http_methods(["GET", "POST"])
def tokens(request: StaffRequest) -> HttpResponse:
    """List one's own tokens; make one, and show its secret this once."""
    form = TokenForm(request.POST if request.method == "POST" else None, user=request.user)
    made = None
    if form.is_valid():
        made = _make(request, form)
        form = TokenForm(user=request.user)
    context = {
        "form": form,
        "made": made,
        "tokens": Token.objects.filter(user=request.user),
    }
    return render(request, "api/tokens.html", context, status=422 if form.is_bound else 200)


@staff_only
@require_POST
def revoke_token(request: StaffRequest, pk: int) -> HttpResponse:
    """Revoke one of one's own tokens."""
    token = get_object_or_404(Token, pk=pk, user=request.user)
    with transaction.atomic():
        services.revoke(token)
        record(Kind.TOKEN_REVOKED, actor=request.user.username, token=token.prefix)
    messages.success(request, f"“{token.name}” is revoked: it opens nothing any more.")
    return redirect("tokens")


@transaction.atomic
def _make(request: StaffRequest, form: TokenForm) -> services.Made:
    made = services.make(request.user, **form.cleaned_data)
    told = {"token": made.token.prefix, "scopes": made.token.scopes}
    record(Kind.TOKEN_MADE, actor=request.user.username, **told)
    return made
