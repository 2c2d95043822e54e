"""What the API is sent and shows of collections and poems."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from backend.api.describing import PageQuery
from backend.corpus.models import Collection, Poem

ROWS_AT_MOST = 5000


class CollectionSerializer(serializers.ModelSerializer[Collection]):
    """A named set of human poems."""

    poems = serializers.IntegerField(source="n_poems", read_only=True)

    class Meta:
        model = Collection
        fields = ("id", "name", "description", "created_at", "poems")


class PoemSerializer(serializers.ModelSerializer[Poem]):
    """A human poem with its annotation, its text as it came."""

    class Meta:
        model = Poem
        fields = (
            "id", "collection", "title", "author", "form", "source", "edition", "url", "year",
            "metre", "rhyme", "theme", "imagery", "language", "text",
        )  # fmt: skip


class CollectionQuery(PageQuery):
    """Which collections."""

    search = serializers.CharField(required=False, help_text="Words in the name.")
    ordering = serializers.ChoiceField(
        choices=["name", "-name", "created_at", "-created_at"], required=False
    )


class PoemQuery(PageQuery):
    """Which poems of a collection."""

    search = serializers.CharField(required=False, help_text="Words in title, author or text.")
    form = serializers.CharField(required=False)
    language = serializers.CharField(required=False)
    ordering = serializers.ChoiceField(
        choices=["id", "-id", "title", "-title", "author", "-author"], required=False
    )


class ImportSerializer(serializers.Serializer[Any]):
    """Poems to add to a collection: all of them, or none."""

    collection = serializers.CharField(
        max_length=120, help_text="Its name; it is made if there is none."
    )
    language = serializers.CharField(
        required=False, allow_blank=True, default="", help_text="Of rows that name none."
    )
    rows = serializers.ListField(
        # As it came: every break, indent and inner space.
        child=serializers.DictField(
            child=serializers.CharField(allow_blank=True, trim_whitespace=False)
        ),
        min_length=1,
        max_length=ROWS_AT_MOST,
        help_text="Field of a poem -> text; title and text at least. Bodies larger than "
        f"{settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20} MiB are refused.",
    )


class ImportedSerializer(serializers.Serializer[Any]):
    """What came of an import."""

    collection = serializers.IntegerField(source="collection.pk")
    added = serializers.IntegerField()
    known = serializers.IntegerField(help_text="Rows whose poem was there already.")
    ignored = serializers.ListField(
        child=serializers.CharField(), source="ignored_columns", help_text="Fields not used."
    )
