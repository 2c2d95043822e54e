"""What the API is sent and shows of the ledger, of changes to a panel, and of unsealing."""

from typing import Any

from rest_framework import serializers

from backend.api.serializers.panel import PersonSerializer

_LOOKS = (
    "How often results were looked at before. If ever, results and export say for good that this "
    "was done after it."
)


class CellCountSerializer(serializers.Serializer[Any]):
    """One row of the ledger: places, and what became of them."""

    code = serializers.CharField(
        allow_blank=True, help_text="Opaque: a letter, the name of a group, a place of a set."
    )
    items = serializers.IntegerField()
    planned = serializers.IntegerField()
    leased = serializers.IntegerField(help_text="Held unanswered.")
    done = serializers.IntegerField()
    withdrawn = serializers.IntegerField(help_text="Answered, then taken out of the analysis.")
    extra = serializers.IntegerField(help_text="Answered when the place was gone.")
    free = serializers.IntegerField()


class LedgerSerializer(serializers.Serializer[Any]):
    """A study's ledger as a whole and cut four ways, without a word of authorship."""

    total = CellCountSerializer()
    by_stratum = CellCountSerializer(
        many=True,
        help_text="Texts of one author each. Empty where strata are not of equal size: whoever "
        "knows how many texts an author has could tell by its size which stratum is theirs.",
    )
    by_slot = CellCountSerializer(many=True)
    by_form = CellCountSerializer(many=True)
    by_group = CellCountSerializer(many=True)


class ReasonSerializer(serializers.Serializer[Any]):
    """Why an expert is withdrawn."""

    reason = serializers.CharField(max_length=300)


class WithdrawnSerializer(serializers.Serializer[Any]):
    """What withdrawing an expert did, and whether it could be done without knowing results."""

    given_back = serializers.IntegerField(help_text="Unanswered poems, back with the others.")
    looks = serializers.IntegerField(help_text=_LOOKS)


class ReplaceSerializer(PersonSerializer):
    """Who takes an expert's place, in the same group."""

    group = None  # type: ignore[assignment]  # takes the field away
    send = serializers.BooleanField(required=False, help_text="Send the invitation by e-mail.")


class RaiseSerializer(serializers.Serializer[Any]):
    """More judges for each item, and why."""

    judges_per_item = serializers.IntegerField(min_value=1, max_value=1000)
    group = serializers.CharField(
        max_length=60,
        required=False,
        allow_blank=True,
        help_text="None: items of no group, if there are any.",
    )
    reason = serializers.CharField(max_length=500)


class RestoredSerializer(serializers.Serializer[Any]):
    """What bringing an expert back did, and whether it could be done without knowing results."""

    restored = serializers.IntegerField(help_text="Answers that are analysed again.")
    looks = serializers.IntegerField(help_text=_LOOKS)


class AskSerializer(serializers.Serializer[Any]):
    """Why the key is to be unsealed."""

    reason = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class AskedSerializer(serializers.Serializer[Any]):
    """Somebody's word that the key be unsealed."""

    by = serializers.CharField(source="by.username")
    reason = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()


class UnsealingSerializer(serializers.Serializer[Any]):
    """Whether the key is unsealed, and who asked for it."""

    unsealed_at = serializers.DateTimeField(source="unblinded_at", allow_null=True)
    needed = serializers.IntegerField(
        source="unsealing_needs", help_text="How many people have to ask."
    )
    asked = AskedSerializer(many=True, source="unsealings.all")
