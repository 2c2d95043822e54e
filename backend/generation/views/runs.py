"""The researcher's pages about runs: listed, started, followed, imported."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from backend.accounts.access import StaffRequest, researchers_only
from backend.corpus.models import Collection
from backend.corpus.problems import ImportRefused
from backend.generation import amounts, downloading, presenting, services, sifting, tasks
from backend.generation.estimating import UnknownPrice, estimate
from backend.generation.forms.runs import (
    CapForm,
    ColumnsForm,
    GenerationsForm,
    MoreModelsForm,
    RunForm,
)
from backend.generation.imports import import_generations
from backend.generation.models import Run

PAGE = 50
# What is wrong with a run that cannot be started -> the field that it is about.
FIELDS: dict[type[ValueError], str] = {
    services.NameTaken: "name",
    services.NothingToWrite: "template",
    UnknownPrice: "cap",
}


@researchers_only
@require_GET
def runs(request: StaffRequest) -> HttpResponse:
    """List the runs, newest first."""
    found = Run.objects.order_by("-pk").annotate(
        n_all=Count("generations"),
        n_done=Count("generations", filter=Q(generations__status="done")),
        n_failed=Count("generations", filter=Q(generations__status="failed")),
        n_unfinished=Count("generations", filter=Q(generations__status__in=("queued", "running"))),
        n_to_look_at=Count("generations", filter=sifting.to_look_at("generations__")),
    )
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    return render(request, "generation/runs.html", {"page": page})


@researchers_only
@require_http_methods(["GET", "POST"])
def run_new(request: StaffRequest) -> HttpResponse:
    """Put the poems of a collection to language models, or say first what that would take."""
    form = RunForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return _form_page(request, form)
    if "estimate" in request.POST:
        return _form_page(request, form, **_estimated(form))
    try:
        started = services.start_run(**form.options(), by=request.user)
    except tuple(FIELDS) as problem:
        form.add_error(FIELDS[type(problem)], str(problem))
        return _form_page(request, form)
    return _started(request, started)


@never_cache
@researchers_only
@require_GET
def run(request: StaffRequest, key: int) -> HttpResponse:
    """Show one run: how far it is, what was written, what failed and why."""
    found = get_object_or_404(Run.objects.select_related("started_by", "collection"), pk=key)
    return run_page(request, found)


def run_page(
    request: StaffRequest,
    found: Run,
    *,
    cap_form: CapForm | None = None,
    models_form: MoreModelsForm | None = None,
) -> HttpResponse:
    """Show the run, with a form of its own that was refused, if one was."""
    sieve = sifting.Sieve.of(request.GET)
    page = Paginator(sieve.of_run(found), PAGE).get_page(request.GET.get("page"))
    context = {
        "run": found,
        "brief": presenting.brief(found),
        "progress": presenting.progress(found),
        "to_retry": presenting.to_retry(found),
        "page": page,
        "lines": [(row, presenting.plainly(row)) for row in page],
        "standings": sifting.standings(found),
        "sieve": sieve,
        "cap_form": cap_form or CapForm(initial={"cap": amounts.plain(found.cap)}),
        "models_form": models_form or MoreModelsForm(run=found),
    }
    is_refused = bool(cap_form or models_form)
    return render(request, "generation/run.html", context, status=422 if is_refused else 200)


@never_cache
@researchers_only
@require_GET
def run_progress(request: StaffRequest, key: int) -> HttpResponse:
    """Say how far a run is, for the page that shows it."""
    return JsonResponse(presenting.progress(get_object_or_404(Run, pk=key)).as_json())


@never_cache
@researchers_only
@require_GET
def run_poems(request: StaffRequest, key: int, form: str) -> HttpResponse:
    """Send the run's poems, each with where it came from."""
    found = get_object_or_404(Run, pk=key)
    answer = StreamingHttpResponse(
        downloading.pieces(found, form), content_type=downloading.FORMATS[form]
    )
    name = slugify(found.name)[:60] or f"run-{found.pk}"
    answer["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    return answer  # type: ignore[return-value]  # the stubs make no HttpResponse of it


@researchers_only
@require_http_methods(["GET", "POST"])
def run_import(request: StaffRequest) -> HttpResponse:
    """Take a file of machine poems, whole or not at all."""
    form = GenerationsForm(request.POST or None, request.FILES or None)
    columns = ColumnsForm(request.POST or None)
    refused = None
    if request.method == "POST" and form.is_valid() and columns.is_valid():
        try:
            report = import_generations(
                **form.options(), columns=columns.columns(), by=request.user
            )
        except services.NameTaken as problem:
            form.add_error("run_name", str(problem))
        except ImportRefused as problem:
            refused = problem
        else:
            messages.success(request, str(report))
            return redirect("run", key=report.run.pk)
    context = {"form": form, "columns": columns, "refused": refused}
    return render(
        request, "generation/run_import.html", context, status=422 if form.is_bound else 200
    )


def wake_workers() -> None:
    """Have the queue looked at now. Without a broker it waits for a worker's own next look."""
    transaction.on_commit(tasks.sweep.delay, robust=True)


def _form_page(request: StaffRequest, form: RunForm, **more: Any) -> HttpResponse:
    has_poems = Collection.objects.filter(poems__isnull=False).exists()
    status = 422 if form.errors else 200
    context = {"form": form, "has_poems": has_poems, **more}
    return render(request, "generation/run_new.html", context, status=status)


def _estimated(form: RunForm) -> dict[str, Any]:
    expected, cap = estimate(**form.expected()), form.cleaned_data["cap"]
    return {
        "expected": expected,
        "above_cap": cap is not None and expected.known_cost > cap,
        "left_out": expected.left_out and presenting.naming_left_out(expected.left_out),
    }


def _started(request: HttpRequest, started: services.Started) -> HttpResponse:
    wake_workers()
    queued = started.run.generations.count()
    counted = "1 poem is" if queued == 1 else f"{queued} poems are"
    messages.success(request, f"{counted} asked for. This page follows them.")
    if started.left_out:
        messages.warning(request, presenting.naming_left_out(started.left_out))
    return redirect("run", key=started.run.pk)
