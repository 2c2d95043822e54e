"""Unsealing the key of a closed study: for researchers."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from backend.api.authentication import TokenRequest
from backend.api.problems import Conflict
from backend.api.serializers.ledger import AskSerializer, UnsealingSerializer
from backend.api.views.studies import StudyView
from backend.api.visible import study_of
from backend.design import unsealing
from backend.design.models import Design


class Unsealing(StudyView):
    """Whether the key is unsealed, and who asked for it."""

    tag = "Unsealing"
    for_researchers = True

    @extend_schema(operation_id="read_unsealing", responses=UnsealingSerializer)
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Show whether the key is sealed, and who asked that it be unsealed."""
        return self._shown(request, slug)

    @extend_schema(
        operation_id="ask_unsealing", request=AskSerializer, responses=UnsealingSerializer
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Ask for the key of a closed study in your name; the last who has to ask unseals it."""
        study = study_of(request.user, slug)
        asked = self.asked(AskSerializer)
        unsealing.ask(study, by=request.user, reason=asked["reason"])
        return self._shown(request, slug)

    @extend_schema(operation_id="take_back_unsealing", responses={200: UnsealingSerializer})
    def delete(self, request: TokenRequest, slug: str) -> Response:
        """Ask no longer for the key."""
        if not unsealing.take_back(study_of(request.user, slug), by=request.user):
            raise Conflict("There is nothing of yours to take back.")
        return self._shown(request, slug)

    def _shown(self, request: TokenRequest, slug: str) -> Response:
        design = Design.objects.filter(study=study_of(request.user, slug))
        found = get_object_or_404(design.prefetch_related("unsealings__by"))
        return Response(UnsealingSerializer(found).data)
