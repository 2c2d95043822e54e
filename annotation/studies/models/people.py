"""Who judges: experts and language models, their links, consents and backgrounds."""

import json
from collections.abc import Sequence
from datetime import datetime

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models
from django.db.models import F, Q
from django.db.models.functions import Lower

from annotation.prepared import execute
from annotation.studies.models.studies import ConsentWording, Group, Study, token


class OpenLink(models.Model):
    """A link by which experts can put themselves on a panel, up to a quota."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="open_links")
    nonce = models.CharField(max_length=32, default=token)
    token_hash = models.CharField(max_length=64, unique=True)
    label = models.CharField(max_length=80, blank=True)
    group = models.ForeignKey(
        Group,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="open_links",
        help_text="Whose items those who come by it judge; empty: all of them.",
    )
    quota = models.PositiveSmallIntegerField(validators=[MinValueValidator(1)])
    used = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(name="open_link_within_quota", condition=Q(used__lte=F("quota")))
        ]

    def __str__(self) -> str:
        return self.label or f"open link of {self.study}"


class JudgeQuerySet(models.QuerySet["Judge"]):
    def hold(self, *keys: int) -> None:
        """Let nobody else draw for these judges, or delete them, until the transaction ends.

        An update, since SQLite knows no lock of a row.
        """
        for key in sorted(keys):
            execute("UPDATE studies_judge SET active_at = active_at WHERE id = %s", [key])

    def hold_to_deal(
        self, key: int
    ) -> tuple[list[list[object]], int | None, str | None, int] | None:
        """Hold a judge. Return what a deal is chosen by, as far as others may have changed it.

        That is their row, their group, the names that they declared a conflict with (None if they
        were not asked), and the last position that they were given. None if they were deleted,
        paused or left. The study has to be held: names and position are those of the moment at
        which this began to wait.
        """
        _, found = execute(
            "UPDATE studies_judge SET active_at = active_at"
            " WHERE id = %s AND paused_at IS NULL AND left_at IS NULL AND withdrawn_at IS NULL"
            " RETURNING row, group_id,"
            " (SELECT conflicts FROM studies_background WHERE judge_id = studies_judge.id),"
            " (SELECT MAX(position) FROM studies_assignment WHERE judge_id = studies_judge.id)",
            [key],
        )
        if not found:
            return None
        row, group, conflicts, position = found[0]
        return json.loads(row), group, conflicts, position or 0

    def note_active(self, key: int, now: datetime) -> None:
        """Note when a judge was last there."""
        moment = connection.ops.adapt_datetimefield_value(now)
        execute("UPDATE studies_judge SET active_at = %s WHERE id = %s", [moment, key])

    def keep_row(self, key: int, row: Sequence[Sequence[object]]) -> None:
        """Keep what is left to be drawn in a judge's set."""
        execute("UPDATE studies_judge SET row = %s WHERE id = %s", [json.dumps(row), key])

    def experts(self) -> "JudgeQuerySet":
        return self.filter(kind=Judge.Kind.EXPERT)

    def at_work(self) -> "JudgeQuerySet":
        """Experts who have neither paused, left nor been withdrawn: who may be written to."""
        return self.experts().filter(paused_at=None, left_at=None, withdrawn_at=None)


