"""What the API is sent and shows of a panel: experts, links, letters, rules."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from annotation.studies.models import OpenLink
from backend.api.describing import PageQuery
from backend.panel.forms import MessageForm
from backend.panel.letters import one_line
from backend.panel.models import Letter, PanelRules
from backend.panel.progress import STATES
from backend.panel.roster import PEOPLE_AT_MOST

STATE_NAMES = [name for name in STATES if name != "language model"]


class LetterSerializer(serializers.ModelSerializer[Letter]):
    """A letter to an expert. Its text, with the link, is written only when it is sent."""

    kind = serializers.CharField()
    status = serializers.CharField()
    expert = serializers.CharField(source="judge.code")
    name = serializers.CharField(source="judge.name")
    asked_by = serializers.SlugRelatedField[Any](
        slug_field="username", read_only=True, allow_null=True
    )

    class Meta:
        model = Letter
        fields = (
            "id", "kind", "status", "expert", "name", "subject", "asked_at", "asked_by",
            "sent_at", "error",
        )  # fmt: skip


class LetterQuery(PageQuery):
    """Which letters."""

    kind = serializers.ChoiceField(choices=Letter.Kind.values, required=False)
    status = serializers.ChoiceField(choices=Letter.Status.values, required=False)


class ExpertSerializer(serializers.Serializer[Any]):
    """An expert of the panel and how far they are: no answer, and no link."""

    code = serializers.CharField()
    name = serializers.CharField()
    email = serializers.CharField(allow_blank=True)
    language = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=STATE_NAMES)
    given = serializers.IntegerField()
    answered = serializers.IntegerField()
    waiting = serializers.IntegerField()
    given_back = serializers.IntegerField()
    last_answer = serializers.DateTimeField(allow_null=True)
    link_expires_at = serializers.DateTimeField(source="expires_at", allow_null=True)
    link_works = serializers.BooleanField()


class ExpertQuery(PageQuery):
    """Which experts."""

    state = serializers.ChoiceField(choices=STATE_NAMES, required=False)
    search = serializers.CharField(required=False, help_text="Words in name or address.")


class PersonSerializer(serializers.Serializer[Any]):
    """Somebody to invite."""

    name = serializers.CharField(max_length=120)
    email = serializers.EmailField(max_length=254, required=False, allow_blank=True)
    language = serializers.ChoiceField(
        choices=[code for code, _ in settings.LANGUAGES], required=False, allow_blank=True
    )

    group = serializers.CharField(
        max_length=60, required=False, allow_blank=True, help_text="Whose items; none: all."
    )

    def validate_name(self, name: str) -> str:
        if not one_line(name):
            raise serializers.ValidationError("Write a name.")
        return one_line(name)


class InviteSerializer(PersonSerializer):
    """One expert to put on the panel."""

    days = serializers.IntegerField(min_value=1, max_value=3650, required=False)
    send = serializers.BooleanField(required=False, help_text="Send the invitation by e-mail.")


class InviteManySerializer(serializers.Serializer[Any]):
    """Experts to put on the panel: all, or none."""

    people = serializers.ListField(
        child=PersonSerializer(), min_length=1, max_length=PEOPLE_AT_MOST
    )
    days = serializers.IntegerField(min_value=1, max_value=3650, required=False)
    send = serializers.BooleanField(
        required=False, help_text="Send the invitation to all who have an address."
    )


class InvitedSerializer(serializers.Serializer[Any]):
    """Who was put on the panel."""

    experts = ExpertSerializer(many=True)


class NewLinkSerializer(serializers.Serializer[Any]):
    """How long a new link works."""

    days = serializers.IntegerField(min_value=1, max_value=3650, required=False)


class LinkSerializer(serializers.Serializer[Any]):
    """A personal link: whoever has it acts as the expert."""

    address = serializers.URLField()
    expires_at = serializers.DateTimeField()


class GivenBackSerializer(serializers.Serializer[Any]):
    """How many unanswered poems went back to the others."""

    given_back = serializers.IntegerField()


class QueuedSerializer(serializers.Serializer[Any]):
    """How many letters are on their way."""

    queued = serializers.IntegerField()


class RemindSerializer(serializers.Serializer[Any]):
    """Whether to remind somebody to whom a letter went within a day."""

    again = serializers.BooleanField(
        required=False, help_text="Remind them all the same; false if it is left out."
    )


class UnremindedSerializer(serializers.Serializer[Any]):
    """An expert who is not reminded now, and why."""

    expert = serializers.CharField(help_text="Their code.")
    name = serializers.CharField()
    reason = serializers.CharField()


class RemindedSerializer(QueuedSerializer):
    """How many reminders are on their way, and who was left out."""

    left_out = UnremindedSerializer(many=True)


class InvitationSerializer(QueuedSerializer):
    """A letter on its way, perhaps with a new link."""

    new_link = serializers.BooleanField()


class MessageSerializer(serializers.Serializer[Any]):
    """A message to experts of the panel."""

    to = serializers.ChoiceField(
        choices=[MessageForm.EVERYBODY, MessageForm.WITH_POEMS_LEFT],
        help_text="all: who take part and have an address; left: those with poems left.",
    )
    subject = serializers.CharField(max_length=150)
    body = serializers.CharField(max_length=10_000)


class RulesSerializer(serializers.ModelSerializer[PanelRules]):
    """When experts are reminded without anybody asking."""

    class Meta:
        model = PanelRules
        fields = (
            "remind_after_days",
            "reminders_at_most",
            "remind_before_expiry_days",
            "remind_before_lease_days",
        )


class OpenLinkSerializer(serializers.ModelSerializer[OpenLink]):
    """A link by which experts put themselves on the panel."""

    group = serializers.SlugRelatedField[Any](
        slug_field="name", read_only=True, allow_null=True, help_text="Whose items; null: all."
    )

    class Meta:
        model = OpenLink
        fields = ("id", "label", "group", "quota", "used", "created_at", "expires_at", "revoked_at")


class OpenLinkAddressSerializer(OpenLinkSerializer):
    """An open link with its address; none, if it was stopped or the site's key has changed."""

    address = serializers.SerializerMethodField()

    class Meta(OpenLinkSerializer.Meta):
        fields = (*OpenLinkSerializer.Meta.fields, "address")  # type: ignore[assignment]

    def get_address(self, link: OpenLink) -> str | None:
        address: str | None = self.context["address"]
        return address


class NewOpenLinkSerializer(serializers.Serializer[Any]):
    """An open link to make."""

    label = serializers.CharField(  # type: ignore[assignment]  # a field, no attribute
        max_length=80, required=False, allow_blank=True
    )
    quota = serializers.IntegerField(min_value=1, max_value=1000, required=False)
    group = serializers.CharField(
        max_length=60, required=False, allow_blank=True, help_text="Whose items; none: all."
    )
    days = serializers.IntegerField(min_value=1, max_value=3650, required=False)
