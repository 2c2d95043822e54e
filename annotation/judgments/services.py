"""The one door for answers: drafts are kept here, judgments are written here and nowhere else."""

from collections.abc import Iterable, Mapping

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.instruments.instrument import Instrument, InvalidAnswers
from annotation.instruments.questions import NO_TEXT, Answer, InvalidAnswer, Question
from annotation.instruments.wording import gettext_noop
from annotation.judgments.auditing import content_of
from annotation.judgments.models import Draft, Judgment, Rating
from annotation.studies.links import NotOpen, StaleLink
from annotation.studies.models import Assignment, Judge, Study
from annotation.studies.presence import renew

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
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile.
    """
    judgment, draft = _hold(assignment)
    if judgment:
        raise AlreadyJudged(judgment)
    renew(assignment.judge)
    kept = _storable(assignment, answers)
    if draft is None:
        return Draft.objects.create(
            assignment=assignment, answers=kept, version=version + 1, milliseconds=milliseconds
        )
    if draft.version == version:
        draft.answers, draft.version = kept, version + 1
        draft.milliseconds = max(draft.milliseconds, milliseconds)
        draft.save()
    elif draft.answers != kept:
        raise NewerDraft(draft)
    return draft


@transaction.atomic
def fix_stage(
    assignment: Assignment,
    answers: Mapping[str, object],
    *,
    stage: int,
    version: int | None = None,
    milliseconds: int = 0,
) -> Draft:
    """Fix the answers of one stage (counted from 0), and go on to the next one.

    From then on nothing can change them, blank ones neither: they were given before the next
    question was asked. `version` is that of the draft they began from, if that is known. The same
    stage fixed again with the same answers is no error.

    Raises
    ------
    AlreadyJudged
        If the assignment has a judgment.
    InvalidAnswers
        If an answer of this stage is missing or does not fit; nothing is fixed.
    NewerDraft
        If another tab or device saved newer answers, or fixed this stage with other ones.
    StageAhead
        If an earlier stage is not fixed yet, or none comes after this one.
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile.
    """
    judgment, draft = _hold(assignment)
    if judgment:
        raise AlreadyJudged(judgment)
    renew(assignment.judge)
    stages = assignment.judge.study.instrument.stages
    draft = draft or Draft.objects.create(assignment=assignment, answers={})
    if stage > draft.stages_fixed or not 0 <= stage < len(stages) - 1:
        raise StageAhead
    fields = names_of(stages[stage])
    mine = {name: answers.get(name, "") for name in sorted(fields)}
    if stage < draft.stages_fixed:
        if any(draft.fixed.get(name, "") != answer for name, answer in mine.items()):
            raise NewerDraft(draft)
        return draft
    _refuse_over_newer(draft, mine, version)
    assignment.judge.study.instrument.read_stage(stage, answers)
    draft.fixed = {**draft.fixed, **_storable(assignment, mine)}
    draft.answers = {name: one for name, one in draft.answers.items() if name not in fields}
    draft.stages_fixed = stage + 1
    draft.version += 1
    draft.milliseconds = max(draft.milliseconds, milliseconds)
    draft.save()
    return draft


@transaction.atomic
def submit(
    assignment: Assignment,
    answers: Mapping[str, object],
    *,
    milliseconds: int | None,
    version: int | None = None,
) -> Judgment:
    """Record one judge's answers to one item, all of them or none.

    The only writer of judgments: pages, API and language models come through here. An answer
    that comes after its place was given back, or after the study closed, is kept and marked
    extra. The same answers sent again are the same judgment. `version` is that of the draft that
    they began from, if that is known.

    Raises
    ------
    InvalidAnswers
        If a required question is blank or an answer is off its scale; nothing is stored.
    AlreadyJudged
        If this assignment has a judgment with other answers.
    NewerDraft
        If another tab or device saved answers that these do not have.
    StageAhead
        If an expert answers questions that are asked only once earlier answers are fixed.
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile.
    """
    judgment, draft = _hold(assignment)
    study = assignment.judge.study
    if judgment:
        return _again(judgment, answers)
    if assignment.judge.kind == Judge.Kind.EXPERT:
        answers = _last_stage(study.instrument, draft, answers)
        renew(assignment.judge)
    if draft:
        _refuse_over_newer(draft, answers, version)
    read = study.instrument.read({**answers, **draft.fixed} if draft else answers)
    if draft and milliseconds is not None:
        milliseconds = max(milliseconds, draft.milliseconds)
    now = timezone.now()
    in_time = Assignment.objects.all().answer(assignment, now)
    if not in_time:
        Assignment.objects.all().answer_late(assignment, now)
    extra = not in_time or not Study.objects.open().filter(pk=study.pk).exists()
    judgment = Judgment.objects.create(
        assignment=assignment, milliseconds=milliseconds, extra=extra, submitted_at=now
    )
    ratings = [_rating(judgment, key, answer, version=1) for key, answer in read.items()]
    Rating.objects.bulk_create(ratings)
    if draft:
        draft.delete()
    waiting = Assignment.objects.of(assignment.judge).waiting().exists()
    record(
        Kind.JUDGMENT_SUBMITTED,
        study=study.slug,
        key=assignment.judge.log_key,
        about=f"judgment {judgment.pk}",
        content=content_of(ratings, judgment),
        extra=extra,
        batch_done=not waiting and not assignment.judge.row,
    )
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
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile.
    """
    study = judgment.assignment.judge.study
    # Held to the end of the edit: two edits of one judgment come one after the other.
    if not Judgment.objects.filter(pk=judgment.pk).update(extra=F("extra")):
        raise StaleLink
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
    written = []
    for key, answer in changed.items():
        before = standing[key]
        Rating.objects.filter(pk=before.pk).update(superseded_at=now)
        written.append(_rating(judgment, key, answer, version=before.version + 1))
    if written:
        Rating.objects.bulk_create(written)
        judge = judgment.assignment.judge
        record(
            Kind.JUDGMENT_EDITED,
            study=study.slug,
            key=judge.log_key,
            about=f"judgment {judgment.pk}",
            content=content_of(written),
        )
        renew(judge)
    return len(written)


