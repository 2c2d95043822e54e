"""A study's public face: what its judges may know, who they are, and which item is whose.

Nothing here tells who wrote an item. Codes that group items (`stratum`, `twin`, `form`) are opaque;
what they mean is in the sealed key, which this package cannot import.
"""

from annotation.studies.models.assignments import Assignment, AssignmentQuerySet
from annotation.studies.models.items import Cell, Item, ItemQuerySet
from annotation.studies.models.people import (
    Background,
    Consent,
    Invitation,
    InvitationQuerySet,
    Judge,
    JudgeQuerySet,
    OpenLink,
)
from annotation.studies.models.studies import (
    ConsentWording,
    ConsentWordingQuerySet,
    Group,
    Study,
    StudyQuerySet,
    token,
)

__all__ = [
    "Assignment",
    "AssignmentQuerySet",
    "Background",
    "Cell",
    "Consent",
    "ConsentWording",
    "ConsentWordingQuerySet",
    "Group",
    "Invitation",
    "InvitationQuerySet",
    "Item",
    "ItemQuerySet",
    "Judge",
    "JudgeQuerySet",
    "OpenLink",
    "Study",
    "StudyQuerySet",
    "token",
]
