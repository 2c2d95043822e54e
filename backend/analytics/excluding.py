"""Which judgments no result is made of, and why: by their kind, or by rules of the design."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from annotation.instruments.choices import Recognition
from annotation.judgments.models import Judgment, JudgmentQuerySet, Rating
from annotation.studies.models import Judge, Study
from backend.design.attention import tests
from backend.design.models import Design
from backend.panel.attentiveness import lines_of_verse

LATE, WITHDRAWN, REPEAT, ATTENTION = "late", "withdrawn", "repeat", "attention"
RECOGNISED, TOO_FAST, INATTENTIVE = "recognised", "too_fast", "failed_attention"
RULES = (RECOGNISED, TOO_FAST, INATTENTIVE)
SECOND = 1000  # milliseconds


@dataclass(frozen=True)
class Rule:
    """One rule of the design: its name in files, and why a judgment is left out, in words."""

    key: str
    says: str


@dataclass(frozen=True)
class LeftOut:
    """What the rules of a design leave out of the judgments that would be in its results.

    Attributes
    ----------
    rules : tuple of Rule
        Those that the design has.
    by_rule : mapping of str to (mapping of int to int)
        By rule, the judgments that it leaves out, each with its judge. One judgment may be left
        out by several rules.
    """

    rules: tuple[Rule, ...] = ()
    by_rule: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    @cached_property
    def judgments(self) -> Mapping[int, int]:
        """All judgments that are left out, each with its judge."""
        return {key: judge for found in self.by_rule.values() for key, judge in found.items()}

    def because(self, judgment: int) -> tuple[str, ...]:
        """Return the rules that leave a judgment out."""
        return tuple(rule.key for rule in self.rules if judgment in self.by_rule[rule.key])

    @property
    def note(self) -> str:
        """What a table says of it; empty if nothing is left out."""
        if not self.judgments:
            return ""
        n, judges = len(self.judgments), len(set(self.judgments.values()))
        each = "; ".join(f"{len(self.by_rule[rule.key])} {rule.says}" for rule in self.rules)
        return (
            f"judgments left out by rules that were fixed when the study opened: {n}, by "
            f"{judges} expert{'s' if judges > 1 else ''} ({each}); see “Left out of the results”"
        )


NOTHING = LeftOut()


def leave_out(design: Design) -> LeftOut:
    """Return what the design's rules leave out. They are about experts alone.

    What a language model says that it knows is no recognition, and it has no time in view.
    """
    study = design.study
    found = {
        RECOGNISED: _recognised,
        TOO_FAST: _too_fast,
        INATTENTIVE: _inattentive,
    }
    limits = limits_of(design)
    return LeftOut(
        tuple(Rule(key, _says(study, key, limit)) for key, limit in limits.items()),
        {key: dict(found[key](study, limit)) for key, limit in limits.items()},
    )


def limits_of(design: Design) -> dict[str, float]:
    """Return the rules that the design has, each with its limit."""
    names = {
        RECOGNISED: "recognised", TOO_FAST: "seconds_per_line", INATTENTIVE: "failed_attention",
    }  # fmt: skip
    limits = {key: design.exclusions.get(name) for key, name in names.items()}
    return {key: limit for key, limit in limits.items() if limit is not None}


def _says(study: Study, key: str, limit: float) -> str:
    if key == TOO_FAST:
        return f"read in less than {limit:g} second{'s' * (limit != 1)} for each line of verse"
    if key == INATTENTIVE:
        return f"by experts who failed {limit:g} or more tests of attention"
    known = next(
        (
            level.label
            for question in study.instrument.questions
            if isinstance(question, Recognition)
            for level in question.levels
            if level.code == limit
        ),
        f"level {limit:g}",
    )
    return f"because the poem was known: “{known}”, or better"


def _by_experts(study: Study) -> JudgmentQuerySet:
    return Judgment.objects.counted(study).filter(assignment__judge__kind=Judge.Kind.EXPERT)


def _recognised(study: Study, level: float) -> list[tuple[int, int]]:
    asked = [one.key for one in study.instrument.questions if isinstance(one, Recognition)]
    knew = Rating.objects.standing().filter(
        judgment__in=_by_experts(study), question__in=asked, number__gte=level
    )
    return list(knew.values_list("judgment_id", "judgment__assignment__judge_id"))


def _too_fast(study: Study, seconds: float) -> list[tuple[int, int]]:
    lines = lines_of_verse(study)
    timed = _by_experts(study).exclude(milliseconds=None)
    rows = timed.values_list(
        "pk", "assignment__judge_id", "assignment__item_id", "milliseconds"
    ).order_by("pk")
    return [
        (key, judge)
        for key, judge, item, milliseconds in rows
        if milliseconds is not None and milliseconds < seconds * SECOND * lines[item]
    ]


def _inattentive(study: Study, limit: float) -> list[tuple[int, int]]:
    failed = failures(study)
    judges = [judge for judge, n in failed.items() if n >= limit]
    left = _by_experts(study).filter(assignment__judge__in=judges)
    return list(left.values_list("pk", "assignment__judge_id"))


def failures(study: Study) -> Counter[int]:
    """Return how many tests of attention each judge failed, of those answered in time."""
    return Counter({judge: found.failed for judge, found in tests(study).items() if found.failed})
