"""One of each thing that an address can lead to, and one of each that belongs elsewhere."""

from dataclasses import dataclass

from annotation.judgments import leaving
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge, Study
from backend.accounts.models import User
from backend.api import services as tokens
from backend.corpus.models import PendingImport, Poem
from backend.design.models import Design, OwnInstrument
from backend.generation.models import Generation, Provider
from backend.hooks.models import Delivery, Hook
from backend.panel.models import Letter
from tests.annotation.panel import expert, open_study
from tests.backend.design.material import material
from tests.studies import coordinator

NOWHERE = 999_999_999

# A part of an address -> what stands there: one's own, and somebody else's (or nobody's).
Places = dict[str, tuple[object, object]]


@dataclass(frozen=True)
class Side:
    """What belongs to one study."""

    study: Study
    judge: Judge
    key: str
    token: str
    letter: Letter
    hook: Hook
    delivery: Delivery
    open_link: int
    join: str


def places(user: User) -> Places:
    """Return what stands in addresses: of a study and a member of staff, and of another of each."""
    own, other = _side("Ada"), _side("Ben")
    made = material(poems=1)
    lee = coordinator("lee")
    pending, foreign = (
        PendingImport.objects.create(
            content=b"title,verse\nOne,A line.\n", file_name="poems.csv", collection="New",
            encoding="utf-8", user=one,
        )
        for one in (user, lee)
    )  # fmt: skip
    instrument = OwnInstrument.objects.create(
        key="my-own", version=1, data={**own.study.instrument_data, "key": "my-own"}
    )
    mine, theirs = (
        tokens.make(one, name="a program", scopes=["studies:read"]).token for one in (user, lee)
    )
    receipt = leaving.to_token(leaving.delete(expert(own.study)))
    poem, generation = Poem.objects.all()[0], Generation.objects.all()[0]
    provider = Provider.objects.create(name="A provider", base_url="https://llm.example/v1")
    return {
        "<slug:slug>": (own.study.slug, "no-such-study"),
        "panel/<str:code>": (own.judge.code, other.judge.code),
        "panel/<slug:code>": (own.judge.code, other.judge.code),
        "panel/letters/<int:key>": (own.letter.pk, other.letter.pk),
        "letters/<int:pk>": (own.letter.pk, other.letter.pk),
        "open-links/<int:key>": (own.open_link, other.open_link),
        "open-links/<int:pk>": (own.open_link, other.open_link),
        "hooks/deliveries/<int:key>": (own.delivery.pk, other.delivery.pk),
        "deliveries/<int:pk>": (own.delivery.pk, other.delivery.pk),
        "hooks/<int:key>": (own.hook.pk, other.hook.pk),
        "hooks/<int:pk>": (own.hook.pk, other.hook.pk),
        "poem/<slug:token>": (own.token, other.token),
        "desk/<str:key>": (own.key, "unknown-secret"),
        "invitation/<str:key>": (own.key, "unknown-secret"),
        "join/<str:secret>": (own.join, "unknown-secret"),
        "deleted/<str:receipt>": (receipt, "unknown-secret"),
        "ledger/remind/<slug:which>": ("silent", "no-such-list"),
        "tokens/<int:pk>": (mine.pk, theirs.pk),
        "corpus/import/<int:pk>": (pending.pk, foreign.pk),
        "corpus/poems/<int:pk>": (poem.pk, NOWHERE),
        "corpus/<int:pk>": (made.collection.pk, NOWHERE),
        "collections/<int:pk>": (made.collection.pk, NOWHERE),
        "v1/poems/<int:pk>": (poem.pk, NOWHERE),
        "language-models/<int:pk>": (made.models[0].pk, NOWHERE),
        "generation/models/<int:key>": (made.models[0].pk, NOWHERE),
        "generation/providers/<int:key>": (provider.pk, NOWHERE),
        "v1/providers/<int:pk>": (provider.pk, NOWHERE),
        "generation/runs/<int:key>": (made.run.pk, NOWHERE),
        "generation/poems/<int:key>": (generation.pk, NOWHERE),
        "runs/<int:pk>": (made.run.pk, NOWHERE),
        "instruments/<slug:key>": (instrument.key, "no-such-instrument"),
    }


def _side(name: str) -> Side:
    study = open_study()
    Design.objects.create(study=study)
    judge = expert(study, name)
    Judge.objects.filter(pk=judge.pk).update(email=f"{name}@reader.example")
    judge.refresh_from_db()
    key = links.link_for(judge).secret
    ledger.deal(judge)
    hook = Hook.objects.create(study=study, url="https://host.example/", secret="whsec_eA==")
    gate = links.open_link(study, quota=3)
    return Side(
        study=study,
        judge=judge,
        key=key,
        token=Assignment.objects.of(judge)[0].token,
        letter=Letter.objects.create(judge=judge, kind="reminder", status="failed"),
        hook=hook,
        delivery=Delivery.objects.create(
            hook=hook, event="ping", answered=0, places=1, status="failed"
        ),
        open_link=gate.pk,
        join=links.open_secret(gate) or "",
    )
