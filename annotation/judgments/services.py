"""The one door for answers: drafts are kept here, judgments are written here and nowhere else."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from annotation.instruments.instrument import InvalidAnswers
from annotation.instruments.questions import NO_TEXT
from annotation.judgments.models import Draft, Judgment, Rating
from annotation.studies.models import Assignment, Study

DRAFT_LIMIT = 60_000  # characters over all answers


class AlreadyJudged(Exception):
    """This assignment has a judgment; the first one counts."""


class NewerDraft(Exception):
    """Another tab or device saved this draft since it was read.

    Attributes
    ----------
    draft : Draft
        What is stored, so that both can be shown.
    """

    def __init__(self, draft: Draft) -> None:
        super().__init__("another tab or device saved newer answers")
        self.draft = draft


@transaction.atomic
def save_draft(assignment: Assignment, answers: Mapping[str, object], *, version: int) -> Draft:
    """Keep unfinished answers as they were typed. `version` is that of the draft they began from.

    Raises
    ------
    AlreadyJudged
        If the assignment has a judgment.
    InvalidAnswers
        If an answer is no question's, no text or number, or all are too long to keep.
    NewerDraft
        If a newer draft than `version` is stored.
    """
    if Judgment.objects.filter(assignment=assignment).exists():
        raise AlreadyJudged(f"{assignment} is already judged")
    kept = _storable(assignment, answers)
    own = Draft.objects.filter(assignment=assignment)
    if own.filter(version=version).update(
        answers=kept, version=F("version") + 1, saved_at=timezone.now()
    ):
        return own.get()
    draft, created = Draft.objects.get_or_create(
        assignment=assignment, defaults={"answers": kept, "version": version + 1}
    )
    if not created and draft.answers != kept:
        raise NewerDraft(draft)
    return draft


@transaction.atomic
def submit(
    assignment: Assignment, answers: Mapping[str, object], *, milliseconds: int | None
) -> Judgment:
    """Record one judge's answers to one item, all of them or none.

    The only writer of judgments: pages, API and language models come through here. An answer
    that comes after its place was given back, or after the study closed, is kept and marked
    extra.

    Raises
    ------
    InvalidAnswers
        If a required question is blank or an answer is off its scale; nothing is stored.
    AlreadyJudged
        If this assignment has a judgment.
    """
    study = assignment.judge.study
    read = study.instrument.read(answers)
    try:
        with transaction.atomic():
            judgment = Judgment.objects.create(assignment=assignment, milliseconds=milliseconds)
    except IntegrityError as error:
        raise AlreadyJudged(f"{assignment} is already judged") from error
    in_time = Assignment.objects.all().answer(assignment, judgment.submitted_at)
    if not in_time or not Study.objects.open().filter(pk=study.pk).exists():
        Judgment.objects.filter(pk=judgment.pk).update(extra=True)
        judgment.extra = True
    Rating.objects.bulk_create(
        Rating(
            judgment=judgment,
            question=key,
            number=answer.number,
            text=answer.text,
            blank=answer.blank,
        )
        for key, answer in read.items()
    )
    Draft.objects.filter(assignment=assignment).delete()
    return judgment


def _storable(assignment: Assignment, answers: Mapping[str, object]) -> dict[str, object]:
    known = {question.key for question in assignment.judge.study.instrument.questions}
    problems: dict[str, str] = {}
    for key, answer in answers.items():
        if key not in known:
            problems[key] = "There is no such question."
        elif not isinstance(answer, str | int | float) or NO_TEXT.search(str(answer)):
            problems[key] = "An answer is a text or a number."
    if sum(len(str(answer)) for answer in answers.values()) > DRAFT_LIMIT:
        problems["answers"] = f"Together the answers may have {DRAFT_LIMIT} characters."
    if problems:
        raise InvalidAnswers(problems)
    return dict(answers)
