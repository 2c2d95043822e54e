"""Before a study is opened: its checklist, its surface check, a pilot; and its versions after."""

from dataclasses import asdict

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from backend.api.authentication import TokenRequest
from backend.api.describing import PageQuery, page_of
from backend.api.serializers.studies import (
    ChecklistSerializer,
    DesignVersionSerializer,
    OpeningSerializer,
    PilotSerializer,
    StudySerializer,
    SurfaceLimitSerializer,
    SurfaceSerializer,
)
from backend.api.views.studies import StudyView, shown
from backend.api.visible import study_of
from backend.design import opening, pilot, surface_check
from backend.design.checklist import checklist, stops
from backend.design.models import DesignVersion


class OpeningView(StudyView):
    """Answers about opening a study."""

    tag = "Opening"


class Checklist(OpeningView):
    """What has to stand before a study is opened."""

    @extend_schema(operation_id="read_checklist", responses=ChecklistSerializer)
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Show what stands, what had better, and what keeps the study from being opened."""
        checks = checklist(study_of(request.user, slug))
        told = {"ready": not stops(checks), "checks": [asdict(one) for one in checks]}
        return Response(ChecklistSerializer(told).data)


class Surface(OpeningView):
    """The surface check."""

    @extend_schema(operation_id="read_surface", responses=SurfaceSerializer)
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Show the newest surface check."""
        found = surface_check.latest(study_of(request.user, slug))
        if found is None:
            raise Http404
        return Response(SurfaceSerializer(found).data)

    @extend_schema(operation_id="check_surface", request=None, responses={201: SurfaceSerializer})
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Say how well human and machine texts are told apart without reading them."""
        made = opening.check_surface(study_of(request.user, slug), by=request.user)
        return Response(SurfaceSerializer(made).data, status=201)

    @extend_schema(
        operation_id="set_surface_limit",
        request=SurfaceLimitSerializer,
        responses=StudySerializer,
    )
    def put(self, request: TokenRequest, slug: str) -> Response:
        """Set a draft's limit, and why it may be opened above it."""
        study = study_of(request.user, slug)
        opening.allow_surface(study, **self.asked(SurfaceLimitSerializer))
        return shown(request, slug)


class Open(OpeningView):
    """Opens a draft."""

    @extend_schema(operation_id="open_study", request=OpeningSerializer, responses=StudySerializer)
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Freeze a draft under its fingerprint, and let judges in.

        Nothing on the checklist may stand against it. With `without_preview`, nobody need have
        looked at the preview page, and a surface check that is lacking is made; the log says so.
        """
        asked = self.asked(OpeningSerializer)
        looked = not asked["without_preview"]
        opening.open_study(study_of(request.user, slug), by=request.user, after_looking=looked)
        return shown(request, slug)


class Pilot(OpeningView):
    """A small open study of a draft's texts."""

    @extend_schema(
        operation_id="try_out", request=PilotSerializer, responses={201: StudySerializer}
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Open a small study of a draft's own texts, to try it out; its data stay apart."""
        study = study_of(request.user, slug)
        made = pilot.try_out(study, **self.asked(PilotSerializer), by=request.user)
        return Response(StudySerializer(made).data, status=201)


class Versions(OpeningView):
    """What a study was fixed to."""

    @extend_schema(
        operation_id="list_versions",
        parameters=[PageQuery],
        responses=page_of(DesignVersionSerializer),
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """List the versions of a study's design, the newest first."""
        self.query(PageQuery)
        versions = DesignVersion.objects.filter(study=study_of(request.user, slug))
        found = versions.select_related("made_by").order_by("-number")
        return self.page(found, DesignVersionSerializer)
