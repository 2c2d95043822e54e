"""Comparing what judges answered with what the activity log says they answered."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q

from annotation.activity.models import Entry
from annotation.activity.reading import as_of_one_moment
from annotation.activity.services import Kind, keyed
from annotation.judgments.models import Judgment, Rating
from annotation.studies.models import Assignment, Judge, Study

AT_ONCE = 500

Progress = Callable[[int, int], None]
Logged = dict[str, dict[str, Counter[str]]]  # subject -> kind -> how often each digest


@dataclass(frozen=True)
class Audit:
    """What a comparison of all judgments with the log found.

    Attributes
    ----------
    problems : list of str
        Which judgment, judge or study does not fit, and how, in a line each; empty if all fit.
    judgments : int
    before_the_log : int
        Judgments submitted before the log's first entry, of which it can say nothing.
    """

    problems: list[str]
    judgments: int
    before_the_log: int


def content_of(ratings: Iterable[Rating], judgment: Judgment | None = None) -> dict[str, object]:
    """Return what the log keeps a digest of: a submitted judgment, or one edit of it.

    `ratings` are those that were written at that moment, all of them, in any order; `judgment` is
    left out for an edit; else its assignment has to be loaded.
    """
    written = sorted(ratings, key=lambda one: one.question)
    answers = [
        [one.question, one.number, one.text, one.blank, one.first, one.moves, one.touched]
        for one in written
    ]
    if judgment is None:
        return {"answers": answers, "version": max((one.version for one in written), default=0)}
    of = judgment.assignment
    return {
        "answers": answers,
        "milliseconds": judgment.milliseconds,
        "extra": judgment.extra,
        # What was answered, and when: else answers could be moved from one poem to another.
        "item": of.item_id,
        "flipped": of.flipped,
        "purpose": str(of.purpose),
        "submitted_at": judgment.submitted_at.astimezone(UTC).isoformat(),
    }


def verify(*, progress: Progress | None = None) -> Audit:
    """Compare all judgments and withdrawals with the log, and the log's counts with theirs.

    `progress` is told, now and then, how many judgments of how many were looked at.
    """
    with as_of_one_moment():
        audit = _Auditing()
        total = Judgment.objects.count()
        for judgments in _in_parts():
            audit.compare(judgments)
            if progress:
                progress(audit.judgments, total)
        audit.count()
        audit.problems += _withdrawals()
    return Audit(audit.problems, audit.judgments, sum(audit.before.values()))


def _in_parts() -> Iterator[list[Judgment]]:
    found = (
        Judgment.objects.annotate(
            log_key=F("assignment__judge__log_key"), slug=F("assignment__judge__study__slug")
        )
        .select_related("assignment")
        .prefetch_related("ratings")
        .order_by("pk")
    )
    last = 0
    while judgments := list(found.filter(pk__gt=last)[:AT_ONCE]):
        yield judgments
        last = judgments[-1].pk


@dataclass
class _Auditing:
    judgments: int = 0
    logged: Counter[str] = field(default_factory=Counter)  # by study, as the next
    before: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    began: datetime | None = field(default_factory=lambda: _began())

    def compare(self, judgments: list[Any]) -> None:
        subjects = {one.pk: keyed(one.log_key, f"judgment {one.pk}") for one in judgments}
        logged = _logged(subjects.values())
        for judgment in judgments:
            self.judgments += 1
            said = logged[subjects[judgment.pk]]
            submitted = said[Kind.JUDGMENT_SUBMITTED]
            if not submitted and self._is_from_before(judgment):
                self.before[judgment.slug] += 1
            else:
                self.logged[judgment.slug] += bool(submitted)
                self._compare_submitted(judgment, submitted)
            self._compare_edits(judgment, said[Kind.JUDGMENT_EDITED])

    def count(self) -> None:
        """Find studies of which judgments are gone though nobody deleted them, or the reverse."""
        submitted = _submitted_by_study()
        deleted = _deleted_by_study()
        older = _opened_before(self.began)
        for slug in sorted({*submitted, *self.logged, *deleted}):
            gone = submitted[slug] - self.logged[slug]
            # Of an older study, deletions may have taken judgments that the log never had.
            if gone > deleted[slug] or (gone < deleted[slug] and slug not in older):
                self.problems.append(
                    f"Study {slug}: the log has {submitted[slug]} submitted judgments; "
                    f"{self.logged[slug]} are there, and {deleted[slug]} were deleted with their "
                    "experts."
                )

    def _is_from_before(self, judgment: Any) -> bool:
        # Once one is in the log, so are all later ones, whatever time they claim.
        is_older = self.began is None or judgment.submitted_at < self.began
        return is_older and not self.logged.total()

    def _compare_submitted(self, judgment: Any, submitted: Counter[str]) -> None:
        name = f"Judgment {judgment.pk} of study {judgment.slug}"
        if submitted.total() != 1:
            times = "no entry" if not submitted else f"{submitted.total()} entries"
            self.problems.append(f"{name} has {times} in the log.")
            return
        first = [one for one in judgment.ratings.all() if one.version == 1]
        if keyed(judgment.log_key, content_of(first, judgment)) not in submitted:
            self.problems.append(f"{name} is not as it was submitted.")

    def _compare_edits(self, judgment: Any, edited: Counter[str]) -> None:
        name = f"Judgment {judgment.pk} of study {judgment.slug}"
        edits, is_ordered = _edits(judgment.ratings.all())
        if not is_ordered:
            self.problems.append(f"{name}: its newest answers are not those that stand.")
        digests = [(at, keyed(judgment.log_key, content_of(each))) for at, each in edits.items()]
        # An edit is a moment older than its entry, which may be the first of the log.
        stored = Counter(
            digest
            for at, digest in digests
            if digest in edited or (self.began and at >= self.began)
        )
        if stored != edited:
            self.problems.append(
                f"{name}: its edits are not those in the log "
                f"({stored.total()} there, {edited.total()} in the log)."
            )


def _edits(ratings: Iterable[Rating]) -> tuple[dict[datetime, list[Rating]], bool]:
    """Return what each edit wrote, by its time, and whether versions follow one another."""
    by_question: dict[str, list[Rating]] = defaultdict(list)
    for rating in sorted(ratings, key=lambda one: one.version):
        by_question[rating.question].append(rating)
    edits: dict[datetime, list[Rating]] = defaultdict(list)
    is_ordered = True
    for versions in by_question.values():
        is_ordered &= [one.version for one in versions] == list(range(1, len(versions) + 1))
        is_ordered &= versions[-1].superseded_at is None
        for before, after in pairwise(versions):
            # One moment for all that an edit supersedes; each new rating has its own.
            if before.superseded_at is None:
                is_ordered = False
            else:
                edits[before.superseded_at].append(after)
    return edits, is_ordered


def _withdrawals() -> Iterator[str]:
    """Yield whose answers are in or out of the analysis though the log says otherwise."""
    kinds = (Kind.JUDGE_WITHDRAWN, Kind.JUDGE_RESTORED)
    found = Entry.objects.filter(kind__in=kinds).exclude(subject="").order_by("pk")
    last = {subject: rest for subject, *rest in found.values_list("subject", "kind", "digest")}
    judges = Judge.objects.order_by("pk").annotate(
        in_doubt=Exists(
            Assignment.objects.filter(
                Q(answered_at__isnull=False, withdrawn_at=None, judge__withdrawn_at__isnull=False)
                | Q(withdrawn_at__isnull=False, judge__withdrawn_at=None),
                judge=OuterRef("pk"),
            )
        )
    )
    for judge in judges.select_related("study").defer("study__instrument_data").iterator():
        kind, digest = last.get(keyed(judge.log_key, f"judge {judge.pk}"), ("", ""))
        if problem := _withdrawal(judge, digest, logged=kind == Kind.JUDGE_WITHDRAWN):
            yield f"Judge {judge.pk} of study {judge.study.slug}{problem}"


def _withdrawal(judge: Any, reason: str, *, logged: bool) -> str:
    """Return what of a judge does not fit what the log says last of them."""
    if logged and not judge.withdrawn_at:
        return " is not withdrawn, though the log says so."
    if judge.withdrawn_at and not logged:
        return " is withdrawn, and the log does not say so."
    if judge.in_doubt:
        where = "out of" if judge.withdrawn_at else "in"
        return f": not all their answers are {where} the analysis."
    if logged and keyed(judge.log_key, judge.withdrawn_reason) != reason:
        return " was withdrawn for another reason than the one that stands there."
    return ""


def _began() -> datetime | None:
    return Entry.objects.order_by("pk").values_list("at", flat=True).first()


def _logged(subjects: Iterable[str]) -> Logged:
    kinds = (Kind.JUDGMENT_SUBMITTED, Kind.JUDGMENT_EDITED)
    found = Entry.objects.filter(subject__in=list(subjects), kind__in=kinds)
    logged: Logged = defaultdict(lambda: defaultdict(Counter))
    for subject, kind, digest in found.values_list("subject", "kind", "digest"):
        logged[subject][kind][digest] += 1
    return logged


def _submitted_by_study() -> Counter[str]:
    found = Entry.objects.filter(kind=Kind.JUDGMENT_SUBMITTED).order_by().values_list("study")
    return Counter(dict(found.annotate(number=Count("pk"))))


def _opened_before(began: datetime | None) -> set[str]:
    found = Study.objects.filter(opened_at__lt=began) if began else Study.objects.none()
    return set(found.values_list("slug", flat=True))


def _deleted_by_study() -> Counter[str]:
    deleted: Counter[str] = Counter()
    found = Entry.objects.filter(kind=Kind.EXPERT_DELETED).values_list("study", "details")
    for slug, details in found:
        deleted[slug] += details.get("judgments", 0)
    return deleted
