"""A small open study of a draft's own texts, to try it out first. Its data are never joined."""

from random import Random

from django.db import transaction

from annotation.studies import consenting
from annotation.studies.models import ConsentWording, Group, Item, Study
from backend.accounts.models import User
from backend.design.freezing import PLAIN
from backend.design.models import AttentionCheck, Design, Placement
from backend.design.opening import hold_draft, open_study
from backend.design.placing import opaque, store
from backend.design.planning import untold
from backend.design.services import named
from backend.design.sizes import texts_at_most
from backend.design.states import WrongState

SUFFIX = " (pilot)"
LONGEST_TITLE = 120
NO_LIMIT = 1.0
ONLY_A_DRAFT = "Only a draft is tried out; build one with the same choices."
WHY = "A pilot: its data are not analysed with the study's."
DESIGNED = (
    "collection", "shows_titles", "recipe", "exclusions", "analysis_plan", "margin",
    "interim_looks", "unsealing_needs",
)  # fmt: skip
SHOWN = ("text", "second", "title", "brief", "language", "conflicts", "attention", "places")


@transaction.atomic
def try_out(study: Study, *, briefs: int, by: User | None = None) -> Study:
    """Return an open pilot of a draft: all texts on so many of its briefs, drawn by its seed.

    It has a key, codes and an order of its own, and no more hidden repeats for each expert than it
    has texts for one. Nobody is told afterwards who wrote what: the same texts are still to be
    judged in the study itself.

    Raises
    ------
    WrongState
        If the study is not a draft, is a pilot itself, or was discarded meanwhile.
    NotReady
        If something else than the surface of its texts stands against opening it.
    """
    hold_draft(study, once_opened=ONLY_A_DRAFT)
    if study.design.pilot_of_id:
        raise WrongState(ONLY_A_DRAFT)
    fields = {name: getattr(study, name) for name in PLAIN}
    made = named(
        Study(
            **{
                **fields,
                "debriefs": False,
                "title": f"{study.title[: LONGEST_TITLE - len(SUFFIX)]}{SUFFIX}",
                "instrument_data": study.instrument_data,
                # Conflicts are copied as codes, which are codes under this salt.
                "conflict_salt": study.conflict_salt,
            }
        )
    )
    texts = ConsentWording.objects.latest_of(study).values_list("language", "text")
    consenting.publish(made, untold(dict(texts)))
    design = Design.objects.create(
        study=made,
        pilot_of=study,
        created_by=by,
        surface_limit=NO_LIMIT,
        surface_reason=WHY,
        **{name: getattr(study.design, name) for name in DESIGNED},
    )
    design.runs.set(study.design.runs.all())
    design.models_chosen.set(study.design.models_chosen.all())
    _copy(study, design, briefs)
    most, _ = texts_at_most(made)
    made.repeats = min(made.repeats, most)
    made.save(update_fields=["repeats"])
    return open_study(made, by=by)


def _copy(study: Study, design: Design, briefs: int) -> None:
    """Copy what is shown on some of the briefs, and all that tests attention, with the key."""
    twins = sorted(set(study.items.judged().values_list("twin", flat=True)))
    drawn = Random(f"{study.seed}/pilot").sample(twins, min(briefs, len(twins)))  # noqa: S311
    items = study.items.filter(twin__in=drawn) | study.items.filter(attention=True)
    chosen = list(items.select_related("placement", "attention_check", "group").order_by("pk"))
    Random(design.key_salt).shuffle(chosen)  # noqa: S311
    groups = {
        group.pk: Group.objects.create(
            study=design.study, name=group.name, judges_per_item=group.judges_per_item
        )
        for group in study.groups.filter(items__twin__in=drawn).distinct()
    }
    store(
        [
            Item(
                study=design.study,
                group=groups[item.group_id] if item.group_id else None,
                stratum=opaque(design, item.stratum),
                twin=opaque(design, item.twin),
                form=opaque(design, item.form),
                **{name: getattr(item, name) for name in SHOWN},
            )
            for item in chosen
        ],
        [_sealed(item) for item in chosen],
    )


def _sealed(item: Item) -> Placement | AttentionCheck:
    if item.attention:
        return AttentionCheck(expected=item.attention_check.expected)
    placed = item.placement
    return Placement(
        poem_id=placed.poem_id,
        generation_id=placed.generation_id,
        human_second=placed.human_second,
    )
