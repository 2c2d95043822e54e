"""What the API is sent and shows of language models and of where they are asked."""

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from backend.api.describing import PageQuery, identifier
from backend.generation.forms.models import LONGEST_CALL, NAMES_OF_MAX_TOKENS
from backend.generation.forms.providers import MOST_A_MINUTE, MOST_AT_ONCE
from backend.generation.models import LanguageModel, Provider

LIMITS = ("parallel", "requests_a_minute", "tokens_a_minute")
DECIMAL_PLACES = 6


class ProviderSerializer(serializers.ModelSerializer[Provider]):
    """Where language models are asked. Of its key only the variable is named that holds it."""

    wire = serializers.CharField()

    class Meta:
        model = Provider
        fields = ("id", "name", "wire", "base_url", "key_variable", *LIMITS, "created_at")


class LimitsSerializer(serializers.Serializer[Any]):
    """What may be asked at once and within a minute. None: no limit is known."""

    parallel = serializers.IntegerField(
        min_value=1, max_value=MOST_AT_ONCE, required=False, allow_null=True
    )
    requests_a_minute = serializers.IntegerField(
        min_value=1, max_value=MOST_A_MINUTE, required=False, allow_null=True
    )
    tokens_a_minute = serializers.IntegerField(
        min_value=1, max_value=MOST_A_MINUTE, required=False, allow_null=True
    )


class ChangedProviderSerializer(LimitsSerializer):
    """What is to be another way about a provider."""

    name = serializers.CharField(max_length=120, required=False)
    wire = serializers.ChoiceField(choices=Provider.Wire.values, required=False)
    base_url = serializers.CharField(max_length=300, required=False)
    key_variable = serializers.CharField(
        max_length=80, required=False, allow_blank=True,
        help_text="The name of an environment variable, never a key.",
    )  # fmt: skip


class NewProviderSerializer(ChangedProviderSerializer):
    """A provider of language models."""

    name = serializers.CharField(max_length=120)
    base_url = serializers.CharField(max_length=300)


class LanguageModelSerializer(serializers.ModelSerializer[LanguageModel]):
    """A language model, and what is known of it. None: not known."""

    reach = serializers.CharField()
    provider = serializers.IntegerField(source="provider_id", allow_null=True)
    weights = serializers.CharField()
    parameters = serializers.DictField()

    class Meta:
        model = LanguageModel
        fields = (
            "id", "name", "reach", "provider", "model_id", "description", "family", "size",
            "weights", "thinks", "parameters", "max_tokens_name", "seconds", *LIMITS,
            "price_input", "price_output", "priced_on", "created_at",
        )  # fmt: skip


def _price() -> serializers.DecimalField:
    return serializers.DecimalField(
        max_digits=12, decimal_places=DECIMAL_PLACES, min_value=Decimal(0), required=False,
        allow_null=True, help_text="US dollars per million tokens.",
    )  # fmt: skip


class ChangedLanguageModelSerializer(LimitsSerializer):
    """What is to be another way about a language model."""

    name = serializers.CharField(max_length=120, required=False)
    provider = identifier(required=False)
    model_id = serializers.CharField(max_length=160, required=False)
    parameters = serializers.DictField(
        required=False, help_text="Sent with each call as they are. What is not here is not sent."
    )
    max_tokens_name = serializers.ChoiceField(choices=NAMES_OF_MAX_TOKENS, required=False)
    seconds = serializers.IntegerField(min_value=5, max_value=LONGEST_CALL, required=False)
    description = serializers.CharField(max_length=300, required=False, allow_blank=True)
    family = serializers.CharField(max_length=60, required=False, allow_blank=True)
    size = serializers.CharField(max_length=30, required=False, allow_blank=True)
    weights = serializers.ChoiceField(
        choices=LanguageModel.Weights.values, required=False, allow_blank=True
    )
    thinks = serializers.BooleanField(required=False, allow_null=True)
    price_input = _price()
    price_output = _price()
    priced_on = serializers.DateField(required=False, allow_null=True)


class NewLanguageModelSerializer(ChangedLanguageModelSerializer):
    """A language model at a provider."""

    name = serializers.CharField(max_length=120)
    provider = identifier()
    model_id = serializers.CharField(max_length=160)


class LanguageModelQuery(PageQuery):
    """Which language models."""

    search = serializers.CharField(required=False, help_text="Words in the name.")
    reach = serializers.ChoiceField(choices=LanguageModel.Reach.values, required=False)
