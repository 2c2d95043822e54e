"""Ratings joined with the unsealed key: what every result is computed from."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annotation.instruments.choices import Altered, ForcedChoice, Recognition
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert
from annotation.judgments.models import Judgment, Rating
from annotation.studies.models import Judge, Study
from backend.analytics.excluding import NOTHING, LeftOut, leave_out
from backend.design.models import Design, InterimLook, Placement

HUMAN = "human"
FIRST, SECOND = "first", "second"
TEXT_A = 1  # how a choice of the text that was shown first is stored

Codes = NDArray[np.intp]
Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
Closed = Likert | Probability | Altered | ForcedChoice | Recognition


class StillBlinded(Exception):
    """The study's key is sealed: nothing may be joined with it yet."""


@dataclass(frozen=True)
class Seat:
    """A judge as results name one: never by an expert's name.

    Attributes
    ----------
    key : int
    code : str
        Random; the judge's only identity in results and exports.
    label : str
        "Expert 3", numbered in the order of the random codes, or a machine judge's name.
    expert : bool
    """

    key: int
    code: str
    label: str
    expert: bool


@dataclass(frozen=True)
class Placed:
    """An item with its origin.

    Attributes
    ----------
    key : int
    model : str
        The language model that wrote it, or one of its two texts; empty if a human did.
    poet : str
        The human who wrote it, or one of its two texts; empty if a language model did.
    title_key : int or None
        The human poem it is or whose brief it was written to; None for a free brief.
    title, form : str
        Those of that human poem; for a free brief, the generation's own title and no form.
    human_text : {"", "first", "second"}
        Which of an item's two texts a human wrote; empty where one text stands alone.
    attention : bool
        It tests attention, and has no author.
    text : str
        As it was shown; of a pair, the one that is stored first.
    language : str
        Its tag, as "en" or "zh-Hant".
    """

    key: int
    model: str
    poet: str
    title_key: int | None
    title: str
    form: str
    human_text: str = ""
    attention: bool = False
    text: str = ""
    language: str = ""

    @property
    def pair(self) -> bool:
        """Whether it is a human and a machine text to choose between."""
        return bool(self.human_text)

    def human_stood_first(self, *, flipped: bool) -> bool:
        """Whether the human text was shown as A to a judge who saw the pair `flipped` or not."""
        return self.human_text == (SECOND if flipped else FIRST)


@dataclass(frozen=True)
class Panel:
    """Judges whose ratings may be pooled: the experts together, or one machine judge alone."""

    key: str
    label: str
    seats: tuple[int, ...]
    expert: bool


