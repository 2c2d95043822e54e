"""The coordinator's pages: build, preview, open, invite, watch, close; and unblinding."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.judgments.presenting import Asked
from annotation.studies import services as ledger
from annotation.studies.models import Judge, Study
from backend.accounts.access import StaffRequest, researchers_only, staff_only
from backend.design import services
from backend.design.forms import InviteForm, PlanForm
from backend.design.progress import panel, totals, unanswered


@staff_only
@require_GET
def studies(request: StaffRequest) -> HttpResponse:
    """List the studies, newest first."""
    found = Study.objects.annotate(
        n_items=Count("items", distinct=True), n_judges=Count("judges", distinct=True)
    )
    return render(request, "design/studies.html", {"studies": found})


@staff_only
@require_http_methods(["GET", "POST"])
def new_study(request: StaffRequest) -> HttpResponse:
    """Build a draft study from a form."""
    form = PlanForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            study = services.build(form.plan(), by=request.user)
        except services.NothingToJudge as problem:
            form.add_error("collection", str(problem))
        else:
            messages.success(
                request, "The draft is built. Look at what judges will see, then open."
            )
            return redirect("study", slug=study.slug)
    status = 422 if form.is_bound else 200
    return render(request, "design/new_study.html", {"form": form}, status=status)


@never_cache
@staff_only
@require_GET
def study(request: StaffRequest, slug: str) -> HttpResponse:
    """Show one study: its state, its panel and progress, and what can be done next."""
    found = get_object_or_404(Study.objects.select_related("design"), slug=slug)
    return _study_page(request, found, InviteForm())


@staff_only
@require_GET
def preview(request: StaffRequest, slug: str) -> HttpResponse:
    """Show the items as a judge will see them, one a page, in no telling order."""
    found = get_object_or_404(Study, slug=slug)
    items = Paginator(found.items.order_by("pk"), 1).get_page(request.GET.get("page"))
    asked = [Asked(shown) for shown in found.instrument.shown()]
    context = {"study": found, "instrument": found.instrument, "items": items, "asked": asked}
    return render(request, "design/preview.html", context)


@staff_only
@require_POST
def open_study(request: StaffRequest, slug: str) -> HttpResponse:
    """Open a draft under its fingerprint."""
    return _step(request, slug, services.open_study, "The study is open. Now invite experts.")


@staff_only
@require_POST
def close(request: StaffRequest, slug: str) -> HttpResponse:
    """Stop giving out poems."""
    return _step(request, slug, services.close, "The study is closed. Its key is still sealed.")


@staff_only
@require_POST
def discard(request: StaffRequest, slug: str) -> HttpResponse:
    """Delete a draft nobody was invited to."""
    found = get_object_or_404(Study, slug=slug)
    try:
        services.discard(found)
    except services.WrongState as problem:
        messages.error(request, str(problem))
        return redirect("study", slug=slug)
    messages.success(request, f"The draft “{found.title}” is discarded.")
    return redirect("studies")


@researchers_only
@require_POST
def unblind(request: StaffRequest, slug: str) -> HttpResponse:
    """Unseal the key of a closed study, in the researcher's name."""
    found = get_object_or_404(Study, slug=slug)
    try:
        services.unblind(found, by=request.user)
    except services.WrongState as problem:
        messages.error(request, str(problem))
        return redirect("study", slug=slug)
    messages.success(request, "The key is unsealed, in your name and with the time.")
    return redirect("results", slug=slug)


@never_cache
@staff_only
@require_POST
def invite(request: StaffRequest, slug: str) -> HttpResponse:
    """Put an expert on the panel and show their link, this once."""
    found = get_object_or_404(Study.objects.select_related("design"), slug=slug)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _study_page(request, found, form, status=422)
    try:
        link = ledger.invite(found, **form.cleaned_data)
    except ledger.AlreadyInvited as problem:
        form.add_error("email", str(problem))
        return _study_page(request, found, form, status=422)
    except ledger.NotOpen:
        return _closed(request, found)
    return _link_page(request, found, link)


@never_cache
@staff_only
@require_POST
def new_link(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Make a new link for someone on the panel; earlier ones stop working."""
    judge = _expert(slug, code)
    try:
        return _link_page(request, judge.study, ledger.link_for(judge))
    except ledger.NotOpen:
        return _closed(request, judge.study)


@staff_only
@require_POST
def revoke(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Stop an expert's link and give their unanswered poems back to the others."""
    judge = _expert(slug, code)
    given_back = ledger.revoke(judge)
    messages.success(
        request,
        f"{judge.name}'s link is stopped; poems that went back to the others: {given_back}. "
        "What was answered is kept.",
    )
    return redirect("study", slug=slug)


def _expert(slug: str, code: str) -> Judge:
    experts = Judge.objects.experts().select_related("study")
    return get_object_or_404(experts, study__slug=slug, code=code)


def _closed(request: HttpRequest, found: Study) -> HttpResponse:
    messages.error(request, "The study is closed: nobody can be invited to it any more.")
    return redirect("study", slug=found.slug)


def _step(request: HttpRequest, slug: str, step: Any, done: str) -> HttpResponse:
    try:
        step(get_object_or_404(Study, slug=slug))
    except services.WrongState as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, done)
    return redirect("study", slug=slug)


def _study_page(
    request: HttpRequest, found: Study, form: InviteForm, status: int = 200
) -> HttpResponse:
    context = {
        "study": found,
        "form": form,
        "panel": panel(found),
        "totals": totals(found),
        "unanswered": unanswered(found) if found.state == Study.State.DRAFT else 0,
    }
    return render(request, "design/study.html", context, status=status)


def _link_page(request: HttpRequest, found: Study, link: ledger.Link) -> HttpResponse:
    address = request.build_absolute_uri(reverse("invitation", args=[link.secret]))
    context = {"study": found, "judge": link.invitation.judge, "address": address, "link": link}
    return render(request, "design/link.html", context)
