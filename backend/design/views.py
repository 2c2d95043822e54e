"""The coordinator's pages of a study: preview, open, watch, close; building has its own."""

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.judgments import presenting
from annotation.studies.models import ConsentWording, Study
from backend.accounts.access import StaffRequest, staff_only
from backend.design import opening, services
from backend.design.checklist import checklist, stops
from backend.design.forms import ConsentForm, PilotForm
from backend.design.planning import CHINESE, ENGLISH
from backend.design.progress import seats, totals
from backend.design.versions import shown


@staff_only
@require_GET
def studies(request: StaffRequest) -> HttpResponse:
    """List the studies, newest first."""
    found = Study.objects.annotate(
        n_items=Count("items", distinct=True), n_judges=Count("judges", distinct=True)
    )
    return render(request, "design/studies.html", {"studies": found})


@never_cache
@staff_only
@require_GET
def study(request: StaffRequest, slug: str) -> HttpResponse:
    """Show one study: its state, its panel and progress, and what can be done next."""
    found = get_object_or_404(Study.objects.select_related("design__pilot_of"), slug=slug)
    context = {
        "study": found,
        "seats": seats(found),
        "totals": totals(found),
        "wordings": ConsentWording.objects.latest_of(found),
        "versions": shown(found),
        "pilots": Study.objects.filter(design__pilot_of=found),
    }
    if found.state == Study.State.DRAFT:
        checks = checklist(found)
        context |= {"checks": checks, "stops": stops(checks), "pilot_form": PilotForm()}
    return render(request, "design/study.html", context)


@staff_only
@require_GET
def preview(request: StaffRequest, slug: str) -> HttpResponse:
    """Show the items as a judge will see them, one a page, in no telling order."""
    found = get_object_or_404(Study, slug=slug)
    opening.previewed(found)
    items = Paginator(found.items.order_by("pk"), 1).get_page(request.GET.get("page"))
    stages = [presenting.asked(stage, {}) for stage in found.instrument.stages]
    # A draft that lost its items is still shown, empty.
    texts = [text for item in items for text in (item.text, item.second) if text]
    context = {
        "study": found, "instrument": found.instrument, "items": items,
        "stages": stages, "texts": texts,
    }  # fmt: skip
    return render(request, "design/preview.html", context)


@never_cache
@staff_only
@require_http_methods(["GET", "POST"])
def study_consent(request: StaffRequest, slug: str) -> HttpResponse:
    """Show the versions of the consent text, and publish a new one."""
    found = get_object_or_404(Study, slug=slug)
    form = ConsentForm(_newest(found), request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            version = services.renew_consent(found, form.texts(), by=request.user)
        except (services.WrongState, services.SameWording) as problem:
            form.add_error(None, str(problem))
        else:
            messages.success(request, f"Version {version} is published: experts are asked again.")
            return redirect("study-consent", slug=slug)
    context = {"study": found, "form": form, "wordings": found.consent_wordings.all()}
    return render(request, "design/consent.html", context, status=422 if form.is_bound else 200)


@staff_only
@require_POST
def open_study(request: StaffRequest, slug: str) -> HttpResponse:
    """Open a draft under its fingerprint, once nothing on its checklist stands against it."""

    def step(found: Study) -> object:
        return services.open_study(found, by=request.user, after_looking=True)

    return _step(request, slug, step, "The study is open. Now invite experts.")


@staff_only
@require_POST
def close(request: StaffRequest, slug: str) -> HttpResponse:
    """Stop giving out poems."""

    def step(found: Study) -> object:
        return services.close(found, by=request.user)

    return _step(request, slug, step, "The study is closed. Its key is still sealed.")


@staff_only
@require_POST
def discard(request: StaffRequest, slug: str) -> HttpResponse:
    """Delete a draft nobody was invited to."""
    found = get_object_or_404(Study, slug=slug)
    try:
        services.discard(found, by=request.user)
    except services.WrongState as problem:
        messages.error(request, str(problem))
        return redirect("study", slug=slug)
    messages.success(request, f"The draft “{found.title}” is discarded.")
    return redirect("studies")


def _step(
    request: HttpRequest, slug: str, step: Callable[[Study], object], done: str
) -> HttpResponse:
    try:
        step(get_object_or_404(Study, slug=slug))
    except services.WrongState as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, done)
    return redirect("study", slug=slug)


def _newest(study: Study) -> dict[str, str]:
    """Return the newest consent text by language; empty where one could be added."""
    there = ConsentWording.objects.latest_of(study).values_list("language", "text")
    own = CHINESE if study.language.casefold().startswith("zh") else study.language
    return {own: "", ENGLISH: "", CHINESE: "", **dict(there)}
