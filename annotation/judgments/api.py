"""The expert's API: what the page's script asks, and what a test asserts to the last key."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.judgments import presenting, services
from annotation.judgments.access import (
    ExpertRequest,
    HoldsALink,
    assignment_of,
    fields_of,
    of_link,
)
from annotation.judgments.models import Draft, Judgment
from annotation.judgments.views import going_on
from annotation.prepared import Prepared
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.links import NotOpen
from annotation.studies.models import Assignment, Item
from annotation.studies.presence import renew
from annotation.studies.standing import Standing, facts, standing_in

LONGEST = 10**11  # milliseconds, about three years: longer is no reading time


class AnswersSerializer(serializers.Serializer[Mapping[str, Any]]):
    """Answers by field name, the version of the draft they began from, and the time in view."""

    answers = serializers.DictField(child=serializers.JSONField())
    version = serializers.IntegerField(min_value=0, max_value=2**31 - 2, required=False)
    milliseconds = serializers.IntegerField(
        min_value=0, max_value=LONGEST, required=False, allow_null=True
    )


class DraftSerializer(AnswersSerializer):
    """Unfinished answers: without a version, they could overwrite newer ones."""

    version = serializers.IntegerField(min_value=0, max_value=2**31 - 2)


class StageSerializer(AnswersSerializer):
    """The answers of one stage, counted from 0."""

    stage = serializers.IntegerField(min_value=0, max_value=1000)


@method_decorator(never_cache, name="dispatch")
class JudgeView(APIView):
    """Answers only about the assignments of the judge whose link the address holds."""

    authentication_classes = []
    permission_classes = [HoldsALink]

    def by_link(self, digest: str) -> Assignment | None:
        """Return the assignment that the address names, if it is of whoever holds this link."""
        return _BY_LINK.first(digest=digest, address=self.kwargs["token"])

    def assignment(self, request: Request, token: str) -> Assignment:
        reader: ExpertRequest = request._request  # type: ignore[assignment]
        found: Assignment | None = getattr(reader, "assignment", None)
        return found if found is not None else assignment_of(reader.judge, token)

    def given(self, request: Request, form: type[AnswersSerializer]) -> Mapping[str, Any]:
        """Return what was sent, or answer 400 with what is wrong with it."""
        sent = form(data=request.data)
        sent.is_valid(raise_exception=True)
        told: Mapping[str, Any] = sent.validated_data
        return told

    def next(self, request: Request, assignment: Assignment, now: Standing | None = None) -> str:
        return going_on(request._request, assignment.judge, now)


# Drafts and judgments stand beside the text, which saving needs not.
_BY_LINK: Prepared[Any] = Prepared(
    lambda digest, address: of_link(
        digest, *fields_of("draft", Draft), *fields_of("judgment", Judgment)
    ).filter(token=address),
    digest="digest",
    address="address",
)


class NextView(JudgeView):
    """Gives the judge what comes next, and shows it: 204 if there is nothing for them now."""

    def by_link(self, digest: str) -> Assignment | None:
        """Return what waits for whoever holds this link, the first of it."""
        return _WAITS.first(digest=digest)

    def post(self, request: Request, key: str) -> Response:
        reader: ExpertRequest = request._request  # type: ignore[assignment]
        waits: Any = getattr(reader, "assignment", None)
        if waits is None and not reader.expired:
            ledger.deal(reader.judge)
            waits = self.by_link(links.digest(key))
        if waits is None:
            return Response(status=204)
        now = standing_in(waits)
        if not now.ready:
            raise ledger.REFUSED.get(now.state, NotOpen)
        renew(reader.judge)
        study = reader.judge.study
        known = presenting.so_far(study, waits.n_answered, waits.n_waiting, now.row)
        return Response(presenting.present(waits, known))


def _count(**only: Any) -> Coalesce:
    mine = Assignment.objects.filter(judge=OuterRef("judge"), **only).order_by()
    return Coalesce(Subquery(mine.values("judge").annotate(n=Count("pk")).values("n")), 0)


_WAITS: Prepared[Any] = Prepared(
    lambda digest: (
        of_link(digest, *fields_of("item", Item), *fields_of("draft", Draft))
        .waiting()
        .in_order()
        .annotate(
            **facts("judge"),
            n_answered=_count(answered_at__isnull=False),
            n_waiting=_count(answered_at=None, given_back_at=None),
        )[:1]
    ),
    digest="digest",
)


class AssignmentView(JudgeView):
    """One assignment as its judge may see it."""

    by_link = None  # type: ignore[assignment]  # the text is wanted, too

    def get(self, request: Request, key: str, token: str) -> Response:
        assignment = self.assignment(request, token)
        renew(assignment.judge)
        return Response(presenting.present(assignment))


class DraftView(JudgeView):
    """Keeps a draft. 409 with the stored one if a newer one is there."""

    def put(self, request: Request, key: str, token: str) -> Response:
        assignment = self.assignment(request, token)
        given = self.given(request, DraftSerializer)
        draft = services.save_draft(
            assignment,
            given["answers"],
            version=given["version"],
            milliseconds=given.get("milliseconds") or 0,
        )
        return Response({"version": draft.version, "saved_at": draft.saved_at})


class StageView(JudgeView):
    """Fixes the answers of the stage that is asked. 409 if other ones were fixed before."""

    def post(self, request: Request, key: str, token: str) -> Response:
        assignment = self.assignment(request, token)
        given = self.given(request, StageSerializer)
        draft = services.fix_stage(
            assignment,
            given["answers"],
            stage=given["stage"],
            version=given.get("version"),
            milliseconds=given.get("milliseconds") or 0,
        )
        here = reverse("poem", args=[key, token])
        return Response({"stage": draft.stages_fixed, "next": here})


class JudgmentView(JudgeView):
    """Records the judgment: 201, or 200 if it was recorded before; 409 if with other answers."""

    def post(self, request: Request, key: str, token: str) -> Response:
        assignment = self.assignment(request, token)
        given = self.given(request, AnswersSerializer)
        before = hasattr(assignment, "judgment")
        try:
            judgment = services.submit(
                assignment,
                given["answers"],
                milliseconds=given.get("milliseconds"),
                version=given.get("version"),
            )
        except services.AlreadyJudged:
            on = {"detail": "already answered", "next": self.next(request, assignment)}
            return Response(on, status=409)
        on = {"next": self.next(request, assignment, judgment.standing)}
        return Response(on, status=200 if before else 201)
