"""Small open studies with experts who have agreed, for the tests of the expert's side."""

from collections.abc import Mapping
from itertools import count
from typing import Any

from django.test import Client

from annotation.instruments.loading import published
from annotation.studies.consenting import agree, publish, wording_for
from annotation.studies.links import invite, link_for
from annotation.studies.models import Item, Judge, Study

POEMS = (
    "There was an old man of the sea,\n    Who lived on a biscuit of tea;",
    "O rose,\n\n  thou art sick",
    "床前明月光，\n疑是地上霜。",
)
LIKERT = (
    "form", "theme", "lexical_diversity", "creativity", "idiosyncrasy", "emotional_resonance",
    "imagery", "literary_devices", "quality", "human_authorship",
)  # fmt: skip
_numbers = count(1)


def open_study(
    *,
    instrument: str | Mapping[str, Any] = "poemetric-survey",
    second: str = "",
    items: int = 6,
    judges_per_item: int = 2,
    batch: int = 3,
) -> Study:
    """Return an open study whose items fall in two strata and share briefs by threes.

    Its instrument is a shipped one, by key, or one given as data. With a `second` text, each item
    is a pair.
    """
    number = next(_numbers)
    study = Study.objects.create(
        slug=f"study-{number}",
        title=f"Study {number}",
        instrument_data=published(instrument) if isinstance(instrument, str) else instrument,
        contact="panel@example.org",
        judges_per_item=judges_per_item,
        batch_size=batch,
        asks_background=False,
        seed=number,
        state=Study.State.OPEN,
        fingerprint="f" * 64,
    )
    publish(study, {"en": "You will read poems."})
    Item.objects.bulk_create(
        Item(
            study=study,
            text=POEMS[index % len(POEMS)],
            second=second,
            brief=f"Write poem {index}.",
            stratum=f"s{index % 2}",
            twin=f"t{index // 3}",
            places=judges_per_item,
        )
        for index in range(items)
    )
    return study


def expert(study: Study, name: str = "", *, agreed: bool = True) -> Judge:
    """Return an expert of the study, who has agreed unless told otherwise."""
    judge = invite(study, name=name or f"Expert {next(_numbers)}").invitation.judge
    if agreed:
        agree(judge, wording=wording_for(study, "en"), promised=True)
    return judge


def enter(client: Client, judge: Judge) -> Client:
    """Let the client in by a new personal link of the judge, and keep the key in `client.key`."""
    link = link_for(judge)
    response = client.get(f"/invitation/{link.secret}/")
    assert response.status_code == 302
    client.key = link.secret
    return client


def desk(client: Client) -> str:
    """Return the address of the desk that the client was let in to."""
    return f"/desk/{client.key}/"


def survey(**changes: object) -> dict[str, object]:
    """Return a full set of answers to POEMetric's survey."""
    return {**dict.fromkeys(LIKERT, "4"), **changes}
