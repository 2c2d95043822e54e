"""Tokens by which programs act for a member of staff."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q

USED_NOTED_EVERY = timedelta(minutes=1)


class TokenQuerySet(models.QuerySet["Token"]):
    def usable(self, now: datetime) -> "TokenQuerySet":
        """Tokens that open something: neither revoked nor expired, of a user who is active."""
        unexpired = Q(expires_at=None) | Q(expires_at__gt=now)
        return self.filter(unexpired, revoked_at=None, user__is_active=True)

    def note_use(self, pk: int, now: datetime) -> None:
        """Note that a token was used; at most once a minute, since it is a write."""
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USED_NOTED_EVERY)
        self.filter(stale, pk=pk).update(last_used_at=now)


class Token(models.Model):
    """Lets a program act for its user, within its scopes. Its secret is not kept, only a hash."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12, help_text="How the secret begins.")
    sha256 = models.CharField(max_length=64, unique=True, help_text="Of the secret.")
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"
