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
GivenBack = dict[int, dict[datetime, list[int]]]  # judge -> when -> which assignments
OF_JUDGES = (Kind.JUDGE_INVITED, Kind.JUDGE_WITHDRAWN, Kind.JUDGE_RESTORED)


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
        audit.count(total)
        audit.problems += _of_judges(audit.given_back)
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
    rest = found  # from the very first: a forged number may be below all that are given
    while judgments := list(rest[:AT_ONCE]):
        yield judgments
        rest = found.filter(pk__gt=judgments[-1].pk)


@dataclass
class _Said:
    """What the log says of one judge."""

    invited: bool = False
    machine: bool = False
    withdrawn: bool = False
    reason: str = ""  # a digest of it
    lost: Counter[str] = field(default_factory=Counter)  # digests, one for each time


@dataclass
class _Auditing:
    judgments: int = 0
    logged: Counter[str] = field(default_factory=Counter)  # by study, as the next
    before: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    began: datetime | None = field(default_factory=lambda: _began())
    opened: set[str] = field(default_factory=lambda: _opened_in_the_log())
    given_back: GivenBack = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    def compare(self, judgments: list[Any]) -> None:
        subjects = {one.pk: keyed(one.log_key, f"judgment {one.pk}") for one in judgments}
        logged = _logged(subjects.values())
        for judgment in judgments:
            self.judgments += 1
            said = logged[subjects[judgment.pk]]
            submitted = said[Kind.JUDGMENT_SUBMITTED]
            from_before = not submitted and self._is_from_before(judgment)
            if from_before:
                self.before[judgment.slug] += 1
            else:
                self.logged[judgment.slug] += bool(submitted)
                self._compare_submitted(judgment, submitted)
            self._compare_edits(judgment, said[Kind.JUDGMENT_EDITED], from_before=from_before)
            self._note_given_back(judgment, from_before=from_before)

    def count(self, total: int) -> None:
        """Find studies of which judgments are gone though nobody deleted them, or the reverse.

        `total` is how many judgments there are, those included that belong to nobody.
        """
        if self.judgments != total:
            self.problems.append(
                f"There are {total} judgments, and {self.judgments} could be looked at."
            )
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
        is_given = judgment.pk > 0 and judgment.slug not in self.opened
        return is_older and is_given and not self.logged.total()

    def _compare_submitted(self, judgment: Any, submitted: Counter[str]) -> None:
        name = f"Judgment {judgment.pk} of study {judgment.slug}"
        if submitted.total() != 1:
            times = "no entry" if not submitted else f"{submitted.total()} entries"
            self.problems.append(f"{name} has {times} in the log.")
            return
        first = [one for one in judgment.ratings.all() if one.version == 1]
        if keyed(judgment.log_key, content_of(first, judgment)) not in submitted:
            self.problems.append(f"{name} is not as it was submitted.")

    def _compare_edits(self, judgment: Any, edited: Counter[str], *, from_before: bool) -> None:
        name = f"Judgment {judgment.pk} of study {judgment.slug}"
        edits, is_ordered = _edits(judgment.ratings.all())
        if not is_ordered:
            self.problems.append(f"{name}: its newest answers are not those that stand.")
        if any(at < judgment.submitted_at for at in edits):
            self.problems.append(f"{name} has an edit from before it was submitted.")
        digests = [(at, keyed(judgment.log_key, content_of(each))) for at, each in edits.items()]
        # Of what is older than the log, edits may be, too. An edit is a moment older than its
        # entry, which may be the first of the log.
        stored = Counter(
            digest
            for at, digest in digests
            if not from_before or digest in edited or self._is_since(at)
        )
        if stored != edited:
            self.problems.append(
                f"{name}: its edits are not those in the log "
                f"({stored.total()} there, {edited.total()} in the log)."
            )

    def _note_given_back(self, judgment: Any, *, from_before: bool) -> None:
        """Note whether an answer came in time and has no place any more.

        That is so only of answers that came back into the analysis when their places were taken.
        """
        of = judgment.assignment
        if judgment.extra or of.given_back_at is None:
            return
        if not from_before or self._is_since(of.given_back_at):
            self.given_back[of.judge_id][of.given_back_at].append(of.pk)

    def _is_since(self, at: datetime) -> bool:
        return self.began is not None and at >= self.began


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


def _of_judges(given_back: GivenBack) -> Iterator[str]:
    """Yield whose answers are in or out of the analysis though the log says otherwise.

    And who is not on the panel as what the log says they are.
    """
    said = _said_of_judges()
    seen: set[str] = set()
    panel_is_logged = False
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
        about = said[keyed(judge.log_key, f"judge {judge.pk}")]
        # Once one expert's invitation is in the log, so are those of all later ones.
        panel_is_logged |= about.invited
        for problem in (
            _withdrawal(judge, about.reason, logged=about.withdrawn),
            _places(judge, about, given_back[judge.pk]),
            _on_the_panel(judge, about, panel_is_logged=panel_is_logged),
            " has the key of another judge." if judge.log_key in seen else "",
        ):
            if problem:
                yield f"Judge {judge.pk} of study {judge.study.slug}{problem}"
        seen.add(judge.log_key)


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


def _places(judge: Any, about: _Said, given_back: dict[datetime, list[int]]) -> str:
    """Return whether answers have lost their places other than by coming back too late."""
    if Counter(keyed(judge.log_key, sorted(each)) for each in given_back.values()) != about.lost:
        return ": which of their answers have lost their places is not what the log says."
    return ""


def _on_the_panel(judge: Any, about: _Said, *, panel_is_logged: bool) -> str:
    """Return how a judge is not what the log says: an expert, or a language model."""
    if judge.kind == Judge.Kind.MACHINE:
        return " is a language model, though the log has them as an expert." * about.invited
    if about.machine:
        return " is an expert, though the log has them as a language model."
    if panel_is_logged and not about.invited:
        return " is an expert, and the log does not say that they were invited."
    return ""


def _said_of_judges() -> dict[str, _Said]:
    """Return, by subject, what the log says of each judge."""
    found = Entry.objects.filter(kind__in=OF_JUDGES).exclude(subject="").order_by("pk")
    given = Entry.objects.filter(kind=Kind.LEASE_GIVEN, details__machine=True)
    said: dict[str, _Said] = defaultdict(_Said)
    for subject in given.values_list("subject", flat=True):
        said[subject].machine = True
    for subject, kind, digest in found.values_list("subject", "kind", "digest"):
        about = said[subject]
        if kind == Kind.JUDGE_INVITED:
            about.invited = True
            continue
        about.withdrawn, about.reason = kind == Kind.JUDGE_WITHDRAWN, digest
        if kind == Kind.JUDGE_RESTORED and digest:
            about.lost[digest] += 1
    return said


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


def _opened_in_the_log() -> set[str]:
    """Return the studies of which no judgment can be from before the log."""
    found = Entry.objects.filter(kind=Kind.STUDY_OPENED)
    return set(found.values_list("study", flat=True))


def _opened_before(began: datetime | None) -> set[str]:
    found = Study.objects.filter(opened_at__lt=began) if began else Study.objects.none()
    return set(found.values_list("slug", flat=True))


def _deleted_by_study() -> Counter[str]:
    deleted: Counter[str] = Counter()
    found = Entry.objects.filter(kind=Kind.EXPERT_DELETED).values_list("study", "details")
    for slug, details in found:
        deleted[slug] += details.get("judgments", 0)
    return deleted
