"""Results and data of unsealed studies: for researchers."""

import tempfile
from typing import Any

from django.http import FileResponse, Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.response import Response

from annotation.studies.models import Study
from backend.analytics import services as analytics
from backend.analytics.frames import unsealed
from backend.analytics.reports.report import Report
from backend.analytics.tables import Table
from backend.api.authentication import TokenRequest
from backend.api.describing import PageQuery, page_of
from backend.api.scopes import Scope
from backend.api.serializers.results import LookSerializer, NewLookSerializer, ReportSerializer
from backend.api.views.base import StaffView
from backend.api.visible import study_of
from backend.corpus import spreadsheets
from backend.exports import services as exports


class ResultView(StaffView):
    """Answers about unsealed studies only."""

    tag = "Results"
    reads = Scope.RESULTS_READ
    for_researchers = True
    conflicts = True

    def report(self, request: TokenRequest, slug: str) -> tuple[Study, Report]:
        """Return a study's results, and note who looked.

        Raises
        ------
        backend.analytics.frames.StillBlinded
            If the key is sealed.
        """
        study = study_of(request.user, slug)
        report = analytics.report(study)
        analytics.viewed(study, by=request.user)
        return study, report


class Results(ResultView):
    """All tables of a study's results."""

    @extend_schema(operation_id="read_results", responses=ReportSerializer)
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Show every table of the results, unrounded."""
        study, report = self.report(request, slug)
        return Response(_shown(study, report))


class Looks(StaffView):
    """Looks at results before a study is closed."""

    tag = "Results"
    reads = writes = Scope.RESULTS_READ
    for_researchers = True

    @extend_schema(
        operation_id="list_looks", parameters=[PageQuery], responses=page_of(LookSerializer)
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """List who looked at results before the study was closed, and why."""
        self.query(PageQuery)
        return self.page(analytics.looks(study_of(request.user, slug)), LookSerializer)

    @extend_schema(
        operation_id="look", request=NewLookSerializer, responses={201: ReportSerializer}
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Look at an open study's results, if its design allows for that; the look is counted."""
        study = study_of(request.user, slug)
        asked = self.asked(NewLookSerializer)
        _, report = analytics.interim(
            study, by=request.user, reason=asked["reason"], seen=asked.get("seen")
        )
        return Response(_shown(study, report), status=201)


class ResultTable(ResultView):
    """One table of a study's results."""

    @extend_schema(
        operation_id="read_table",
        responses={(200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, "The table, unrounded.")},
    )
    def get(self, request: TokenRequest, slug: str, key: str) -> StreamingHttpResponse:
        """Hand out one table of the results as CSV, unrounded."""
        _, report = self.report(request, slug)
        found = _table(report, key)
        rows = spreadsheets.stream(found.header, found.records())
        response = StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{slug}-{key}.csv"'
        return response


class Export(StaffView):
    """A study's data package."""

    tag = "Results"
    reads = Scope.EXPORTS_READ
    for_researchers = True
    conflicts = True

    @extend_schema(
        operation_id="fetch_export",
        responses={(200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY, "A zip.")},
    )
    def get(self, request: TokenRequest, slug: str) -> FileResponse:
        """Hand out the data package of an unsealed study."""
        study = study_of(request.user, slug)
        unsealed(study)
        package: Any = tempfile.TemporaryFile()  # noqa: SIM115  (the response closes it)
        exports.hand_out(study, package, by=request.user)
        package.seek(0)
        return FileResponse(
            package, as_attachment=True, filename=f"{slug}.zip", content_type="application/zip"
        )


def _shown(study: Study, report: Report) -> dict[str, Any]:
    sections = [
        {"key": one.key, "title": one.title, "tables": one.tables} for one in report.sections
    ]
    shown = {"study": study.slug, "fingerprint": study.fingerprint, "sections": sections}
    return dict(ReportSerializer(shown).data)


def _table(report: Report, key: str) -> Table:
    try:
        return report.table(key)
    except LookupError as error:
        raise Http404 from error
