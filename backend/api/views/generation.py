"""Runs and what was written: for researchers."""

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from backend.api.authentication import TokenRequest
from backend.api.describing import page_of
from backend.api.scopes import Scope
from backend.api.serializers.generation import (
    AgainSerializer,
    CapSerializer,
    EstimateOfSerializer,
    EstimateSerializer,
    GenerationQuery,
    GenerationSerializer,
    KindsSerializer,
    MoreModelsSerializer,
    NewRunSerializer,
    RunProgressSerializer,
    RunQuery,
    RunSerializer,
    StartedSerializer,
    named,
)
from backend.api.views.base import StaffView, filled
from backend.api.visible import generations_of, runs_of
from backend.generation import controlling, presenting, services, tasks
from backend.generation.estimating import estimate
from backend.generation.forms.runs import MoreModelsForm, RunForm
from backend.generation.models import Correction


class GenerationView(StaffView):
    """Answers about machine poems."""

    tag = "Machine poems"
    reads, writes = Scope.CORPUS_READ, Scope.CORPUS_WRITE
    for_researchers = True


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
        _wake_workers()
        shown = {"run": started.run, "left_out": named(started.left_out)}
        return Response(StartedSerializer(shown).data, status=201)


class RunEstimate(GenerationView):
    """What a run would take."""

    @extend_schema(
        operation_id="estimate_run", request=EstimateOfSerializer, responses=EstimateSerializer
    )
    def post(self, request: TokenRequest) -> Response:
        """Say what a run would likely take and cost. Nothing is asked or written."""
        asked = {"name": "an estimate", **self.asked(EstimateOfSerializer)}
        return Response(EstimateSerializer(estimate(**filled(RunForm, asked).expected())).data)


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
        shown = {
            "state": found.state,
            "overall": asdict(found.overall),
            "by_model": by_model,
            "poems_a_minute": found.a_minute,
            "seconds_left": found.left and found.left.total_seconds(),
            "money": found.money,
            "waits": found.waits,
        }
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
        was_corrected = Exists(Correction.objects.filter(generation=OuterRef("pk")))
        with_all = found.select_related("answer").annotate(was_corrected=was_corrected)
        return self.page(with_all.order_by("pk"), GenerationSerializer)


class RunRetry(GenerationView):
    """Asks again what failed."""

    @extend_schema(operation_id="retry_run", request=KindsSerializer, responses=AgainSerializer)
    def post(self, request: TokenRequest, pk: int) -> Response:
        """Ask again for what failed in a run, for any reason or for some, and for nothing else."""
        kinds = self.asked(KindsSerializer).get("kinds")
        queued = controlling.retry_failed(get_object_or_404(runs_of(request.user), pk=pk), kinds)
        _wake_workers()
        return Response({"queued": queued})


class RunPause(GenerationView):
    """Lets nothing more of a run begin."""

    @extend_schema(operation_id="pause_run", request=None, responses=RunSerializer)
    def post(self, request: TokenRequest, pk: int) -> Response:
        """Let nothing more of a run begin; calls under way end, and are kept."""
        run = get_object_or_404(runs_of(request.user), pk=pk)
        controlling.pause(run)
        return Response(RunSerializer(run).data)


class RunResume(GenerationView):
    """Lets a run go on."""

    @extend_schema(operation_id="resume_run", request=None, responses=RunSerializer)
    def post(self, request: TokenRequest, pk: int) -> Response:
        """Let a run go on that was paused or cancelled."""
        run = get_object_or_404(runs_of(request.user), pk=pk)
        controlling.resume(run)
        _wake_workers()
        return Response(RunSerializer(run).data)


class RunCancel(GenerationView):
    """Ends a run."""

    @extend_schema(operation_id="cancel_run", request=None, responses=RunSerializer)
    def post(self, request: TokenRequest, pk: int) -> Response:
        """Ask for nothing more in a run; what is written, or under way, is kept."""
        run = get_object_or_404(runs_of(request.user), pk=pk)
        controlling.cancel(run)
        return Response(RunSerializer(run).data)


class RunCap(GenerationView):
    """Says what a run may cost."""

    @extend_schema(operation_id="set_run_cap", request=CapSerializer, responses=RunSerializer)
    def post(self, request: TokenRequest, pk: int) -> Response:
        """Say what a run may cost at the most. What waited for the cap goes on."""
        run = get_object_or_404(runs_of(request.user), pk=pk)
        controlling.set_cap(run, self.asked(CapSerializer)["cap"])
        _wake_workers()
        return Response(RunSerializer(run).data)


class RunModels(GenerationView):
    """Adds models to a run."""

    @extend_schema(
        operation_id="add_run_models", request=MoreModelsSerializer, responses=AgainSerializer
    )
    def post(self, request: TokenRequest, pk: int) -> Response:
        """Have other models write to a run's briefs as well."""
        run = get_object_or_404(runs_of(request.user), pk=pk)
        form = filled(MoreModelsForm, self.asked(MoreModelsSerializer), run=run)
        queued = controlling.add_models(run, form.cleaned_data["models"])
        _wake_workers()
        return Response({"queued": queued})


def _kept(asked: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: asked[name] for name in names if name in asked}


def _wake_workers() -> None:
    transaction.on_commit(tasks.sweep.delay, robust=True)
