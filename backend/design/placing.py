"""Texts become items in an order that tells nothing, with opaque codes and their sealed key."""

import hmac
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from annotation.studies import conflicts
from annotation.studies.models import Group, Item
from backend.design.display import normalise
from backend.design.grouping import grouped, places_of
from backend.design.models import AttentionCheck, Design, Placement
from backend.design.planning import Plan
from backend.design.texts import Text


class _Attending(NamedTuple):
    item: Item
    expected: Mapping[str, object]


def place(design: Design, texts: Sequence[Text], plan: Plan) -> None:
    """Store the texts as items of the design's study, in its groups, and the key to them.

    Raises
    ------
    NothingToJudge
        If the plan has groups, and none of them takes a text.
    """
    groups = grouped(texts, plan.groups)
    stored = {one: Group.objects.create(study=design.study, name=one.name,
                                        judges_per_item=one.judges_per_item)
              for one in plan.groups}  # fmt: skip
    shuffled = list(texts)
    # From the secret salt, not the seed: whoever knows the seed must not know the order.
    Random(design.key_salt).shuffle(shuffled)  # noqa: S311
    codes = _conflicts(design, shuffled)
    for text in shuffled:
        group = groups[text.about]
        text.item.study = design.study
        text.item.stratum = opaque(design, text.kind)
        text.item.twin = opaque(design, text.about)
        text.item.form = opaque(design, f"form {text.form.casefold()}")
        text.item.conflicts = codes[text.about]
        text.item.group = stored[group] if group else None
        text.item.places = places_of(text.about, groups, plan.judges_per_item)
    rows: list[Text | _Attending] = [*shuffled]
    chance = Random(f"{design.key_salt}/attention")  # noqa: S311
    for test in _attention(design, plan, shuffled):
        rows.insert(chance.randint(0, len(rows)), test)
    store([row.item for row in rows], [_sealed(row) for row in rows])


def store(items: Sequence[Item], sealed: Sequence[Placement | AttentionCheck]) -> None:
    """Store items in this order, each with its entry in the key or with what is expected of it."""
    made = Item.objects.bulk_create(items, batch_size=1000)
    for item, entry in zip(made, sealed, strict=True):
        entry.item = item
    key = [entry for entry in sealed if isinstance(entry, Placement)]
    tests = [entry for entry in sealed if isinstance(entry, AttentionCheck)]
    Placement.objects.bulk_create(key, batch_size=1000)
    AttentionCheck.objects.bulk_create(tests, batch_size=1000)


def opaque(design: Design, meaning: str) -> str:
    """Return a code for something of this design that tells nobody what it means."""
    return hmac.new(design.key_salt.encode(), meaning.encode(), "sha256").hexdigest()[:16]


def _sealed(row: Text | _Attending) -> Placement | AttentionCheck:
    if isinstance(row, _Attending):
        return AttentionCheck(expected=dict(row.expected))
    return Placement(poem=row.poem, generation=row.generation, human_second=row.human_second)


def _attention(design: Design, plan: Plan, texts: Sequence[Text]) -> list[_Attending]:
    """Return the items that test attention, dressed like the others: they hold no place."""
    chance = Random(f"{design.key_salt}/dress")  # noqa: S311
    made = []
    for number, test in enumerate(plan.attention):
        like = chance.choice(texts).item
        item = Item(
            study=design.study,
            text=normalise(test.text, steps=plan.steps),
            second=normalise(test.second, steps=plan.steps),
            title=like.title,
            brief=like.brief,
            language=like.language,
            stratum=opaque(design, f"attention {number} stratum"),
            twin=opaque(design, f"attention {number} twin"),
            form=opaque(design, f"attention {number} form"),
            conflicts=sorted(
                opaque(design, f"attention {number}/{n}") for n in range(len(like.conflicts))
            ),
            attention=True,
            places=0,
        )
        made.append(_Attending(item, test.expected))
    return made


def _conflicts(design: Design, texts: Sequence[Text]) -> dict[str, list[str]]:
    """Return the codes of the names that a text has to do with, as many for each text.

    Texts on one brief have the same: those of the poet whose poem the brief was made of, or of the
    one who was lent to a brief of no poem. Where nobody is known, or the name gives fewer codes,
    others that stand for nobody fill them up.
    """
    salt = design.study.conflict_salt
    named = {text.about: conflicts.codes(salt, text.poet) for text in texts}
    named |= {about: list(codes) for about, codes in _lent(design, texts, named).items()}
    most = max((len(codes) for codes in named.values()), default=0)
    return {
        about: sorted(codes + [opaque(design, f"{about}/{n}") for n in range(len(codes), most)])
        for about, codes in named.items()
    }


def _lent(
    design: Design, texts: Sequence[Text], named: dict[str, list[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the codes that each brief of no human poem is lent.

    Without them, whoever declares every poet would be left with machine poems alone, and know it.
    So that an exclusion takes as large a share of the machine poems as of the human ones, each
    brief goes to the poet who lacks most. Poems of nobody known count as one more poet's.
    """
    poets = {about: tuple(codes) for about, codes in named.items()}
    human = [text.about for text in texts if text.poem]
    machine = Counter(text.about for text in texts if not text.poem)
    own = set(human)
    free = [about for about in machine if human and about not in own]
    # Times the number of human poems, so that what is equal stays equal.
    lacking = {
        poet: number * machine.total()
        for poet, number in Counter(poets[about] for about in human).items()
    }
    for about in machine.keys() & own:
        lacking[poets[about]] -= machine[about] * len(human)
    chance, order = Random(f"{design.key_salt}/lent"), list(lacking)  # noqa: S311
    chance.shuffle(order)
    chance.shuffle(free)
    lent = {}
    # Those with most poems first: the others even out what is left.
    for about in sorted(free, key=machine.__getitem__, reverse=True):
        lent[about] = max(order, key=lacking.__getitem__)
        lacking[lent[about]] -= machine[about] * len(human)
    return lent