@dataclass(frozen=True)
class Frame:
    """Counted ratings of closed questions, one entry for each in every array.

    Attributes
    ----------
    seats, items, questions : tuple
        What the codes in `judge`, `item` and `question` stand for. Experts come before machine
        judges.
    models : tuple of str
        Names of the language models; code c in `author` is ``models[c - 1]``, 0 a human.
    judge, item, question : array of int, shape (n_ratings,)
    number : array of float, shape (n_ratings,)
        The point or level chosen; a probability in thousandths; 1 for altered and 0 for not; of
        two texts, 1 for the human one and 0 for the machine's, wherever they stood. ``nan`` if
        the question was skipped or the judge could not tell.
    na : array of bool, shape (n_ratings,)
        The judge chose "not applicable"; `number` is its code.
    cannot_tell : array of bool, shape (n_ratings,)
        The judge chose to name no probability.
    human_first : array of bool, shape (n_ratings,)
        Of two texts, the human one was shown first, as A.
    left_out : LeftOut
        Judgments that would be here but for rules of the design.
    entire : Frame or None
        The same with those judgments; None if nothing is left out.
    margin : float or None
        How far from 0.5 an AUC is as good as chance, as the design fixed it before unblinding.
    seed : int
        The study's, for whatever is drawn by chance.
    """

    seats: tuple[Seat, ...]
    items: tuple[Placed, ...]
    questions: tuple[Closed, ...]
    models: tuple[str, ...]
    judge: Codes
    item: Codes
    question: Codes
    number: Numbers
    na: Mask
    cannot_tell: Mask
    human_first: Mask
    left_out: LeftOut = NOTHING
    entire: "Frame | None" = None
    margin: float | None = None
    seed: int = 0

    @cached_property
    def paired(self) -> bool:
        """Whether judges chose between two texts: an item then has a human and a machine half."""
        return any(item.pair for item in self.items)

    @cached_property
    def item_author(self) -> Codes:
        """Author code of each item; of a pair, its model's."""
        code = {name: place for place, name in enumerate(self.models, start=1)}
        return np.array([code[item.model] if item.model else 0 for item in self.items], np.intp)

    @cached_property
    def item_title(self) -> Codes:
        """Title of each item; an item on a free brief is a title of its own, below zero."""
        keys = [
            item.title_key if item.title_key is not None else -place
            for place, item in enumerate(self.items, start=1)
        ]
        return np.array(keys, np.intp)

    @cached_property
    def author(self) -> Codes:
        """Author code of each rating."""
        return self.item_author[self.item]

    @property
    def authors(self) -> tuple[str, ...]:
        """What each author code is called."""
        return (HUMAN, *self.models)

    @cached_property
    def scored(self) -> Mask:
        """Ratings that are an answer: not skipped, not applicable, and not "cannot tell"."""
        found: Mask = ~(np.isnan(self.number) | self.na)
        return found

    @property
    def skipped(self) -> Mask:
        """Questions left empty where that was allowed."""
        return np.isnan(self.number) & ~self.cannot_tell

    @property
    def panels(self) -> tuple[Panel, ...]:
        """The experts, then each machine judge: they are never pooled."""
        experts = tuple(place for place, seat in enumerate(self.seats) if seat.expert)
        machines = [(place, seat) for place, seat in enumerate(self.seats) if not seat.expert]
        return (
            Panel("experts", "the experts", experts, expert=True),
            *(
                Panel(f"machine-{n}", seat.label, (place,), expert=False)
                for n, (place, seat) in enumerate(machines, start=1)
            ),
        )

    def of(self, panel: Panel) -> Mask:
        """Ratings by the judges of a panel."""
        return np.isin(self.judge, panel.seats)

    def only(self, rows: Mask | Codes) -> "Frame":
        """Return the frame of these ratings alone; judges, items and questions keep their codes."""
        return replace(
            self,
            judge=self.judge[rows],
            item=self.item[rows],
            question=self.question[rows],
            number=self.number[rows],
            na=self.na[rows],
            cannot_tell=self.cannot_tell[rows],
            human_first=self.human_first[rows],
        )


def unsealed(study: Study, look: InterimLook | None = None) -> Design:
    """Return the study's design if its key is unsealed, or for a look that was written down.

    Raises
    ------
    StillBlinded
        If neither is so.
    """
    design = Design.objects.select_related("study").filter(study=study).first()
    if design is None:
        raise StillBlinded(f"{study} has no design")
    looks = look is not None and look.pk is not None and look.design_id == design.pk
    if design.unblinded_at is None and not looks:
        raise StillBlinded(f"{study} is not unblinded")
    return design


def frame(study: Study, *, look: InterimLook | None = None) -> Frame:
    """Return the study's counted ratings joined with the key, in an order of their own.

    Raises
    ------
    StillBlinded
        If the key is sealed, and this is no look that the design allows for.
    """
    design = unsealed(study, look)
    left_out = leave_out(design)
    whole, judgment = _whole(study, look)
    whole = replace(whole, margin=design.margin, seed=study.seed)
    out = np.isin(judgment, list(left_out.judgments))
    entire = whole if out.any() else None
    return replace(whole.only(~out), left_out=left_out, entire=entire)


