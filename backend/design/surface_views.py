"""The page of the surface check: how well the texts are told apart without reading them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.studies.models import Study
from backend.accounts.access import StaffRequest, staff_only
from backend.design import opening, surface_check
from backend.design.checklist import above
from backend.design.forms import SurfaceForm
from backend.design.models import SurfaceCheck
from backend.design.states import WrongState


@never_cache
@staff_only
@require_http_methods(["GET", "POST"])
def surface(request: StaffRequest, slug: str) -> HttpResponse:
    """Show the newest surface check; make one on request."""
    found = get_object_or_404(Study.objects.select_related("design"), slug=slug)
    if request.method == "POST":
        try:
            opening.check_surface(found, by=request.user)
        except WrongState as problem:
            messages.error(request, str(problem))
            return redirect("studies")
        messages.success(request, "The surface check is made.")
        return redirect("surface", slug=slug)
    return _page(request, found, _form_of(found))


@staff_only
@require_POST
def limit(request: StaffRequest, slug: str) -> HttpResponse:
    """Set a draft's limit, and why it may be opened above it."""
    found = get_object_or_404(Study.objects.select_related("design"), slug=slug)
    form = SurfaceForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    try:
        opening.allow_surface(found, **form.cleaned_data)
    except WrongState as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, "Limit and reason are kept.")
    return redirect("surface", slug=slug)


def _form_of(study: Study) -> SurfaceForm:
    design = study.design
    return SurfaceForm(initial={"limit": design.surface_limit, "reason": design.surface_reason})


def _page(
    request: StaffRequest, study: Study, form: SurfaceForm, *, status: int = 200
) -> HttpResponse:
    check = surface_check.latest(study)
    context = {"study": study, "form": form, "check": check}
    if check:
        context |= {
            "stale": surface_check.stale(check, study),
            "above": above(check, study.design.surface_limit),
            "ids": surface_check.id_check(check),
            "bar": _bar(check, study.design.surface_limit),
        }
    return render(request, "design/surface.html", context, status=status)


def _bar(check: SurfaceCheck, limit: float) -> dict[str, float] | None:
    """Return where interval, figure and limit stand on a bar of 0 to 100."""
    if check.auc is None:
        return None
    low = check.auc if check.low is None else check.low
    high = check.auc if check.high is None else check.high
    return {
        "auc": round(100 * check.auc, 1),
        "low": round(100 * low, 1),
        "width": round(100 * max(high - low, 0.004), 1),
        "limit": round(100 * limit, 1),
    }
