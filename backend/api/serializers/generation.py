"""What the API is sent and shows of runs and machine poems."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from backend.api.describing import PageQuery, identifier
from backend.corpus.models import Poem
from backend.generation.briefs import TEMPLATES
from backend.generation.estimating import Estimate
from backend.generation.models import Call, Generation, Run

MOST = 2**31 - 1
DOLLARS: dict[str, Any] = {"max_digits": 12, "decimal_places": 6, "min_value": 0}


class RunSerializer(serializers.ModelSerializer[Run]):
    """A set of generations asked for, or imported, together."""

    state = serializers.CharField()
    started_by = serializers.SlugRelatedField[Any](
        slug_field="username", read_only=True, allow_null=True
    )

    class Meta:
        model = Run
        fields = (
            "id", "name", "state", "collection", "template", "temperature", "max_tokens", "seed",
            "samples", "first_sample", "turns", "cap", "started_by", "started_at",
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
    cap = serializers.DecimalField(
        required=False, allow_null=True, **DOLLARS,
        help_text="What it may cost at the most, in US dollars. None: no cap.",
    )  # fmt: skip
    turns = serializers.IntegerField(
        min_value=0, max_value=100, required=False,
        help_text="How often a poem that repeats a known one is asked for anew.",
    )  # fmt: skip
    fresh = serializers.BooleanField(
        required=False, help_text="Whether to take no earlier answers to the same calls."
    )


class EstimateOfSerializer(NewRunSerializer):
    """A run that is not started yet; it needs no name."""

    name = serializers.CharField(max_length=120, required=False)


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
    failed = serializers.IntegerField(help_text="For other reasons than the three next.")
    refused = serializers.IntegerField()
    recited = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    waiting = serializers.IntegerField()
    running = serializers.IntegerField()


class ModelCountsSerializer(serializers.Serializer[Any]):
    """How far the generations of one model are."""

    model = serializers.IntegerField()
    name = serializers.CharField()
    counts = CountsSerializer()


class MoneySerializer(serializers.Serializer[Any]):
    """What a run cost so far, in US dollars."""

    cap = serializers.DecimalField(max_digits=20, decimal_places=8, allow_null=True)
    spent = serializers.DecimalField(max_digits=20, decimal_places=8)
    set_aside = serializers.DecimalField(max_digits=20, decimal_places=8)
    unknown = serializers.IntegerField(help_text="Calls of which nobody knows what they cost.")


class WaitSerializer(serializers.Serializer[Any]):
    """Why some poems wait, and until when, if that is known."""

    why = serializers.CharField()
    until = serializers.DateTimeField(allow_null=True)
    count = serializers.IntegerField()


class RunProgressSerializer(serializers.Serializer[Any]):
    """How far a run is, in all and by model."""

    state = serializers.CharField()
    overall = CountsSerializer()
    by_model = ModelCountsSerializer(many=True)
    poems_a_minute = serializers.FloatField(allow_null=True)
    seconds_left = serializers.FloatField(allow_null=True)
    money = MoneySerializer()
    waits = WaitSerializer(many=True)


class ModelEstimateSerializer(serializers.Serializer[Any]):
    """What the calls of one model will likely take."""

    model = serializers.IntegerField(source="model.pk")
    name = serializers.CharField(source="model.name")
    calls = serializers.IntegerField()
    answered_before = serializers.IntegerField(help_text="Of the calls; they cost nothing.")
    tokens_input = serializers.IntegerField()
    tokens_output = serializers.IntegerField()
    cost = serializers.DecimalField(
        max_digits=20, decimal_places=8, allow_null=True, help_text="None: not known."
    )
    basis = serializers.CharField(help_text="What the length of its answers was judged by.")


class EstimateSerializer(serializers.Serializer[Any]):
    """What a run will likely take."""

    calls = serializers.IntegerField()
    to_ask = serializers.IntegerField()
    cost = serializers.DecimalField(max_digits=20, decimal_places=8, allow_null=True)
    known_cost = serializers.DecimalField(
        max_digits=20, decimal_places=8, help_text="Of the models whose price is known."
    )
    by_model = ModelEstimateSerializer(many=True, source="rows")
    left_out = serializers.SerializerMethodField()

    @extend_schema_field(LeftOutSerializer(many=True))
    def get_left_out(self, found: Estimate) -> list[dict[str, Any]]:
        return named(found.left_out)


class CapSerializer(serializers.Serializer[Any]):
    """What a run may cost at the most, in US dollars."""

    cap = serializers.DecimalField(allow_null=True, **DOLLARS)


class MoreModelsSerializer(serializers.Serializer[Any]):
    """Which models are to write in a run as well."""

    models = serializers.ListField(child=identifier(), min_length=1)


class KindsSerializer(serializers.Serializer[Any]):
    """Which failures; without kinds, all of them."""

    kinds = serializers.ListField(
        child=serializers.CharField(max_length=24), required=False, min_length=1
    )


class AgainSerializer(serializers.Serializer[Any]):
    """How many poems were queued, or queued again."""

    queued = serializers.IntegerField()


class AnswerSerializer(serializers.ModelSerializer[Call]):
    """The answer that a poem rests on."""

    class Meta:
        model = Call
        fields = (
            "finish", "reasoning", "served_model", "request_id", "tokens_input", "tokens_output",
            "tokens_reasoning", "cost", "milliseconds", "ended_at",
        )  # fmt: skip


class FlagSerializer(serializers.Serializer[Any]):
    """Why a person should look at a poem."""

    rule = serializers.CharField()
    reason = serializers.CharField()


class GenerationSerializer(serializers.ModelSerializer[Generation]):
    """One poem by one language model to one brief, or the attempt at it."""

    status = serializers.CharField()
    brief = serializers.CharField(source="brief.text")
    poem = serializers.IntegerField(
        source="brief.poem_id", allow_null=True, help_text="The human poem of the brief."
    )
    model_name = serializers.CharField(source="model.name")
    flags = FlagSerializer(many=True)
    corrected = serializers.BooleanField(
        source="was_corrected", help_text="Whether a person changed title or text."
    )
    answer = AnswerSerializer(allow_null=True)

    class Meta:
        model = Generation
        fields = (
            "id", "run", "model", "model_name", "poem", "brief", "sample", "turn", "status",
            "title", "text", "corrected", "flags", "looked_at", "reply", "answer", "error_kind",
            "error", "finished_at",
        )  # fmt: skip


class GenerationQuery(PageQuery):
    """Which generations of a run."""

    status = serializers.ChoiceField(choices=Generation.Status.values, required=False)
    model = identifier(required=False)


def named(left_out: Iterable[tuple[Poem, str]]) -> list[dict[str, Any]]:
    """Return what is told of poems that were left out."""
    return [{"poem": poem.pk, "title": poem.title, "reason": reason} for poem, reason in left_out]
