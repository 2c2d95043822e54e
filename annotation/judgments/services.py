"""The one door for answers: drafts are kept here, judgments are written here and nowhere else."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from annotation.instruments.instrument import Instrument, InvalidAnswers
from annotation.instruments.questions import NO_TEXT, Answer, InvalidAnswer
from annotation.instruments.wording import gettext_noop
from annotation.judgments.models import Draft, Judgment, Rating
from annotation.studies.links import NotOpen
from annotation.studies.models import Assignment, Judge, Study

DRAFT_LIMIT = 60_000  # characters over all answers


class AlreadyJudged(Exception):
    """This assignment has a judgment with other answers; the first one counts.

    Attributes
    ----------
    judgment : Judgment
    """

    def __init__(self, judgment: Judgment) -> None:
        super().__init__(f"{judgment.assignment} is already judged")
        self.judgment = judgment


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


class StageAhead(Exception):
    """Earlier questions have to be answered and fixed before these are asked."""


class EditedElsewhere(Exception):
    """The answers were edited in another tab or on another device since they were read."""


@transaction.atomic
def save_draft(
    assignment: Assignment,
    answers: Mapping[str, object],
    *,
    version: int,
    milliseconds: int = 0,
) -> Draft:
    """Keep unfinished answers as they were typed. `version` is that of the draft they began from.

    `milliseconds` is the time in view so far, on whichever device; the longest counts.

    Raises
    ------
    AlreadyJudged
        If the assignment has a judgment.
    InvalidAnswers
        If an answer is no question's, no text or number, or all are too long to keep.
    NewerDraft
        If a newer draft than `version` is stored.
    """
    judgment = Judgment.objects.filter(assignment=assignment).first()
    if judgment:
        raise AlreadyJudged(judgment)
    kept = _storable(assignment, answers)
    own = Draft.objects.filter(assignment=assignment)
    if own.filter(version=version).update(
        answers=kept, version=F("version") + 1, saved_at=timezone.now()
    ):
        own.filter(milliseconds__lt=milliseconds).update(milliseconds=milliseconds)
        return own.get()
    draft, created = Draft.objects.get_or_create(
        assignment=assignment,
        defaults={"answers": kept, "version": version + 1, "milliseconds": milliseconds},
    )
    if not created and draft.answers != kept:
        raise NewerDraft(draft)
    return draft


@transaction.atomic
def fix_stage(
    assignment: Assignment, answers: Mapping[str, object], *, milliseconds: int = 0
) -> Draft:
    """Fix the answers of the stage that is being asked, and go on to the next one.

    From then on nothing can change them: they were given before the next question was asked.

    Raises
    ------
    AlreadyJudged
        If the assignment has a judgment.
    InvalidAnswers
        If an answer of this stage is missing or does not fit; nothing is fixed.
    NewerDraft
        If another tab or device fixed this stage with other answers.
    """
    judgment = Judgment.objects.filter(assignment=assignment).first()
    if judgment:
        raise AlreadyJudged(judgment)
    instrument = assignment.judge.study.instrument
    draft, _ = Draft.objects.get_or_create(assignment=assignment, defaults={"answers": {}})
    stage = draft.stages_fixed
    fields = _fields(instrument, stage)
    if fields is None or (draft.fixed and answers.keys() & draft.fixed.keys()):
        return _fixed_before(draft, answers)
    instrument.read_stage(stage, answers)
    mine = {name: answer for name, answer in answers.items() if name in fields}
    later = {name: answer for name, answer in draft.answers.items() if name not in fields}
    fixed = Draft.objects.filter(pk=draft.pk, stages_fixed=stage).update(
        fixed={**draft.fixed, **_storable(assignment, mine)},
        answers=later,
        stages_fixed=stage + 1,
        version=F("version") + 1,
        milliseconds=max(draft.milliseconds, milliseconds),
        saved_at=timezone.now(),
    )
    draft.refresh_from_db()
    return draft if fixed else _fixed_before(draft, answers)


@transaction.atomic
def submit(
    assignment: Assignment, answers: Mapping[str, object], *, milliseconds: int | None
) -> Judgment:
    """Record one judge's answers to one item, all of them or none.

    The only writer of judgments: pages, API and language models come through here. An answer
    that comes after its place was given back, or after the study closed, is kept and marked
    extra. The same answers sent again are the same judgment.

    Raises
    ------
    InvalidAnswers
        If a required question is blank or an answer is off its scale; nothing is stored.
    AlreadyJudged
        If this assignment has a judgment with other answers.
    StageAhead
        If an expert answers questions that are asked only once earlier answers are fixed.
    """
    study = assignment.judge.study
    judgment = Judgment.objects.filter(assignment=assignment).first()
    if judgment:
        return _again(judgment, answers)
    draft = Draft.objects.filter(assignment=assignment).first()
    if assignment.judge.kind == Judge.Kind.EXPERT:
        _refuse_ahead(study.instrument, draft)
    # What was fixed counts, whatever a stale page may send.
    read = study.instrument.read({**answers, **draft.fixed} if draft else answers)
    if draft and milliseconds is not None:
        milliseconds = max(milliseconds, draft.milliseconds)
    try:
        with transaction.atomic():
            judgment = Judgment.objects.create(assignment=assignment, milliseconds=milliseconds)
    except IntegrityError:
        return _again(Judgment.objects.get(assignment=assignment), answers)
    in_time = Assignment.objects.all().answer(assignment, judgment.submitted_at)
    if not in_time or not Study.objects.open().filter(pk=study.pk).exists():
        Judgment.objects.filter(pk=judgment.pk).update(extra=True)
        judgment.extra = True
    Rating.objects.bulk_create(
        _rating(judgment, key, answer, version=1) for key, answer in read.items()
    )
    Draft.objects.filter(assignment=assignment).delete()
    return judgment


@transaction.atomic
def edit(judgment: Judgment, answers: Mapping[str, object], *, edits: int) -> int:
    """Change submitted answers; both values are kept. Return how many answers changed.

    Only questions of the last stage can be edited: what was fixed before it stays. `edits` is
    the number of ratings, superseded ones included, that the edit began from.

    Raises
    ------
    NotOpen
        If the study is not open any more: what was analysed does not change.
    InvalidAnswers
        If an answer is missing or does not fit; nothing is changed.
    EditedElsewhere
        If the answers were edited meanwhile.
    """
    study = judgment.assignment.judge.study
    # Held to the end of the edit: two edits of one judgment come one after the other.
    Judgment.objects.filter(pk=judgment.pk).update(extra=F("extra"))
    if not Study.objects.open().filter(pk=study.pk).exists():
        raise NotOpen
    read = study.instrument.read_stage(len(study.instrument.stages) - 1, answers)
    standing = {one.question: one for one in judgment.ratings.standing()}
    changed = {
        key: answer for key, answer in read.items() if _content(standing[key]) != _content(answer)
    }
    # What stands already is no conflict: a double click sends the same edit twice.
    if changed and judgment.ratings.count() != edits:
        raise EditedElsewhere
    now = timezone.now()
    for key, answer in changed.items():
        before = standing[key]
        Rating.objects.filter(pk=before.pk).update(superseded_at=now)
        _rating(judgment, key, answer, version=before.version + 1).save()
    return len(changed)


def _rating(judgment: Judgment, key: str, answer: Answer, *, version: int) -> Rating:
    return Rating(
        judgment=judgment,
        question=key,
        version=version,
        number=answer.number,
        text=answer.text,
        blank=answer.blank,
        first=answer.first,
        moves=answer.moves,
        touched=answer.touched,
    )


def _content(one: Rating | Answer) -> tuple[int | None, str, str]:
    return one.number, one.text, one.blank


def _again(judgment: Judgment, answers: Mapping[str, object]) -> Judgment:
    """Return the judgment if it holds, or once held, these answers.

    Raises
    ------
    AlreadyJudged
        If it never did.
    """
    instrument = judgment.assignment.judge.study.instrument
    last = len(instrument.stages) - 1
    # The page of a later stage sends no fixed answers, and by now they are no draft's any more.
    names = {name for question in instrument.stages[last] for name in question.fields}
    try:
        sent = {name: answer for name, answer in answers.items() if name in names}
        read = instrument.read_stage(last, sent)
    except InvalidAnswers as refused:
        raise AlreadyJudged(judgment) from refused
    held: dict[str, set[tuple[int | None, str, str]]] = {}
    for rating in judgment.ratings.all():
        held.setdefault(rating.question, set()).add(_content(rating))
    if any(_content(answer) not in held.get(key, set()) for key, answer in read.items()):
        raise AlreadyJudged(judgment)
    return judgment


def _refuse_ahead(instrument: Instrument, draft: Draft | None) -> None:
    if (draft.stages_fixed if draft else 0) < len(instrument.stages) - 1:
        raise StageAhead


def _fields(instrument: Instrument, stage: int) -> frozenset[str] | None:
    """Return the field names of a stage that can be fixed; None if it is the last one."""
    if stage >= len(instrument.stages) - 1:
        return None
    return frozenset(name for question in instrument.stages[stage] for name in question.fields)


def _fixed_before(draft: Draft, answers: Mapping[str, object]) -> Draft:
    """Return the draft if these are the answers it fixed: a double click or a lost reply."""
    if any(draft.fixed.get(name, answer) != answer for name, answer in answers.items()):
        raise NewerDraft(draft)
    return draft


def _storable(assignment: Assignment, answers: Mapping[str, object]) -> dict[str, object]:
    known = assignment.judge.study.instrument.field_names
    problems: dict[str, InvalidAnswer] = {}
    for key, answer in answers.items():
        if key not in known:
            problems[key] = InvalidAnswer(gettext_noop("There is no such question."))
        elif not isinstance(answer, str | int | float) or NO_TEXT.search(str(answer)):
            problems[key] = InvalidAnswer(gettext_noop("An answer is a text or a number."))
    if sum(len(str(answer)) for answer in answers.values()) > DRAFT_LIMIT:
        too_long = gettext_noop("Together the answers may have {limit} characters.")
        problems["answers"] = InvalidAnswer(too_long, limit=DRAFT_LIMIT)
    if problems:
        raise InvalidAnswers(problems)
    return dict(answers)
