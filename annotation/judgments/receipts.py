"""What a judge can take home: their own answers, and a sheet that says what they did."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Min, Sum

from annotation.judgments.models import Judgment
from annotation.judgments.presenting import as_given, texts
from annotation.studies.models import Judge


@dataclass(frozen=True)
class Work:
    """What a judge has done, in figures.

    Attributes
    ----------
    poems : int
    minutes : int
        Time in view, as far as it was measured.
    first, last : datetime or None
    """

    poems: int
    minutes: int
    first: datetime | None
    last: datetime | None

    @property
    def clock(self) -> str:
        """The time in view in hours and minutes, as 2:05."""
        return f"{self.minutes // 60}:{self.minutes % 60:02}"


def work(judge: Judge) -> Work:
    """Return what the judge has done in their study."""
    done = Judgment.objects.filter(assignment__judge=judge).aggregate(
        poems=Count("pk"),
        milliseconds=Sum("milliseconds"),
        first=Min("submitted_at"),
        last=Max("submitted_at"),
    )
    minutes = round((done.pop("milliseconds") or 0) / 60_000)
    return Work(minutes=minutes, **done)


def answers(judge: Judge) -> dict[str, Any]:
    """Return everything the judge has answered, earlier values too, and a checksum over it."""
    judgments = (
        Judgment.objects.filter(assignment__judge=judge)
        .select_related("assignment__item", "assignment__judge__study")
        .prefetch_related("ratings")
        .order_by("assignment__position")
    )
    given = [_answered(judgment) for judgment in judgments]
    canonical = json.dumps(given, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return {
        "study": judge.study.title,
        "fingerprint": judge.study.fingerprint,
        "judge": judge.name,
        "answers": given,
        "sha256": hashlib.sha256(canonical.encode()).hexdigest(),
    }


def digest(judge: Judge) -> str:
    """Return the checksum over everything the judge has answered."""
    return str(answers(judge)["sha256"])


def _answered(judgment: Judgment) -> dict[str, Any]:
    earlier = [
        {
            "question": rating.question,
            "number": rating.number,
            "text": rating.text,
            "blank": rating.blank,
            "superseded_at": rating.superseded_at.isoformat(),
        }
        for rating in sorted(judgment.ratings.all(), key=lambda one: (one.question, one.version))
        if rating.superseded_at
    ]
    return {
        "position": judgment.assignment.position,
        "texts": list(texts(judgment.assignment)),
        "submitted_at": judgment.submitted_at.isoformat(),
        "milliseconds": judgment.milliseconds,
        "answers": as_given(judgment),
        "earlier": earlier,
    }
