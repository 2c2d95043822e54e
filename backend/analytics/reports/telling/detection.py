"""Whether judges tell a model's poems from human ones: ROC-AUC of each model, with its verdict."""

from collections.abc import Sequence

from backend.analytics.frames import Frame, Panel
from backend.analytics.reports.basis import basis
from backend.analytics.reports.knowing import recognition
from backend.analytics.reports.telling import differences, levels, paired, planning, signal
from backend.analytics.reports.telling.answers import Telling, free, tellings
from backend.analytics.tables import Cell, Column, Table, bounds, count, figure, gather
from backend.statistics.estimate import Estimate
from backend.statistics.many import area_intervals
from backend.statistics.verdicts import Verdict, verdict

_AUC = (
    "The area under the ROC curve (AUC) is the chance that a human poem is held more human than "
    "one of the model's, ties counting half. At 0.5 {who} cannot tell them apart; at 1 {they} "
    "always can; below 0.5 the model's poems pass for human more often than human poems do. "
)
_VERDICT = (
    "“Different”: the 95 % interval does not hold 0.5. “Inconclusive”: it does, which does not "
    "show that they are alike; it may be too wide to tell."
)
_EQUIVALENT = (
    "“Equivalent”: the 90 % interval lies within {margin:g} of 0.5, the margin that was fixed "
    "before unblinding. "
)


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return, for each question about authorship, all that is said of telling poems apart."""
    found: list[Table] = []
    for telling in tellings(frame, panel):
        found += [
            _headline(telling),
            *levels.tables(telling),
            *differences.tables(telling),
            *paired.tables(telling),
            *signal.tables(telling),
            *planning.tables(telling),
        ]
    return tuple(found)


def areas(telling: Telling, *, confidence: float = 0.95) -> tuple[Estimate, ...]:
    """Return each model's AUC per judgment, with the interval by titles and judges."""
    return area_intervals(
        telling.scores, confidence=confidence, judges_fixed=not telling.several, level="judgment"
    )


def _headline(telling: Telling) -> Table:
    frame = telling.frame
    found, narrower = areas(telling), areas(telling, confidence=0.9)
    said = [
        verdict(one, other, margin=frame.margin) for one, other in zip(found, narrower, strict=True)
    ]
    names = frame.models
    equivalent = _EQUIVALENT.format(margin=frame.margin) if frame.margin else ""
    who, they = ("the judges", "they") if telling.several else (telling.panel.label, "it")
    return Table(
        key=f"auc-judgments-{telling.suffix}",
        caption=f"ROC-AUC of each model against human poems, per judgment, {telling.asked}",
        basis=basis(frame, telling.rows, unit="a judgment"),
        explanation=_AUC.format(who=who, they=they) + equivalent + _VERDICT,
        columns=(
            Column("model", "Model"),
            Column("auc", "AUC", "number", 3),
            Column("low", "95 % from", "number", 3),
            Column("high", "to", "number", 3),
            Column("verdict", "Verdict"),
            Column("low_90", "from", "number", 3, under="90 % interval"),
            Column("high_90", "to", "number", 3, under="90 % interval"),
            Column("human_judgments", "Human judgments", "count"),
            Column("model_judgments", "Model's judgments", "count"),
            Column("titles", "Titles", "count"),
            Column("judges", "Judges", "count"),
        ),
        rows=tuple(
            _row(name, one, other, word, n_judges=telling.n_judges)
            for name, one, other, word in zip(names, found, narrower, said, strict=True)
        ),
        method=f"{found[0].method}; verdict by the 95 % and the 90 % interval of each model, "
        "which are not corrected for the number of models",
        notes=_notes(telling, found, said) + recognition.named(frame, telling.rows),
    )


def _row(
    name: str, found: Estimate, narrower: Estimate, said: Verdict, *, n_judges: int
) -> tuple[Cell, ...]:
    low, high = bounds(narrower)
    return (
        Cell(name),
        figure(found),
        *bounds(found),
        Cell(_worded(said)) if said.word else Cell(None, said.reason),
        low,
        high,
        count(found.counts, "n_human"),
        count(found.counts, "n_machine"),
        count(found.counts, "n_titles"),
        Cell(found.counts.get("n_judges", n_judges)),
    )


def _worded(said: Verdict) -> str:
    if said.word == "equivalent":
        return f"equivalent within {said.margin:g}"
    return said.word


def _notes(telling: Telling, found: Sequence[Estimate], said: Sequence[Verdict]) -> tuple[str, ...]:
    return gather(
        [
            (
                name,
                (
                    *one.notes,
                    *filter(None, [judged.note]),
                    *free(telling.frame, code, "count as titles of their own"),
                ),
            )
            for (code, name), one, judged in zip(telling.models, found, said, strict=True)
        ]
    )
