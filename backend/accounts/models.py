"""Staff users and their roles."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A member of staff. Experts are no users: they come by personal link."""

    class Role(models.TextChoices):
        COORDINATOR = "coordinator", "coordinator"
        RESEARCHER = "researcher", "researcher"
        ADMIN = "admin", "admin"

    role = models.CharField(max_length=11, choices=Role, default=Role.COORDINATOR)

    @property
    def coordinates(self) -> bool:
        """May build and open studies, invite experts, watch progress."""
        return self.is_active

    @property
    def researches(self) -> bool:
        """May see poems with their authors, unblind studies, read results."""
        reads = self.is_superuser or self.role in (User.Role.RESEARCHER, User.Role.ADMIN)
        return self.is_active and reads
