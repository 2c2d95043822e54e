"""Texts become items in an order that tells nothing, with opaque codes and their sealed key."""

import hmac
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

    Texts on one brief have the same: those of the poet whose poem the brief was made of. Where
    there is no such poet, or the name gives fewer codes, others that stand for nobody fill them up.
    """
    salt = design.study.conflict_salt
    named = {text.about: conflicts.codes(salt, text.poet) for text in texts}
    most = max((len(codes) for codes in named.values()), default=0)
    return {
        about: sorted(codes + [_opaque(design, f"{about}/{n}") for n in range(len(codes), most)])
        for about, codes in named.items()
    }


def _opaque(design: Design, meaning: str) -> str:
    return hmac.new(design.key_salt.encode(), meaning.encode(), "sha256").hexdigest()[:16]
