"""What the rows of a file of machine poems say: whose reply each is, and to which brief."""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.corpus.columns import SURROGATE
from backend.corpus.models import Collection, Poem
from backend.corpus.problems import ColumnsMissing, Flaw, ImportRefused, Problem
from backend.corpus.readers import Row, Table
from backend.generation.briefs import IMPORTED, TEMPLATES, NoBrief
from backend.generation.models import LanguageModel

# What a row says -> the column names known for it.
KNOWN: Mapping[str, tuple[str, ...]] = {
    "model": ("model",),
    "reply": ("reply", "text", "poem", "content", "output", "response"),
    "poem_key": ("poem_key", "poem_id"),
    "title": ("title",),
    "prompt": ("prompt",),
    "finish": ("finish_reason", "finish"),
}
REQUIRED = ("model", "reply")
NAMES_A_BRIEF = ("poem_key", "title", "prompt")
# Why a reply ended, in the words of several providers.
FINISHES = {
    "max_tokens": "length",
    "refusal": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
}


@dataclass(frozen=True)
class Entry:
    """One row, understood: whose reply it is, and to which brief."""

    model: str
    reply: str
    finish: str
    poem: Poem | None
    template: str
    brief: str


def match(header: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the column that feeds each name in `KNOWN`: the one chosen, else one known for it.

    Raises
    ------
    ColumnsMissing
        If no column feeds the model, the reply, or anything that says to what brief.
    ImportRefused
        If `chosen` names what does not exist.
    """
    if problems := [*_not_there(header, chosen)]:
        raise ImportRefused(problems)
    names = {name.casefold(): name for name in reversed(header)}
    known = {
        field: next((names[name] for name in candidates if name in names), "")
        for field, candidates in KNOWN.items()
    }
    feeds = {field: column for field, column in {**known, **chosen}.items() if column}
    missing = [field for field in REQUIRED if field not in feeds]
    if not any(field in feeds for field in NAMES_A_BRIEF):
        missing.append("title, poem_key or prompt")
    if missing:
        reason = f"No column feeds it; the file's columns are: {', '.join(header)}"
        remedy = "Add the column, or say which one it is, on the page or by --column FIELD=COLUMN"
        raise ColumnsMissing([Problem(None, field, reason, remedy) for field in missing], header)
    return feeds


def _not_there(header: Sequence[str], chosen: Mapping[str, str]) -> list[Problem]:
    problems = []
    for field, column in chosen.items():
        if field not in KNOWN:
            remedy = f"Name one of: {', '.join(KNOWN)}"
            problems.append(Problem(None, column, f"A reply has no field {field!r}", remedy))
        elif column and column not in header:
            remedy = f"Name one of: {', '.join(header)}"
            problems.append(Problem(None, column, "The file has no such column", remedy))
    return problems


class Shelf:
    """The human poems that rows may name, and the way they are put as briefs."""

    def __init__(self, collection: Collection | None, template: str) -> None:
        self._collection = collection
        self._template = TEMPLATES[template]
        self._by_key: dict[str, Poem] = {}
        self._by_title: dict[str, list[Poem]] = defaultdict(list)
        for poem in collection.poems.order_by("pk") if collection else ():
            self._by_key |= {str(poem.pk): poem, poem.fingerprint: poem}
            self._by_title[_plain(poem.title)].append(poem)

    @property
    def template(self) -> str:
        return self._template.key

    def find(self, key: str, title: str) -> Poem | Flaw:
        """Return the poem with this key, or else of this title; or why there is not one."""
        if self._collection is None:
            return Flaw(
                "It names a human poem, and no collection is chosen to look for it",
                "Choose the collection, or let no column feed the title and the poem key",
            )
        if key:
            flaw = Flaw(
                f"No poem of “{self._collection}” has the key {key!r}",
                "Write the number in the address of the poem's page, or the poem's fingerprint",
            )
            return self._by_key.get(key, flaw)
        return self._titled(title)

    def brief(self, poem: Poem) -> str | Flaw:
        """Return the template's wording for the poem, or why it has none."""
        try:
            return self._template.write(poem)
        except NoBrief as reason:
            return Flaw(
                f"The template “{self._template.name}” cannot put “{poem}” as a brief: {reason}",
                "Give the wording in a column prompt, or choose another template",
            )

    def _titled(self, title: str) -> Poem | Flaw:
        match self._by_title.get(_plain(title), []):
            case [poem]:
                return poem
            case []:
                return Flaw(
                    f"No poem of “{self._collection}” is titled “{title.strip()}”",
                    "Write the title as the collection has it, or name the poem by its key in a "
                    "column poem_key",
                )
            case several:
                listed = "; ".join(f"{poem.author or 'unknown'}, key {poem.pk}" for poem in several)
                return Flaw(
                    f"{len(several)} poems are titled “{title.strip()}”: {listed}",
                    "Name the one that is meant by its key in a column poem_key",
                )


def _plain(title: str) -> str:
    return " ".join(unicodedata.normalize("NFC", title).casefold().split())


def entries(table: Table, feeds: Mapping[str, str], shelf: Shelf) -> list[Entry]:
    """Return what each row says.

    Raises
    ------
    ImportRefused
        If any row is wrong, with every problem of every row.
    """
    understood, problems = [], list(table.problems)
    for row in table.rows:
        entry = _entry(row, feeds, shelf)
        if isinstance(entry, Entry):
            understood.append(entry)
        else:
            problems += entry
    if problems:
        raise ImportRefused(sorted(problems, key=lambda problem: problem.line or 0))
    return understood


def _entry(row: Row, feeds: Mapping[str, str], shelf: Shelf) -> Entry | list[Problem]:
    fields, problems = _fields(row, feeds)
    if problems:
        return problems
    key, title, prompt = (fields.get(name, "") for name in NAMES_A_BRIEF)
    poem = shelf.find(key.strip(), title) if key.strip() or title.strip() else None
    if isinstance(poem, Flaw):
        column = feeds["poem_key"] if key.strip() else feeds["title"]
        return [Problem(row.line, column, poem.reason, poem.remedy)]
    brief = prompt if prompt.strip() or poem is None else shelf.brief(poem)
    if isinstance(brief, Flaw):
        return [Problem(row.line, "", brief.reason, brief.remedy)]
    if not brief.strip():
        reason = "The row says neither to which poem nor to which prompt the reply was written"
        return [Problem(row.line, "", reason, "Write a title, a poem_key or a prompt")]
    finish = fields.get("finish", "").strip().lower()
    template = IMPORTED if prompt.strip() else shelf.template
    return Entry(
        model=fields["model"].strip(),
        reply=fields["reply"],
        finish=FINISHES.get(finish, finish) or "stop",
        poem=poem,
        template=template,
        brief=brief,
    )


def _fields(row: Row, feeds: Mapping[str, str]) -> tuple[dict[str, str], list[Problem]]:
    fields, problems = {}, []
    for field, column in feeds.items():
        cell = row.cells.get(column)
        flaw = _flaw(field, cell)
        if flaw is not None:
            problems.append(Problem(row.line, column, flaw.reason, flaw.remedy))
        elif isinstance(cell, str):
            fields[field] = cell
    return fields, problems


def _flaw(field: str, cell: str | Flaw | None) -> Flaw | None:
    if isinstance(cell, Flaw):
        return cell
    if cell is None:
        # An empty reply is what a model said; a missing one is a mistake in the file.
        remedy = 'Write it; a model that answered nothing has the reply ""'
        return Flaw(f"The row has no {field}", remedy) if field in REQUIRED else None
    if "\0" in cell or SURROGATE.search(cell):
        return Flaw("It holds a NUL character or half of a character pair", "Delete the character")
    if field == "model":
        return _model_flaw(cell.strip())
    return None


def _model_flaw(name: str) -> Flaw | None:
    longest = LanguageModel._meta.get_field("name").max_length or 0
    if not name:
        return Flaw("The model is blank", "Write the name of the language model")
    if len(name) > longest:
        reason = f"The model's name is {len(name)} characters long, and at most {longest} fit"
        return Flaw(reason, "Shorten it, or let another column feed the model")
    return None
