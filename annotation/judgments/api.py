"""The expert's API: what the page's script asks, and what a test asserts to the last key."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.judgments import presenting, services
from annotation.judgments.access import ExpertRequest, HoldsALink, assignment_of
from annotation.judgments.views import going_on
from annotation.prepared import Prepared
from annotation.studies import services as ledger
from annotation.studies.models import Assignment

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

    def assignment(self, request: Request, token: str) -> Assignment:
        reader: ExpertRequest = request._request  # type: ignore[assignment]
        return assignment_of(reader.judge, token)

    def given(self, request: Request, form: type[AnswersSerializer]) -> Mapping[str, Any]:
        """Return what was sent, or answer 400 with what is wrong with it."""
        sent = form(data=request.data)
        sent.is_valid(raise_exception=True)
        told: Mapping[str, Any] = sent.validated_data
        return told

    def next(self, request: Request, assignment: Assignment) -> str:
        return going_on(request._request, assignment.judge)


class NextView(JudgeView):
    """Gives the judge what comes next, and shows it: 204 if there is nothing for them now."""

    def post(self, request: Request, key: str) -> Response:
        reader: ExpertRequest = request._request  # type: ignore[assignment]
        judge = reader.judge
        assignment = _WAITS.first(judge=judge.pk)
        if assignment is None and not reader.expired:
            ledger.deal(judge)
            assignment = _WAITS.first(judge=judge.pk)
        if assignment is None:
            return Response(status=204)
        assignment.judge = judge
        return Response(presenting.present(assignment))


# Begins at the judge, as everywhere: by key, since the statement is written down beforehand.
_WAITS = Prepared(
    lambda judge: (
        Assignment.objects.filter(judge=judge)
        .waiting()
        .in_order()
        .select_related("item", "draft")[:1]
    ),
    judge=-1,
)


class AssignmentView(JudgeView):
    """One assignment as its judge may see it."""

    def get(self, request: Request, key: str, token: str) -> Response:
        return Response(presenting.present(self.assignment(request, token)))


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
            services.submit(
                assignment,
                given["answers"],
                milliseconds=given.get("milliseconds"),
                version=given.get("version"),
            )
        except services.AlreadyJudged:
            on = {"detail": "already answered", "next": self.next(request, assignment)}
            return Response(on, status=409)
        return Response({"next": self.next(request, assignment)}, status=200 if before else 201)
