"""What the API is sent and shows of hooks."""

from typing import Any

from rest_framework import serializers

from backend.api.describing import PageQuery
from backend.hooks.models import Delivery, Event, Hook
from backend.hooks.receivers import URL_AT_MOST


class HookSerializer(serializers.ModelSerializer[Hook]):
    """An address that is told of a study's events. Its secret is not shown."""

    events = serializers.ListField(child=serializers.CharField())
    made_by = serializers.SlugRelatedField[Any](
        slug_field="username", read_only=True, allow_null=True
    )

    class Meta:
        model = Hook
        fields = ("id", "url", "events", "active", "stopped_because", "made_by", "made_at")


class NewHookSerializer(serializers.Serializer[Any]):
    """Whom to tell, and of what."""

    url = serializers.CharField(max_length=URL_AT_MOST)
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=Event.values), min_length=1
    )


class MadeHookSerializer(serializers.Serializer[Any]):
    """A new hook with the key of its signatures, which is shown this once."""

    hook = HookSerializer()
    secret = serializers.CharField()


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    """A message to a hook, and what became of it."""

    status = serializers.CharField()

    class Meta:
        model = Delivery
        fields = (
            "id",
            "uid",
            "hook",
            "event",
            "at",
            "status",
            "tries",
            "answered_status",
            "error",
        )


class DeliveryQuery(PageQuery):
    """Which messages."""

    status = serializers.ChoiceField(choices=Delivery.Status.values, required=False)
