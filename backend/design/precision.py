"""How exact the AUC of one model will be, reckoned from the size of a study alone."""

from bisect import bisect_left
from dataclasses import dataclass, replace
from math import ceil, floor

from annotation.instruments.instrument import Instrument
from annotation.instruments.loading import InvalidInstrument, load
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert
from annotation.studies.models import Study
from backend.design.sizes import Sizes
from backend.statistics.planner import DEFAULT, Components, half_width

CONFIDENCE = 0.95
OF_VERDICTS = 0.9  # the interval that has to lie within the margin
JUDGES = (5, 10, 20, 40)
PER_POEM = (2, 5)
FEWEST_JUDGES = 2
MOST_JUDGES = 1000
# The published scale of authorship, in instruments older than `about`.
AUTHORSHIP = "human_authorship"
ALL = 0.5  # AUC: so far to either side of chance lies every value there is
TOO_WIDE = "With so few, the interval would hold every value of an AUC: nothing could be told."
TOO_FEW = "There are fewer experts than it takes."
TOO_SHORT = "It takes poems by people and by machines to reckon how exact an AUC will be."


@dataclass(frozen=True)
class Half:
    """About how far an interval reaches to either side; None, with the reason, if unknown.

    `fits` tells whether the 90 % interval is narrow enough for the margin, if there is one.
    """

    width: float | None
    reason: str = ""
    fits: bool = False


@dataclass(frozen=True)
class Row:
    """Half-widths with so many judges, one for each K of the table; `own` is the plan's."""

    judges: int
    own: bool
    cells: tuple[Half, ...]


@dataclass(frozen=True)
class Shortage:
    """Why the experts expected cannot do it, and what would let them.

    Attributes
    ----------
    apart : bool
        Whether it is that nobody is given two texts on one brief.
    texts : int or None
        How many texts are on the brief that has most; None where their K are unlike.
    last : bool
        Whether it would do to give two texts on one brief to one expert when nothing else is left.
    per_poem : int or None
        The largest K that they can do; None if there is none, or where K are unlike.
    """

    apart: bool
    texts: int | None
    last: bool
    per_poem: int | None


@dataclass(frozen=True)
class Precision:
    """What a plan leads to.

    Attributes
    ----------
    titles : int
        Human poems, or poems of the model that has fewest, whichever are fewer.
    judges : int
    per_poem : float
        K; the mean of the poems' K, where groups have their own.
    half : Half
        Of the 95 % interval of one model's AUC.
    per_poems : tuple of float
        What the columns of `rows` stand for.
    rows : tuple of Row
        The same with other numbers of judges and other K.
    twice_judges, twice_per_poem : Half
        With twice as many judges, or twice as many judgments of each poem.
    experts : int
        Without whom the plan cannot be carried out.
    shortage : Shortage or None
        If `judges` are fewer than these.
    margin : float or None
    too_wide : float or None
        How far the 90 % interval reaches, if that is not less than the margin: then no model can
        be found as good as chance.
    enough : int or None
        With how many experts, at this K, it would be narrow enough; None if it is, or with none.
    """

    titles: int
    judges: int
    per_poem: float
    half: Half
    per_poems: tuple[float, ...]
    rows: tuple[Row, ...]
    twice_judges: Half
    twice_per_poem: Half
    experts: int
    shortage: Shortage | None = None
    margin: float | None = None
    too_wide: float | None = None
    enough: int | None = None

    @property
    def experts_count_more(self) -> bool:
        """Whether more judges narrow it more than more judgments of each poem do."""
        judges, per_poem = self.twice_judges.width, self.twice_per_poem.width
        return judges is not None and per_poem is not None and judges < per_poem

    @property
    def some_fit(self) -> bool:
        """Whether anything in the table is narrow enough for the margin."""
        return any(cell.fits for row in self.rows for cell in row.cells)


def asks_for_auc(instrument: Instrument) -> bool:
    """Whether answers rank poems, shown one at a time, by how surely a human wrote them."""
    if instrument.texts > 1:
        return False
    told = [one for one in instrument.questions if one.about == "authorship"]
    # Instruments written before questions said what they are about name none.
    told = told or [
        one for one in instrument.questions if isinstance(one, Probability) or one.key == AUTHORSHIP
    ]
    return any(isinstance(one, Likert | Probability) for one in told)


