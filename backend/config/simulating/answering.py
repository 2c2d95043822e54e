"""Simulated judges answer what they are given, through the one door for answers."""

import json
from collections.abc import Callable, Mapping
from math import ceil
from random import Random

from django.db import transaction
from django.utils import timezone

from annotation.instruments.questions import Likert
from annotation.judgments.leaving import stop
from annotation.judgments.services import submit
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge, Study
from backend.config.simulating.setups import Setup
from backend.generation.models import LanguageModel
from backend.judging.models import Hearing, MachineJudge, Reply
from backend.statistics.simulation import NOT_APPLICABLE

AT_ONCE = 100  # judgments of a machine judge in one transaction, so that others can write between

Answers = dict[str, object]
Tell = Callable[[int, int], None]


class Disturbed(Exception):
    """Somebody changed the study while it was being simulated; the message says what to do."""


def fill(study: Study, setup: Setup, *, tell: Tell = lambda done, whole: None) -> None:
    """Let every simulated judge answer all that is still theirs. Done before, it changes nothing.

    `tell` is told now and then how many of how many judgments there are.

    Raises
    ------
    Disturbed
        If somebody closed the study before it was whole, or took a judge off it, meanwhile.
    """
    if study.state != Study.State.OPEN:
        return
    filling = _Filling(study, setup, tell)
    try:
        filling.experts()
        for number in range(1, setup.machines + 1):
            filling.machine(number)
    except (ledger.NotOpen, ledger.NotTakingPart, ledger.PlacesGone, links.StaleLink) as met:
        if filling.answered() == filling.whole:
            return  # by another run with the same options, which closed it, too
        raise Disturbed(
            f"Somebody else changed the study {study.slug} meanwhile. What was answered is kept; "
            "to have a whole one, run the command with another seed."
        ) from met


class _Filling:
    """An open study whose judges are answering."""

    def __init__(self, study: Study, setup: Setup, tell: Tell) -> None:
        self.study, self.setup, self.tell = study, setup, tell
        shown = study.items.judged().values_list("pk", "text")
        self.placed = {key: setup.poems[text] for key, text in shown}
        read = setup.read * (setup.models + 1) * setup.per_poem
        self.whole = read + setup.machines * setup.items
        self.share = read / max(1, setup.judges)
        self.done = self.answered()

    def answered(self) -> int:
        """Return how many judgments there are, other runs' among them."""
        return Assignment.objects.filter(judge__study=self.study).answered().count()

    def experts(self) -> None:
        """Let experts answer in turn, a set each, until nothing is left for any of them."""
        most = self._drop_outs()
        there = list(self.study.judges.experts().order_by("pk"))
        for judge in there:
            judge.study = self.study
        turn = list(enumerate(there))
        while turn:
            turn = [
                (number, judge)
                for number, judge in turn
                if self._set(number, judge, most.get(number))
            ]

    def _drop_outs(self) -> Mapping[int, int]:
        """Return after how many answers an expert stops, for those who do."""
        chance = Random(f"{self.setup.seed}/drop-outs")  # noqa: S311
        who = chance.sample(range(self.setup.judges), self.setup.drop_outs)
        return {one: max(1, ceil(self.share * chance.uniform(0.2, 0.6))) for one in who}

    @transaction.atomic
    def _set(self, number: int, judge: Judge, most: int | None) -> int:
        """Let an expert answer one set, or stop in the middle of it. Return how many they did."""
        self._hold(judge)
        if judge.left_at is not None:
            return 0
        mine, answered = Assignment.objects.of(judge), 0
        so_far = mine.answered().count() if most is not None else 0
        while answered < self.study.batch_size:
            waiting = list(mine.waiting().in_order())
            if not waiting and not ledger.deal(judge):
                break
            for assignment in waiting:
                if most is not None and so_far + answered >= most:
                    stop(judge)
                    return answered
                assignment.judge = judge
                self._submit(assignment, number, seconds=True)
                answered += 1
        self._count(answered)
        return answered

    def machine(self, number: int) -> None:
        """Let a machine judge answer every poem."""
        machine = self._seated(number)
        while self._hear(machine, self.setup.judges + number - 1):
            pass

    def _hold(self, judge: Judge) -> None:
        """Let another run with the same options wait, and see what one that waited for has done."""
        Study.objects.hold(self.study.pk)
        Judge.objects.hold(judge.pk)
        judge.refresh_from_db(fields=["row", "left_at", "active_at"])

    @transaction.atomic
    def _seated(self, number: int) -> MachineJudge:
        """Return a machine judge of the study, who was given every poem."""
        Study.objects.hold(self.study.pk)
        model, _ = LanguageModel.objects.get_or_create(
            name=self.setup.machine(number),
            defaults={"reach": LanguageModel.Reach.IMPORTED, "description": "Made up."},
        )
        judge, _ = Judge.objects.get_or_create(
            study=self.study, kind=Judge.Kind.MACHINE, name=model.name
        )
        judge.study = self.study
        machine, _ = MachineJudge.objects.get_or_create(judge=judge, defaults={"model": model})
        ledger.give_all(judge)
        return machine

    @transaction.atomic
    def _hear(self, machine: MachineJudge, number: int) -> int:
        self._hold(machine.judge)
        # Each hearing is done as soon as anybody can see it, so that no worker asks the model.
        waiting = list(Assignment.objects.of(machine.judge).waiting().in_order()[:AT_ONCE])
        now = timezone.now()
        hearings = Hearing.objects.bulk_create(
            Hearing(machine=machine, assignment=one, status="done", finished_at=now)
            for one in waiting
        )
        replies = []
        for assignment, hearing in zip(waiting, hearings, strict=True):
            assignment.judge = machine.judge
            said = json.dumps(self._submit(assignment, number, seconds=False))
            asked = {"simulated": True, "seed": self.setup.seed}
            replies.append(
                Reply(hearing=hearing, request=asked, response=said, text=said, ended_at=now)
            )
        Reply.objects.bulk_create(replies)
        self._count(len(waiting))
        return len(waiting)

    def _submit(self, assignment: Assignment, number: int, *, seconds: bool) -> Answers:
        """Answer one poem as the judge of that number does, and return the answers."""
        author, title = self.placed[assignment.item_id]
        codes = self.setup.drawn.codes[:, number, author, title]
        answers = {
            one.key: self._written(one.key, int(code))
            for one, code in zip(self.setup.asked, codes, strict=True)
        }
        chance = Random(f"{self.setup.seed}/{number}/{author}/{title}")  # noqa: S311
        took = round(1000 * chance.lognormvariate(4.1, 0.4))  # about a minute
        submit(assignment, answers, milliseconds=took if seconds else None)
        return answers

    def _written(self, key: str, code: int) -> object:
        question = next(one for one in self.setup.instrument.questions if one.key == key)
        if isinstance(question, Likert):
            na = question.na
            return na.code if na and code == NOT_APPLICABLE else code
        return code / 1000

    def _count(self, more: int) -> None:
        self.done += more
        self.tell(self.done, self.whole)
