"""What a token may be allowed, and what the role of its user allows at all."""

from collections.abc import Iterable

from django.db.models import TextChoices

from backend.accounts.models import User


class Scope(TextChoices):
    """One thing that a token may be allowed."""

    STUDIES_READ = "studies:read", "read studies, their items as judges see them, instruments"
    STUDIES_WRITE = "studies:write", "build, open, close and discard studies; write instruments"
    PANEL_READ = "panel:read", "read who is on a panel and how far they are"
    PANEL_WRITE = "panel:write", "invite experts, read and stop their links, write letters"
    CORPUS_READ = "corpus:read", "read poems with their authors, language models and runs"
    CORPUS_WRITE = "corpus:write", "import poems, start runs"
    RESULTS_READ = "results:read", "read the results of unsealed studies"
    EXPORTS_READ = "exports:read", "fetch the data of unsealed studies"
    HOOKS_WRITE = "hooks:write", "say whom to tell of what happens"
    LOG_READ = "log:read", "read the activity log"


RESEARCHERS = frozenset(
    {Scope.CORPUS_READ, Scope.CORPUS_WRITE, Scope.RESULTS_READ, Scope.EXPORTS_READ}
)


def allowed(user: User) -> list[Scope]:
    """Return what the user's role allows now, in the order of `Scope`."""
    return [
        scope for scope in Scope if (user.researches if scope in RESEARCHERS else user.coordinates)
    ]


def granted(user: User, scopes: Iterable[str]) -> set[str]:
    """Return which of a token's scopes hold now: a token can never do more than its user."""
    return {*scopes} & {*allowed(user)}
