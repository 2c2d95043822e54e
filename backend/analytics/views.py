"""A study's results for researchers, once its key is unsealed, and what its experts are told."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.judgments.access import expert_page
from annotation.studies.models import Judge, Study
from backend.accounts.access import StaffRequest, researchers_only
from backend.analytics import services
from backend.analytics.forms import LookForm
from backend.analytics.frames import StillBlinded
from backend.analytics.presenting import present
from backend.analytics.reports.report import Report
from backend.analytics.reports.summary import summary
from backend.analytics.tables import Table
from backend.corpus import spreadsheets
from backend.design.models import InterimLook
from backend.design.unsealing import NoReason, NotPlanned, WrongState
from backend.design.versions import fingerprint_as_opened
from backend.panel import withdrawing


@never_cache
@researchers_only
@require_GET
def results(request: StaffRequest, slug: str) -> HttpResponse:
    """Show every table of a study's results, or that its key is sealed and what to do."""
    study = get_object_or_404(Study.objects.select_related("design"), slug=slug)
    try:
        report = services.report(study)
    except StillBlinded:
        return sealed(request, study)
    services.viewed(study, by=request.user)
    return _page(request, study, report, thanked=services.thanked(study))


@never_cache
@researchers_only
@require_POST
def interim(request: StaffRequest, slug: str) -> HttpResponse:
    """Show an open study's results as of now, once, and write down who looked and why."""
    study = get_object_or_404(Study.objects.select_related("design"), slug=slug)
    form = LookForm(request.POST)
    reason, seen = form.asked()
    try:
        look, report = services.interim(study, by=request.user, reason=reason, seen=seen)
    except NoReason as refused:
        form.add_error("reason", str(refused))
    except (NotPlanned, WrongState) as refused:
        form.add_error(None, str(refused))
    else:
        return _page(request, study, report, look=look)
    return sealed(request, study, form)


@never_cache
@researchers_only
@require_GET
def table(request: StaffRequest, slug: str, key: str) -> HttpResponse:
    """Hand out one table of the results as CSV, unrounded."""
    study = get_object_or_404(Study, slug=slug)
    try:
        found = _table(request, study, key)
    except StillBlinded:
        return sealed(request, study)
    rows = spreadsheets.stream(found.header, found.records())
    response = StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{key}.csv"'
    return response  # type: ignore[return-value]  # the stubs make no HttpResponse of it


@never_cache
@researchers_only
@require_GET
def table_page(request: StaffRequest, slug: str, key: str) -> HttpResponse:
    """Show one table of the results on a page of its own, however long it is."""
    study = get_object_or_404(Study, slug=slug)
    try:
        found = _table(request, study, key)
    except StillBlinded:
        return sealed(request, study)
    context = {"study": study, "page": present(found)}
    return render(request, "analytics/table.html", context)


@require_GET
@expert_page(begun=True)
def debrief(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Tell an expert who wrote what they judged: no other page of theirs knows authorship."""
    try:
        found = services.debriefed(judge)
    except services.NotDebriefed as untold:
        raise Http404("nothing is told of this study's poems") from untold
    services.debrief_viewed(judge)
    return render(request, "analytics/debrief.html", {"debrief": found})


def _table(request: StaffRequest, study: Study, key: str) -> Table:
    """Return a table for somebody who reads it, which is written down; no such table is a 404."""
    try:
        found = services.report(study).table(key)
    except LookupError as error:
        raise Http404(str(error)) from error
    services.viewed(study, by=request.user)
    return found


def sealed(request: HttpRequest, study: Study, form: LookForm | None = None) -> HttpResponse:
    """Say that the key is sealed, and what to do; or why the look asked for was refused."""
    can_look = study.state == Study.State.OPEN and study.design.interim_looks
    context = {
        "study": study,
        "form": form or LookForm(),
        "gone": not can_look,
        "seen": len(services.looks(study)),
    }
    return render(request, "analytics/sealed.html", context, status=409)


def _page(
    request: HttpRequest,
    study: Study,
    report: Report,
    *,
    look: InterimLook | None = None,
    thanked: list[str] | None = None,
) -> HttpResponse:
    looks = services.looks(study)
    context = {
        "study": study,
        "as_opened": fingerprint_as_opened(study),
        "sections": [(one, [present(table) for table in one.tables]) for one in report.sections],
        "summary": summary(report),
        "questions": study.instrument.questions,
        "look": look,
        "looks": looks,
        "changes": withdrawing.changes(study) if looks else [],
        "thanked": thanked,
    }
    return render(request, "analytics/results.html", context)
