"""Texts become items in an order that tells nothing, with opaque codes and their sealed key."""

import hmac
from collections import Counter
from collections.abc import Sequence
from random import Random

from annotation.studies import conflicts
from annotation.studies.models import Item
from backend.design.models import Design, Placement
from backend.design.texts import Text


def place(design: Design, texts: Sequence[Text]) -> None:
    """Store the texts as items of the design's study, and the key to them."""
    shuffled = list(texts)
    # From the secret salt, not the seed: whoever knows the seed must not know the order.
    Random(design.key_salt).shuffle(shuffled)  # noqa: S311
    codes = _conflicts(design, shuffled)
    for text in shuffled:
        text.item.study = design.study
        text.item.stratum = _opaque(design, text.kind)
        text.item.twin = _opaque(design, text.about)
        text.item.conflicts = codes[text.about]
    items = Item.objects.bulk_create([text.item for text in shuffled], batch_size=1000)
    Placement.objects.bulk_create(
        (
            Placement(
                item=item,
                poem=text.poem,
                generation=text.generation,
                human_second=text.human_second,
            )
            for item, text in zip(items, shuffled, strict=True)
        ),
        batch_size=1000,
    )


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
        about: sorted(codes + [_opaque(design, f"{about}/{n}") for n in range(len(codes), most)])
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


def _opaque(design: Design, meaning: str) -> str:
    return hmac.new(design.key_salt.encode(), meaning.encode(), "sha256").hexdigest()[:16]
