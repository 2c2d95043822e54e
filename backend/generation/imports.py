"""Imports machine poems that were written elsewhere: whole files or nothing, each reply once."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from backend.accounts.models import User
from backend.corpus.lines import Finding
from backend.corpus.models import Collection
from backend.corpus.problems import ImportRefused, Problem
from backend.corpus.readers import read_table
from backend.generation import reciting
from backend.generation.briefs import IMPORTED
from backend.generation.cleaning import NoPoem, find_poem
from backend.generation.models import Brief, Generation, LanguageModel, Recital, Run
from backend.generation.rows import Entry, Shelf, entries, match
from backend.generation.services import NameTaken, brief_for

AT_ONCE = 500  # generations in one INSERT


@dataclass(frozen=True)
class ImportReport:
    """What came of an import.

    Attributes
    ----------
    run : Run
        Where the replies are now.
    poems : int
        New replies that hold a poem.
    without : Counter of str
        New replies that hold none, by the kind of failure. They are kept as failed.
    known : int
        Rows whose reply was there already.
    ignored_columns : tuple of str
        Columns of the file that were not used.
    """

    run: Run
    poems: int
    without: Counter[str]
    known: int
    ignored_columns: tuple[str, ...]

    @property
    def added(self) -> int:
        return self.poems + self.without.total()

    def __str__(self) -> str:
        added = "1 reply" if self.added == 1 else f"{self.added} replies"
        said = f"{added} added to “{self.run}”: {self.poems} with a poem"
        if self.without:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.without.items()))
            said += f", {self.without.total()} without ({kinds})"
        said += f". {self.known} known already."
        if self.ignored_columns:
            said += f" Columns not used: {', '.join(self.ignored_columns)}."
        return said


def import_generations(
    content: bytes,
    *,
    file_name: str,
    run_name: str,
    collection: Collection | None = None,
    template: str = "poemetric",
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    by: User | None = None,
) -> ImportReport:
    """Import machine poems into the run of that name, made if it is new.

    Each row holds a model and its raw reply, and says to what brief: by the key or the title of a
    human poem of `collection`, or by a prompt of its own.

    Parameters
    ----------
    content, file_name : bytes, str
        The file; the ending of its name says how to read it.
    template : str
        How a human poem was put as a brief, where the row has no prompt.
    columns : mapping of str to str, optional
        A name in `rows.KNOWN` -> the column that feeds it; an empty one feeds nothing.

    Raises
    ------
    ImportRefused
        If anything is wrong with the file, with every place; the database is then untouched.
    NameTaken
        If that run is one whose models were asked from here.
    """
    name = run_name.strip()
    if problems := _misasked(content, name):
        raise ImportRefused(problems)
    table = read_table(content, file_name=file_name, encoding=encoding)
    if not table.rows:
        raise ImportRefused(table.problems)
    feeds = match(table.header, columns or {})
    understood = entries(table, feeds, Shelf(collection, template))
    ignored = tuple(column for column in table.header if column not in feeds.values())
    return _keep(understood, name, by, ignored)


def _misasked(content: bytes, name: str) -> list[Problem]:
    problems = []
    if not name:
        problems.append(Problem(None, "", "The run has no name", "Name it"))
    longest = Run._meta.get_field("name").max_length or 0
    if len(name) > longest:
        reason = f"The run's name is longer than {longest} characters"
        problems.append(Problem(None, "", reason, "Shorten it"))
    if len(content) > settings.CORPUS_FILE_LIMIT:
        limit = settings.CORPUS_FILE_LIMIT // 2**20
        reason = f"The file is larger than {limit} MiB"
        problems.append(Problem(None, "", reason, "Split it into several files"))
    return problems


@transaction.atomic
def _keep(
    understood: list[Entry], run_name: str, by: User | None, ignored: tuple[str, ...]
) -> ImportReport:
    run = _run(run_name, by)
    kept = defaultdict(list)
    for brief_id, model_id, reply in run.generations.values_list("brief_id", "model_id", "reply"):
        kept[brief_id, model_id].append(reply)
    models = _models({entry.model for entry in understood})
    briefs: dict[tuple[int | None, str, str], Brief] = {}
    new: list[Generation] = []
    for entry in understood:
        asked = (entry.poem.pk if entry.poem else None, entry.template, entry.brief)
        if asked not in briefs:
            briefs[asked] = brief_for(entry.poem, entry.template, entry.brief)
        model, replies = models[entry.model], kept[briefs[asked].pk, models[entry.model].pk]
        if entry.reply not in replies:
            replies.append(entry.reply)
            new.append(_generation(run, briefs[asked], model, len(replies), entry))
    _hold_against_known(new)
    without = Counter(made.error_kind for made in new if made.error_kind)
    return ImportReport(
        run, len(new) - without.total(), without, len(understood) - len(new), ignored
    )


def _run(name: str, by: User | None) -> Run:
    Run.objects.get_or_create(name=name, defaults={"template": IMPORTED, "started_by": by})
    # Locked, so that of two imports at once the second sees what the first added.
    run = Run.objects.select_for_update().get(name=name)
    if run.template != IMPORTED:
        raise NameTaken(
            f"The run “{name}” asked its models from here; choose another name for imported poems."
        )
    return run


def _models(names: set[str]) -> dict[str, LanguageModel]:
    reach = LanguageModel.Reach.IMPORTED
    return {
        name: LanguageModel.objects.get_or_create(name=name, defaults={"reach": reach})[0]
        for name in sorted(names)
    }


def _hold_against_known(new: list[Generation]) -> None:
    """Keep the new rows, and flag those that have lines of known poems: nobody can ask anew."""
    done = [made for made in new if made.status == "done"]
    findings = reciting.find_many(done)
    for made, recited in zip(done, findings, strict=True):
        made.flags += reciting.flags((), recited)
    Generation.objects.bulk_create(new, batch_size=AT_ONCE)
    Recital.objects.bulk_create(
        (
            recital
            for made, recited in zip(done, findings, strict=True)
            for recital in reciting.recitals(made, None, recited)
        ),
        batch_size=AT_ONCE,
    )


def _generation(
    run: Run, brief: Brief, model: LanguageModel, sample: int, entry: Entry
) -> Generation:
    made = Generation(
        run=run,
        brief=brief,
        model=model,
        sample=sample,
        reply=entry.reply,
        finished_at=timezone.now(),
    )
    try:
        found = find_poem(entry.reply, finish=entry.finish)
    except NoPoem as problem:
        made.status, made.error_kind, made.error = "failed", problem.kind, str(problem)
    else:
        made.status, made.title, made.text = "done", found.title, found.text
        made.trimmed = found.trimmed
        made.flags = reciting.flags(found.flags, Finding())
    return made
