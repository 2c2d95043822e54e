"""Who is on a panel: inviting, links, and how far each expert is."""

from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Judge, Study
from backend.api.authentication import TokenRequest
from backend.api.describing import page_of
from backend.api.scopes import Scope
from backend.api.serializers.panel import (
    ExpertQuery,
    ExpertSerializer,
    GivenBackSerializer,
    InvitedSerializer,
    InviteManySerializer,
    InviteSerializer,
    LinkSerializer,
    NewLinkSerializer,
)
from backend.api.views.base import StaffView, containing, filled
from backend.api.visible import expert_of, study_of
from backend.panel import inviting, tasks
from backend.panel.forms import InviteForm
from backend.panel.progress import Seat, seats
from backend.panel.roster import Person, read_people


class PanelView(StaffView):
    """Answers about a panel."""

    tag = "Panel"
    reads, writes = Scope.PANEL_READ, Scope.PANEL_WRITE


class Experts(PanelView):
    """The experts of a panel."""

    @extend_schema(
        operation_id="list_experts", parameters=[ExpertQuery], responses=page_of(ExpertSerializer)
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """List the experts with how far they are, without their links."""
        asked = self.query(ExpertQuery)
        found = containing(
            seats(study_of(request.user, slug), Judge.Kind.EXPERT),
            asked.get("search", ""), "name", "email",
        )  # fmt: skip
        kept = [seat for seat in found if asked.get("state") in (None, seat.state)]
        return self.page(kept, ExpertSerializer)

    @extend_schema(
        operation_id="invite_expert", request=InviteSerializer, responses={201: ExpertSerializer}
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Put an expert on the panel with a personal link."""
        study = study_of(request.user, slug)
        asked = self.asked(InviteSerializer)
        refuse_unsendable(send=asked.get("send", False))
        form = filled(InviteForm, {**asked, "group": group_of(study, asked)}, study=study)
        judge = inviting.invite(study, **form.cleaned_data, by=request.user)
        transaction.on_commit(tasks.sweep.delay, robust=True)
        return Response(ExpertSerializer(seat_of(judge)).data, status=201)


class InviteMany(PanelView):
    """Many experts at once."""

    @extend_schema(
        operation_id="invite_experts",
        request=InviteManySerializer,
        responses={201: InvitedSerializer},
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Put all of these people on the panel, or none and say which rows are wrong."""
        study = study_of(request.user, slug)
        asked = self.asked(InviteManySerializer)
        refuse_unsendable(send=asked.get("send", False))
        judges = inviting.invite_many(
            study,
            _roster(study, asked["people"]),
            days=asked.get("days", links.LINK_DAYS),
            send=asked.get("send", False),
            by=request.user,
        )
        transaction.on_commit(tasks.sweep.delay, robust=True)
        shown = _seats_of(study, judges)
        return Response(InvitedSerializer({"experts": shown}).data, status=201)


class ExpertDetail(PanelView):
    """One expert."""

    @extend_schema(operation_id="read_expert", responses=ExpertSerializer)
    def get(self, request: TokenRequest, slug: str, code: str) -> Response:
        """Show one expert and how far they are."""
        return Response(ExpertSerializer(seat_of(expert_of(request.user, slug, code))).data)


class ExpertLink(PanelView):
    """An expert's personal link. To read it takes the scope to write: it opens the door."""

    reads = Scope.PANEL_WRITE

    @extend_schema(operation_id="read_link", responses=LinkSerializer)
    def get(self, request: TokenRequest, slug: str, code: str) -> Response:
        """Show an expert's link that works; whoever has it acts as the expert."""
        judge = expert_of(request.user, slug, code)
        return Response(_link(request, judge))

    @extend_schema(
        operation_id="renew_link", request=NewLinkSerializer, responses={201: LinkSerializer}
    )
    def post(self, request: TokenRequest, slug: str, code: str) -> Response:
        """Make a new link for an expert; earlier ones stop working."""
        judge = expert_of(request.user, slug, code)
        days = self.asked(NewLinkSerializer).get("days", links.LINK_DAYS)
        links.link_for(judge, days=days)
        return Response(_link(request, judge), status=201)

    @extend_schema(operation_id="stop_link", responses={200: GivenBackSerializer})
    def delete(self, request: TokenRequest, slug: str, code: str) -> Response:
        """Stop an expert's link and give their unanswered poems back; answers are kept."""
        return Response({"given_back": ledger.revoke(expert_of(request.user, slug, code))})


def refuse_unsendable(*, send: bool) -> None:
    """Refuse to promise a letter that cannot be sent.

    Raises
    ------
    rest_framework.exceptions.ValidationError
        If a letter is asked for and the site sends no mail.
    """
    if send and not settings.SENDS_MAIL:
        raise ValidationError({"send": ["This site sends no mail."]})


def seat_of(judge: Judge) -> Seat:
    """Return how far one expert is, or answer 404 if they were deleted meanwhile."""
    found = _seats_of(judge.study, [judge])
    if not found:
        raise Http404
    return found[0]


def group_of(study: Study, asked: dict[str, Any]) -> int | None:
    """Return the group that is named, if one is.

    Raises
    ------
    rest_framework.exceptions.ValidationError
        If the study has none of that name.
    """
    name = asked.get("group", "")
    found = study.groups.filter(name__iexact=name).first() if name else None
    if name and found is None:
        raise ValidationError({"group": ["The study has no such group."]})
    return found.pk if found else None


def absolute(request: TokenRequest, name: str, secret: str) -> str:
    return request.build_absolute_uri(reverse(name, args=[secret]))


def _seats_of(study: Study, judges: list[Judge]) -> list[Seat]:
    codes = {judge.code for judge in judges}
    return [seat for seat in seats(study, Judge.Kind.EXPERT) if seat.code in codes]


def _link(request: TokenRequest, judge: Judge) -> dict[str, Any]:
    """Return an expert's link, and note in the log who was shown it; or answer 404."""
    link = inviting.show(judge, by=request.user)
    if link is None:
        raise Http404
    shown = {
        "address": absolute(request, "invitation", link.secret),
        "expires_at": link.invitation.expires_at,
    }
    return dict(LinkSerializer(shown).data)


def _roster(study: Study, people: list[dict[str, Any]]) -> list[Person]:
    """Return the people as they are to be invited.

    Raises
    ------
    backend.panel.roster.InvalidRoster
        If any of them cannot be taken.
    """
    experts = Judge.objects.experts().filter(study=study)
    return read_people(
        people,
        emails=list(experts.values_list("email", flat=True)),
        names=list(experts.values_list("name", flat=True)),
        groups=list(study.groups.values_list("name", flat=True)),
    )
