"""What calls will take and cost, before they are made: as it is likely, and at the most."""

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from math import ceil
from statistics import median
from typing import Any

from django.db.models import Max

from backend.corpus.models import Poem
from backend.generation import providers
from backend.generation.briefs import TEMPLATES, NoBrief
from backend.generation.models import Brief, Call, Generation, LanguageModel
from backend.generation.reaching import request_for, seed_of

MILLION = 1_000_000
SMALLEST = Decimal("0.00000001")  # as much as the database keeps
# Characters that are about a token each; of others about four are.
IDEOGRAPHS = re.compile(
    r"[\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\uffef\U00020000-\U0003ffff]"
)
# Without knowledge of a model: what a poem takes, and what thinking before it takes.
POEM, POEM_AND_THOUGHT = 300, 3_000
ANSWERS_TO_JUDGE_BY = 5
LATEST = 200
# At the most: how much longer than is typical an answer may be, and how much denser a prompt.
LONGER, LONGER_BY_THOUGHT, DENSER, WRAPPING = 4, 8, 2, 50
# With so many answers one more makes little difference, so that it need not be looked at each time.
MANY, REMEMBERED = 50, 60.0
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")
IDENTITIES_AT_ONCE = 1_000

Prices = tuple[Decimal, Decimal]


class UnknownPrice(ValueError):
    """Money is to be kept below a cap, and nobody knows what some model costs."""


@dataclass(frozen=True)
class ModelEstimate:
    """What one model's calls will likely take.

    Attributes
    ----------
    calls, answered_before : int
        Those wanted, and how many of these were answered earlier, so that they cost nothing.
    tokens_input, tokens_output : int
        Of those that are still to be made.
    cost : Decimal or None
        In US dollars; None if the model's price is not known.
    basis : str
        What the length of its answers was judged by, in words.
    """

    model: LanguageModel
    calls: int
    answered_before: int
    tokens_input: int
    tokens_output: int
    cost: Decimal | None
    basis: str

    @property
    def to_ask(self) -> int:
        return self.calls - self.answered_before


@dataclass(frozen=True)
class Estimate:
    """What a run will likely take.

    Attributes
    ----------
    cost : Decimal or None
        In US dollars; None if that of some model is not known.
    unknown : list of LanguageModel
        Those that will be asked though their price is not known.
    left_out : list of (Poem, str)
        Poems that the template cannot put as a brief, and why.
    first_sample : int
        With which number the samples begin.
    """

    rows: list[ModelEstimate]
    calls: int
    cost: Decimal | None
    unknown: list[LanguageModel]
    left_out: list[tuple[Poem, str]]
    first_sample: int = 1

    @property
    def known_cost(self) -> Decimal:
        """What the models cost together whose price is known."""
        return sum((row.cost for row in self.rows if row.cost is not None), Decimal(0))

    @property
    def answered_before(self) -> int:
        return sum(row.answered_before for row in self.rows)

    @property
    def to_ask(self) -> int:
        return self.calls - self.answered_before

    @property
    def tokens_input(self) -> int:
        return sum(row.tokens_input for row in self.rows)

    @property
    def tokens_output(self) -> int:
        return sum(row.tokens_output for row in self.rows)


@dataclass(frozen=True)
class _Answers:
    """How long a model's answers were so far, in tokens."""

    number: int
    typical: int
    longest: int


def estimate(
    *,
    poems: Iterable[Poem],
    template: str,
    models: Sequence[LanguageModel],
    samples: int = 1,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    first_sample: int = 1,
    fresh: bool = False,
) -> Estimate:
    """Return what these poems by these models will likely take. Nothing is written.

    `fresh` begins after all samples that exist, so that no earlier answer is taken.
    """
    prompts, left_out = prompts_for(poems, template)
    if fresh:
        first_sample = next_sample(prompts, template, models)
    numbers = range(first_sample, first_sample + samples)
    texts = [text for _, text in prompts]
    settings = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
    rows = [
        _row(model, _Questions(model, texts, numbers, **settings), max_tokens) for model in models
    ]
    return Estimate(
        rows=rows,
        calls=sum(row.calls for row in rows),
        cost=_sum(row.cost for row in rows),
        unknown=[row.model for row in rows if row.cost is None],
        left_out=left_out,
        first_sample=first_sample,
    )


