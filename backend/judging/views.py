"""Pages of machine judges: put a study to them, watch, ask again, read what could not be read."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import Count, F, Q
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.studies.models import Study
from annotation.studies.services import NotOpen
from backend.accounts.access import StaffRequest, staff_only
from backend.judging import services, tasks
from backend.judging.forms import JudgesForm
from backend.judging.models import Hearing, MachineJudge

# What the page counts, and which status it means.
STATUSES = {"done": "done", "failed": "failed", "running": "running", "waiting": "queued"}
COUNTS = (*STATUSES, "total", "unreadable")


@never_cache
@staff_only
@require_http_methods(["GET", "POST"])
def judging(request: StaffRequest, slug: str) -> HttpResponse:
    """Show the study's machine judges, and put it to more of them."""
    study = get_object_or_404(Study, slug=slug)
    services.built_in_judge()
    form = JudgesForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            services.put_to(
                study, form.cleaned_data["models"], temperature=form.cleaned_data["temperature"]
            )
        except NotOpen:
            form.add_error(None, "The study is not open; open it first.")
        except services.OtherTemperature as problem:
            form.add_error("temperature", str(problem))
        else:
            transaction.on_commit(tasks.sweep.delay, robust=True)
            return redirect("judging", slug=slug)
    machines = _machines(study)
    context = {
        "study": study,
        "form": form,
        "machines": machines,
        "all": _summed(machines),
        "troubles": _troubles(study),
    }
    return render(request, "judging/judging.html", context, status=422 if form.is_bound else 200)


@never_cache
@staff_only
@require_GET
def judging_progress(request: StaffRequest, slug: str) -> HttpResponse:
    """Say how far the machine judges are, for the page that shows it."""
    machines = _machines(get_object_or_404(Study, slug=slug))
    rows = {str(one["pk"]): {name: one[name] for name in COUNTS} for one in machines}
    rows["all"] = _summed(machines)
    unfinished = rows["all"]["waiting"] + rows["all"]["running"]
    return JsonResponse({"rows": rows, "unfinished": unfinished})


@staff_only
@require_POST
def ask_again(request: StaffRequest, slug: str) -> HttpResponse:
    """Ask again what failed or could not be read."""
    study = get_object_or_404(Study, slug=slug)
    again = services.ask_again(study)
    transaction.on_commit(tasks.sweep.delay, robust=True)
    messages.success(request, f"What failed ({again}) is put to its judges again.")
    return redirect("judging", slug=slug)


def _machines(study: Study) -> list[dict[str, Any]]:
    """Return how far each machine judge is: counts of its poems, and of replies nobody can read."""
    hearings = "hearings"
    rows = (
        MachineJudge.objects.filter(judge__study=study)
        .order_by("pk")
        .values(
            "pk",
            name=F("judge__name"),
            total=Count(hearings, distinct=True),
            **{
                name: Count(hearings, filter=Q(hearings__status=status), distinct=True)
                for name, status in STATUSES.items()
            },
            unreadable=Count(
                "hearings__replies",
                filter=Q(hearings__replies__error_kind="unreadable"),
                distinct=True,
            ),
        )
    )
    return [dict(row) for row in rows]


def _summed(machines: list[dict[str, Any]]) -> dict[str, int]:
    return {name: sum(one[name] for one in machines) for name in COUNTS}


def _troubles(study: Study) -> list[Hearing]:
    return list(
        Hearing.objects.filter(machine__judge__study=study)
        .exclude(error="")
        .select_related("machine__judge", "assignment")
        .prefetch_related("replies")[:50]
    )
