"""How many judgments are in no result, and why."""

from backend.analytics.excluding import ATTENTION, LATE, REPEAT, RULES, WITHDRAWN
from backend.analytics.frames import Frame
from backend.analytics.reports import basis
from backend.analytics.tables import Cell, Column, Table
from backend.analytics.turnout import Given, Turnout

_KINDS = {
    LATE: "extra: came after their place was given back or the study closed",
    WITHDRAWN: "withdrawn by a coordinator, with everything of their judge's",
    REPEAT: "hidden repeats of what the same expert had judged before",
    ATTENTION: "answers to tests of attention",
}
_FIXED = " The rules were fixed when the study opened; they are about experts alone."


def table(frame: Frame, turnout: Turnout) -> Table:
    """Return how many judgments by experts are in the results and left out, by reason."""
    experts = {seat.key for seat in frame.seats if seat.expert}
    judged = [one for one in turnout.given if one.judged and one.judge in experts]
    counted = [one for one in judged if one.counted]
    rules = frame.left_out.rules
    by_rule = [one for one in judged if one.because and set(one.because) <= set(RULES)]
    reasons = {**{rule.key: rule.says for rule in rules}, **_KINDS}
    return Table(
        key="left-out",
        caption="Left out of the results",
        explanation="Judgments by experts; those of each machine judge are counted in “What each "
        "judge was given and answered”. Every judgment that was sent is kept and exported."
        + (_FIXED if rules else ""),
        columns=(
            Column("reason", "Why"),
            Column("judgments", "Judgments", "count"),
            Column("judges", "Experts", "count"),
        ),
        rows=(
            _row("in the results", counted),
            *((_row("left out by any rule of the design", by_rule),) if rules else ()),
            *(
                _row(words, [one for one in judged if key in one.because])
                for key, words in reasons.items()
            ),
        ),
        method="counts of judgments; one that is left out for two reasons is in both rows",
        notes=(
            f"judgments in the results: {len(counted)}; without the rules of the design: "
            f"{len(counted) + len(by_rule)}"
            if rules
            else "the design has no rule that leaves judgments out",
        ),
        basis="One unit is a judgment by an expert. "
        f"{basis.counted(len(judged), 'judgment')} were sent by "
        f"{basis.counted(len({one.judge for one in judged}), 'expert')}",
    )


def _row(words: str, judgments: list[Given]) -> tuple[Cell, ...]:
    return Cell(words), Cell(len(judgments)), Cell(len({one.judge for one in judgments}))
