"""What the API is sent and shows of instruments."""

from typing import Any

from rest_framework import serializers

from backend.api.describing import PageQuery


class InstrumentLineSerializer(serializers.Serializer[Any]):
    """An instrument in a list."""

    key = serializers.CharField()
    title = serializers.CharField()
    language = serializers.CharField()
    version = serializers.CharField()
    own = serializers.BooleanField(help_text="Written here, not published.")


class InstrumentSerializer(InstrumentLineSerializer):
    """An instrument with its data."""

    versions = serializers.ListField(
        child=serializers.IntegerField(), help_text="Of an own one, the newest first."
    )
    definition = serializers.DictField()


class InstrumentQuery(PageQuery):
    """Which instruments."""

    search = serializers.CharField(required=False, help_text="Words in title or key.")
    language = serializers.CharField(required=False)


class VersionQuery(serializers.Serializer[Any]):
    """Which version."""

    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)


class NewInstrumentSerializer(serializers.Serializer[Any]):
    """A new instrument."""

    definition = serializers.DictField(help_text="As the help page explains.")


class NewVersionSerializer(NewInstrumentSerializer):
    """The next version of an instrument."""

    seen = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, help_text="The newest version that you know of."
    )
