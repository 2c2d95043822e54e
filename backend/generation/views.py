"""The researcher's pages about language models, runs, and what was written."""

import json
import os
from collections.abc import Callable
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from backend.accounts.access import StaffRequest, researchers_only
from backend.corpus.models import Collection
from backend.corpus.problems import ImportRefused
from backend.generation import presenting, services, tasks
from backend.generation.forms import ColumnsForm, GenerationsForm, LanguageModelForm, RunForm
from backend.generation.imports import import_generations
from backend.generation.models import Generation, LanguageModel, Run

PAGE = 50


@researchers_only
@require_GET
def models(request: StaffRequest) -> HttpResponse:
    """List the language models, and whether the key of each is set here."""
    services.built_in_models()
    found = LanguageModel.objects.order_by("name").annotate(
        n_done=Count("generations", filter=Q(generations__status="done"))
    )
    listed = [(model, bool(os.environ.get(model.key_variable))) for model in found]
    return render(request, "generation/models.html", {"models": listed})


@researchers_only
@require_http_methods(["GET", "POST"])
def model_new(request: StaffRequest) -> HttpResponse:
    """Add a language model."""
    return _model_page(request, None, LanguageModelForm(request.POST or None))


@researchers_only
@require_http_methods(["GET", "POST"])
def model_edit(
    request: StaffRequest, key: int, *, is_name_fixed: Callable[[LanguageModel], bool]
) -> HttpResponse:
    """Change a language model, or say where one can be asked whose poems were imported."""
    own = LanguageModel.objects.exclude(reach=LanguageModel.Reach.BUILT_IN)
    if request.method == "GET":
        return _edited(request, get_object_or_404(own, pk=key), is_name_fixed)
    with transaction.atomic():
        # Held, since a study that is being opened fixes the names of its models.
        model = get_object_or_404(own.select_for_update(no_key=True), pk=key)
        return _edited(request, model, is_name_fixed)


@researchers_only
@require_GET
def runs(request: StaffRequest) -> HttpResponse:
    """List the runs, newest first."""
    found = Run.objects.order_by("-pk").annotate(
        n_all=Count("generations"),
        n_done=Count("generations", filter=Q(generations__status="done")),
        n_failed=Count("generations", filter=Q(generations__status="failed")),
        n_unfinished=Count("generations", filter=Q(generations__status__in=("queued", "running"))),
    )
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    return render(request, "generation/runs.html", {"page": page})


@researchers_only
@require_http_methods(["GET", "POST"])
def run_new(request: StaffRequest) -> HttpResponse:
    """Put the poems of a collection to language models."""
    form = RunForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            started = services.start_run(**form.options(), by=request.user)
        except services.NameTaken as problem:
            form.add_error("name", str(problem))
        except services.NothingToWrite as problem:
            form.add_error("template", str(problem))
        else:
            return _started(request, started)
    context = {"form": form, "has_poems": Collection.objects.filter(poems__isnull=False).exists()}
    return render(request, "generation/run_new.html", context, status=422 if form.is_bound else 200)


@never_cache
@researchers_only
@require_GET
def run(request: StaffRequest, key: int) -> HttpResponse:
    """Show one run: how far it is, what was written, what failed and why."""
    found = get_object_or_404(Run.objects.select_related("started_by"), pk=key)
    status, model = request.GET.get("status", ""), request.GET.get("model", "")
    shown = presenting.generations(found, status=status, model=model)
    page = Paginator(shown, PAGE).get_page(request.GET.get("page"))
    context = {
        "run": found,
        "brief": presenting.brief(found),
        "progress": presenting.progress(found),
        "to_retry": presenting.to_retry(found),
        "unattended": presenting.seems_unattended(found),
        "page": page,
        "lines": [(row, presenting.plainly(row)) for row in page],
        "statuses": Generation.Status.choices,
        "status": status,
        "model": model,
        "query": urlencode({"status": status, "model": model}) + "&",
    }
    return render(request, "generation/run.html", context)


@never_cache
@researchers_only
@require_GET
def run_progress(request: StaffRequest, key: int) -> HttpResponse:
    """Say how far a run is, for the page that shows it."""
    return JsonResponse(presenting.progress(get_object_or_404(Run, pk=key)).as_json())


@researchers_only
@require_POST
def run_retry(request: StaffRequest, key: int) -> HttpResponse:
    """Ask again for what failed, and for nothing else."""
    found = get_object_or_404(Run, pk=key)
    queued = services.retry_failed(found)
    _wake_workers()
    messages.success(request, f"What failed ({queued}) is asked again; the rest stays as it is.")
    return redirect("run", key=key)


@never_cache
@researchers_only
@require_GET
def generation(request: StaffRequest, key: int) -> HttpResponse:
    """Show one generation: brief, poem, raw reply, what was trimmed, and every call."""
    with_all = Generation.objects.select_related("run", "model", "brief__poem__collection")
    found = get_object_or_404(with_all, pk=key)
    calls = [
        (call, json.dumps(call.request, ensure_ascii=False, indent=2)) for call in found.calls.all()
    ]
    context = {
        "generation": found,
        "reason": presenting.plainly(found),
        "language": presenting.language(found),
        "calls": calls,
    }
    return render(request, "generation/generation.html", context)


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


def _edited(
    request: StaffRequest, model: LanguageModel, is_name_fixed: Callable[[LanguageModel], bool]
) -> HttpResponse:
    form = LanguageModelForm(request.POST or None, model=model, name_is_fixed=is_name_fixed(model))
    return _model_page(request, model, form)


def _model_page(
    request: StaffRequest, model: LanguageModel | None, form: LanguageModelForm
) -> HttpResponse:
    if request.method == "POST" and form.is_valid():
        saved = form.save()
        messages.success(request, f"“{saved}” is kept.")
        return redirect("models")
    context = {
        "form": form,
        "model": model,
        "key_is_set": bool(model and os.environ.get(model.key_variable)),
    }
    return render(request, "generation/model.html", context, status=422 if form.is_bound else 200)


def _started(request: HttpRequest, started: services.Started) -> HttpResponse:
    _wake_workers()
    queued = started.run.generations.count()
    counted = "1 poem is" if queued == 1 else f"{queued} poems are"
    messages.success(request, f"{counted} asked for. This page follows them.")
    if started.left_out:
        messages.warning(request, presenting.naming_left_out(started.left_out))
    return redirect("run", key=started.run.pk)


def _wake_workers() -> None:
    """Have the queue looked at now. Without a broker it waits for a worker's own next look."""
    transaction.on_commit(tasks.sweep.delay, robust=True)
