"""What a command asks for: a new run, or one of that name that is gone on with."""

import difflib
import hashlib
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.corpus.models import Collection, Poem
from backend.generation import services
from backend.generation.briefs import IMPORTED, TEMPLATES, NoBrief
from backend.generation.models import LanguageModel, Run

BUILT_IN = "built-in"
# How each setting is named, and what it is where a command does not name it.
SETTINGS: Mapping[str, Any] = {
    "samples": 1,
    "temperature": None,
    "max_tokens": None,
    "seed": None,
    "turns": Run._meta.get_field("turns").default,
}
LONGEST_NAME = Run._meta.get_field("name").max_length or 120


class CannotPlan(ValueError):
    """What was asked for cannot be done as it was asked; the message says what would do."""


@dataclass(frozen=True)
class Plan:
    """What is to be done.

    Attributes
    ----------
    models : list of LanguageModel
        Those that write in the end.
    poems : list of Poem
        To whose briefs they write.
    settings : dict
        As `services.start_run` takes them.
    notes : list of str
        What was decided here and should be said.
    """

    name: str
    template: str
    models: list[LanguageModel]
    poems: list[Poem]
    settings: dict[str, Any]
    notes: list[str]


@dataclass(frozen=True)
class NewRun(Plan):
    """A run is to be started."""

    collection: Collection


@dataclass(frozen=True)
class SameRun(Plan):
    """A run is gone on with; `added` are the models that it does not have yet."""

    run: Run
    added: list[LanguageModel]


def plan(options: Mapping[str, Any]) -> NewRun | SameRun:
    """Return what these options of the command ask for.

    With a collection, it is the whole of a run that is described: the same description again goes
    on with the same run. With a name alone it is the run of that name.

    Raises
    ------
    CannotPlan
        If something is missing or unknown, or if a run of that name was started otherwise.
    """
    if options["collection"] is None:
        return _of_a_name(options)
    collection = find_collection(options["collection"])
    poems = _poems(collection, options)
    known = _find_run(options["run"]) if options["run"] else None
    template, notes = _template(options["template"], known, poems)
    name = options["run"] or default_name(collection, template, options)
    run = known or _find_run(name)
    if run is None:
        return _new(name, collection, template, poems, options, notes)
    described = {key: _given(options, key) for key in SETTINGS}
    differing = [
        *_differing(run, {**described, "template": template}),
        *_other_poems(run, collection, poems, template),
    ]
    return _gone_on_with(run, options, differing, notes if options["template"] is None else [])


def _of_a_name(options: Mapping[str, Any]) -> SameRun:
    name = options["run"]
    if not name:
        raise CannotPlan('Name the collection: --collection "NAME"; --list shows what there is.')
    run = _find_run(name)
    if run is None:
        names = list(Run.objects.values_list("name", flat=True))
        raise CannotPlan(
            f"There is no run named {name!r} to go on with.{nearest(name, names)} "
            "To start it, name its collection and models as well."
        )
    given = {key: options[key] for key in (*SETTINGS, "template") if options[key] is not None}
    differing = _differing(run, given)
    if options["poems"] is not None:
        differing.append("poems: those of a run stay as they were drawn; leave --poems out")
    return _gone_on_with(run, options, differing, [])


def _new(
    name: str,
    collection: Collection,
    template: str,
    poems: list[Poem],
    options: Mapping[str, Any],
    notes: list[str],
) -> NewRun:
    if options["retry_failed"]:
        raise CannotPlan(f"There is no run named {name!r}, so nothing of it failed.")
    models = find_models(options["models"])
    if not models:
        raise CannotPlan("Choose at least one language model: --models NAME; --list shows them.")
    if len(name) > LONGEST_NAME:
        raise CannotPlan(f"The run's name has {len(name)} characters; {LONGEST_NAME} fit.")
    settings = {key: _given(options, key) for key in SETTINGS}
    return NewRun(name, template, models, poems, settings, notes, collection)


def _gone_on_with(
    run: Run, options: Mapping[str, Any], differing: list[str], notes: list[str]
) -> SameRun:
    if run.template == IMPORTED:
        raise CannotPlan(f"The run {run.name!r} was imported; there is nothing to ask for.")
    if differing:
        listed = "".join(f"\n  {each}" for each in differing)
        raise CannotPlan(
            f"There is a run named {run.name!r} already, started otherwise:{listed}\n"
            f"To go on with it: --run {shlex.quote(run.name)} alone. For a new one, choose another "
            "--run."
        )
    if run.state != Run.State.RUNNING:
        raise CannotPlan(
            f"The run {run.name!r} is {run.state}. To let it go on: manage.py runs --resume "
            f"{shlex.quote(run.name)}"
        )
    own = list(LanguageModel.objects.filter(generations__run=run).distinct())
    named = find_models(options["models"])
    added = [model for model in named if model not in own]
    unnamed = [model.name for model in own if model not in named]
    if named and unnamed:
        notes = [*notes, f"The run has other models too, and goes on with them: {_list(unnamed)}."]
    if options["fresh"]:
        notes = [*notes, "The run is there and goes on; for answers of its own choose a new --run."]
    if added:
        notes = [*notes, f"Added to the run: {_list(model.name for model in added)}."]
    settings = {key: getattr(run, key) for key in SETTINGS}
    poems = list(Poem.objects.filter(briefs__generations__run=run).distinct())
    models = [*own, *added]
    return SameRun(run.name, run.template, models, poems, settings, notes, run, added)