def _whole(study: Study, look: InterimLook | None) -> tuple[Frame, Codes]:
    """Return the frame before any rule of the design, and the judgment of each rating."""
    asked = study.instrument.questions
    questions = tuple(one for one in asked if isinstance(one, Closed))
    panel, placed = seats(study), items(study, look=look)
    rows = (
        Rating.objects.standing()
        .filter(
            judgment__in=Judgment.objects.counted(study),
            question__in=[question.key for question in questions],
        )
        .order_by()
        .values_list(
            "judgment__assignment__judge_id",
            "judgment__assignment__item_id",
            "question",
            "number",
            "blank",
            "judgment__assignment__flipped",
            "judgment_id",
        )
    )
    found = list(rows)
    judge_code = {seat.key: place for place, seat in enumerate(panel)}
    item_code = {item.key: place for place, item in enumerate(placed)}
    question_code = {question.key: place for place, question in enumerate(questions)}
    judge = np.array([judge_code[row[0]] for row in found], np.intp)
    item = np.array([item_code[row[1]] for row in found], np.intp)
    question = np.array([question_code[row[2]] for row in found], np.intp)
    number = np.array([np.nan if row[3] is None else row[3] for row in found], np.float64)
    human_first = np.array(
        [placed[item_code[row[1]]].human_stood_first(flipped=row[5]) for row in found], np.bool_
    )
    # In one order whatever the database's, so that sums round alike every time.
    order = np.lexsort((question, item, judge))
    whole = Frame(
        seats=panel,
        items=placed,
        questions=questions,
        models=tuple(sorted({one.model for one in placed if one.model})),
        judge=judge,
        item=item,
        question=question,
        number=_human_chosen(questions, question, number, human_first),
        na=np.array([row[4] == Rating.Blank.NA for row in found], np.bool_),
        cannot_tell=np.array([row[4] == Rating.Blank.CANNOT_TELL for row in found], np.bool_),
        human_first=human_first,
    )
    return whole.only(order), np.array([row[6] for row in found], np.intp)[order]


def _human_chosen(
    questions: tuple[Closed, ...], question: Codes, number: Numbers, human_first: Mask
) -> Numbers:
    """Return the numbers with choices between two texts as 1 for the human text, else 0."""
    choices = [place for place, one in enumerate(questions) if isinstance(one, ForcedChoice)]
    chosen = np.isin(question, choices) & ~np.isnan(number)
    return np.where(chosen, (number == TEXT_A) == human_first, number)


def seats(study: Study) -> tuple[Seat, ...]:
    """Return the study's judges: experts in the order of their random codes, then machines."""
    rows = Judge.objects.filter(study=study).values_list("pk", "code", "name", "kind")
    experts = sorted((code, key) for key, code, _, kind in rows if kind == Judge.Kind.EXPERT)
    machines = sorted(
        (name, code, key) for key, code, name, kind in rows if kind == Judge.Kind.MACHINE
    )
    return (
        *(
            Seat(key, code, f"Expert {number}", expert=True)
            for number, (code, key) in enumerate(experts, start=1)
        ),
        *(Seat(key, code, name, expert=False) for name, code, key in machines),
    )


def items(study: Study, *, look: InterimLook | None = None) -> tuple[Placed, ...]:
    """Return the study's items with their origin; not those that test attention.

    Raises
    ------
    StillBlinded
        If the key is sealed, and this is no look that the design allows for.
    """
    unsealed(study, look)
    rows = (
        Placement.objects.filter(item__study=study, item__attention=False)
        .order_by("item_id")
        .values_list(
            "item_id",
            "poem_id",
            "poem__title",
            "poem__author",
            "poem__form",
            "generation__model__name",
            "generation__title",
            "generation__brief__poem_id",
            "generation__brief__poem__title",
            "generation__brief__poem__form",
            "human_second",
            "item__text",
            "item__language",
        )
    )
    return tuple(
        Placed(
            key,
            model or "",
            poet or "",
            asked if poem is None else poem,
            (title if poem is not None else asked_title or own_title) or "",
            (form if poem is not None else asked_form) or "",
            "" if poem is None or model is None else SECOND if second else FIRST,
            text=text,
            language=language,
        )
        for key, poem, title, poet, form, model, own_title, asked, asked_title, asked_form, second,
            text, language
        in rows
    )  # fmt: skip
