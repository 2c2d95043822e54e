"""Language models and where they are reached, the briefs put to them, and what they wrote."""

from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from backend.corpus.models import Collection, Poem
from backend.generation.work import Work, WorkQuerySet

# Of a generation: as it is before an answer came, and after one that was no use.
NOTHING_FOUND: dict[str, Any] = {
    "answer": None, "reply": "", "title": "", "text": "", "trimmed": [], "flags": [],
    "looked_at": None, "looked_by": None,
}  # fmt: skip


class Limits(models.Model):
    """What may be asked at once and within a minute. Empty: no limit is known."""

    parallel = models.PositiveSmallIntegerField(null=True, blank=True)
    requests_a_minute = models.PositiveIntegerField(null=True, blank=True)
    tokens_a_minute = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        abstract = True


class Provider(Limits):
    """An address at which language models are asked.

    The key to it is never stored: `key_variable` names the environment variable that holds it.
    """

    class Wire(models.TextChoices):
        OPENAI = "openai", "OpenAI-compatible"
        ANTHROPIC = "anthropic", "Anthropic"
        GEMINI = "gemini", "Google Gemini"

    name = models.CharField(max_length=120, unique=True)
    wire = models.CharField(max_length=10, choices=Wire, default=Wire.OPENAI)
    base_url = models.URLField(max_length=300)
    key_variable = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class LanguageModel(Limits):
    """A language model that can be reached, or whose poems were imported."""

    class Reach(models.TextChoices):
        ENDPOINT = "endpoint", "at a provider"
        BUILT_IN = "built-in", "built into Blindverse"
        IMPORTED = "imported", "imported poems only"

    class Weights(models.TextChoices):
        UNKNOWN = "", "not known"
        OPEN = "open", "open"
        CLOSED = "closed", "closed"

    name = models.CharField(max_length=120, unique=True)
    reach = models.CharField(max_length=8, choices=Reach, default=Reach.ENDPOINT)
    provider = models.ForeignKey(
        Provider, models.PROTECT, related_name="language_models", null=True, blank=True
    )
    model_id = models.CharField(max_length=160, blank=True)
    description = models.CharField(max_length=300, blank=True)
    family = models.CharField(max_length=60, blank=True)
    size = models.CharField(max_length=30, blank=True)
    weights = models.CharField(max_length=6, choices=Weights, blank=True, default=Weights.UNKNOWN)
    thinks = models.BooleanField(null=True, blank=True)
    parameters = models.JSONField(
        default=dict, blank=True, help_text="Sent as they are. What is not here is not sent."
    )
    max_tokens_name = models.CharField(max_length=40, default="max_tokens")
    seconds = models.PositiveSmallIntegerField(default=180, help_text="What one call may take.")
    # US dollars per million tokens. Empty: not known, so what a call costs is not known.
    price_input = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_output = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    priced_on = models.DateField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                name="model_at_a_provider_has_one_and_an_id",
                condition=~Q(reach="endpoint") | Q(provider__isnull=False) & ~Q(model_id=""),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Gate(models.Model):
    """What a model, or a provider with limits of its own, lets through now; see `gates`."""

    provider = models.OneToOneField(
        Provider, models.CASCADE, related_name="gate", null=True, blank=True
    )
    model = models.OneToOneField(
        LanguageModel, models.CASCADE, related_name="gate", null=True, blank=True
    )
    width = models.PositiveSmallIntegerField(help_text="Calls at once, as far as it is known now.")
    climbing = models.BooleanField(default=True, help_text="No refusal yet: the width doubles.")
    streak = models.PositiveIntegerField(default=0, help_text="Answers since the width changed.")
    # Microseconds since 1970: the earliest time at which the next request, the next token may go.
    requests_from = models.BigIntegerField(default=0)
    tokens_from = models.BigIntegerField(default=0)
    narrowed_at = models.DateTimeField(null=True, blank=True)
    held_until = models.DateTimeField(null=True, blank=True)
    held_why = models.CharField(max_length=200, blank=True)
    failures = models.PositiveIntegerField(default=0, help_text="In a row, without an answer.")
    holds = models.PositiveSmallIntegerField(default=0, help_text="In a row, for failures.")
    failing_since = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="gate_of_a_provider_or_a_model",
                condition=Q(provider__isnull=True, model__isnull=False)
                | Q(provider__isnull=False, model__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"gate of {self.provider or self.model}"


class Brief(models.Model):
    """The instructions that a poem was written to. A human poem shares its brief with machines'."""

    poem = models.ForeignKey(Poem, models.PROTECT, related_name="briefs", null=True, blank=True)
    template = models.CharField(max_length=40, help_text='A template\'s key, or "imported".')
    text = models.TextField()
    fingerprint = models.CharField(max_length=64, help_text="Of the text.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="brief_once_per_poem", fields=["poem", "template", "fingerprint"]
            ),
            models.UniqueConstraint(
                name="free_brief_once",
                fields=["template", "fingerprint"],
                condition=Q(poem__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class Run(models.Model):
    """A set of generations asked for, or imported, together."""

    class State(models.TextChoices):
        RUNNING = "running", "running"
        PAUSED = "paused", "paused"
        CANCELLED = "cancelled", "cancelled"

    name = models.CharField(max_length=120, unique=True)
    state = models.CharField(max_length=9, choices=State, default=State.RUNNING)
    collection = models.ForeignKey(
        Collection, models.PROTECT, related_name="runs", null=True, blank=True
    )
    template = models.CharField(max_length=40)
    temperature = models.FloatField(
        null=True, blank=True, help_text="Empty: not sent, so each model's own default."
    )
    max_tokens = models.PositiveIntegerField(null=True, blank=True)
    seed = models.BigIntegerField(
        null=True, blank=True, help_text="Empty: not sent, and poems are drawn with 0."
    )
    samples = models.PositiveSmallIntegerField(default=1)
    first_sample = models.PositiveIntegerField(
        default=1, help_text="Above 1, where earlier answers to the same call are not taken again."
    )
    turns = models.PositiveSmallIntegerField(
        default=5, help_text="How often a recited poem is asked for anew."
    )
    # US dollars.
    cap = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    committed = models.DecimalField(
        max_digits=14,
        decimal_places=8,
        default=0,
        help_text="What calls cost, and what is set aside for those whose cost is not known yet.",
    )
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class Call(models.Model):
    """One call to a provider: written before it is made, completed when it ends. Append-only.

    An open call is one that is in flight, or whose worker died: until `expires_at` nobody can
    tell. What is `lost` may have been answered, and paid for.
    """

    class State(models.TextChoices):
        OPEN = "open", "under way"
        ANSWERED = "answered", "answered"
        FAILED = "failed", "not answered"
        LOST = "lost", "lost with its worker"

    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="calls", null=True)
    generation = models.ForeignKey(
        "Generation", models.PROTECT, related_name="calls", null=True, blank=True
    )
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    identity = models.CharField(
        max_length=64, blank=True, help_text="Of the address, the body and the sample."
    )
    url = models.CharField(max_length=500, blank=True)
    request = models.JSONField()
    response = models.TextField(blank=True, help_text="The body as it came.")
    text = models.TextField(blank=True, help_text="What the model said.")
    reasoning = models.TextField(blank=True, help_text="What it thought before.")
    finish = models.CharField(max_length=40, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Of HTTP.")
    request_id = models.CharField(max_length=200, blank=True)
    served_model = models.CharField(max_length=200, blank=True)
    tokens_input = models.PositiveIntegerField(null=True, blank=True)
    tokens_output = models.PositiveIntegerField(null=True, blank=True)
    tokens_reasoning = models.PositiveIntegerField(null=True, blank=True)
    tokens_cached = models.PositiveIntegerField(null=True, blank=True)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)
    # US dollars; the prices are those at the time of the call.
    price_input = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_output = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    reserved = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    version = models.CharField(max_length=40, blank=True, help_text="Of Blindverse.")
    error_kind = models.CharField(max_length=24, blank=True)
    error = models.TextField(blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                name="one_answer_to_a_call",
                fields=["identity"],
                condition=Q(state__in=("open", "answered")) & ~Q(identity=""),
            ),
        ]
        indexes = [
            models.Index(name="calls_under_way", fields=["model"], condition=Q(state="open")),
        ]

    def __str__(self) -> str:
        return f"call {self.pk}"


class GenerationQuerySet(WorkQuerySet["Generation"]):
    """Generations of runs; what is paused or cancelled waits."""

    def due(self, now: datetime) -> Self:
        return super().due(now).of_running_runs()

    def of_running_runs(self) -> Self:
        # Not by a join: PostgreSQL would not look at the row again after it waited for another.
        running = Run.objects.filter(pk=OuterRef("run_id"), state=Run.State.RUNNING)
        return self.filter(Exists(running))

    def finish(self, pk: int, lease: str, **fields: Any) -> bool:
        if fields.get("status") == Work.Status.FAILED:
            fields.setdefault("finished_at", timezone.now())
        return super().finish(pk, lease, **fields)

    def give_up_lost(self, now: datetime, **fields: Any) -> int:
        return super().give_up_lost(now, finished_at=now, **fields)

    def requeue_failed(self, **fields: Any) -> int:
        # What was found in an answer that was no use is not to pass for the next one's. Calls and
        # recitals from before this moment count no longer.
        return super().requeue_failed(finished_at=timezone.now(), **NOTHING_FOUND, **fields)


class Generation(Work):
    """One poem by one language model to one brief, or the attempt at it."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="generations")
    brief = models.ForeignKey(Brief, models.PROTECT, related_name="generations")
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="generations")
    sample = models.PositiveIntegerField(default=1)
    turn = models.PositiveSmallIntegerField(
        default=0, help_text="How often it was asked for anew after an answer that was no use."
    )
    answer = models.ForeignKey(
        Call, models.PROTECT, related_name="+", null=True, blank=True, help_text="What it rests on."
    )
    reply = models.TextField(blank=True, help_text="The raw reply.")
    title = models.CharField(max_length=300, blank=True)
    text = models.TextField(blank=True, help_text="The poem found in the reply.")
    trimmed = models.JSONField(default=list, help_text="What was cut from the reply, and why.")
    flags = models.JSONField(default=list, help_text="What a person should look at, and why.")
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When a person did.")
    looked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = GenerationQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                name="generation_once", fields=["run", "brief", "model", "sample"]
            ),
            models.CheckConstraint(
                name="done_generation_has_a_poem", condition=~Q(status="done") | ~Q(text="")
            ),
        ]
        indexes = [
            models.Index(
                name="generations_unfinished",
                fields=["model", "status"],
                condition=Q(status__in=("queued", "running")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} to brief {self.brief_id}"


class Recital(models.Model):
    """Lines of a known poem that were found in a reply. Exact ones make it recited."""

    class Kind(models.TextChoices):
        EXACT = "exact", "the same lines"
        NEAR = "near", "nearly the same lines"

    generation = models.ForeignKey(Generation, models.PROTECT, related_name="recitals")
    call = models.ForeignKey(Call, models.PROTECT, related_name="recitals", null=True, blank=True)
    kind = models.CharField(max_length=5, choices=Kind)
    poem = models.ForeignKey(Poem, models.PROTECT, related_name="+")
    lines = models.JSONField(help_text="Pairs of lines: the reply's, the poem's.")
    similarity = models.FloatField(default=1.0)
    found_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.poem} in {self.generation}"


class Correction(models.Model):
    """What a person changed of a poem that was found in a reply. Append-only."""

    generation = models.ForeignKey(Generation, models.PROTECT, related_name="corrections")
    title_before = models.CharField(max_length=300, blank=True)
    text_before = models.TextField(blank=True)
    title_after = models.CharField(max_length=300, blank=True)
    text_after = models.TextField()
    reason = models.CharField(max_length=300)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"correction {self.pk}"
