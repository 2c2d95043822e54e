"""Open links, by which experts put themselves on a panel."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from annotation.studies import links
from annotation.studies.models import OpenLink
from backend.accounts.models import User
from backend.api.authentication import TokenRequest
from backend.api.describing import PageQuery, page_of
from backend.api.scopes import Scope
from backend.api.serializers.panel import (
    NewOpenLinkSerializer,
    OpenLinkAddressSerializer,
    OpenLinkSerializer,
)
from backend.api.views.base import filled
from backend.api.views.panel import PanelView, absolute, group_of
from backend.api.visible import study_of
from backend.panel.forms import OpenLinkForm


class OpenLinks(PanelView):
    """The open links of a study."""

    tag = "Open links"

    @extend_schema(
        operation_id="list_open_links",
        parameters=[PageQuery],
        responses=page_of(OpenLinkSerializer),
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """List the open links with how many came by each, without their addresses."""
        self.query(PageQuery)
        made = study_of(request.user, slug).open_links.select_related("group")
        return self.page(made.order_by("-pk"), OpenLinkSerializer)

    @extend_schema(
        operation_id="make_open_link",
        request=NewOpenLinkSerializer,
        responses={201: OpenLinkAddressSerializer},
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Make a link by which experts put themselves on the panel, up to a number of them."""
        study = study_of(request.user, slug)
        asked = self.asked(NewOpenLinkSerializer)
        form = filled(OpenLinkForm, {**asked, "group": group_of(study, asked)}, study=study)
        link = links.open_link(study, **form.cleaned_data)
        return Response(_shown(request, link), status=201)


class OpenLinkDetail(PanelView):
    """One open link. To read its address takes the scope to write: it lets people in."""

    tag = "Open links"
    reads = Scope.PANEL_WRITE

    @extend_schema(operation_id="read_open_link", responses=OpenLinkAddressSerializer)
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Show an open link with its address."""
        return Response(_shown(request, _link_of(request.user, slug, pk)))

    @extend_schema(operation_id="stop_open_link", responses={204: None})
    def delete(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Stop an open link; whoever came by it stays on the panel."""
        links.stop_open_link(_link_of(request.user, slug, pk))
        return Response(status=204)


def _link_of(user: User, slug: str, pk: int) -> OpenLink:
    """Return this open link of this study, or answer 404."""
    return get_object_or_404(OpenLink, pk=pk, study=study_of(user, slug))


def _shown(request: TokenRequest, link: OpenLink) -> dict[str, object]:
    secret = None if link.revoked_at else links.open_secret(link)
    address = absolute(request, "join", secret) if secret else None
    return dict(OpenLinkAddressSerializer(link, context={"address": address}).data)
