"""The page of a study's activity log."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.activity.models import Entry
from annotation.studies.models import Study
from backend.accounts.access import StaffRequest, staff_only
from backend.panel.activity import ActivityForm, chain, lines

ON_A_PAGE = 50


@never_cache
@staff_only
@require_GET
def activity(request: StaffRequest, slug: str) -> HttpResponse:
    """Show what was done in a study, newest first, and how to check that nobody changed it."""
    study = get_object_or_404(Study, slug=slug)
    entries = Entry.objects.of_study(slug)
    search = ActivityForm(request.GET, entries=entries)
    found = search.narrow(entries).select_related("seal").order_by("-pk")
    page = Paginator(found, ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"study": study, "search": search, "page": page, "lines": lines(page), **chain()}
    return render(request, "panel/activity.html", context)
