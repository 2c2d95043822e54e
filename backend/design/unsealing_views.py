"""The page on which the key is unsealed, and what its buttons do."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.activity.models import Entry
from annotation.studies.models import Study
from backend.accounts.access import StaffRequest, researchers_only
from backend.design import unsealing

HISTORY = 50
_BUILT = Study.objects.exclude(design=None)


@never_cache
@researchers_only
@require_GET
def page(request: StaffRequest, slug: str) -> HttpResponse:
    """Show whether the key is sealed, who asked for it, and what was done about it so far."""
    found = get_object_or_404(_BUILT.select_related("design"), slug=slug)
    asked = found.design.unsealings.select_related("by")
    log = Entry.objects.of_study(slug).filter(kind__in=unsealing.HISTORY_KINDS)
    counting = sum(one.by.researches for one in asked)
    mine = any(one.by_id == request.user.pk for one in asked)
    context = {
        "study": found,
        "asked": asked,
        "mine": mine,
        # Who asked and became a researcher again counts again, and unseals nothing by that.
        "enough": counting >= found.design.unsealing_needs,
        "last": counting + (not mine) >= found.design.unsealing_needs,
        "unsealed_by": unsealing.named(found),
        "history": log.order_by("-pk")[:HISTORY],
    }
    return render(request, "design/unsealing.html", context)


@researchers_only
@require_POST
def unblind(request: StaffRequest, slug: str) -> HttpResponse:
    """Ask in the researcher's name that the key be unsealed; the last who has to unseals it."""
    found = get_object_or_404(Study, slug=slug)
    try:
        unsealed = unsealing.ask(found, by=request.user, reason=request.POST.get("reason", ""))
    except unsealing.WrongState as problem:
        messages.error(request, str(problem))
        return redirect("study", slug=slug)
    if not unsealed:
        messages.success(request, "You have asked for the key; somebody else has to ask as well.")
        return redirect("unsealing", slug=slug)
    messages.success(request, "The key is unsealed, in your name and with the time.")
    return redirect("results", slug=slug)


@researchers_only
@require_POST
def take_back(request: StaffRequest, slug: str) -> HttpResponse:
    """Let the researcher ask for the key no longer."""
    found = get_object_or_404(Study, slug=slug)
    if unsealing.take_back(found, by=request.user):
        messages.success(request, "You no longer ask for the key.")
    else:
        messages.error(request, "There is nothing of yours to take back.")
    return redirect("unsealing", slug=slug)
