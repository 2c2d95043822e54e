"""What the API is sent and shows of language models, runs and machine poems."""

from typing import Any

from rest_framework import serializers

from backend.api.describing import PageQuery, identifier
from backend.generation.briefs import TEMPLATES
from backend.generation.models import Generation, LanguageModel, Run

MOST = 2**31 - 1


class LanguageModelSerializer(serializers.ModelSerializer[LanguageModel]):
    """A language model. Of its key only the variable is named that holds it."""

    reach = serializers.CharField()

    class Meta:
        model = LanguageModel
        fields = (
            "id", "name", "reach", "base_url", "model_id", "key_variable", "description",
            "created_at",
        )  # fmt: skip


class LanguageModelQuery(PageQuery):
    """Which language models."""

    search = serializers.CharField(required=False, help_text="Words in the name.")
    reach = serializers.ChoiceField(choices=LanguageModel.Reach.values, required=False)


class RunSerializer(serializers.ModelSerializer[Run]):
    """A set of generations asked for, or imported, together."""

    started_by = serializers.SlugRelatedField[Any](
        slug_field="username", read_only=True, allow_null=True
    )

    class Meta:
        model = Run
        fields = (
            "id", "name", "template", "temperature", "max_tokens", "seed", "started_by",
            "started_at",
        )  # fmt: skip


class RunQuery(PageQuery):
    """Which runs."""

    search = serializers.CharField(required=False, help_text="Words in the name.")
    ordering = serializers.ChoiceField(
        choices=["started_at", "-started_at", "name", "-name"], required=False
    )


class NewRunSerializer(serializers.Serializer[Any]):
    """Which poems of a collection which models are to write to, and how."""

    name = serializers.CharField(max_length=120)
    collection = identifier()
    template = serializers.ChoiceField(choices=list(TEMPLATES))
    models = serializers.ListField(child=identifier(), min_length=1)
    temperature = serializers.FloatField(min_value=0, max_value=2, required=False, allow_null=True)
    max_tokens = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, allow_null=True
    )
    samples = serializers.IntegerField(min_value=1, max_value=100, required=False)
    seed = serializers.IntegerField(min_value=0, max_value=MOST, required=False, allow_null=True)
    number = serializers.IntegerField(
        min_value=1, max_value=MOST, required=False, allow_null=True,
        help_text="How many poems, drawn at random with the seed. None: all.",
    )  # fmt: skip


class LeftOutSerializer(serializers.Serializer[Any]):
    """A poem that the template cannot put as a brief."""

    poem = serializers.IntegerField()
    title = serializers.CharField()
    reason = serializers.CharField()


class StartedSerializer(serializers.Serializer[Any]):
    """A run that was started."""

    run = RunSerializer()
    left_out = LeftOutSerializer(many=True)


class CountsSerializer(serializers.Serializer[Any]):
    """How far some generations are."""

    total = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    waiting = serializers.IntegerField()
    running = serializers.IntegerField()


class ModelCountsSerializer(serializers.Serializer[Any]):
    """How far the generations of one model are."""

    model = serializers.IntegerField()
    name = serializers.CharField()
    counts = CountsSerializer()


class RunProgressSerializer(serializers.Serializer[Any]):
    """How far a run is, in all and by model."""

    overall = CountsSerializer()
    by_model = ModelCountsSerializer(many=True)


class AgainSerializer(serializers.Serializer[Any]):
    """How many were queued again."""

    queued = serializers.IntegerField()


class GenerationSerializer(serializers.ModelSerializer[Generation]):
    """One poem by one language model to one brief, or the attempt at it."""

    status = serializers.CharField()
    brief = serializers.CharField(source="brief.text")
    poem = serializers.IntegerField(
        source="brief.poem_id", allow_null=True, help_text="The human poem of the brief."
    )
    model_name = serializers.CharField(source="model.name")

    class Meta:
        model = Generation
        fields = (
            "id", "run", "model", "model_name", "poem", "brief", "sample", "status", "title",
            "text", "error_kind", "error", "finished_at",
        )  # fmt: skip


class GenerationQuery(PageQuery):
    """Which generations of a run."""

    status = serializers.ChoiceField(choices=Generation.Status.values, required=False)
    model = identifier(required=False)
