"""The page that hands out a study's data package, for researchers, once its key is unsealed."""

import tempfile

from django.http import FileResponse, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.studies.models import Study
from backend.accounts.access import StaffRequest, researchers_only
from backend.accounts.models import User
from backend.analytics.frames import StillBlinded, unsealed
from backend.analytics.views import sealed
from backend.exports import services
from backend.exports.describing import OTHER_FILES


@never_cache
@researchers_only
@require_http_methods(["GET", "POST"])
def export(request: StaffRequest, slug: str) -> HttpResponse:
    """Show what a package holds; make one and hand it out when asked."""
    study = get_object_or_404(Study, slug=slug)
    try:
        unsealed(study)
    except StillBlinded:
        return sealed(request, study)
    if request.method == "POST":
        return _download(study, by=request.user)
    context = {"study": study, "files": services.DATA_FILES, "others": OTHER_FILES}
    return render(request, "exports/export.html", context)


def _download(study: Study, *, by: User) -> HttpResponse:
    package = tempfile.TemporaryFile()  # noqa: SIM115  (the response closes it, which deletes it)
    services.hand_out(study, package, by=by)
    package.seek(0)
    name = f"{study.slug}.zip"
    return FileResponse(package, as_attachment=True, filename=name)  # type: ignore[return-value]