class Judge(models.Model):
    """Whoever answers a study's instrument: an expert, or a language model."""

    class Kind(models.TextChoices):
        EXPERT = "expert", "expert"
        MACHINE = "machine", "language model"

    class Theme(models.TextChoices):
        SYSTEM = "system", "as the device is set"
        LIGHT = "light", "light"
        SEPIA = "sepia", "sepia"
        DARK = "dark", "dark"

    study = models.ForeignKey(Study, models.PROTECT, related_name="judges")
    kind = models.CharField(max_length=7, choices=Kind, default=Kind.EXPERT)
    name = models.CharField(max_length=120)
    email = models.EmailField(blank=True)
    code = models.CharField(max_length=32, unique=True, default=token)
    log_key = models.CharField(
        max_length=32,
        default=token,
        help_text="Without it, nothing in the activity log leads to this judge.",
    )
    group = models.ForeignKey(
        Group,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="judges",
        help_text="Whose items they judge; empty: all of them.",
    )
    replaces = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="replaced_by",
        help_text="Whose unanswered items they were given.",
    )
    row = models.JSONField(
        default=list, help_text="Strata still to be drawn in this set, where items are drawn."
    )
    joined_by = models.ForeignKey(
        OpenLink, models.PROTECT, null=True, blank=True, related_name="judges"
    )
    language = models.CharField(
        max_length=10, blank=True, help_text="Of the pages; empty: as the browser asks."
    )
    theme = models.CharField(max_length=6, choices=Theme, default=Theme.SYSTEM)
    text_size = models.PositiveSmallIntegerField(
        default=3, validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    line_numbers = models.BooleanField(default=False)
    paused_at = models.DateTimeField(null=True, blank=True)
    left_at = models.DateTimeField(
        null=True, blank=True, help_text="Stopped taking part and let the answers be kept."
    )
    active_at = models.DateTimeField(
        null=True, blank=True, help_text="When they last did something; it renews their lease."
    )
    withdrawn_at = models.DateTimeField(
        null=True, blank=True, help_text="Their answers are kept, but out of the analysis."
    )
    withdrawn_reason = models.CharField(max_length=300, blank=True)
    link_wanted_at = models.DateTimeField(
        null=True, blank=True, help_text="When they last asked for their link by e-mail."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = JudgeQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "study",
                Lower("email"),
                name="judge_is_invited_once",
                condition=~Q(email=""),
            ),
            models.UniqueConstraint(
                name="machine_judges_once",
                fields=["study", "name"],
                condition=Q(kind="machine"),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_replaced(self) -> bool:
        """Whether somebody else has their place by now."""
        return self.replaced_by.exists()


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def standing(self) -> "InvitationQuerySet":
        """Links that nobody has stopped, expired ones among them."""
        return self.filter(revoked_at=None)

    def reading(self) -> "InvitationQuerySet":
        """With judge and study, as each request of an expert needs them."""
        # The instrument is long, and known by the study's fingerprint.
        return self.select_related("judge__study").defer("judge__study__instrument_data")

    def usable(self, now: datetime) -> "InvitationQuerySet":
        return self.standing().filter(expires_at__gt=now)


class Invitation(models.Model):
    """A personal link to one study.

    Its secret is not kept: it is derived from `nonce` with the key of the site, so that it can be
    written into a reminder, while a stolen database opens nothing.
    """

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="invitations")
    nonce = models.CharField(max_length=32, default=token)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    first_used_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"invitation of {self.judge}"


class Consent(models.Model):
    """What a judge agreed to, word for word, and when; one for each version agreed to."""

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="consents")
    wording = models.ForeignKey(ConsentWording, models.PROTECT, related_name="consents")
    version = models.PositiveSmallIntegerField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    promise = models.CharField(max_length=300, blank=True, help_text="What was promised with it.")
    fingerprint = models.CharField(max_length=64)
    quotable = models.BooleanField(default=False, help_text="Comments may be quoted.")
    thanked_as = models.CharField(
        max_length=120, blank=True, help_text="Name to thank in print; empty: not to be named."
    )
    agreed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["judge", "version"]
        constraints = [
            models.UniqueConstraint(name="version_agreed_once", fields=["judge", "version"]),
        ]

    def __str__(self) -> str:
        return f"consent of {self.judge}"


class Background(models.Model):
    """What an expert brings along, in coarse options, and whose poems they cannot judge fairly."""

    class Years(models.TextChoices):
        UNDER_3 = "0-2", "up to 2"
        UNDER_6 = "3-5", "3 to 5"
        UNDER_11 = "6-10", "6 to 10"
        UNDER_21 = "11-20", "11 to 20"
        MORE = "21+", "more than 20"

    judge = models.OneToOneField(Judge, models.PROTECT, related_name="background")
    practice = models.JSONField(default=list, help_text="poet, scholar, translator, ...")
    years = models.CharField(max_length=5, choices=Years, blank=True)
    languages = models.JSONField(default=list, help_text="In which they read verse.")
    conflicts = models.TextField(blank=True, help_text="Names, one a line.")
    answered_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"background of {self.judge}"
