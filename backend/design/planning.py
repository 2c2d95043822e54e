"""What a study is to be built from, and the words that experts agree to unless others are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from annotation.instruments.instrument import Instrument
from annotation.instruments.probability import Probability
from annotation.studies.models import Study
from backend.corpus.models import Collection, Poem
from backend.generation.models import LanguageModel, Run

ENGLISH, CHINESE = "en", "zh-hans"
CONSENT = {
    ENGLISH: """You are invited to judge poems for a study called "{title}".

You will read poems and answer the questions beside them. {told} Do as many as you can; you may \
stop at any time and come back by the same link.

Your answers are kept with a random code, not with your name, and are analysed and may be \
published in that form. What you write in comments is quoted only if you allow it below, and you \
are thanked by name only if you wish it.

Taking part is voluntary. On the page "Pause or leave the study", which every page and letter \
leads to, you can pause, stop and let your answers be kept, or have everything deleted that you \
gave. To ask a question, write to {contact}.""",
    CHINESE: """诚邀您为题为“{title}”的研究评判诗歌。

您将阅读诗歌，并回答诗旁的问题。{told}评多评少由您决定；您可以随时停下，之后用同一链接继续。

您的回答以随机代码保存，不附您的姓名，并以这种形式用于分析，也可能以这种形式发表。只有在您于下方\
表示同意时，我们才会引用您的评语；只有在您愿意时，我们才会署名致谢。

