"""The guided page on which a study is built, its live counts, and the way to a pilot."""

from dataclasses import asdict, dataclass

from django.contrib import messages
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_http_methods, require_POST

from annotation.studies.models import Study
from backend.accounts.access import StaffRequest, staff_only
from backend.design import methods, services
from backend.design.forms import PilotForm, PlanForm
from backend.design.pilot import try_out
from backend.design.planning import NothingToJudge
from backend.design.precision import Precision
from backend.design.sizes import Sizes

_AFTER = (":", "")  # a field's name, that is a question


@dataclass(frozen=True)
class Count:
    """What the choices come to, and what is to be said of it: why it cannot be, or lacks."""

    sizes: Sizes | None = None
    problem: str = ""
    precision: Precision | None = None

    @property
    def half(self) -> str:
        """Half the width of an AUC's interval, as it is shown."""
        width = self.precision.half.width if self.precision else None
        return "–" if width is None else f"±{width:.3f}"


@staff_only
@require_http_methods(["GET", "POST"])
def new_study(request: StaffRequest) -> HttpResponse:
    """Build a draft study from a form; or, by its other button, only count what it would hold."""
    if request.method != "POST":
        return _page(request, PlanForm(initial=methods.beginning(request.GET.get("method", ""))))
    form = PlanForm(request.POST)
    if "count" in request.POST:
        status = 200 if form.is_valid() else 422
        return _page(request, form, status=status, count=_counted(request.POST))
    if form.is_valid():
        try:
            study = services.build(form.plan(), by=request.user)
        except NothingToJudge as reason:
            form.refuse(reason)  # what there is changed between the two
        else:
            messages.success(request, "The draft is built. What is left to do stands below.")
            return redirect("study", slug=study.slug)
    return _page(request, form, status=422)


@staff_only
@require_POST
def counts(request: StaffRequest) -> JsonResponse:
    """Count what a study of these choices would hold, for the page's script."""
    count = _counted(request.POST)
    told = asdict(count.sizes) if count.sizes else {"problem": count.problem}
    shown = render_to_string("design/_precision.html", {"precision": count.precision})
    return JsonResponse({**told, "half": count.half, "precision": shown})


@staff_only
@require_POST
def pilot(request: StaffRequest, slug: str) -> HttpResponse:
    """Open a small study of a draft's own texts, to try it out."""
    found, form = get_object_or_404(Study, slug=slug), PilotForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Say on how many briefs: 1 to 100.")
        return redirect("study", slug=slug)
    try:
        made = try_out(found, briefs=form.cleaned_data["briefs"], by=request.user)
    except services.WrongState as problem:
        messages.error(request, str(problem))
        return redirect("study", slug=slug)
    messages.success(request, "The pilot is open. Its data are kept apart from the study's.")
    return redirect("study", slug=made.slug)


def _counted(data: QueryDict) -> Count:
    filled = data.copy()
    for words in ("title", "contact"):  # they count for nothing here
        filled[words] = filled.get(words) or "-"
    form = PlanForm(filled)
    if form.is_valid() and form.sizes:
        return Count(form.sizes, form.sizes.note, form.precision())
    return Count(problem=_why_not(form))


def _why_not(form: PlanForm) -> str:
    """Return why the choices of a form cannot be counted."""
    if form.counted:
        return " ".join(text for _, _, text in form.problems())
    told = [f"{name}{_AFTER[name[-1:] == '?']} {text}" for _, name, text in form.problems()]
    return " ".join(["Not to be counted yet.", *(told or map(str, form.non_field_errors()))])


def _page(
    request: StaffRequest, form: PlanForm, *, status: int = 200, count: Count | None = None
) -> HttpResponse:
    context = {
        "form": form,
        "steps": form.steps_of_the_page(),
        "methods": methods.METHODS,
        "counted": count,
    }
    return render(request, "design/new_study.html", context, status=status)
