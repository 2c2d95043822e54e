"""Builds, opens and unseals simulated studies."""

import json
from collections.abc import Iterator

from django.db import transaction

from annotation.studies import links
from annotation.studies.consenting import agree, wording_for
from annotation.studies.models import Study
from backend.accounts.models import User
from backend.accounts.services import staff
from backend.config.simulating.setups import MARK, Setup
from backend.corpus import services as corpus
from backend.corpus.models import Collection
from backend.design import opening, unsealing
from backend.design import services as design
from backend.design.planning import GroupPlan, Plan
from backend.generation.imports import import_generations
from backend.generation.models import LanguageModel, Run

STAFF = "simulate-study"
MARGIN = 0.05
CONTACT = "whoever runs this Blindverse"
SURFACE = "The poems are made up, all of them in one way."


class NotAllowed(Exception):
    """The account that unseals simulated studies may not; the message says what to do."""


def build(setup: Setup) -> Study:
    """Return the open study of a setup, with its experts; one that was begun before, as it is."""
    return _begun(setup) or _built(setup)


def _begun(setup: Setup) -> Study | None:
    found = Study.objects.filter(title=setup.title, design__analysis_plan=setup.in_words)
    return found.order_by("-pk").first()


def _built(setup: Setup) -> Study:
    kind = setup.kind
    name = f"{MARK}as {kind.name}, {setup.titles} titles, seed {setup.seed}"
    forms = [_form(setup, title) for title in range(setup.titles)]
    shelf = corpus.import_poems(
        _lines(_human(setup, title, forms[title]) for title in range(setup.titles)),
        file_name="simulated.jsonl", collection=name,
    ).collection  # fmt: skip
    run = import_generations(
        _lines(
            {"model": setup.model(author), "title": _name(title), "reply": text}
            for text, (author, title) in setup.poems.items()
            if author
        ),
        file_name="simulated.jsonl", run_name=f"{name}, {setup.models} models",
        collection=shelf, template=kind.template,
    ).run  # fmt: skip
    # What was imported is known again, if what follows should fail.
    return _opened(setup, run, shelf, forms)


@transaction.atomic
def _opened(setup: Setup, run: Run, shelf: Collection, forms: list[str]) -> Study:
    # Another run with the same options imported the same poems, and may have been sooner.
    Collection.objects.select_for_update(no_key=True).get(pk=shelf.pk)
    if begun := _begun(setup):
        return begun
    kind, groups = setup.kind, tuple[GroupPlan, ...]()
    if setup.read < setup.titles:
        rest = tuple(sorted({*forms} - {kind.forms[0]}))
        groups = (
            GroupPlan("Read by experts", setup.per_poem, forms=kind.forms[:1]),
            GroupPlan("Read by machine judges alone", 1, forms=rest),
        )
    study = design.build(
        Plan(
            title=setup.title, contact=CONTACT, instrument=kind.instrument, collection=shelf,
            runs=[run], models=list(LanguageModel.objects.filter(generations__run=run).distinct()),
            judges_per_item=setup.per_poem, batch_size=kind.batch_size, seed=setup.seed,
            dealing=kind.dealing, groups=groups, asks_background=False,
            analysis_plan=setup.in_words, margin=MARGIN,
        )
    )  # fmt: skip
    opening.allow_surface(study, limit=study.design.surface_limit, reason=SURFACE)
    study = design.open_study(study)
    group = study.groups.order_by("pk").first()
    for number in range(1, setup.judges + 1):
        link = links.invite(study, name=f"Simulated expert {number}", group=group)
        judge = link.invitation.judge
        agree(judge, wording=wording_for(study, study.language), promised=True)
    return study


def _form(setup: Setup, title: int) -> str:
    """Return the form of a title: where experts read some titles alone, those have the first."""
    first, *others = setup.kind.forms
    if not setup.kind.read:
        return setup.kind.forms[title % len(setup.kind.forms)]
    return first if title < setup.kind.read else others[title % len(others)]


def _human(setup: Setup, title: int, form: str) -> dict[str, str]:
    return {
        "title": _name(title), "author": f"Nobody, poet {title % 20 + 1}", "form": form,
        "theme": "a made-up one", "language": "en", "text": setup.text(0, title),
    }  # fmt: skip


def _name(title: int) -> str:
    return f"Made-up poem {title + 1:03}"


def _lines(rows: Iterator[dict[str, str]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def unseal(study: Study) -> Study:
    """Close a simulated study and unseal its key, in the name of a researcher of its own.

    Raises
    ------
    NotAllowed
        If the account that it is done by may not.
    """
    with transaction.atomic():
        # Another run with the same options may make the account, or close the study.
        Study.objects.hold(study.pk)
        by = staff(STAFF, User.Role.RESEARCHER)
        study.refresh_from_db()
        if study.state == Study.State.OPEN:
            design.close(study, by=by)
    study.refresh_from_db()
    if not unsealing.ask(study, by=by, reason="It is simulated."):
        raise NotAllowed(f"The account {STAFF} may not unseal a key: make it a researcher again.")
    return study