def priced(models: Iterable[LanguageModel]) -> None:
    """See that what each of these models costs is known, so that a cap can be kept.

    Raises
    ------
    UnknownPrice
        If it is not, naming the models.
    """
    unknown = sorted({model.name for model in models if prices(model) is None})
    if unknown:
        raise UnknownPrice(
            "A cap cannot be kept where the price is not known. Say what these cost, or leave the "
            f"cap out: {', '.join(unknown)}."
        )


def prompts_for(
    poems: Iterable[Poem], template: str
) -> tuple[list[tuple[Poem, str]], list[tuple[Poem, str]]]:
    """Return the poems with their briefs' texts, and those left out with the reason for each."""
    prompts, left_out = [], []
    for poem in poems:
        try:
            prompts.append((poem, TEMPLATES[template].write(poem)))
        except NoBrief as reason:
            left_out.append((poem, str(reason)))
    return prompts, left_out


def next_sample(
    prompts: Iterable[tuple[Poem, str]], template: str, models: Iterable[LanguageModel]
) -> int:
    """Return the first sample that none of these models was asked for to any of these briefs."""
    briefs = Brief.objects.filter(template=template, poem__in=[poem.pk for poem, _ in prompts])
    asked = Generation.objects.filter(brief__in=briefs, model__in=list(models))
    last: int | None = asked.aggregate(last=Max("sample"))["last"]
    return (last or 0) + 1


def reserve(
    model: LanguageModel, asked: str | Mapping[str, Any], max_tokens: int | None = None
) -> Decimal | None:
    """Return what one call costs at the most, in US dollars, or None if its price is not known.

    `asked` is the prompt, or the body of the request, which then says itself where it is cut off.
    """
    known = prices(model)
    if known is None:
        return None
    text = asked if isinstance(asked, str) else json.dumps(asked, ensure_ascii=False)
    if max_tokens is None and not isinstance(asked, str):
        max_tokens = _limit(model, asked)
    if not any(known):
        return Decimal(0)
    most = cost(known, DENSER * tokens(text) + WRAPPING, max_tokens or _longest(model))
    return most and most.quantize(SMALLEST, ROUND_UP)


def prices(model: LanguageModel) -> Prices | None:
    """Return what a million tokens of prompt and of answer cost, or None if it is not known."""
    if model.reach == LanguageModel.Reach.BUILT_IN:
        return Decimal(0), Decimal(0)
    if model.price_input is None or model.price_output is None:
        return None
    return model.price_input, model.price_output


def cost(
    known: Prices | None, tokens_input: int | None, tokens_output: int | None
) -> Decimal | None:
    """Return what so many tokens cost in US dollars, or None if anything of it is not known."""
    if known is None or tokens_input is None or tokens_output is None:
        return None
    return (tokens_input * known[0] + tokens_output * known[1]) / MILLION


def tokens(text: str) -> int:
    """Return about how many tokens a text has: a Chinese character is one, four letters are."""
    ideographs = len(IDEOGRAPHS.findall(text))
    return ideographs + ceil((len(text) - ideographs) / 4)


def _sum(costs: Iterable[Decimal | None]) -> Decimal | None:
    total = Decimal(0)
    for one in costs:
        if one is None:
            return None
        total += one
    return total


