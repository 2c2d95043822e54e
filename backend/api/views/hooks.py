"""Hooks: whom a study tells of what happens."""

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from backend.api.authentication import TokenRequest
from backend.api.describing import PageQuery, page_of
from backend.api.problems import Conflict
from backend.api.scopes import Scope
from backend.api.serializers.hooks import (
    DeliveryQuery,
    DeliverySerializer,
    HookSerializer,
    MadeHookSerializer,
    NewHookSerializer,
)
from backend.api.views.base import StaffView
from backend.api.visible import study_of
from backend.hooks import services, tasks
from backend.hooks.models import Delivery, Hook


class HookView(StaffView):
    """Answers about hooks."""

    tag = "Hooks"
    reads = writes = Scope.HOOKS_WRITE

    def hooks(self, request: TokenRequest, slug: str) -> QuerySet[Hook]:
        return Hook.objects.filter(study=study_of(request.user, slug)).select_related("made_by")

    def hook(self, request: TokenRequest, slug: str, pk: int) -> Hook:
        """Return this hook of this study, or answer 404."""
        return get_object_or_404(self.hooks(request, slug), pk=pk)

    def shown(self, request: TokenRequest, slug: str, pk: int) -> Response:
        return Response(HookSerializer(self.hook(request, slug, pk)).data)


class Hooks(HookView):
    """The hooks of a study."""

    @extend_schema(
        operation_id="list_hooks", parameters=[PageQuery], responses=page_of(HookSerializer)
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """List whom a study tells of what happens."""
        self.query(PageQuery)
        return self.page(self.hooks(request, slug).order_by("-pk"), HookSerializer)

    @extend_schema(
        operation_id="add_hook", request=NewHookSerializer, responses={201: MadeHookSerializer}
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Tell an address of these events from now on; the secret is shown this once."""
        study = study_of(request.user, slug)
        made = services.add(study, **self.asked(NewHookSerializer), by=request.user)
        return Response(MadeHookSerializer(made).data, status=201)


class HookDetail(HookView):
    """One hook."""

    @extend_schema(operation_id="read_hook", responses=HookSerializer)
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Show one hook."""
        return self.shown(request, slug, pk)

    @extend_schema(operation_id="delete_hook", responses={204: None})
    def delete(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Delete a hook with all it told."""
        services.remove(self.hook(request, slug, pk), by=request.user)
        return Response(status=204)


class StopHook(HookView):
    """Stops a hook."""

    @extend_schema(operation_id="stop_hook", request=None, responses=HookSerializer)
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Send a hook nothing any more; what waits fails."""
        services.stop(self.hook(request, slug, pk))
        return self.shown(request, slug, pk)


class StartHook(HookView):
    """Starts a hook."""

    @extend_schema(operation_id="start_hook", request=None, responses=HookSerializer)
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Send to a stopped hook again what happens from now on."""
        services.start(self.hook(request, slug, pk))
        return self.shown(request, slug, pk)


class PingHook(HookView):
    """Tries a hook."""

    @extend_schema(operation_id="ping_hook", request=None, responses={201: DeliverySerializer})
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Send a test message, once."""
        try:
            queued = services.ping(self.hook(request, slug, pk))
        except services.Removed as gone:
            raise Http404 from gone
        transaction.on_commit(tasks.sweep.delay, robust=True)
        return Response(DeliverySerializer(queued).data, status=201)


class Deliveries(HookView):
    """The messages of a study's hooks."""

    @extend_schema(
        operation_id="list_deliveries",
        parameters=[DeliveryQuery],
        responses=page_of(DeliverySerializer),
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """List what a study's hooks were told, newest first."""
        asked = self.query(DeliveryQuery)
        found = Delivery.objects.filter(hook__study=study_of(request.user, slug))
        if "status" in asked:
            found = found.filter(status=asked["status"])
        return self.page(found.order_by("-pk"), DeliverySerializer)


class DeliverAgain(HookView):
    """Tries again to deliver a message."""

    @extend_schema(operation_id="deliver_again", request=None, responses=DeliverySerializer)
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Try once more to deliver a message that failed."""
        own = Delivery.objects.filter(hook__study=study_of(request.user, slug))
        if not services.again(get_object_or_404(own, pk=pk)):
            raise Conflict("That message did not fail, or its hook is stopped.")
        transaction.on_commit(tasks.sweep.delay, robust=True)
        return Response(DeliverySerializer(own.get(pk=pk)).data)