def default_name(collection: Collection, template: str, options: Mapping[str, Any]) -> str:
    """Return the name of the run that these options describe, the same for the same options."""
    said = {
        "poems": "{} poems",
        "samples": "{} samples",
        "temperature": "temperature {:g}",
        "max_tokens": "at most {} tokens",
        "seed": "seed {}",
        "turns": "{} turns",
    }
    parts = [collection.name, template]
    for key, words in said.items():
        value = options[key]
        if value is not None and value != SETTINGS.get(key):
            parts.append(words.format(value))
    if options["fresh"]:
        parts.append("fresh")
    name = ", ".join(parts)
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: LONGEST_NAME - 10]}… {digest}"[:LONGEST_NAME]


def guessed_template(poems: Sequence[Poem]) -> tuple[str, str]:
    """Return the template that suits the poems, and why."""
    lacking = sum(not _writes("poemetric", poem) for poem in poems)
    if not lacking:
        return "poemetric", "every poem has a form and a theme"
    languages = Counter(poem.language.split("-")[0] for poem in poems)
    key = "proftap-zh" if languages.most_common(1)[0][0] == "zh" else "proftap-en"
    return key, f"{lacking} of {len(poems)} poems have no form or no theme"


def find_collection(name: str) -> Collection:
    """Return the collection of this name.

    Raises
    ------
    CannotPlan
        If there is none; names like it are suggested.
    """
    found = Collection.objects.filter(name=name).first()
    if found is None:
        names = list(Collection.objects.values_list("name", flat=True))
        raise CannotPlan(f"There is no collection named {name!r}.{nearest(name, names)}")
    return found


def find_models(names: Iterable[str]) -> list[LanguageModel]:
    """Return the models of these names, each once; "built-in" names all built-in writers.

    Raises
    ------
    CannotPlan
        If one cannot be asked; names like it are suggested.
    """
    offered = {model.name: model for model in services.writers()}
    chosen: dict[str, LanguageModel] = {}
    for name in names:
        if name == BUILT_IN:
            chosen |= {model.name: model for model in services.built_in_models()}
        elif name in offered:
            chosen[name] = offered[name]
        elif LanguageModel.objects.filter(name=name).exists():
            raise CannotPlan(f"{name!r} is here for its imported poems only; it cannot be asked.")
        else:
            known = nearest(name, [BUILT_IN, *offered])
            raise CannotPlan(f"There is no model named {name!r} to ask.{known}")
    return list(chosen.values())


def nearest(name: str, names: Sequence[str]) -> str:
    """Return a sentence that suggests the names most like this one, or says what there is."""
    folded = {each.casefold(): each for each in names}
    wanted = name.casefold()
    like = difflib.get_close_matches(wanted, folded, n=3, cutoff=0.5)
    like = like or [each for each in folded if wanted in each][:3]
    if like:
        return f" Did you mean {' or '.join(repr(folded[each]) for each in like)}?"
    if not names:
        return " There is none yet."
    more = f" and {len(names) - 10} more (--list)" if len(names) > 10 else ""
    return f" There are: {', '.join(repr(each) for each in names[:10])}{more}."


def _find_run(name: str) -> Run | None:
    return Run.objects.select_related("collection").filter(name=name).first()


def _given(options: Mapping[str, Any], key: str) -> Any:
    return SETTINGS[key] if options[key] is None else options[key]


def _poems(collection: Collection, options: Mapping[str, Any]) -> list[Poem]:
    poems = list(collection.poems.order_by("pk"))
    if not poems:
        raise CannotPlan(f"The collection {collection.name!r} is empty.")
    if options["poems"] is None:
        return poems
    return services.draw_poems(collection, options["poems"], seed=options["seed"])


def _template(chosen: str | None, run: Run | None, poems: list[Poem]) -> tuple[str, list[str]]:
    if chosen is not None:
        return chosen, []
    if run is not None:
        return run.template, []
    key, why = guessed_template(poems)
    return key, [f"Template {key} ({TEMPLATES[key].name}), since {why}; --template has others."]


def _differing(run: Run, described: Mapping[str, Any]) -> list[str]:
    return [
        f"{key.replace('_', ' ')}: {_said(getattr(run, key))} there, {_said(value)} now"
        for key, value in described.items()
        if getattr(run, key) != value
    ]


def _other_poems(run: Run, collection: Collection, poems: list[Poem], template: str) -> list[str]:
    if run.template != template:
        return []
    there = set(run.generations.values_list("brief__poem_id", flat=True).distinct())
    now = {poem.pk for poem in poems if _writes(template, poem)}
    if there == now:
        return []
    if run.collection and run.collection != collection:
        return [f"collection: {run.collection.name!r} there, {collection.name!r} now"]
    if len(there) != len(now):
        return [f"poems: {len(there)} there, {len(now)} now"]
    return ["poems: as many, but others; the collection has changed"]


def _said(value: Any) -> str:
    return "none" if value is None else str(value)


def _writes(template: str, poem: Poem) -> bool:
    try:
        TEMPLATES[template].write(poem)
    except NoBrief:
        return False
    return True


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)
