"""The activity log."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from annotation.activity.models import Entry
from backend.api.authentication import TokenRequest
from backend.api.describing import page_of
from backend.api.scopes import Scope
from backend.api.serializers.results import EntrySerializer, LogQuery
from backend.api.views.base import StaffView

LOOKUPS = {
    "kind": "kind", "study": "study", "actor": "actor", "since": "at__gte", "until": "at__lt",
}  # fmt: skip


class Log(StaffView):
    """The activity log."""

    tag = "Activity log"
    reads = Scope.LOG_READ

    @extend_schema(
        operation_id="read_log", parameters=[LogQuery], responses=page_of(EntrySerializer)
    )
    def get(self, request: TokenRequest) -> Response:
        """List what was done, newest first; `manage.py verify_log` checks that it is whole."""
        asked = self.query(LogQuery)
        only: dict[str, Any] = {
            lookup: asked[name] for name, lookup in LOOKUPS.items() if name in asked
        }
        found = Entry.objects.filter(**only).select_related("seal")
        return self.page(found.order_by("-pk"), EntrySerializer)
