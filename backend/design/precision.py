"""How exact the AUC of one model will be, reckoned from the size of a study alone."""

from dataclasses import dataclass

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
# The published scale of authorship, in instruments older than `about`.
AUTHORSHIP = "human_authorship"
ALL = 0.5  # AUC: so far to either side of chance lies every value there is
TOO_WIDE = "With so few, the interval would hold every value of an AUC: nothing could be told."
TOO_SHORT = "It takes poems by people and by machines to reckon how exact an AUC will be."


@dataclass(frozen=True)
class Half:
    """About how far an interval reaches to either side; None, with the reason, if unknown."""

    width: float | None
    reason: str = ""


@dataclass(frozen=True)
class Row:
    """Half-widths with so many judges, one for each K of the table; `own` is the plan's."""

    judges: int
    own: bool
    cells: tuple[Half, ...]


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
    too_wide : float or None
        How far the 90 % interval reaches, if that is not less than the margin: then no model can
        be found as good as chance.
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
    too_wide: float | None = None

    @property
    def experts_count_more(self) -> bool:
        """Whether more judges narrow it more than more judgments of each poem do."""
        judges, per_poem = self.twice_judges.width, self.twice_per_poem.width
        return judges is not None and (per_poem is None or judges < per_poem)


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
    components: Components = DEFAULT,
) -> Precision:
    """Return how exact the AUC of one model will be with so many judges.

    None is as few as can do it.
    """
    expected = judges or max(sizes.experts, FEWEST_JUDGES)
    titles, per_poem = sizes.titles, sizes.judgments / sizes.items

    def reach(number: int, each: float, confidence: float = CONFIDENCE) -> Half:
        return half(titles, number, each, components=components, confidence=confidence)

    columns = tuple(sorted({*PER_POEM, per_poem}))
    return Precision(
        titles=titles,
        judges=expected,
        per_poem=per_poem,
        half=reach(expected, per_poem),
        per_poems=columns,
        rows=tuple(
            Row(
                number,
                number == expected,
                tuple(reach(number, each) for each in columns),
            )
            for number in sorted({*JUDGES, expected})
        ),
        experts=sizes.experts,
        twice_judges=reach(2 * expected, per_poem),
        twice_per_poem=reach(expected, 2 * per_poem),
        too_wide=_too_wide(reach(expected, per_poem, OF_VERDICTS), margin),
    )


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


def _too_wide(reach: Half, margin: float | None) -> float | None:
    if margin is None or reach.width is None or reach.width < margin:
        return None
    return reach.width
