"""The one door for answers: judgments are written here and nowhere else, drafts are kept beside."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.instruments.instrument import Instrument, InvalidAnswers
from annotation.instruments.questions import Answer
from annotation.judgments.auditing import content_of
from annotation.judgments.drafting import (
    AlreadyJudged,
    NewerDraft,
    StageAhead,
    fix_stage,
    hold,
    names_of,
    refuse_over_newer,
    save_draft,
)
from annotation.judgments.models import Draft, Judgment, Rating
from annotation.prepared import Prepared, insert
from annotation.studies.links import NotOpen, StaleLink
from annotation.studies.models import Assignment, Judge, Study
from annotation.studies.presence import renew
from annotation.studies.standing import facts, standing_in

__all__ = [
    "AlreadyJudged",
    "EditedElsewhere",
    "NewerDraft",
    "StageAhead",
    "edit",
    "fix_stage",
    "save_draft",
    "submit",
]


class EditedElsewhere(Exception):
    """The answers were edited in another tab or on another device since they were read."""


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
        If the judge was deleted meanwhile, or given this again under another address.
    """
    study, now = assignment.judge.study, timezone.now()
    if assignment.judge.kind == Judge.Kind.EXPERT:
        # The judge before what is theirs, as everywhere, so that two at once cannot wait for
        # each other.
        renew(assignment.judge)
    # The guarded update holds the row as `_hold` does, and by it only one of two at once comes on.
    in_time = Assignment.objects.all().answer(assignment, now)
    if not in_time:
        judgment, _ = hold(assignment)
        if judgment:
            return _again(judgment, answers)
        # It may have been given to them again, in another tab, before it was held.
        in_time = Assignment.objects.all().answer(assignment, now)
    held = _HELD.first(pk=assignment.pk)
    # It may have been given to them again meanwhile, on another side, and then is another page's.
    if held is None or held.token != assignment.token:
        raise StaleLink
    draft = getattr(held, "draft", None)
    read = _read(assignment, draft, answers, version)
    if draft and milliseconds is not None:
        milliseconds = max(milliseconds, draft.milliseconds)
    if not in_time:
        Assignment.objects.all().answer_late(assignment, now)
    judgment = Judgment(
        assignment=assignment,
        milliseconds=milliseconds,
        extra=not in_time or held.now_study != Study.State.OPEN,
        submitted_at=now,
    )
    insert([judgment])
    now_stands = standing_in(held)
    ratings = [_rating(judgment, key, answer, version=1) for key, answer in read.items()]
    insert(ratings)
    if draft:
        draft.delete()
    record(
        Kind.JUDGMENT_SUBMITTED,
        study=study.slug,
        key=assignment.judge.log_key,
        about=f"judgment {judgment.pk}",
        content=content_of(ratings, judgment),
        extra=judgment.extra,
        batch_done=not (now_stands.next_token or now_stands.row),
    )
    judgment.standing = now_stands
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
        If the judge was deleted or withdrawn meanwhile.
    """
    judge = judgment.assignment.judge
    study = judge.study
    # Whoever closes the study holds it, too: what was analysed does not change afterwards.
    Study.objects.hold(study.pk)
    Judge.objects.hold(judge.pk)
    renew(judge)
    if Judge.objects.filter(pk=judge.pk).exclude(withdrawn_at=None).exists():
        raise StaleLink
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
        record(
            Kind.JUDGMENT_EDITED,
            study=study.slug,
            key=judge.log_key,
            about=f"judgment {judgment.pk}",
            content=content_of(written),
        )
    return len(written)


# What a submission needs to know once the row is held, in one statement.
_HELD: Prepared[Any] = Prepared(
    lambda pk: (
        Assignment.objects.filter(pk=pk)
        .select_related("draft")
        .only("pk", "token", "draft")
        .annotate(**facts("judge"))
        .order_by()
    ),
    pk=-1,
)


def _read(
    assignment: Assignment,
    draft: Draft | None,
    answers: Mapping[str, object],
    version: int | None,
) -> Mapping[str, Answer]:
    """Return the answers to all stages, those that were fixed among them."""
    judge = assignment.judge
    if judge.kind == Judge.Kind.EXPERT:
        answers = _last_stage(judge.study.instrument, draft, answers)
    if draft:
        refuse_over_newer(draft, answers, version)
        answers = {**answers, **draft.fixed}
    return judge.study.instrument.read(answers)


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
