"""Pages of machine judges: put a study to them, watch, ask again, read what could not be read."""

from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.studies.models import Study
from annotation.studies.services import NotOpen
from backend.accounts.access import StaffRequest, staff_only
from backend.judging import services, tasks
from backend.judging.forms import JudgesForm
from backend.judging.models import Hearing, MachineJudge


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
            transaction.on_commit(tasks.sweep.delay)
            return redirect("judging", slug=slug)
    context = {
        "study": study,
        "form": form,
        "machines": _machines(study),
        "troubles": _troubles(study),
    }
    return render(request, "judging/judging.html", context, status=422 if form.is_bound else 200)


@staff_only
@require_POST
def ask_again(request: StaffRequest, slug: str) -> HttpResponse:
    """Ask again what failed or could not be read."""
    study = get_object_or_404(Study, slug=slug)
    again = services.ask_again(study)
    transaction.on_commit(tasks.sweep.delay)
    messages.success(request, f"{again} poems are put to their judges again.")
    return redirect("judging", slug=slug)


def _machines(study: Study) -> list[MachineJudge]:
    def counted(status: str) -> Count:
        return Count("hearings", filter=Q(hearings__status=status), distinct=True)

    return list(
        MachineJudge.objects.filter(judge__study=study)
        .select_related("judge", "model")
        .annotate(
            n_items=Count("hearings", distinct=True),
            n_done=counted("done"),
            n_failed=counted("failed"),
            n_waiting=counted("queued"),
            n_unreadable=Count(
                "hearings__replies",
                filter=Q(hearings__replies__error_kind="unreadable"),
                distinct=True,
            ),
        )
    )


def _troubles(study: Study) -> list[Hearing]:
    return list(
        Hearing.objects.filter(machine__judge__study=study)
        .exclude(error="")
        .select_related("machine__judge", "assignment")
        .prefetch_related("replies")[:50]
    )
