"""Collections of human poems, as they were imported: byte for byte."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Collection(models.Model):
    """A named set of human poems."""

    name = models.CharField(max_length=120, unique=True)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class PoemQuerySet(models.QuerySet["Poem"]):
    def containing(self, words: str) -> "PoemQuerySet":
        """Poems with these words in their title, author or text; all if there are no words."""
        return self.filter(
            Q(title__icontains=words) | Q(author__icontains=words) | Q(text__icontains=words)
        )

    def of_form(self, form: str) -> "PoemQuerySet":
        """Poems of this form; all if it is empty."""
        return self.filter(form=form) if form else self

    def forms(self) -> list[str]:
        """Return the forms that are named, in order."""
        named = self.exclude(form="").order_by("form")
        return list(named.values_list("form", flat=True).distinct())


class Poem(models.Model):
    """One human poem with its annotation. `text` is kept exactly as it came."""

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="poems")
    title = models.CharField(max_length=300)
    author = models.CharField(max_length=200, blank=True)
    form = models.CharField(max_length=60, blank=True)
    source = models.CharField(max_length=200, blank=True)
    edition = models.TextField(blank=True)
    url = models.TextField(blank=True)
    year = models.CharField(max_length=60, blank=True)
    metre = models.CharField(max_length=100, blank=True)
    rhyme = models.CharField(max_length=200, blank=True)
    theme = models.TextField(blank=True)
    imagery = models.TextField(blank=True)
    language = models.CharField(max_length=10, default="en")
    text = models.TextField()
    fingerprint = models.CharField(max_length=64, help_text="Of title, author and text.")
    folding = models.PositiveSmallIntegerField(
        default=0, help_text="By which folding its lines are indexed; 0 if they are not yet."
    )

    objects = PoemQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                name="poem_once_per_collection", fields=["collection", "fingerprint"]
            ),
        ]
        indexes = [models.Index(name="poem_folding", fields=["folding"])]

    def __str__(self) -> str:
        return self.title


class IndexedLine(models.Model):
    """A stretch of a poem's line, by the keys under which `backend.corpus.lines` looks it up.

    There are very many, so a row holds keys only; the text is the poem's.
    """

    pk = models.CompositePrimaryKey("poem_id", "place")
    # The primary key begins with the poem: no index of its own.
    poem = models.ForeignKey(Poem, models.CASCADE, related_name="+", db_index=False)
    place = models.PositiveIntegerField(help_text="Among the stretches of the poem, from 0.")
    pair = models.BigIntegerField(null=True, help_text="Of this line and the next.")
    opening = models.BigIntegerField(null=True, help_text="Of the first words.")
    middle = models.BigIntegerField(null=True, help_text="Of words in between.")
    closing = models.BigIntegerField(null=True, help_text="Of the last words.")

    class Meta:
        indexes = [
            models.Index(name="indexed_line_pair", fields=["pair"]),
            models.Index(name="indexed_line_opening", fields=["opening"]),
            models.Index(name="indexed_line_middle", fields=["middle"]),
            models.Index(name="indexed_line_closing", fields=["closing"]),
        ]

    def __str__(self) -> str:
        return f"{self.poem_id}: {self.place}"


class ImportedFile(models.Model):
    """A file that was imported: which, when, by whom, and what came of it."""

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="files")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    added = models.PositiveIntegerField()
    known = models.PositiveIntegerField(help_text="Poems that were there already.")
    imported_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    imported_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class PendingImport(models.Model):
    """An uploaded file that waits for its user to say which column is which."""

    content = models.BinaryField()
    file_name = models.CharField(max_length=255)
    collection = models.CharField(max_length=120)
    encoding = models.CharField(max_length=40)
    language = models.CharField(max_length=10, blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.file_name
