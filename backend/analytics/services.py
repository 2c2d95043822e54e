"""What a study shows once its key is unsealed."""

from annotation.studies.models import Study
from backend.analytics.frames import frame
from backend.analytics.reports.report import Report, assemble
from backend.analytics.turnout import turnout


def report(study: Study) -> Report:
    """Return the study's results.

    Raises
    ------
    backend.analytics.frames.StillBlinded
        If the key is sealed.
    """
    return assemble(frame(study), turnout(study), wanted=study.judges_per_item)
