"""What the API shows of results, and of the activity log."""

from typing import Any

from rest_framework import serializers

from annotation.activity.models import Entry
from annotation.activity.services import Kind
from backend.api.describing import PageQuery
from backend.design.models import InterimLook


class CellSerializer(serializers.Serializer[Any]):
    """One value, unrounded, or why there is none."""

    value = serializers.JSONField(allow_null=True, help_text="Text, number or null.")
    reason = serializers.CharField(allow_blank=True)


class ColumnSerializer(serializers.Serializer[Any]):
    """One column of a table."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field, no attribute
    style = serializers.CharField()  # type: ignore[assignment]
    unit = serializers.CharField(allow_blank=True)
    under = serializers.CharField(allow_blank=True)


class TableSerializer(serializers.Serializer[Any]):
    """A table of results."""

    key = serializers.CharField()
    caption = serializers.CharField()
    explanation = serializers.CharField(allow_blank=True)
    basis = serializers.CharField(allow_blank=True, help_text="What one unit is, and how many.")
    method = serializers.CharField(allow_blank=True)
    notes = serializers.ListField(child=serializers.CharField())
    columns = ColumnSerializer(many=True)
    rows = serializers.ListField(child=serializers.ListField(child=CellSerializer()))


class SectionSerializer(serializers.Serializer[Any]):
    """Tables under one heading."""

    key = serializers.CharField()
    title = serializers.CharField()
    tables = TableSerializer(many=True)


class ReportSerializer(serializers.Serializer[Any]):
    """Every table of a study's results."""

    study = serializers.CharField()
    fingerprint = serializers.CharField()
    sections = SectionSerializer(many=True)


class LookSerializer(serializers.ModelSerializer[InterimLook]):
    """Somebody's look at results before the study was closed."""

    by = serializers.SlugRelatedField[Any](slug_field="username", read_only=True)

    class Meta:
        model = InterimLook
        fields = ("number", "by", "reason", "judgments", "at")


class NewLookSerializer(serializers.Serializer[Any]):
    """Why somebody looks."""

    reason = serializers.CharField(max_length=500)
    seen = serializers.IntegerField(
        min_value=0,
        required=False,
        help_text="How many looks you know of; if there were more, none is recorded.",
    )


class EntrySerializer(serializers.ModelSerializer[Entry]):
    """Something that was done. No name, address, answer or link of an expert stands in it."""

    seal = serializers.IntegerField(
        source="seal.number", allow_null=True, default=None, help_text="None: not yet sealed."
    )
    details = serializers.DictField()

    class Meta:
        model = Entry
        fields = ("id", "kind", "study", "actor", "subject", "digest", "details", "at", "seal")


class LogQuery(PageQuery):
    """Which entries."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in Kind], required=False)
    study = serializers.CharField(required=False, help_text="A study's short name.")
    actor = serializers.CharField(required=False, help_text="A username.")
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)