def _hold(assignment: Assignment) -> tuple[Judgment | None, Draft | None]:
    """Let nobody else write to the assignment, or delete it, until this transaction ends.

    Return its judgment and its draft as they stand then.

    Raises
    ------
    annotation.studies.links.StaleLink
        If it was deleted meanwhile, with everything its judge gave.
    """
    own = Assignment.objects.filter(pk=assignment.pk).order_by()
    # Without this lock the row might go before the commit, which would then fail; and what is
    # read before the lock is had may be out of date.
    if not list(own.select_for_update(no_key=True).values_list("pk")):
        raise StaleLink
    now = own.select_related("judgment", "draft").get()
    judgment, draft = getattr(now, "judgment", None), getattr(now, "draft", None)
    for one in (judgment, draft):
        if one is not None:
            one.assignment = assignment
    return judgment, draft


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
    names = names_of(instrument.stages[last])
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


def names_of(stage: Iterable[Question]) -> frozenset[str]:
    """Return the names of the fields that these questions read."""
    return frozenset(name for question in stage for name in question.fields)


def _last_stage(
    instrument: Instrument, draft: Draft | None, answers: Mapping[str, object]
) -> dict[str, object]:
    """Return the answers without those to earlier stages, which a stale page may still send.

    Raises
    ------
    StageAhead
        If an earlier stage is not fixed.
    """
    *earlier, _ = instrument.stages
    if (draft.stages_fixed if draft else 0) < len(earlier):
        raise StageAhead
    fixed = names_of(question for stage in earlier for question in stage)
    return {name: answer for name, answer in answers.items() if name not in fixed}


def _refuse_over_newer(draft: Draft, answers: Mapping[str, object], version: int | None) -> None:
    """Let no page that did not see the newest draft throw away what is in it."""
    if version is None or version == draft.version:
        return
    kept = {name: answer for name, answer in draft.answers.items() if answer != ""}
    if any(str(answers.get(name, "")) != str(answer) for name, answer in kept.items()):
        raise NewerDraft(draft)


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
