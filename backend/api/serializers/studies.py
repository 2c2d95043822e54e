"""What the API is sent and shows of studies, their items and consent texts."""

from typing import Any

from rest_framework import serializers

from annotation.studies.models import ConsentWording, Group, Item, Study
from backend.api.describing import PageQuery
from backend.corpus.columns import language_flaw
from backend.design.models import DesignVersion, SurfaceCheck


class GroupSerializer(serializers.ModelSerializer[Group]):
    """Items that a panel of their own judges."""

    class Meta:
        model = Group
        fields = ("id", "name", "judges_per_item")


class StudySerializer(serializers.ModelSerializer[Study]):
    """A study, without a word of authorship."""

    state = serializers.CharField()
    instrument = serializers.CharField(source="instrument.key")
    instrument_version = serializers.CharField(source="instrument.version")
    dealing = serializers.CharField()
    twins = serializers.CharField()
    late = serializers.CharField()
    groups = GroupSerializer(many=True)
    shows_titles = serializers.BooleanField(source="design.shows_titles")
    exclusions = serializers.DictField(source="design.exclusions")
    analysis_plan = serializers.CharField(source="design.analysis_plan", allow_blank=True)
    margin = serializers.FloatField(source="design.margin", allow_null=True)
    interim_looks = serializers.BooleanField(source="design.interim_looks")
    unsealing_needs = serializers.IntegerField(source="design.unsealing_needs")
    surface_limit = serializers.FloatField(source="design.surface_limit")
    surface_reason = serializers.CharField(source="design.surface_reason", allow_blank=True)
    unblinded_at = serializers.DateTimeField(source="design.unblinded_at", allow_null=True)

    class Meta:
        model = Study
        fields = (
            "slug", "title", "language", "state", "instrument", "instrument_version", "contact",
            "promise", "honorarium", "asks_background", "debriefs", "shows_titles",
            "judges_per_item", "batch_size", "dealing", "twins", "apart", "lease_hours", "late",
            "repeats", "repeat_after_days", "attention_every", "exclusions", "analysis_plan",
            "margin", "interim_looks", "unsealing_needs", "surface_limit", "surface_reason",
            "groups", "seed", "fingerprint", "created_at", "opened_at", "closed_at", "unblinded_at",
        )  # fmt: skip


class StudyQuery(PageQuery):
    """Which studies."""

    state = serializers.ChoiceField(choices=Study.State.values, required=False)
    language = serializers.CharField(required=False)
    search = serializers.CharField(required=False, help_text="Words in the title.")
    ordering = serializers.ChoiceField(
        choices=["created_at", "-created_at", "title", "-title"], required=False
    )


class NamedSerializer(serializers.Serializer[Any]):
    """Something to choose."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()


class OfferedSerializer(serializers.Serializer[Any]):
    """An instrument to choose."""

    key = serializers.CharField()
    title = serializers.CharField()


class ChoicesSerializer(serializers.Serializer[Any]):
    """What a study can be built from, by name."""

    collections = NamedSerializer(many=True)
    runs = NamedSerializer(many=True)
    models = NamedSerializer(many=True)
    instruments = OfferedSerializer(many=True)


class ItemSerializer(serializers.ModelSerializer[Item]):
    """An item as judges see it: which of them it is for whom tells nothing, so it has no number."""

    class Meta:
        model = Item
        fields = ("text", "second", "title", "brief", "language")


class ConsentSerializer(serializers.ModelSerializer[ConsentWording]):
    """One version of the consent text in one language."""

    class Meta:
        model = ConsentWording
        fields = ("version", "language", "text", "sha256", "created_at")


class NewConsentSerializer(serializers.Serializer[Any]):
    """A new version of the consent text, in each of its languages."""

    texts = serializers.DictField(
        child=serializers.CharField(allow_blank=True, trim_whitespace=False),
        help_text="Language -> text.",
    )

    def validate_texts(self, texts: dict[str, str]) -> dict[str, str]:
        for language in texts:
            if flaw := language_flaw(language):
                raise serializers.ValidationError(f"{flaw.reason}. {flaw.remedy}.")
        return texts


class VersionSerializer(serializers.Serializer[Any]):
    """A new version's number."""

    version = serializers.IntegerField()


class CheckSerializer(serializers.Serializer[Any]):
    """One line of the checklist. A stop keeps the study from being opened."""

    key = serializers.CharField()
    text = serializers.CharField()
    state = serializers.CharField(help_text="ok, warn or stop.")
    remedy = serializers.CharField(allow_blank=True)


class ChecklistSerializer(serializers.Serializer[Any]):
    """What has to stand before a study is opened."""

    ready = serializers.BooleanField(help_text="Whether nothing stands against opening.")
    checks = CheckSerializer(many=True)


class SurfaceSerializer(serializers.ModelSerializer[SurfaceCheck]):
    """How well human and machine texts are told apart without reading them."""

    class Meta:
        model = SurfaceCheck
        fields = ("made_at", "auc", "low", "high", "human", "machine", "reason", "giveaways", "ids")


class SurfaceLimitSerializer(serializers.Serializer[Any]):
    """From where on opening needs a reason, and the reason."""

    limit = serializers.FloatField(min_value=0.5, max_value=1)
    reason = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class OpeningSerializer(serializers.Serializer[Any]):
    """How a study is opened."""

    without_preview = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Open it though nobody has looked at what judges will see; the log says so.",
    )


class PilotSerializer(serializers.Serializer[Any]):
    """How large a pilot is to be."""

    briefs = serializers.IntegerField(min_value=1, max_value=100, required=False, default=3)


class DesignVersionSerializer(serializers.ModelSerializer[DesignVersion]):
    """What a study was fixed to: at its opening, and again at each later change."""

    made_by = serializers.SlugRelatedField[Any](
        slug_field="username", read_only=True, allow_null=True
    )

    class Meta:
        model = DesignVersion
        fields = ("number", "fingerprint", "reason", "made_by", "made_at")


class ProgressSerializer(serializers.Serializer[Any]):
    """How far a study is: places are items times judges."""

    experts = serializers.IntegerField()
    machines = serializers.IntegerField()
    items = serializers.IntegerField()
    full_items = serializers.IntegerField()
    places = serializers.IntegerField()
    answered = serializers.IntegerField()
    experts_deleted = serializers.IntegerField()
    judgments_deleted = serializers.IntegerField()
