"""A study's results for researchers, once its key is unsealed, and what its experts are told."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.judgments.access import expert_page
from annotation.studies.models import Judge, Study
from backend.accounts.access import researchers_only
from backend.analytics import services
from backend.analytics.frames import StillBlinded
from backend.analytics.presenting import present
from backend.corpus import spreadsheets


@never_cache
@researchers_only
@require_GET
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every table of a study's results, or that its key is sealed and what to do."""
    study = get_object_or_404(Study, slug=slug)
    try:
        report = services.report(study)
    except StillBlinded:
        return sealed(request, study)
    sections = [
        (section, [present(table) for table in section.tables]) for section in report.sections
    ]
    context = {
        "study": study,
        "sections": sections,
        "questions": study.instrument.questions,
        "thanked": services.thanked(study),
    }
    return render(request, "analytics/results.html", context)


@never_cache
@researchers_only
@require_GET
def table(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Hand out one table of the results as CSV, unrounded."""
    study = get_object_or_404(Study, slug=slug)
    try:
        found = services.report(study).table(key)
    except StillBlinded:
        return sealed(request, study)
    except LookupError as error:
        raise Http404(str(error)) from error
    rows = spreadsheets.stream(found.header, found.records())
    response = StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{key}.csv"'
    return response  # type: ignore[return-value]  # the stubs make no HttpResponse of it


@require_GET
@expert_page(begun=True)
def debrief(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Tell an expert who wrote what they judged: no other page of theirs knows authorship."""
    try:
        found = services.debriefed(judge)
    except services.NotDebriefed as untold:
        raise Http404("nothing is told of this study's poems") from untold
    return render(request, "analytics/debrief.html", {"debrief": found})


def sealed(request: HttpRequest, study: Study) -> HttpResponse:
    """Say that the key is sealed, and what to do."""
    return render(request, "analytics/sealed.html", {"study": study}, status=409)
