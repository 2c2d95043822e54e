"""Letters to the experts of a panel, when they are reminded, and open links."""

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from annotation.studies.models import Judge, Study
from backend.api.authentication import TokenRequest
from backend.api.describing import page_of
from backend.api.problems import Conflict
from backend.api.serializers.panel import (
    InvitationSerializer,
    LetterQuery,
    LetterSerializer,
    MessageSerializer,
    QueuedSerializer,
    RemindedSerializer,
    RemindSerializer,
    RulesSerializer,
)
from backend.api.views.base import filled
from backend.api.views.panel import PanelView
from backend.api.visible import expert_of, letter_of, study_of
from backend.panel import inviting, reminding, services, tasks
from backend.panel.forms import MessageForm, RulesForm
from backend.panel.models import Letter, PanelRules


class LetterView(PanelView):
    """Answers about letters."""

    tag = "Letters"

    def sent(self, queued: int) -> Response:
        """Wake the workers, and say how many letters are on their way."""
        transaction.on_commit(tasks.sweep.delay, robust=True)
        return Response({"queued": queued})

    def reminded(self, done: reminding.Reminded) -> Response:
        """Wake the workers, and say how many were reminded and who was left out."""
        transaction.on_commit(tasks.sweep.delay, robust=True)
        left_out = [
            {"expert": judge.code, "name": judge.name, "reason": why}
            for judge, why in done.left_out
        ]
        return Response(RemindedSerializer({"queued": done.queued, "left_out": left_out}).data)


class Letters(LetterView):
    """The letters of a study."""

    @extend_schema(
        operation_id="list_letters", parameters=[LetterQuery], responses=page_of(LetterSerializer)
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """List the letters to a study's experts, newest first, without the links in them."""
        asked = self.query(LetterQuery)
        study = study_of(request.user, slug)
        kept = {name: asked[name] for name in ("kind", "status") if name in asked}
        found = Letter.objects.filter(judge__study=study, **kept)
        return self.page(found.select_related("judge", "asked_by"), LetterSerializer)


class LetterAgain(LetterView):
    """Tries again to send a letter."""

    @extend_schema(operation_id="send_again", request=None, responses=QueuedSerializer)
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Try once more to send a letter that failed."""
        if not services.again(letter_of(request.user, slug, pk)):
            raise Conflict("That letter did not fail, or the same one is waiting already.")
        return self.sent(1)


class Invitation(LetterView):
    """An expert's link as a letter."""

    @extend_schema(operation_id="send_invitation", request=None, responses=InvitationSerializer)
    def post(self, request: TokenRequest, slug: str, code: str) -> Response:
        """Send an expert their link, a new one if theirs has ended."""
        renewed = inviting.invite_by_mail(expert_of(request.user, slug, code), by=request.user)
        transaction.on_commit(tasks.sweep.delay, robust=True)
        return Response({"queued": 1, "new_link": renewed})


class Reminder(LetterView):
    """A reminder to one expert."""

    @extend_schema(
        operation_id="remind", request=RemindSerializer, responses={200: RemindedSerializer}
    )
    def post(self, request: TokenRequest, slug: str, code: str) -> Response:
        """Send one expert a reminder; within a day of the last letter, only if that is meant.

        If a reminder is waiting already, there is no second.
        """
        judge = expert_of(request.user, slug, code)
        again = self.asked(RemindSerializer).get("again", False)
        return self.reminded(reminding.remind([judge], by=request.user, again=again))


class Reminders(LetterView):
    """Reminders to all with something left."""

    @extend_schema(operation_id="remind_all", request=None, responses=RemindedSerializer)
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Send a reminder to every expert who has something left to do.

        Those to whom a letter went within a day are left out, and named.
        """
        left = reminding.with_something_left(study_of(request.user, slug), timezone.now())
        return self.reminded(reminding.remind(left, by=request.user))


class Messages(LetterView):
    """Messages to the experts of a panel."""

    @extend_schema(
        operation_id="send_message", request=MessageSerializer, responses=QueuedSerializer
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Send a message to the experts of a panel."""
        study = study_of(request.user, slug)
        asked = self.asked(MessageSerializer)
        form = filled(MessageForm, asked)
        to, subject, body = (form.cleaned_data[name] for name in ("to", "subject", "body"))
        experts = _addressed(study, to)
        return self.sent(
            services.write(
                experts, Letter.Kind.MESSAGE, by=request.user, subject=subject, body=body
            )
        )


class Rules(LetterView):
    """When experts are reminded without anybody asking."""

    @extend_schema(operation_id="read_rules", responses=RulesSerializer)
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Show when experts are reminded without anybody asking."""
        return Response(RulesSerializer(_rules(study_of(request.user, slug))).data)

    @extend_schema(operation_id="set_rules", request=RulesSerializer, responses=RulesSerializer)
    def put(self, request: TokenRequest, slug: str) -> Response:
        """Set when experts are reminded; what is left out stays as it is."""
        rules = _rules(study_of(request.user, slug))
        form = filled(RulesForm, self.asked(RulesSerializer), instance=rules)
        reminding.keep_rules(form.instance)
        transaction.on_commit(tasks.sweep.delay, robust=True)
        return Response(RulesSerializer(form.instance).data)


def _rules(study: Study) -> PanelRules:
    return PanelRules.objects.filter(study=study).first() or PanelRules(study=study)


def _addressed(study: Study, to: str) -> list[Judge]:
    if to == MessageForm.WITH_POEMS_LEFT:
        return reminding.with_something_left(study, timezone.now())
    return list(study.judges.at_work().exclude(email=""))
