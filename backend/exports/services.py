"""Writing a study's data package."""

import hashlib
from typing import BinaryIO

from annotation.activity import sealing
from annotation.activity.reading import as_of_one_moment
from annotation.activity.services import Kind, record
from annotation.studies.models import Study
from backend.accounts.models import User
from backend.analytics import services as analytics
from backend.corpus.spreadsheets import stream
from backend.exports import codebook, conduct, describing, edits, panel, poems, ratings
from backend.exports.package import Manifest, Package
from backend.exports.sources import Sources, sources

DATA_FILES = (
    ratings.RATINGS, edits.EDITS, poems.ITEMS, poems.POEMS, panel.JUDGES, panel.ASSIGNMENTS,
    conduct.ACTIVITY,
)  # fmt: skip
PIECE = 1 << 20  # bytes


def export(study: Study, to: BinaryIO) -> Manifest:
    """Write everything about an unblinded study as a zip, and return what it holds.

    What waits in the activity log is sealed first, so that the same data make the same bytes. Rows
    are streamed, never all in memory.

    Raises
    ------
    backend.analytics.frames.StillBlinded
        If the key is sealed; nothing is written.
    """
    sealing.seal_all()
    # An answer that arrives meanwhile is in every file or in none.
    with as_of_one_moment():
        found = sources(study)
        with Package(to) as package:
            return _write(found, package)


def hand_out(study: Study, to: BinaryIO, *, by: User | None = None) -> Manifest:
    """Write a study's package to a file that can be read, and its checksum into the log.

    Raises
    ------
    backend.analytics.frames.StillBlinded
        If the key is sealed; nothing is written.
    """
    manifest = export(study, to)
    to.seek(0)
    digest = hashlib.sha256()
    for piece in iter(lambda: to.read(PIECE), b""):
        digest.update(piece)
    record(
        Kind.EXPORT_MADE,
        study=study.slug,
        actor=by.username if by else "",
        sha256=digest.hexdigest(),
        files=len(manifest.members),
    )
    return manifest


def _write(found: Sources, package: Package) -> Manifest:
    study = found.study
    report, questions = analytics.report(study), study.instrument.questions
    package.add_text("README.md", [describing.readme(found, DATA_FILES)])
    package.add_text("study.json", [describing.about(found)])
    package.add_text("design_versions.json", [describing.as_json(conduct.versions(found))])
    package.add_text("instrument.json", [describing.as_json(study.instrument_data)])
    for wording in study.consent_wordings.order_by("version", "language"):
        package.add_text(describing.consent_file(wording), [wording.text])
    package.add_text("codebook.md", codebook.markdown(DATA_FILES, questions, report))
    entries = codebook.entries(DATA_FILES, questions, report)
    package.add_text("codebook.csv", stream(codebook.HEADER, entries))
    for file in DATA_FILES:
        package.add_text(file.name, stream(file.header, file.rows(found)))
    package.add_text("machine_replies.jsonl", panel.replies(found))
    for table in report.tables():
        package.add_text(f"results/{table.key}.csv", stream(table.header, table.records()))
    for name, text in poems.originals(found):
        package.add_text(name, [text])
    return package.finish()
