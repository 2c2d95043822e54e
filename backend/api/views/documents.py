"""The API's description: as an OpenAPI schema, and as a page to read without any script."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.views import SpectacularAPIView
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import IsAuthenticated

from backend.accounts.access import StaffRequest, staff_only
from backend.api.authentication import BearerToken, PerToken
from backend.api.reading import chapters, shapes, whole_schema
from backend.api.scopes import Scope
from backend.api.views.base import OneKind


class Schema(SpectacularAPIView):
    """Hands out the OpenAPI schema to any token, and to staff who are signed in."""

    # A session is good for this alone, which only reads.
    authentication_classes = [BearerToken, SessionAuthentication]
    permission_classes = [IsAuthenticated]
    throttle_classes = [PerToken]
    renderer_classes = [OpenApiJsonRenderer]
    content_negotiation_class = OneKind
    http_method_names = ["get", "head"]


@staff_only
@require_GET
def docs(request: StaffRequest) -> HttpResponse:
    """Explain every operation of the API, from its schema."""
    schema = whole_schema()
    context = {
        "info": schema["info"],
        "chapters": chapters(schema),
        "shapes": shapes(schema),
        "scopes": Scope.choices,
    }
    return render(request, "api/docs.html", context)