class _Questions:
    """What one model would be asked: each prompt so many times."""

    def __init__(
        self,
        model: LanguageModel,
        prompts: Sequence[str],
        samples: Iterable[int],
        **settings: Any,
    ) -> None:
        self._model = model
        self._samples = list(samples)
        self._prompts = prompts
        self._settings = settings

    @property
    def number(self) -> int:
        return len(self._prompts) * len(self._samples)

    def tokens(self) -> int:
        """Return how many tokens are sent, in all."""
        return sum(tokens(prompt) for prompt in self._prompts) * len(self._samples)

    def answered(self) -> list[str]:
        """Return the prompts of the questions that were answered before, each time."""
        prompts = {self._identity(*asked): asked[0] for asked in self._may_be_answered()}
        identities = list(prompts)
        found: list[str] = []
        for first in range(0, len(identities), IDENTITIES_AT_ONCE):
            some = identities[first : first + IDENTITIES_AT_ONCE]
            known = Call.objects.filter(identity__in=some, state=Call.State.ANSWERED)
            found += [prompts[identity] for identity in known.values_list("identity", flat=True)]
        return found

    def _may_be_answered(self) -> Iterator[tuple[str, int]]:
        # A sample beyond all that were ever asked for has no answer, which saves the looking.
        last = self._model.generations.aggregate(last=Max("sample"))["last"] or 0
        return (
            (prompt, sample)
            for prompt in self._prompts
            for sample in self._samples
            if sample <= last
        )

    def _identity(self, prompt: str, sample: int) -> str:
        settings = self._settings | {"seed": seed_of(self._model, self._settings["seed"], sample)}
        return providers.identity(request_for(self._model, prompt, **settings), sample=sample)


def _row(model: LanguageModel, asked: _Questions, max_tokens: int | None) -> ModelEstimate:
    answered = asked.answered()
    each, basis = _each(model, max_tokens)
    sent = asked.tokens() - sum(tokens(prompt) for prompt in answered)
    written = each * (asked.number - len(answered))
    price = prices(model)
    return ModelEstimate(
        model=model,
        calls=asked.number,
        answered_before=len(answered),
        tokens_input=sent,
        tokens_output=written,
        cost=cost(price, sent, written) if sent else Decimal(0),
        basis=basis,
    )


def _each(model: LanguageModel, max_tokens: int | None) -> tuple[int, str]:
    """Return how many tokens an answer likely has, and what says so."""
    earlier = _earlier(model)
    if earlier.number >= ANSWERS_TO_JUDGE_BY:
        basis = f"the median of its last {earlier.number} answers"
        if max_tokens and max_tokens < earlier.typical:
            return max_tokens, "its answers are cut off there"
        return earlier.typical, basis
    if max_tokens:
        return max_tokens, "each answer as long as it may be"
    if model.thinks:
        return POEM_AND_THOUGHT, f"{POEM_AND_THOUGHT:,} tokens each, as it thinks: a guess"
    return POEM, f"{POEM} tokens each: a guess"


def _earlier(model: LanguageModel) -> _Answers:
    answers = Call.objects.filter(
        model=model, state=Call.State.ANSWERED, tokens_output__isnull=False
    )
    lengths = answers.order_by("-pk").values_list("tokens_output", flat=True)
    latest = [length or 0 for length in lengths[:LATEST]]
    longest = max(latest, default=0)
    if len(latest) == LATEST:
        longest = answers.aggregate(longest=Max("tokens_output"))["longest"]
    return _Answers(len(latest), ceil(median(latest)) if latest else 0, longest)


# Model -> until when it holds, and how long an answer may be; this is asked before every call.
_remembered: dict[int, tuple[float, int]] = {}


def forget() -> None:
    """Forget how long answers were."""
    _remembered.clear()


def _longest(model: LanguageModel) -> int:
    """Return how long an answer of this model will be at the most, as far as one can tell."""
    until, known = _remembered.get(model.pk, (0.0, 0))
    if time.monotonic() < until:
        return known
    earlier = _earlier(model)
    typical, times = (POEM_AND_THOUGHT, LONGER_BY_THOUGHT) if model.thinks else (POEM, LONGER)
    if earlier.number >= ANSWERS_TO_JUDGE_BY:
        typical = earlier.typical
    longest = max(times * typical, earlier.longest)
    if earlier.number >= MANY:
        _remembered[model.pk] = (time.monotonic() + REMEMBERED, longest)
    return longest


def _limit(model: LanguageModel, body: Mapping[str, Any]) -> int | None:
    """Return where the body of a request says that the answer is to be cut off."""
    within = body.get("generationConfig")
    for part in (body, within if isinstance(within, Mapping) else {}):
        for name in (model.max_tokens_name, *LIMITS):
            if isinstance(part.get(name), int):
                return int(part[name])
    return None
