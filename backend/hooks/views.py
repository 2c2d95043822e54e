"""The coordinator's page of hooks: whom a study tells what, and what became of it."""

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.studies.models import Study
from backend.accounts.access import StaffRequest, staff_only
from backend.hooks import services, tasks
from backend.hooks.forms import HookForm
from backend.hooks.models import Delivery, Hook

SHOWN = 50  # deliveries


@never_cache
@staff_only
@require_GET
def hooks(request: StaffRequest, slug: str) -> HttpResponse:
    """Show whom a study tells of its events, and the last messages."""
    return _page(request, get_object_or_404(Study, slug=slug), HookForm())


@never_cache
@staff_only
@require_POST
def add(request: StaffRequest, slug: str) -> HttpResponse:
    """Add a hook, and show its secret this once."""
    study = get_object_or_404(Study, slug=slug)
    form = HookForm(request.POST)
    if form.is_valid():
        try:
            made = services.add(study, **form.cleaned_data, by=request.user)
        except (services.BadAddress, services.AlreadyTold) as refused:
            form.add_error("url", str(refused))
        else:
            context = {"study": study, "hook": made.hook, "secret": made.secret}
            return render(request, "hooks/made.html", context)
    return _page(request, study, form)


@staff_only
@require_POST
def ping(request: StaffRequest, slug: str, key: int) -> HttpResponse:
    """Send a test message."""
    try:
        services.ping(_hook(slug, key))
    except services.Removed as gone:
        raise Http404 from gone
    messages.success(
        request, "The test message is on its way; the list below says what came of it."
    )
    return _sending(slug)


@staff_only
@require_POST
def stop(request: StaffRequest, slug: str, key: int) -> HttpResponse:
    """Send a hook nothing any more."""
    if services.stop(_hook(slug, key)):
        messages.success(request, "The hook is stopped: nothing is sent to it.")
    return redirect("hooks", slug=slug)


@staff_only
@require_POST
def start(request: StaffRequest, slug: str, key: int) -> HttpResponse:
    """Send to a hook again."""
    if services.start(_hook(slug, key)):
        messages.success(request, "The hook is started: what happens from now on is sent to it.")
    return redirect("hooks", slug=slug)


@staff_only
@require_POST
def remove(request: StaffRequest, slug: str, key: int) -> HttpResponse:
    """Delete a hook with the list of what it was sent."""
    hook = _hook(slug, key)
    if request.POST.get("sure") != "yes":
        messages.error(request, "Nothing was deleted: tick the box if you are sure.")
    else:
        services.remove(hook, by=request.user)
        messages.success(request, "The hook is deleted, with the list of what was sent to it.")
    return redirect("hooks", slug=slug)


@staff_only
@require_POST
def again(request: StaffRequest, slug: str, key: int) -> HttpResponse:
    """Try once more to deliver a message that failed."""
    if services.again(get_object_or_404(Delivery, pk=key, hook__study__slug=slug)):
        messages.success(request, "The message is sent again.")
    else:
        messages.error(
            request, "That message did not fail, or its hook is stopped; start it first."
        )
    return _sending(slug)


def _hook(slug: str, key: int) -> Hook:
    return get_object_or_404(Hook.objects.select_related("study"), pk=key, study__slug=slug)


def _page(request: HttpRequest, study: Study, form: HookForm) -> HttpResponse:
    told = Delivery.objects.filter(hook__study=study).select_related("hook")
    context = {"study": study, "form": form, "hooks": study.hooks.all(), "deliveries": told[:SHOWN]}
    return render(request, "hooks/hooks.html", context, status=422 if form.is_bound else 200)


def _sending(slug: str) -> HttpResponse:
    """Wake the workers, and lead back to the page."""
    transaction.on_commit(tasks.sweep.delay, robust=True)
    return redirect("hooks", slug=slug)
