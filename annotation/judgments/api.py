"""The expert's API: what the page's script asks, and what a test asserts to the last key."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.judgments import presenting, services
from annotation.judgments.access import HoldsALink, JudgeSession, assignment_here
from annotation.studies.models import Assignment

LONGEST = 10**11  # milliseconds, about three years: longer is no reading time


class DraftSerializer(serializers.Serializer[Mapping[str, Any]]):
    """Unfinished answers, and the version of the draft they began from."""

    answers = serializers.DictField(child=serializers.JSONField())
    version = serializers.IntegerField(min_value=0, max_value=2**31 - 2)


class SubmissionSerializer(serializers.Serializer[Mapping[str, Any]]):
    """Finished answers, and the time in view in milliseconds."""

    answers = serializers.DictField(child=serializers.JSONField())
    milliseconds = serializers.IntegerField(
        min_value=0, max_value=LONGEST, required=False, allow_null=True
    )


class JudgeView(APIView):
    """Answers only about the assignments of judges whose link this browser holds."""

    authentication_classes = [JudgeSession]
    permission_classes = [HoldsALink]

    def assignment(self, request: Request, token: str) -> Assignment:
        return assignment_here(request._request, token)


class AssignmentView(JudgeView):
    """One assignment as its judge may see it."""

    def get(self, request: Request, token: str) -> Response:
        return Response(presenting.present(self.assignment(request, token)))


class DraftView(JudgeView):
    """Keeps a draft. 409 with the stored one if a newer one is there."""

    def put(self, request: Request, token: str) -> Response:
        assignment = self.assignment(request, token)
        sent = DraftSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        draft = services.save_draft(assignment, **sent.validated_data)
        return Response({"version": draft.version, "saved_at": draft.saved_at})


class JudgmentView(JudgeView):
    """Records the judgment. 409 if there is one."""

    def post(self, request: Request, token: str) -> Response:
        assignment = self.assignment(request, token)
        sent = SubmissionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        milliseconds = sent.validated_data.get("milliseconds")
        services.submit(assignment, sent.validated_data["answers"], milliseconds=milliseconds)
        return Response({"answered": True}, status=201)
