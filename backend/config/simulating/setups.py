"""What a simulated study is: its sizes, the truth that is put in, and its made-up poems."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from random import Random

from annotation.instruments.instrument import Instrument
from annotation.instruments.loading import load, published
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert
from annotation.studies.models import Study
from backend.statistics import simulation
from backend.statistics.simulation import Asked, Drawn, Truth

MARK = "Simulated: "
MOST_ITEMS, MOST_ANSWERS = 30_000, 10_000_000
SEEDS = 2**63
LAST_LINE = "These lines are made up, for a simulated study."

# Where the published items lie on the latent scale, and how much they have to do with the poem.
LIKERT = {
    "form": (1.4, 0.5), "theme": (1.6, 0.4), "lexical_diversity": (0.9, 0.6),
    "creativity": (0.6, 1.0), "idiosyncrasy": (0.3, 1.0), "emotional_resonance": (0.4, 1.0),
    "imagery": (0.6, 0.8), "literary_devices": (0.6, 0.7), "quality": (0.5, 1.0),
    "human_authorship": (0.3, 1.0),
}  # fmt: skip
WORDS = (
    "amber", "ash", "autumn", "bark", "barley", "bell", "birch", "blue", "bright", "brook", "calm",
    "candle", "clay", "clear", "cloud", "cold", "copper", "dark", "dawn", "deep", "dew", "door",
    "dusk", "dust", "early", "ember", "far", "fern", "field", "fire", "frost", "gate", "glass",
    "gold", "grain", "grass", "green", "grey", "hill", "hollow", "ice", "iron", "ivy", "keen",
    "lake", "lamp", "late", "leaf", "light", "long", "low", "meadow", "mist", "moon", "moss", "new",
    "night", "oak", "old", "pale", "pine", "plain", "quiet", "rain", "red", "reed", "river", "road",
    "roof", "salt", "sand", "sea", "shade", "silver", "slow", "smoke", "snow", "soft", "stone",
    "storm", "sun", "tall", "thin", "thorn", "tide", "wall", "warm", "water", "wheat", "white",
    "wide", "willow", "wind", "winter", "wood",
)  # fmt: skip


class Impossible(ValueError):
    """No study of these sizes can be simulated; the message says why."""


@dataclass(frozen=True)
class Like:
    """What a simulated study is like: its name, its instrument, and how it is given out.

    `read` is how many titles' poems the experts read; 0 is all.
    """

    name: str
    instrument: str
    template: str
    dealing: str
    batch_size: int
    forms: tuple[str, ...]
    read: int = 0


LIKES = {
    "proftap": Like(
        "ProFTAP", "proftap-probability", "proftap-en", Study.Dealing.DRAW, 20,
        ("Quatrain", "Ballad", "Couplets"),
    ),
    "poemetric": Like(
        "POEMetric", "poemetric-survey", "poemetric", Study.Dealing.BATCH, 10,
        ("Villanelle", "Sonnet", "Ballad", "Limerick", "Sestina", "Ghazal", "Pantoum"), read=10,
    ),
    "small": Like(
        "small ProFTAP", "proftap-probability", "proftap-en", Study.Dealing.DRAW, 10,
        ("Quatrain", "Ballad"),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Setup:
    """What is simulated: sizes, and the truth that is put in.

    Attributes
    ----------
    like : str
        A key of `LIKES`.
    titles, models, judges, per_poem, seed : int
        `judges` are experts; `per_poem` is K.
    machines : int
        Language models that judge every poem.
    drop_outs : int
        Experts who stop part-way.
    na : float
        Chance of N/A, where a question offers it.
    effects : tuple of float
        Of the models; empty: evenly spread from no difference to clearly worse.

    Raises
    ------
    Impossible
        If no study can be of these sizes.
    """

    like: str
    titles: int
    models: int
    judges: int
    per_poem: int
    seed: int = 1
    machines: int = 0
    drop_outs: int = 0
    na: float = 0.0
    skill_sd: float = 0.3
    bias_sd: float = 0.5
    poem_sd: float = 0.5
    effects: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for against, why in self._against():
            if against:
                raise Impossible(why)
        try:
            _ = self.truth
        except ValueError as problem:
            raise Impossible(f"{str(problem).capitalize()}.") from problem

    def _against(self) -> Iterator[tuple[bool, str]]:
        yield self.titles < 2, "Two titles are needed at least."
        yield self.models < 1, "One model is needed at least."
        yield self.per_poem < 1, "K, the judges for each poem, must be at least 1."
        stay = self.judges - self.drop_outs
        yield (
            min(self.drop_outs, self.machines, self.seed) < 0,
            "Drop-outs, machine judges and the seed cannot be below 0.",
        )
        yield self.seed >= SEEDS, "The seed must be below 2**63: no larger one can be stored."
        yield (
            self.per_poem > stay,
            f"K = {self.per_poem} judges for each poem, but only {stay} experts judge to the end: "
            "nobody judges a poem twice. Take more judges or a smaller K.",
        )
        yield (
            bool(self.effects) and len(self.effects) != self.models,
            f"There are {len(self.effects)} effects and {self.models} models: give one for each.",
        )
        yield not 0 <= self.na < 1, "The chance of N/A must be from 0 to below 1."
        yield (
            self.items > MOST_ITEMS,
            f"{self.items} poems are more than {MOST_ITEMS}: take fewer titles or models.",
        )
        answers = self.items * (self.judges + self.machines) * len(self.asked)
        yield answers > MOST_ANSWERS, "All answers of all judges are too many: take fewer judges."
        offered = any(one.na for one in self.asked) or not self.na
        yield not offered, f"No question of {self.kind.instrument} offers N/A: leave --na out."

    @property
    def kind(self) -> Like:
        return LIKES[self.like]

    @property
    def items(self) -> int:
        return self.titles * (self.models + 1)

    @property
    def read(self) -> int:
        """How many titles' poems the experts read: all, unless machine judges read the others."""
        some = self.kind.read if self.machines else 0
        return min(some or self.titles, self.titles)

    @property
    def title(self) -> str:
        """The study's title, which judges see."""
        sizes = f"{self.titles} titles, {self.models} models"
        return f"{MARK}as {self.kind.name}, {sizes}, seed {self.seed}"

    @property
    def in_words(self) -> str:
        """The study's analysis plan: that it is simulated, and with what truth."""
        put_in = json.dumps(asdict(self), sort_keys=True)
        return f"None: poems and judges are made up by simulate_study, with {put_in}"

    @cached_property
    def truth(self) -> Truth:
        return Truth(
            self.effects or simulation.spread_effects(self.models),
            poem_sd=self.poem_sd, skill_sd=self.skill_sd, bias_sd=self.bias_sd,
        )  # fmt: skip

    @cached_property
    def instrument(self) -> Instrument:
        return load(published(self.kind.instrument))

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """The questions with their place on the latent scale."""
        found = []
        for one in self.instrument.questions:
            if isinstance(one, Likert):
                centre, loading = LIKERT.get(one.key, (0.5, 1.0))
                codes, na = [point.code for point in one.points], self.na if one.na else 0.0
                found.append(
                    simulation.likert(one.key, codes, centre=centre, loading=loading, na=na)
                )
            elif isinstance(one, Probability):
                found.append(simulation.probability(one.key))
        return tuple(found)

    @cached_property
    def drawn(self) -> Drawn:
        """What every judge would say of every poem: experts first, then machine judges."""
        everybody = self.judges + self.machines
        return simulation.draw(
            self.truth, self.asked, titles=self.titles, judges=everybody, seed=self.seed
        )

    @cached_property
    def poems(self) -> dict[str, tuple[int, int]]:
        """Author and title of each poem, by its text."""
        return {
            self.text(author, title): (author, title)
            for author in range(self.models + 1)
            for title in range(self.titles)
        }

    def text(self, author: int, title: int) -> str:
        """Return a made-up poem; its author shows in nothing."""
        chance = Random(f"{self.seed}/{self.like}/{author}/{title}")  # noqa: S311
        lines = [
            " ".join(chance.sample(WORDS, chance.randint(4, 6))).capitalize()
            for _ in range(chance.choice((7, 9, 11, 13)))
        ]
        return "\n".join([*(line + chance.choice(("", ",", ".")) for line in lines), LAST_LINE])

    def model(self, number: int) -> str:
        """Return the name of a model, from 1 on."""
        return f"Simulated model {number:02}"

    def machine(self, number: int) -> str:
        """Return the name of a machine judge, from 1 on."""
        return f"Simulated judge {number}"


DEFAULTS = {
    "proftap": Setup("proftap", titles=110, models=10, judges=13, per_poem=2),
    "poemetric": Setup(
        "poemetric", titles=203, models=30, judges=7, per_poem=2, machines=2, na=0.03
    ),
    "small": Setup("small", titles=12, models=3, judges=5, per_poem=2),
}
