"""What a package says of itself: ``README.md`` and ``study.json``."""

import json
import platform
from collections.abc import Iterable
from datetime import datetime
from importlib.metadata import version
from typing import Any

from annotation.studies.models import ConsentWording
from backend.corpus.spreadsheets import RULE
from backend.design.freezing import analysis_plan
from backend.design.versions import fingerprint_as_opened
from backend.exports import conduct
from backend.exports.sources import Sources
from backend.exports.variables import DataFile

# As in pyproject.toml, which a deployed Blindverse does not have beside it.
BLINDVERSE = "0.1.0"
LIBRARIES = ("django", "numpy", "scipy")

OTHER_FILES = {
    "poems/": "each poem as it was imported or generated, one file each, byte for byte",
    "machine_replies.jsonl": "every call to a machine judge, readable or not, as JSON lines",
    "instrument.json": "the instrument: instructions, questions, scales, the prompt for machines",
    "consent/": "what experts agreed to, one file for each version and language",
    "codebook.csv": "every column of every file and every question, as a table",
    "codebook.md": "the same, to read",
    "results/": "every table of the results page, unrounded",
    "study.json": "the study's design, dates, seed, fingerprints, who unsealed the key or looked "
    "before that, and the software's versions",
    "design_versions.json": "all that the study was fixed to when it opened, and each later change",
    "SHA256SUMS": "checksums of all files; check them with: sha256sum -c SHA256SUMS",
}


def readme(sources: Sources, files: Iterable[DataFile]) -> str:
    """Return the text that comes first when a package is opened."""
    study = sources.study
    data = "\n".join(f"- `{file.name}`: {file.meaning}" for file in files)
    others = "\n".join(f"- `{name}`: {what}" for name, what in OTHER_FILES.items())
    return f"""# {study.title}

Data of a blinded study of poems, made with Blindverse {BLINDVERSE}.
Instrument: {study.instrument.title} ({study.instrument.source or "no source given"}).
Fingerprint of the study as it was opened: {fingerprint_as_opened(study)}
Fingerprint of the study as it is now, after later changes if there were any: {study.fingerprint}

## Files

{data}
{others}

## Reading the CSV files

UTF-8, comma between cells, quotation marks where needed (RFC 4180), a point in decimals, ISO
dates. A poem keeps its line breaks inside its cell. To open a file in a spreadsheet, import it as
text with the encoding UTF-8 rather than by a double click.

{RULE}

The files under `poems/` are not changed in this way.

An empty cell is a missing value. N/A is not: it keeps its code in `value`, with `na` in `blank`;
leave such rows out before computing means. Rows with something in `excluded_because` are in no
result: answers that came late, hidden repeats, tests of attention, what a coordinator withdrew, and
what rules of the design leave out. `ratings.csv` has every answer as it stands; where a judge
changed one, `edits.csv` has what it was before.

## Before publishing

No judge's name or address is in these files; judges are known by random codes. What experts told of
themselves (practice, years, languages) is coarse, but on a small panel it may still point to a
person: think of leaving those columns of `judges.csv` out. Comments are free text: read them first,
as a judge may have named someone, and quote only those whose `quotable` is yes. Staff stand under
the names by which they sign in, and reasons in their own words, in `study.json`,
`design_versions.json`, `activity.csv` and `judges.csv`: read these, too. Poems may be under
copyright.

Of experts who withdrew and had everything deleted, `study.json` keeps the number, and how many
judgments went with them; nothing else of them is left.
"""


def about(sources: Sources) -> str:
    """Return the study's design, dates and versions as JSON."""
    study, design = sources.study, sources.design
    instrument = study.instrument
    content: dict[str, Any] = {
        "study": study.slug,
        "title": study.title,
        "language": study.language,
        "fingerprint": study.fingerprint,
        "fingerprint_as_opened": fingerprint_as_opened(study),
        "state": study.state,
        "judges_per_item": study.judges_per_item,
        "batch_size": study.batch_size,
        "seed": study.seed,
        "promise": study.promise,
        "honorarium": study.honorarium,
        "asks_background": study.asks_background,
        "debriefs": study.debriefs,
        "consent": [
            {
                "version": wording.version,
                "language": wording.language,
                "file": consent_file(wording),
                "sha256": wording.sha256,
            }
            for wording in study.consent_wordings.order_by("version", "language")
        ],
        "experts_deleted": study.experts_deleted,
        "judgments_deleted": study.judgments_deleted,
        "created_at": _time(study.created_at),
        "opened_at": _time(study.opened_at),
        "closed_at": _time(study.closed_at),
        "unblinded_at": _time(design.unblinded_at),
        "instrument": {
            name: getattr(instrument, name)
            for name in ("key", "version", "language", "title", "source")
        },
        "items": sum(not item.attention for item in sources.items),
        "attention_items": sum(item.attention for item in sources.items),
        "experts": sum(seat.expert for seat in sources.seats),
        "machine_judges": sum(not seat.expert for seat in sources.seats),
        "collection": design.collection.name if design.collection else None,
        "runs": sorted(design.runs.values_list("name", flat=True)),
        "models": sorted(design.models_chosen.values_list("name", flat=True)),
        "shows_titles": design.shows_titles,
        "display_recipe": design.recipe,
        "analysis_plan": analysis_plan(study),
        **conduct.plan(sources),
        **conduct.openings(sources),
        "versions": {
            "blindverse": BLINDVERSE,
            "python": platform.python_version(),
            **{name: version(name) for name in LIBRARIES},
        },
    }
    return as_json(content)


def consent_file(wording: ConsentWording) -> str:
    """Return the name of the file that holds one wording of the consent text."""
    return f"consent/{wording.version}-{wording.language}.txt"


def as_json(content: object) -> str:
    """Return `content` as JSON that is the same every time: a database may reorder keys."""
    return json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