参加完全自愿。每个页面和每封邮件都有“暂停或退出研究”的链接，您可以在那里暂停、停止参加并保留\
已有回答，或者删除您提供的一切。如有疑问，请联系：{contact}""",
}
# What the usual text says of authorship: where experts are told of it afterwards, and elsewhere.
TOLD = {
    True: {
        ENGLISH: "You will not be told who wrote them while the study lasts; once it is closed and "
        "its key is opened, you can see by the same link who wrote those that you judged.",
        CHINESE: "研究进行期间，我们不会告诉您诗的作者是谁；研究结束并公开作者之后，您可以用\
同一链接查看您所评诗歌的作者。",
    },
    False: {
        ENGLISH: "You will not be told who wrote them.",
        CHINESE: "我们不会告诉您诗的作者是谁。",
    },
}
PROMISE = {
    ENGLISH: "I will use no other source and no other help, of people or computers, while I judge.",
    CHINESE: "评判期间，我不查阅其他资料，也不借助他人或计算机的帮助。",
}


class NothingToJudge(ValueError):
    """The choice holds no poem that can be shown; the message says why.

    Attributes
    ----------
    field : str
        What of the plan it is about, as the builder's form names it.
    group : str
        The name of the group that it is about; empty if it is about none.
    """

    def __init__(self, message: str, *, field: str = "collection", group: str = "") -> None:
        super().__init__(message)
        self.field = field
        self.group = group


@dataclass(frozen=True)
class GroupPlan:
    """Items that a panel of their own judges: of these forms and languages; none named is any.

    A language takes its regional kinds with it: "en" is "en-GB", too.
    """

    name: str
    judges_per_item: int
    forms: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def takes(self, form: str, language: str) -> bool:
        forms = {one.casefold() for one in self.forms}
        told = language.casefold()
        return (not forms or form.casefold() in forms) and (
            not self.languages
            or any(told == one or told.startswith(f"{one}-") for one in self._languages)
        )

    @property
    def _languages(self) -> tuple[str, ...]:
        return tuple(one.casefold() for one in self.languages)


@dataclass(frozen=True)
class AttentionPlan:
    """An item that tests attention: its text (or two), and what an attentive judge answers."""

    text: str
    expected: Mapping[str, object]
    second: str = ""


@dataclass(frozen=True)
class Exclusions:
    """What results leave out, by rules fixed at opening; None is no rule.

    Attributes
    ----------
    recognised : int or None
        Judgments whose answer to the question about recognition is at or above this level.
    seconds_per_line : float or None
        Judgments made in less time for a line of verse.
    failed_attention : int or None
        Judges who failed at least so many items that test attention.
    """

    recognised: int | None = None
    seconds_per_line: float | None = None
    failed_attention: int | None = None


@dataclass(frozen=True)
class Plan:
    """What a study is built from.

    Attributes
    ----------
    title, contact : str
        Shown to judges.
    instrument : str
        Key of a shipped instrument, or of one of the coordinators' own: its latest version.
    collection : Collection
        Its poems are the human ones.
    runs, models
        Machine poems: what these models wrote in these runs, to the chosen human poems' briefs
        and, where neither briefs nor titles are shown and poems stand alone, to briefs of no poem.
    judges_per_item, batch_size, seed : int
    only : sequence of Poem or None
        The human poems to take; None is the whole collection.
    poems : int or None
        How many of them, drawn by `seed`; None is all.
    shows_titles : bool
    consent, consent_zh : str
        The consent text in the study's language (in English, for a Chinese study) and in Simplified
        Chinese. Both empty: the usual text, in both. One empty: the other alone.
    promise : str
        Empty: the usual one where a probability is asked for, as in ProFTAP; else none.
    honorarium : str
    asks_background, debriefs : bool
    dealing, twins, late : str
        As `annotation.studies.models.Study` has them.
    apart, lease_hours, repeats, repeat_after_days, attention_every : int
    groups : sequence of GroupPlan
        An item falls into the first that takes it. None at all: every item has `judges_per_item`.
    attention : sequence of AttentionPlan
    exclusions : Exclusions
    analysis_plan : str
    margin : float or None
        Within what distance of 0.5 an AUC is as good as chance: above 0, at most 0.25. None: none
        is found to be.
    interim_looks : bool
    unsealing_needs : int
    surface_limit : float
        The AUC above which the study is opened with a written reason only.
    steps : sequence of str or None
        Of the display normalisation; None is all.
    """

    title: str
    contact: str
    instrument: str
    collection: Collection
    runs: Sequence[Run]
    models: Sequence[LanguageModel]
    judges_per_item: int
    batch_size: int
    seed: int
    only: Sequence[Poem] | None = None
    poems: int | None = None
    shows_titles: bool = False
    consent: str = ""
    consent_zh: str = ""
    promise: str = ""
    honorarium: str = ""
    asks_background: bool = True
    debriefs: bool = False
    dealing: str = Study.Dealing.BATCH
    twins: str = Study.Twins.LAST
    apart: int = 1
    lease_hours: int = 14 * 24
    late: str = Study.Late.OUT
    groups: Sequence[GroupPlan] = ()
    repeats: int = 0
    repeat_after_days: int = 7
    attention_every: int = 0
    attention: Sequence[AttentionPlan] = ()
    exclusions: Exclusions = Exclusions()
    analysis_plan: str = ""
    margin: float | None = None
    interim_looks: bool = False
    unsealing_needs: int = 1
    surface_limit: float = 0.6
    steps: Sequence[str] | None = None


def wordings(plan: Plan, instrument: Instrument) -> dict[str, str]:
    """Return the consent text in each language that it is to be offered in."""
    if not plan.consent.strip() and not plan.consent_zh.strip():
        return {
            language: text.format(
                title=plan.title, contact=plan.contact, told=TOLD[plan.debriefs][language]
            )
            for language, text in CONSENT.items()
        }
    own = ENGLISH if _chinese(instrument) else instrument.language
    given = {own: plan.consent, CHINESE: plan.consent_zh}
    return {language: text for language, text in given.items() if text.strip()}


def untold(texts: Mapping[str, str]) -> dict[str, str]:
    """Return consent texts for a study whose experts are not told afterwards who wrote what.

    Where they say in the usual words that experts are, they say that these are not; coordinators'
    own words stay.
    """
    words = [(TOLD[True][language], TOLD[False][language]) for language in CONSENT]
    return {
        language: reduce(lambda text, pair: text.replace(*pair), words, given)
        for language, given in texts.items()
    }


def promised(plan: Plan, instrument: Instrument) -> str:
    """Return what experts promise with the consent, empty for nothing."""
    if plan.promise:
        return plan.promise
    if not any(isinstance(question, Probability) for question in instrument.questions):
        return ""
    return PROMISE[CHINESE if _chinese(instrument) else ENGLISH]


def _chinese(instrument: Instrument) -> bool:
    return instrument.language.casefold().startswith("zh")
