"""Coefficients of agreement in all their common forms, question by question."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from backend.analytics.frames import Frame, Numbers
from backend.analytics.reports.agreeing.beyond_chance import both_ways, ordered, ratings, scale
from backend.analytics.reports.agreeing.pairing import Comparison, compared, named, resting
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather
from backend.statistics.agreement import cohen_kappa, gwet_ac, krippendorff_alpha
from backend.statistics.estimate import Estimate, undefined

NO_ORDER = "two answers have no order and no distance"
POOLED = (
    "a machine judge's answer stands in a pair with each expert's: such pairs are not independent, "
    "and no interval is computed"
)
_SHORT = (
    "Alpha, AC and kappa differ in what they hold chance to be. All leave N/A out, so n can be "
    "less than in the tables of PAo."
)
_EXPLANATION = (
    "What is published as alpha, AC or kappa differs in how far two different answers are held to "
    "be apart: wholly (nominal, AC1, unweighted), by their order (ordinal), by their distance "
    "(linear), or by its square (interval, AC2, quadratic). Compare a figure with those of the "
    "same form alone. All leave N/A out, so n can be less than in the tables of PAo."
)
_N = (
    "n counts, of alpha, ratings that have a partner, of AC, poems with a rating and, of kappa, "
    "pairs; of a machine judge, whose coefficients are over its pairs with single experts, pooled, "
    "alpha counts both ratings of each pair and AC counts pairs"
)


@dataclass(frozen=True)
class _Answers:
    """Points given by those who are compared: judges by units, and the sides of all pairs."""

    ratings: Numbers
    sides: tuple[Numbers, Numbers]
    codes: tuple[float, ...]


@dataclass(frozen=True)
class _Form:
    """One form of a coefficient; `apart` if it needs answers that lie apart by more or less."""

    key: str
    label: str
    unit: str
    compute: Callable[[_Answers], Estimate]
    apart: bool = True

    @property
    def has_interval(self) -> bool:
        return self.unit != "pairs"

    def of(self, given: _Answers, *, points: bool) -> Estimate:
        if self.apart and not points:
            return undefined(NO_ORDER, method=self.label, level=self.unit)
        return self.compute(given)


_FORMS = (
    _Form(
        "alpha_nominal",
        "Alpha, nominal",
        "ratings",
        lambda given: krippendorff_alpha(given.ratings, metric="nominal"),
        apart=False,
    ),
    _Form(
        "alpha_ordinal",
        "Alpha, ordinal",
        "ratings",
        lambda given: krippendorff_alpha(given.ratings, metric="ordinal"),
    ),
    _Form(
        "alpha_interval",
        "Alpha, interval",
        "ratings",
        lambda given: krippendorff_alpha(given.ratings, metric="interval"),
    ),
    _Form(
        "ac1",
        "AC1",
        "poems",
        lambda given: gwet_ac(given.ratings, weights="identity", categories=given.codes),
        apart=False,
    ),
    _Form(
        "ac2",
        "AC2, quadratic",
        "poems",
        lambda given: gwet_ac(given.ratings, weights="quadratic", categories=given.codes),
    ),
    _Form(
        "kappa",
        "Kappa, unweighted",
        "pairs",
        lambda given: cohen_kappa(*given.sides, categories=given.codes),
        apart=False,
    ),
    _Form(
        "kappa_linear",
        "Kappa, linear",
        "pairs",
        lambda given: cohen_kappa(*given.sides, weights="linear", categories=given.codes),
    ),
    _Form(
        "kappa_quadratic",
        "Kappa, quadratic",
        "pairs",
        lambda given: cohen_kappa(*given.sides, weights="quadratic", categories=given.codes),
    ),
)


@dataclass(frozen=True)
class _Row:
    """The coefficients of a comparison on one question, in the order of the forms."""

    question: str
    found: Comparison
    estimates: tuple[tuple[_Form, Estimate], ...]

    @property
    def with_interval(self) -> list[Estimate]:
        if not self.found.panel.expert:
            return []
        return [estimate for form, estimate in self.estimates if form.has_interval]

    @property
    def notes(self) -> tuple[str, ...]:
        said = (note for estimate in self.with_interval for note in estimate.notes)
        return tuple(dict.fromkeys(said))


def table(frame: Frame, found: Sequence[Comparison]) -> Table:
    """Return the coefficients of each question and comparison, folded away."""
    points = any(ordered(frame, [place]) for place, _ in compared(frame))
    forms = [form for form in _FORMS if points or not form.apart]
    rows = list(_rows(frame, found, forms))
    return Table(
        key="agreement-coefficients",
        caption="More coefficients of agreement beyond chance, by question",
        explanation=_EXPLANATION if points else _SHORT,
        columns=(
            Column("question", "Question"),
            Column("judges", "Judges"),
            *(column for form in forms for column in _columns(form)),
        ),
        rows=tuple(
            (
                Cell(row.question),
                Cell(row.found.label),
                *(cell for one in row.estimates for cell in _cells(row.found, *one)),
            )
            for row in rows
        ),
        method=_method(rows),
        notes=gather([(row.question, row.notes) for row in rows if row.found.panel.expert]),
        basis=resting(frame, found),
        aside=True,
    )


def _rows(frame: Frame, found: Sequence[Comparison], forms: Sequence[_Form]) -> Iterator[_Row]:
    for place, question in compared(frame):
        points = ordered(frame, [place])
        for whole in found:
            one = whole.only(frame, [place])
            given = _Answers(
                ratings(frame, one, [place]), both_ways(frame, one), scale(frame, [place])
            )
            yield _Row(
                named(question), one, tuple((form, form.of(given, points=points)) for form in forms)
            )


def _columns(form: _Form) -> Iterator[Column]:
    yield Column(form.key, "value", "number", 3, under=form.label)
    if form.has_interval:
        yield Column(f"{form.key}_low", "95 % from", "number", 3, under=form.label)
        yield Column(f"{form.key}_high", "to", "number", 3, under=form.label)
    yield Column(f"{form.key}_n", "n", "count", unit=form.unit, under=form.label)


def _cells(found: Comparison, form: _Form, estimate: Estimate) -> Iterator[Cell]:
    yield figure(estimate)
    if form.has_interval:
        none = Cell(None, POOLED if estimate.defined else estimate.reason)
        yield from bounds(estimate) if found.panel.expert else (none, none)
    # Pairs of experts were entered both ways round.
    twice = found.panel.expert and not form.has_interval
    yield Cell(estimate.n // 2 if twice else estimate.n)


def _method(rows: Sequence[_Row]) -> str:
    intervals = dict.fromkeys(
        estimate.method.partition("; ")[2]
        for row in rows
        for estimate in row.with_interval
        if estimate.method.partition("; ")[2]
    )
    said = (
        "Krippendorff's alpha, Gwet's AC over all points of the scale, Cohen's kappa over all "
        "pairs (those of experts entered both ways round)",
        *(f"alpha and AC of experts: {how}" for how in intervals),
        "poems on one title are taken for independent there, and what judges have in common is "
        "counted J(J - 1) / (J - 2)² times, for small numbers of them",
        "no interval of kappa, whose pairs share judges and poems",
        _N,
    )
    return "; ".join(said)
