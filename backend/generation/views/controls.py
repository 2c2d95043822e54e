"""What a researcher does to a run from its page."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from backend.accounts.access import StaffRequest, researchers_only
from backend.generation import controlling, presenting
from backend.generation.amounts import dollars
from backend.generation.controlling import RunCancelled, RunImported
from backend.generation.estimating import UnknownPrice
from backend.generation.forms.runs import CapForm, MoreModelsForm
from backend.generation.models import Run
from backend.generation.views.runs import run_page, wake_workers

IMPORTED = "Its poems were imported; nothing of it was asked for from here."


@researchers_only
@require_POST
def run_pause(request: StaffRequest, key: int) -> HttpResponse:
    """Let nothing more begin."""
    try:
        is_paused = controlling.pause(get_object_or_404(Run, pk=key))
    except RunImported:
        messages.error(request, IMPORTED)
    else:
        said = "Paused. Calls under way end, and are kept." if is_paused else "It was not running."
        messages.success(request, said)
    return redirect("run", key=key)


@researchers_only
@require_POST
def run_resume(request: StaffRequest, key: int) -> HttpResponse:
    """Let a run go on that was paused or cancelled."""
    try:
        goes_on = controlling.resume(get_object_or_404(Run, pk=key))
    except RunImported:
        messages.error(request, IMPORTED)
    else:
        wake_workers()
        messages.success(request, "It goes on." if goes_on else "It was running already.")
    return redirect("run", key=key)


@never_cache
@researchers_only
@require_http_methods(["GET", "POST"])
def run_cancel(request: StaffRequest, key: int) -> HttpResponse:
    """Ask whether to cancel a run; then ask its models for nothing more."""
    found = get_object_or_404(Run, pk=key)
    if request.method == "GET":
        context = {"run": found, "progress": presenting.progress(found)}
        return render(request, "generation/run_cancel.html", context)
    try:
        left = controlling.cancel(found)
    except RunImported:
        messages.error(request, IMPORTED)
    else:
        counted = "1 poem is" if left == 1 else f"{left} poems are"
        messages.success(request, f"Cancelled: {counted} not asked for any more.")
    return redirect("run", key=key)


@researchers_only
@require_POST
def run_retry(request: StaffRequest, key: int) -> HttpResponse:
    """Ask again for what failed, or for what failed for one reason, and for nothing else."""
    kind = request.POST.get("kind")
    try:
        queued = controlling.retry_failed(
            get_object_or_404(Run, pk=key), None if kind is None else [kind]
        )
    except RunCancelled as problem:
        messages.error(request, str(problem))
    else:
        wake_workers()
        said = f"What failed ({queued}) is asked again; the rest stays as it is."
        messages.success(request, said)
    return redirect("run", key=key)


@researchers_only
@require_POST
def run_cap(request: StaffRequest, key: int) -> HttpResponse:
    """Say how much the run may cost."""
    found = get_object_or_404(Run, pk=key)
    form = CapForm(request.POST)
    if form.is_valid():
        cap = form.cleaned_data["cap"]
        try:
            controlling.set_cap(found, cap)
        except (UnknownPrice, RunImported) as problem:
            form.add_error("cap", str(problem))
        else:
            wake_workers()
            said = "It has no cap now." if cap is None else f"Its cap is {dollars(cap)} now."
            messages.success(request, said)
            return redirect("run", key=key)
    return run_page(request, found, cap_form=form)


@researchers_only
@require_POST
def run_models(request: StaffRequest, key: int) -> HttpResponse:
    """Have other models write to the run's briefs as well."""
    found = get_object_or_404(Run, pk=key)
    form = MoreModelsForm(request.POST, run=found)
    if form.is_valid():
        try:
            queued = controlling.add_models(found, form.cleaned_data["models"])
        except (UnknownPrice, RunCancelled, RunImported) as problem:
            form.add_error("models", str(problem))
        else:
            wake_workers()
            counted = "1 poem more is" if queued == 1 else f"{queued} poems more are"
            messages.success(request, f"{counted} asked for.")
            return redirect("run", key=key)
    return run_page(request, found, models_form=form)