def has_auc(study: Study) -> bool:
    """Whether an AUC can be computed of what a study's judges answer."""
    try:
        return asks_for_auc(load(study.instrument_data))
    except InvalidInstrument:
        return False


def precision(
    sizes: Sizes,
    *,
    judges: int | None,
    margin: float | None = None,
    apart: bool = False,
    most: int | None = None,
    components: Components = DEFAULT,
) -> Precision:
    """Return how exact the AUC of one model will be with so many judges.

    Parameters
    ----------
    sizes : Sizes
    judges : int or None
        None is as few as can do it.
    margin : float or None
    apart : bool
        Whether nobody is given two texts on one brief.
    most : int or None
        The largest K of a poem; None if it is that of all.
    components : Components
    """
    expected = judges or max(sizes.experts, FEWEST_JUDGES)
    per_poem = sizes.judgments / sizes.items
    plan = _Plan(sizes, per_poem, margin, components)
    columns = tuple(sorted({*PER_POEM, per_poem}))
    short = expected < sizes.experts
    too_wide = plan.too_wide(expected)
    return Precision(
        titles=sizes.titles,
        judges=expected,
        per_poem=per_poem,
        half=plan.reach(expected, per_poem),
        per_poems=columns,
        rows=tuple(
            Row(number, number == expected, tuple(plan.reach(number, each) for each in columns))
            for number in sorted({*JUDGES, expected, max(expected, sizes.experts)})
        ),
        experts=sizes.experts,
        twice_judges=plan.reach(2 * expected, per_poem),
        twice_per_poem=plan.reach(expected, 2 * per_poem),
        shortage=plan.shortage(expected, most or per_poem, apart=apart) if short else None,
        margin=margin,
        too_wide=too_wide,
        enough=None if too_wide is None else plan.enough(expected),
    )


@dataclass(frozen=True)
class _Plan:
    """A plan, to be reckoned with other numbers of judges, and with other K."""

    sizes: Sizes
    per_poem: float
    margin: float | None
    components: Components

    def reach(self, judges: int, each: float) -> Half:
        if judges < self._needed(each):
            return Half(None, TOO_FEW)
        found = self._half(judges, each)
        return replace(found, fits=found.width is not None and self._fits(judges, each))

    def too_wide(self, judges: int) -> float | None:
        if self.margin is None or judges < self.sizes.experts:
            return None
        width = self._half(judges, self.per_poem, OF_VERDICTS).width
        return None if width is None or width < self.margin else width

    def enough(self, judges: int) -> int | None:
        """Return the fewest judges above these with whom it fits; more of them narrow it."""
        more = range(judges + 1, MOST_JUDGES + 1)
        at = bisect_left(more, x=True, key=lambda number: self._fits(number, self.per_poem))
        return more[at] if at < len(more) else None

    def shortage(self, judges: int, most: float, *, apart: bool) -> Shortage:
        alike = most == self.per_poem
        can = floor(judges * self.per_poem / self.sizes.experts)
        return Shortage(
            apart=apart,
            texts=round(self.sizes.experts / self.per_poem) if alike else None,
            last=apart and most <= judges,
            per_poem=can if alike and can else None,
        )

    def _half(self, judges: int, each: float, confidence: float = CONFIDENCE) -> Half:
        titles, components = self.sizes.titles, self.components
        return half(titles, judges, each, components=components, confidence=confidence)

    def _needed(self, each: float) -> int:
        """Return without how many judges it cannot be done, were all K so much larger."""
        return ceil(round(self.sizes.experts * each / self.per_poem, 6))

    def _fits(self, judges: int, each: float) -> bool:
        if self.margin is None:
            return False
        width = self._half(judges, each, OF_VERDICTS).width
        return width is not None and width < self.margin


def half(
    titles: int,
    judges: int,
    per_poem: float,
    *,
    components: Components = DEFAULT,
    confidence: float = CONFIDENCE,
) -> Half:
    """Return about how far the interval of one model's AUC reaches to either side."""
    if titles < 1:
        return Half(None, TOO_SHORT)
    if per_poem > judges:
        return Half(None, "A poem cannot have more judges than there are experts.")
    found = half_width(
        components, titles=titles, judges=judges, per_poem=per_poem, confidence=confidence
    )
    if found.reason:
        return Half(None, f"{found.reason[0].upper()}{found.reason[1:]}.")
    return Half(found.half_width) if found.half_width < ALL else Half(None, TOO_WIDE)
