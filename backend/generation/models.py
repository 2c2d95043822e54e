"""Language models, the briefs put to them, and what they wrote."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from backend.corpus.models import Poem
from backend.generation.work import Work, WorkQuerySet


class LanguageModel(models.Model):
    """A language model that can be reached, or whose poems were imported.

    The key to it is never stored: `key_variable` names the environment variable that holds it.
    """

    class Reach(models.TextChoices):
        ENDPOINT = "endpoint", "OpenAI-compatible endpoint"
        BUILT_IN = "built-in", "built into Blindverse"
        IMPORTED = "imported", "imported poems only"

    name = models.CharField(max_length=120, unique=True)
    reach = models.CharField(max_length=8, choices=Reach, default=Reach.ENDPOINT)
    base_url = models.URLField(max_length=300, blank=True)
    model_id = models.CharField(max_length=160, blank=True)
    key_variable = models.CharField(max_length=80, blank=True)
    description = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                name="endpoint_has_an_address_and_a_model",
                condition=~Q(reach="endpoint") | ~Q(base_url="") & ~Q(model_id=""),
            ),
        ]

    def __str__(self) -> str:
        return self.name


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

    name = models.CharField(max_length=120, unique=True)
    template = models.CharField(max_length=40)
    temperature = models.FloatField(
        null=True, blank=True, help_text="Empty: not sent, so each model's own default."
    )
    max_tokens = models.PositiveIntegerField(null=True, blank=True)
    seed = models.BigIntegerField(
        null=True, blank=True, help_text="Empty: not sent, and poems are drawn with 0."
    )
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class Generation(Work):
    """One poem by one language model to one brief, or the attempt at it."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="generations")
    brief = models.ForeignKey(Brief, models.PROTECT, related_name="generations")
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="generations")
    sample = models.PositiveSmallIntegerField(default=1)
    reply = models.TextField(blank=True, help_text="The raw reply.")
    title = models.CharField(max_length=300, blank=True)
    text = models.TextField(blank=True, help_text="The poem found in the reply.")
    trimmed = models.JSONField(default=list, help_text="What was cut from the reply, and why.")
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = WorkQuerySet["Generation"].as_manager()

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

    def __str__(self) -> str:
        return f"{self.model} to brief {self.brief_id}"


class Call(models.Model):
    """One call to a provider: written before it is made, completed when it ends. Append-only."""

    generation = models.ForeignKey(Generation, models.PROTECT, related_name="calls")
    request = models.JSONField()
    response = models.TextField(blank=True, help_text="The body as it came.")
    error = models.TextField(blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"call {self.pk}"
