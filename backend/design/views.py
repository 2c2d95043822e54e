"""The coordinator's pages of a study: preview, open, watch, close; building has its own."""

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Max, Min, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.judgments import presenting
from annotation.studies.models import ConsentWording, Study
from backend.accounts.access import StaffRequest, staff_only
from backend.design import opening, services, unsealing
from backend.design.checklist import checklist, stops
from backend.design.forms import ConsentForm, PilotForm
from backend.design.planning import CHINESE, ENGLISH
from backend.design.precision import has_auc
from backend.design.progress import seats, totals, wanted
from backend.design.versions import shown


@staff_only
@require_GET
def studies(request: StaffRequest) -> HttpResponse:
    """List the studies, newest first."""
    judged = Q(items__attention=False)
    found = Study.objects.annotate(
        n_items=Count("items", filter=judged, distinct=True),
        fewest=Min("items__places", filter=judged),
        most=Max("items__places", filter=judged),
        n_judges=Count("judges", distinct=True),
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
        "wanted": wanted(found),
        "unsealed_by": unsealing.named(found),
        "wordings": ConsentWording.objects.latest_of(found),
        "versions": shown(found),
        "pilots": Study.objects.filter(design__pilot_of=found),
        "has_auc": has_auc(found),
    }
    if found.state == Study.State.DRAFT:
        checks = checklist(found)
        context |= {
            "checks": checks,
            "stops": stops(checks),
            "pilot_form": PilotForm(),
            "kept": services.why_kept(found),
        }
    return render(request, "design/study.html", context)


@staff_only
@require_GET
def preview(request: StaffRequest, slug: str) -> HttpResponse:
    """Show the items as a judge will see them, one a page, in no telling order.

    Tests of attention are among them, and counted apart.
    """
    found = get_object_or_404(Study, slug=slug)
    opening.previewed(found)
    items = Paginator(found.items.order_by("pk"), 1).get_page(request.GET.get("page"))
    stages = [presenting.asked(stage, {}) for stage in found.instrument.stages]
    # A draft that lost its items is still shown, empty.
    item = next(iter(items), None)
    alike = found.items.filter(attention=bool(item and item.attention))
    context = {
        "study": found,
        "instrument": found.instrument,
        "items": items,
        "item": item,
        "number": alike.filter(pk__lte=item.pk).count() if item else 0,
        "count": alike.count(),
        "stages": stages,
        "texts": [text for text in (item.text, item.second) if text] if item else [],
    }
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
    context = {
        "study": found,
        "form": form,
        "wordings": found.consent_wordings.all(),
        "kept": services.why_kept(found),
    }
    return render(request, "design/consent.html", context, status=422 if form.is_bound else 200)


@staff_only
@require_POST
def open_study(request: StaffRequest, slug: str) -> HttpResponse:
    """Open a draft under its fingerprint, once nothing on its checklist stands against it."""

    def step(found: Study) -> object:
        return services.open_study(found, by=request.user, after_looking=True)

    return _step(request, slug, step, _whom_to_tell)


@staff_only
@require_POST
def close(request: StaffRequest, slug: str) -> HttpResponse:
    """Stop giving out poems."""

    def step(found: Study) -> object:
        return services.close(found, by=request.user)

    return _step(request, slug, step, lambda _: "The study is closed. Its key is still sealed.")


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
    request: HttpRequest, slug: str, step: Callable[[Study], object], done: Callable[[Study], str]
) -> HttpResponse:
    found = get_object_or_404(Study, slug=slug)
    try:
        step(found)
    except services.WrongState as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, done(found))
    return redirect("study", slug=slug)


def _whom_to_tell(study: Study) -> str:
    """Return what is left to do of a study that was just opened: opening tells nobody."""
    there = seats(study).experts
    if not there:
        return "The study is open. Now invite experts."
    return format_html(
        "The study is open. {} already on its panel: opening sends them no letter. "
        '<a href="{}#letters">Write to them</a>, or invite more.',
        "1 expert is" if there == 1 else f"{there} experts are",
        reverse("panel", args=[study.slug]),
    )


def _newest(study: Study) -> dict[str, str]:
    """Return the newest consent text by language; empty where one could be added."""
    there = ConsentWording.objects.latest_of(study).values_list("language", "text")
    own = CHINESE if study.language.casefold().startswith("zh") else study.language
    return {own: "", ENGLISH: "", CHINESE: "", **dict(there)}
