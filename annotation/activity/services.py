"""Writing to the activity log."""

import hmac
import json
from enum import StrEnum
from typing import Any

from annotation.activity.models import Entry
from annotation.prepared import insert


class Kind(StrEnum):
    """What can be done that the log keeps."""

    LOG_BEGAN = "log.began"
    JUDGMENT_SUBMITTED = "judgment.submitted"
    JUDGMENT_EDITED = "judgment.edited"
    LEASE_GIVEN = "lease.given"
    LEASE_RETURNED = "lease.returned"
    LEASE_EXPIRED = "lease.expired"
    JUDGE_INVITED = "judge.invited"
    JUDGE_GROUPED = "judge.grouped"
    JUDGE_PAUSED = "judge.paused"
    JUDGE_RESUMED = "judge.resumed"
    JUDGE_STOPPED = "judge.stopped"
    JUDGE_REPLACED = "judge.replaced"
    JUDGE_WITHDRAWN = "judge.withdrawn"
    JUDGE_RESTORED = "judge.restored"
    EXPERT_DELETED = "expert.deleted"
    STUDY_BUILT = "study.built"
    STUDY_DISCARDED = "study.discarded"
    STUDY_OPENED = "study.opened"
    STUDY_AMENDED = "study.amended"
    STUDY_CLOSED = "study.closed"
    UNSEALING_ASKED = "unsealing.asked"
    STUDY_UNSEALED = "study.unsealed"
    INTERIM_LOOK = "interim.look"
    RESULTS_VIEWED = "results.viewed"
    DEBRIEF_VIEWED = "debrief.viewed"
    EXPORT_MADE = "export.made"
    CONSENT_PUBLISHED = "consent.published"
    SURFACE_CHECKED = "surface.checked"
    ROLE_CHANGED = "role.changed"
    TOKEN_MADE = "token.made"  # noqa: S105
    TOKEN_REVOKED = "token.revoked"  # noqa: S105
    LINK_SHOWN = "link.shown"
    HOOK_ADDED = "hook.added"
    HOOK_REMOVED = "hook.removed"


def record(
    kind: Kind,
    *,
    study: str = "",
    actor: str = "",
    key: str = "",
    about: str = "",
    content: object = None,
    **details: Any,
) -> Entry:
    """Write one entry, in the transaction of what it tells of.

    With `key` (a judge's `log_key`), `about` and `content` enter as keyed digests only.
    """
    entry = Entry(
        kind=kind,
        study=study,
        actor=actor,
        subject=keyed(key, about) if about else "",
        digest=keyed(key, content) if content is not None else "",
        details=details,
    )
    insert([entry])
    return entry


def keyed(key: str, content: object) -> str:
    """Return the HMAC-SHA256 of the content under a key, in hexadecimal."""
    return hmac.new(key.encode(), canonical(content), "sha256").hexdigest()


def canonical(content: object) -> bytes:
    """Return the one way to write a content down as JSON."""
    return json.dumps(
        content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str
    ).encode()
