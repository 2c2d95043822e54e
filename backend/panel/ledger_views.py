"""The ledger page: how far the study is, who needs a word, what is to come, raising K."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.studies import amending, links
from annotation.studies.models import Study
from backend.accounts.access import StaffRequest, staff_only
from backend.panel import attentiveness, careless, ledger, raising
from backend.panel.ledger_forms import RaiseForm
from backend.panel.meter import meter


@never_cache
@staff_only
@require_GET
def show_ledger(request: StaffRequest, slug: str) -> HttpResponse:
    """Show how far the study is, cell by cell and expert by expert."""
    study = get_object_or_404(Study, slug=slug)
    shown = {**ledger.page(study), "meter": meter(study, request.user)}
    return render(request, "panel/ledger.html", shown)


@never_cache
@staff_only
@require_GET
def figures(request: StaffRequest, slug: str) -> HttpResponse:
    """Show the figures of the ledger alone, for the page to renew its own."""
    study = get_object_or_404(Study, slug=slug)
    shown = {**ledger.figures(study), "meter": meter(study, request.user)}
    return render(request, "panel/_figures.html", shown)


@never_cache
@staff_only
@require_GET
def show_care(request: StaffRequest, slug: str) -> HttpResponse:
    """Show signs of answering without care, expert by expert, and drop nobody."""
    study = get_object_or_404(Study, slug=slug)
    context = {
        "study": study,
        "portraits": attentiveness.portraits(study),
        "indices": careless.INDICES,
        "enough": careless.ENOUGH,
        "alike": careless.LEAST_ALIKE,
    }
    return render(request, "panel/care.html", context)


@never_cache
@staff_only
@require_POST
def raise_places(request: StaffRequest, slug: str) -> HttpResponse:
    """Let each poem have more judges; the design gets a new version."""
    study = get_object_or_404(Study, slug=slug)
    form = RaiseForm(request.POST, study=study, auto_id="raise_%s")
    if form.is_valid():
        try:
            return _raise(request, study, form)
        except amending.TooFew as problem:
            form.add_error("judges_per_item", str(problem))
        except amending.NothingToRaise as problem:
            form.add_error("group" if "group" in form.fields else None, str(problem))
        except links.NotOpen:
            messages.error(request, "Only of an open study can it be raised.")
            return redirect("ledger", slug=slug)
    shown = {**ledger.page(study), "meter": meter(study, request.user), "raise_form": form}
    return render(request, "panel/ledger.html", shown, status=422)


def _raise(request: StaffRequest, study: Study, form: RaiseForm) -> HttpResponse:
    given = form.cleaned_data
    number = given["judges_per_item"]
    made = raising.raise_places(
        study, number, group=given.get("group"), reason=given["reason"], by=request.user
    )
    messages.success(
        request,
        f"Each of these poems has {number} judges from now on. The design is version "
        f"{made.number}, with the fingerprint {made.fingerprint}.",
    )
    return redirect("ledger", slug=study.slug)
