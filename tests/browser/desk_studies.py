"""Studies with poems worth reading, for the tests that walk the expert's pages."""

from annotation.instruments.loading import published
from annotation.judgments.services import fix_stage, submit
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.consenting import agree, publish, record_background, wording_for
from annotation.studies.models import Assignment, Item, Judge, Study

CONTACT = "panel@example.org"
PROMISE = "I shall use no other source and no other help."
CONSENT = """You will read poems and answer questions about them.

What is kept: your name, your answers, and how long a poem was in view.
  You can leave at any time, and have everything deleted."""
CONSENT_ZH = """您将阅读若干首诗，并回答有关问题。

我们保存您的姓名、您的回答，以及每首诗的阅读时间。您可以随时退出，并要求删除全部资料。"""

TYGER = """Tyger Tyger, burning bright,
In the forests of the night;
What immortal hand or eye,
Could frame thy fearful symmetry?

In what distant deeps or skies,
Burnt the fire of thine eyes?
On what wings dare he aspire?
What the hand, dare seize the fire?

And what shoulder, & what art,
Could twist the sinews of thy heart?
And when thy heart began to beat,
What dread hand? & what dread feet?

What the hammer? what the chain,
In what furnace was thy brain?
What the anvil? what dread grasp,
Dare its deadly terrors clasp!"""
BALLAD = """A reed beside the river grew,
    The river knew it not.
The wind went by, the river too,
    And both the reed forgot."""
LONG_LINES = """Out of the cradle endlessly rocking,
Out of the mocking-bird’s throat, the musical shuttle, out of the Ninth-month midnight, over the sterile sands,
    and the fields beyond, where the child, leaving his bed, wander’d alone, bare-headed, barefoot,
Down from the shower’d halo,

        Up from the mystic play of shadows, twining and twisting as if they were alive."""  # noqa: E501  (a line of verse is not broken)
BRIEF = (
    "Please write a ballad of one stanza in the manner of common metre about a reed beside a "
    "river, with the rhyme pattern ABCB. Use the imagery of water and wind."
)
CHINESE = (
    "床前明月光，\n疑是地上霜。\n举头望明月，\n低头思故乡。",
    "空山不见人，\n但闻人语响。\n返景入深林，\n复照青苔上。",
)

LIKERT = (
    "form", "theme", "lexical_diversity", "creativity", "idiosyncrasy", "emotional_resonance",
    "imagery", "literary_devices", "quality", "human_authorship",
)  # fmt: skip
STAGE = {
    "recognition": "1", "overall_quality": "4", "emotional_resonance": "3",
    "quality_comment": "l. 2: a fine turn.",
}  # fmt: skip
ANSWERS: dict[str, dict[str, str]] = {
    "altered-text": {"altered": "1"},
    "pair-choice": {"human_text": "2"},
    "poemetric-survey": dict.fromkeys(LIKERT, "4"),
    "proftap-probability": {"probability_human": "0.35"},
    "proftap-probability-zh": {"probability_human": "0.35"},
    "recognised-probability": {**STAGE, "probability_human": "cannot_tell"},
}


def desk_study(
    slug: str,
    instrument: str = "recognised-probability",
    *,
    title: str = "Reeds and Rivers",
    poems: tuple[str, ...] = (TYGER, BALLAD, LONG_LINES),
    batch: int = 2,
    **fields: object,
) -> Study:
    """Return an open study that gives each of its poems to up to twenty judges."""
    data = published(instrument)
    given = {
        "language": data["language"], "contact": CONTACT, "asks_background": False,
        "judges_per_item": 20, "seed": 7, "state": Study.State.OPEN, "fingerprint": "5e" * 32,
        **fields,
    }  # fmt: skip
    study = Study.objects.create(
        slug=slug, title=title, instrument_data=data, batch_size=batch, **given
    )
    publish(study, {"en": CONSENT, "zh-hans": CONSENT_ZH})
    twofold = study.instrument.texts == 2
    Item.objects.bulk_create(
        Item(
            study=study,
            text=poem,
            second=poems[number - 1] if twofold else "",
            brief=BRIEF if study.instrument.shows_brief else "",
            language="zh" if data["language"].startswith("zh") else "en",
            stratum=f"s{number}",
            twin=f"t{number}",
            places=study.judges_per_item,
        )
        for number, poem in enumerate(poems)
    )
    return study


def invited(study: Study, name: str = "Maya Reader") -> tuple[Judge, str]:
    """Return somebody who was just invited, and the secret of their link."""
    link = links.invite(study, name=name)
    return link.invitation.judge, link.secret


def ready(study: Study, name: str = "Maya Reader") -> tuple[Judge, str]:
    """Return somebody who has agreed and told of themselves."""
    judge, key = invited(study, name)
    agree(judge, wording=wording_for(study, study.language), promised=True, thanked_as=name)
    record_background(judge, practice=["poet"], years="3-5", languages=["en"], conflicts="")
    return judge, key


def reading(study: Study, name: str = "Maya Reader", *, answered: int = 0) -> tuple[Judge, str]:
    """Return somebody who holds a batch, the first poems of it answered."""
    judge, key = ready(study, name)
    ledger.deal(judge)
    for assignment in list(Assignment.objects.of(judge).in_order()[:answered]):
        answer(assignment)
    return judge, key


def answer(assignment: Assignment) -> None:
    """Answer a poem in full."""
    given = ANSWERS[assignment.judge.study.instrument.key]
    if len(assignment.judge.study.instrument.stages) > 1:
        fix_stage(assignment, STAGE, stage=0)
    submit(assignment, given, milliseconds=754_000)


def poem(judge: Judge, key: str, number: int = 0) -> str:
    """Return the address of a poem that the judge holds."""
    return f"/desk/{key}/poem/{Assignment.objects.of(judge).in_order()[number].token}/"


def nothing_left(study: Study) -> None:
    """Let other judges have taken every place."""
    Item.objects.filter(study=study).update(places_taken=study.judges_per_item)
