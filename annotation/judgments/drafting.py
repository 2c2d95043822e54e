"""Drafts: unfinished answers as they were typed, and stages that are fixed one after the other."""

from collections.abc import Iterable, Mapping

from django.db import transaction

from annotation.instruments.instrument import InvalidAnswers
from annotation.instruments.questions import NO_TEXT, InvalidAnswer, Question
from annotation.instruments.wording import gettext_noop
from annotation.judgments.models import Draft, Judgment
from annotation.studies.links import StaleLink
from annotation.studies.models import Assignment
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
        If the judge was deleted meanwhile, or given this again under another address.
    """
    renew(assignment.judge)
    judgment, draft = hold(assignment)
    if judgment:
        raise AlreadyJudged(judgment)
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
        If the judge was deleted meanwhile, or given this again under another address.
    """
    renew(assignment.judge)
    judgment, draft = hold(assignment)
    if judgment:
        raise AlreadyJudged(judgment)
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
    refuse_over_newer(draft, mine, version)
    assignment.judge.study.instrument.read_stage(stage, answers)
    draft.fixed = {**draft.fixed, **_storable(assignment, mine)}
    draft.answers = {name: one for name, one in draft.answers.items() if name not in fields}
    draft.stages_fixed = stage + 1
    draft.version += 1
    draft.milliseconds = max(draft.milliseconds, milliseconds)
    draft.save()
    return draft


def hold(assignment: Assignment) -> tuple[Judgment | None, Draft | None]:
    """Let nobody else write to the assignment, or delete it, until this transaction ends.

    Return its judgment and its draft as they stand then.

    Raises
    ------
    annotation.studies.links.StaleLink
        If it was deleted meanwhile, with everything its judge gave; or given to them again on
        another side, under another address.
    """
    own = Assignment.objects.filter(pk=assignment.pk).order_by()
    # Without this lock the row might go before the commit, which would then fail; and what is
    # read before the lock is had may be out of date.
    if list(own.select_for_update(no_key=True).values_list("token")) != [(assignment.token,)]:
        raise StaleLink
    now = own.select_related("judgment", "draft").get()
    judgment, draft = getattr(now, "judgment", None), getattr(now, "draft", None)
    for one in (judgment, draft):
        if one is not None:
            one.assignment = assignment
    return judgment, draft


def names_of(stage: Iterable[Question]) -> frozenset[str]:
    """Return the names of the fields that these questions read."""
    return frozenset(name for question in stage for name in question.fields)


def refuse_over_newer(draft: Draft, answers: Mapping[str, object], version: int | None) -> None:
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
