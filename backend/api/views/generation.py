"""Language models, runs and what was written: for researchers."""

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from backend.api.authentication import TokenRequest
from backend.api.describing import page_of
from backend.api.scopes import Scope
from backend.api.serializers.generation import (
    AgainSerializer,
    GenerationQuery,
    GenerationSerializer,
    LanguageModelQuery,
    LanguageModelSerializer,
    NewRunSerializer,
    RunProgressSerializer,
    RunQuery,
    RunSerializer,
    StartedSerializer,
)
from backend.api.views.base import StaffView, filled
from backend.api.visible import generations_of, models_of, runs_of
from backend.generation import presenting, services, tasks
from backend.generation.forms import RunForm


class GenerationView(StaffView):
    """Answers about machine poems."""

    tag = "Machine poems"
    reads, writes = Scope.CORPUS_READ, Scope.CORPUS_WRITE
    for_researchers = True


class LanguageModels(GenerationView):
    """The language models."""

    @extend_schema(
        operation_id="list_language_models",
        parameters=[LanguageModelQuery],
        responses=page_of(LanguageModelSerializer),
    )
    def get(self, request: TokenRequest) -> Response:
        """List the language models that can be asked, or whose poems were imported."""
        asked = self.query(LanguageModelQuery)
        services.built_in_models()
        found = models_of(request.user).filter(name__icontains=asked.get("search", ""))
        if "reach" in asked:
            found = found.filter(reach=asked["reach"])
        return self.page(found.order_by("name"), LanguageModelSerializer)


class LanguageModelDetail(GenerationView):
    """One language model."""

    @extend_schema(operation_id="read_language_model", responses=LanguageModelSerializer)
    def get(self, request: TokenRequest, pk: int) -> Response:
        """Show one language model."""
        model = get_object_or_404(models_of(request.user), pk=pk)
        return Response(LanguageModelSerializer(model).data)


class Runs(GenerationView):
    """The runs."""

    @extend_schema(
        operation_id="list_runs", parameters=[RunQuery], responses=page_of(RunSerializer)
    )
    def get(self, request: TokenRequest) -> Response:
        """List the runs, newest first unless another order is asked for."""
        asked = self.query(RunQuery)
        found = runs_of(request.user).filter(name__icontains=asked.get("search", ""))
        return self.page(found.order_by(asked.get("ordering", "-pk"), "-pk"), RunSerializer)

    @extend_schema(
        operation_id="start_run", request=NewRunSerializer, responses={201: StartedSerializer}
    )
    def post(self, request: TokenRequest) -> Response:
        """Put the poems of a collection to language models."""
        form = filled(RunForm, self.asked(NewRunSerializer))
        started = services.start_run(**form.options(), by=request.user)
        transaction.on_commit(tasks.sweep.delay, robust=True)
        shown = {"run": started.run, "left_out": _left_out(started)}
        return Response(StartedSerializer(shown).data, status=201)


class RunDetail(GenerationView):
    """One run."""

    @extend_schema(operation_id="read_run", responses=RunSerializer)
    def get(self, request: TokenRequest, pk: int) -> Response:
        """Show one run."""
        return Response(RunSerializer(get_object_or_404(runs_of(request.user), pk=pk)).data)


class RunProgress(GenerationView):
    """How far a run is."""

    @extend_schema(operation_id="read_run_progress", responses=RunProgressSerializer)
    def get(self, request: TokenRequest, pk: int) -> Response:
        """Say how far a run is, in all and by model."""
        found = presenting.progress(get_object_or_404(runs_of(request.user), pk=pk))
        by_model = [
            {"model": key, "name": name, "counts": asdict(counts)}
            for key, name, counts in found.by_model
        ]
        shown = {"overall": asdict(found.overall), "by_model": by_model}
        return Response(RunProgressSerializer(shown).data)


class RunPoems(GenerationView):
    """What was written in a run."""

    @extend_schema(
        operation_id="list_run_poems",
        parameters=[GenerationQuery],
        responses=page_of(GenerationSerializer),
    )
    def get(self, request: TokenRequest, pk: int) -> Response:
        """List the machine poems of a run, those asked for."""
        asked = self.query(GenerationQuery)
        get_object_or_404(runs_of(request.user), pk=pk)
        found = generations_of(request.user).filter(run=pk, **_kept(asked, "status", "model"))
        return self.page(found.order_by("pk"), GenerationSerializer)


class RunRetry(GenerationView):
    """Asks again what failed."""

    @extend_schema(operation_id="retry_run", request=None, responses=AgainSerializer)
    def post(self, request: TokenRequest, pk: int) -> Response:
        """Ask again for what failed in a run, and for nothing else."""
        queued = services.retry_failed(get_object_or_404(runs_of(request.user), pk=pk))
        transaction.on_commit(tasks.sweep.delay, robust=True)
        return Response({"queued": queued})


def _kept(asked: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: asked[name] for name in names if name in asked}


def _left_out(started: services.Started) -> list[dict[str, Any]]:
    return [
        {"poem": poem.pk, "title": poem.title, "reason": reason}
        for poem, reason in started.left_out
    ]
