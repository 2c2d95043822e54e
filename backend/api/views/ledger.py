"""The ledger, and experts withdrawn, restored and replaced."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from annotation.studies.counting import CellCount, counts
from backend.api.authentication import TokenRequest
from backend.api.problems import Conflict
from backend.api.serializers.ledger import (
    LedgerSerializer,
    RaiseSerializer,
    ReasonSerializer,
    ReplaceSerializer,
    RestoredSerializer,
    WithdrawnSerializer,
)
from backend.api.serializers.panel import ExpertSerializer
from backend.api.serializers.studies import DesignVersionSerializer
from backend.api.views.base import filled
from backend.api.views.panel import PanelView, group_of, refuse_unsendable, seat_of
from backend.api.visible import expert_of, study_of
from backend.panel import inviting, raising, tasks, withdrawing
from backend.panel.ledger import letter
from backend.panel.ledger_forms import ReplaceForm


class LedgerView(PanelView):
    """Answers about the ledger."""

    tag = "Ledger"


class Ledger(LedgerView):
    """A study's ledger."""

    @extend_schema(operation_id="read_ledger", responses=LedgerSerializer)
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Show what is planned, leased, done, withdrawn and extra, cell by cell."""
        found = counts(study_of(request.user, slug))
        shown: dict[str, Any] = {
            "total": replace(found.total, code=""),
            "by_stratum": _lettered(found.by_stratum),
            "by_slot": found.by_slot,
            "by_form": _lettered(found.by_form),
            "by_group": found.by_group,
        }
        return Response(LedgerSerializer(shown).data)


class Withdraw(LedgerView):
    """Takes an expert's answers out of the analysis."""

    @extend_schema(
        operation_id="withdraw_expert", request=ReasonSerializer, responses=WithdrawnSerializer
    )
    def post(self, request: TokenRequest, slug: str, code: str) -> Response:
        """Take an expert's answers out of the analysis and end their part; nothing is deleted."""
        judge = expert_of(request.user, slug, code)
        reason = self.asked(ReasonSerializer)["reason"]
        given_back = withdrawing.withdraw(judge, reason, by=request.user)
        return Response({"given_back": given_back, "looks": withdrawing.looks_so_far(judge.study)})


class Restore(LedgerView):
    """Undoes a withdrawal."""

    @extend_schema(operation_id="restore_expert", request=None, responses=RestoredSerializer)
    def post(self, request: TokenRequest, slug: str, code: str) -> Response:
        """Undo a withdrawal: what still finds a place is analysed again, the rest is extra."""
        judge = expert_of(request.user, slug, code)
        if judge.withdrawn_at is None:
            raise Conflict("They are not withdrawn.")
        restored = withdrawing.restore(judge, by=request.user)
        return Response({"restored": restored, "looks": withdrawing.looks_so_far(judge.study)})


class Replace(LedgerView):
    """Puts somebody in an expert's place."""

    @extend_schema(
        operation_id="replace_expert", request=ReplaceSerializer, responses={201: ExpertSerializer}
    )
    def post(self, request: TokenRequest, slug: str, code: str) -> Response:
        """End an expert's part, keep their answers, and invite somebody in their place."""
        judge = expert_of(request.user, slug, code)
        asked = self.asked(ReplaceSerializer)
        refuse_unsendable(send=asked.get("send", False))
        form = filled(ReplaceForm, asked)
        successor = inviting.replace(judge, **form.cleaned_data, by=request.user)
        transaction.on_commit(tasks.sweep.delay, robust=True)
        return Response(ExpertSerializer(seat_of(successor)).data, status=201)


class Places(LedgerView):
    """How many judges each item is to have."""

    @extend_schema(
        operation_id="raise_places",
        request=RaiseSerializer,
        responses={201: DesignVersionSerializer},
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Let each item of an open study have more judges; the design gets a new version."""
        study = study_of(request.user, slug)
        asked = self.asked(RaiseSerializer)
        key = group_of(study, asked)
        made = raising.raise_places(
            study,
            asked["judges_per_item"],
            group=study.groups.get(pk=key) if key else None,
            reason=asked["reason"],
            by=request.user,
        )
        return Response(DesignVersionSerializer(made).data, status=201)


def _lettered(cut: Iterable[CellCount]) -> list[CellCount]:
    """Return rows under letters in the order of their codes, which tell nobody anything."""
    return [replace(row, code=letter(number)) for number, row in enumerate(cut)]
