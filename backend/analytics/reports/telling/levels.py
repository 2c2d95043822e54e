"""The same AUC at other levels and by other intervals, for comparison with the headline."""

from backend.analytics.frames import Numbers
from backend.analytics.reports.basis import basis
from backend.analytics.reports.scores.means import poem_means
from backend.analytics.reports.telling.answers import Telling
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather, number
from backend.statistics.detection import auc_interval, delong_interval, within_judge_auc
from backend.statistics.estimate import Estimate
from backend.statistics.resampling import Replicates, two_way_bootstrap

N_REPLICATES = 2000

_SEVERAL = (
    "Per poem mean: each poem's scores are first averaged over its judges. Within judges: a human "
    "poem is compared only with the model's poems that the same judge read, so that strict and "
    "mild judges do not blur the figure. The others are intervals of the AUC per judgment: "
    "DeLong's takes all judgments for independent and is too narrow where judges or poems differ; "
    "the bootstrap draws titles and judges anew and is somewhat too wide."
)
_ONE = (
    "DeLong's interval takes all poems for independent of each other, even those on one title. "
    "One judge reads a poem once, so the other levels and the bootstrap are for experts alone."
)


def tables(telling: Telling) -> tuple[Table, ...]:
    """Return the table, folded away."""
    found = [(name, _levels(telling, code)) for code, name in telling.models]
    drawn = _drawn(telling) if telling.several else None
    return (
        Table(
            key=f"auc-levels-{telling.suffix}",
            caption="ROC-AUC of each model at other levels and by other intervals, "
            f"{telling.asked}",
            basis=basis(telling.frame, telling.rows, unit="what each column says"),
            explanation=_SEVERAL if telling.several else _ONE,
            columns=(
                Column("model", "Model"),
                *(column for key in found[0][1] for column in _columns(key)),
                *(_bootstrap_columns() if drawn else ()),
            ),
            rows=tuple(
                (
                    Cell(name),
                    *(cell for key, one in levels.items() for cell in _cells(key, one)),
                    *(_bootstrap_cells(drawn, code) if drawn else ()),
                )
                for code, (name, levels) in enumerate(found, start=1)
            ),
            method="; ".join(
                [
                    *(f"{_LABELS[key]}: {one.method}" for key, one in found[0][1].items()),
                    *([f"bootstrap: {drawn.method}"] if drawn else []),
                ]
            ),
            notes=gather(
                [
                    (name, [note for one in levels.values() for note in one.notes])
                    for name, levels in found
                ]
            ),
            aside=True,
        ),
    )


_LABELS = {"poems": "per poem mean", "within": "within judges", "delong": "DeLong"}


def _levels(telling: Telling, code: int) -> dict[str, Estimate]:
    human, machine = telling.numbers(0), telling.numbers(code)
    delong = {"delong": delong_interval(human, machine, level="judgment")}
    if not telling.several:
        return delong
    within = within_judge_auc(
        human,
        machine,
        telling.titles(0),
        telling.titles(code),
        telling.judges(0),
        telling.judges(code),
    )
    return {"poems": _per_poem(telling, code), "within": within, **delong}


def _per_poem(telling: Telling, code: int) -> Estimate:
    frame = telling.frame
    means: Numbers = poem_means(frame, telling.rows)
    human, machine = frame.item_author == 0, frame.item_author == code
    titles = frame.item_title
    return auc_interval(
        means[human], means[machine], titles[human], titles[machine], level="poem mean"
    )


def _drawn(telling: Telling) -> Replicates:
    return two_way_bootstrap(
        telling.scores, n_replicates=N_REPLICATES, seed=telling.frame.seed, statistic="auc"
    )


def _columns(key: str) -> tuple[Column, ...]:
    under = _LABELS[key]
    interval = (
        Column(f"{key}_low", "95 % from", "number", 3, under=under),
        Column(f"{key}_high", "to", "number", 3, under=under),
    )
    if key == "delong":
        return interval
    counted = "poems" if key == "poems" else "judgments"
    return (
        Column(f"{key}_auc", "AUC", "number", 3, under=under),
        *interval,
        Column(f"{key}_human", f"human {counted}", "count", under=under),
        Column(f"{key}_model", f"model's {counted}", "count", under=under),
        Column(f"{key}_dropped", _DROPPED[key], "count", under=under),
    )


_DROPPED = {"poems": "unjudged poems", "within": "judges left out"}


def _cells(key: str, one: Estimate) -> tuple[Cell, ...]:
    if key == "delong":
        return bounds(one)
    dropped = "n_dropped" if key == "poems" else "n_one_kind"
    return (
        figure(one),
        *bounds(one),
        *(Cell(one.counts.get(name, 0)) for name in ("n_human", "n_machine", dropped)),
    )


def _bootstrap_columns() -> tuple[Column, ...]:
    under = "bootstrap"
    return (
        Column("bootstrap_low", "95 % from", "number", 3, under=under),
        Column("bootstrap_high", "to", "number", 3, under=under),
    )


def _bootstrap_cells(drawn: Replicates, code: int) -> tuple[Cell, ...]:
    bounds_of = drawn.interval(code)
    return tuple(number(bound, drawn.why(code)) for bound in bounds_of)
