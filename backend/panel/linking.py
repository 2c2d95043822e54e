"""The coordinator's pages of links: personal ones, open ones, and all of them as a file."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Study
from backend.accounts.access import StaffRequest, staff_only
from backend.corpus import spreadsheets
from backend.panel import inviting
from backend.panel.forms import OpenLinkForm
from backend.panel.views import closed, expert_on, panel_page


@never_cache
@staff_only
@require_GET
def show_link(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Show an expert's personal link."""
    judge = expert_on(slug, code)
    link = inviting.show(judge, by=request.user)
    if link is None:
        messages.error(request, f"{judge.name} has no link that works; make a new one.")
        return redirect("panel", slug=slug)
    context = {
        "judge": judge,
        "name": judge.name,
        "address": _absolute(request, "invitation", link.secret),
        "expires_at": link.invitation.expires_at,
        "sendable": settings.SENDS_MAIL and judge.email,
    }
    return render(request, "panel/link.html", {"study": judge.study, **context})


@staff_only
@require_POST
def new_link(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Make a new link for someone on the panel, and show it; earlier ones stop working."""
    judge = expert_on(slug, code)
    try:
        links.link_for(judge)
    except links.Withdrawn as problem:
        messages.error(request, str(problem))
        return redirect("expert-part", slug=slug, code=code)
    messages.success(request, f"{judge.name} has a new link. Earlier ones work no more.")
    return redirect("show-link", slug=slug, code=code)


@staff_only
@require_POST
def revoke(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Stop an expert's link and give their unanswered poems back to the others."""
    judge = expert_on(slug, code)
    given_back = ledger.revoke(judge)
    messages.success(
        request,
        f"{judge.name}'s link is stopped; poems that went back to the others: {given_back}. "
        "What was answered is kept.",
    )
    return redirect("panel", slug=slug)


@never_cache
@staff_only
@require_GET
def links_file(request: StaffRequest, slug: str) -> HttpResponse:
    """Hand out every expert's working link as CSV, for a coordinator who mails by hand."""
    study = get_object_or_404(Study, slug=slug)
    rows = [
        [
            link.invitation.judge.name,
            link.invitation.judge.email,
            _absolute(request, "invitation", link.secret),
            f"{link.invitation.expires_at:%Y-%m-%d}",
        ]
        for link in inviting.show_all(study, by=request.user)
    ]
    table = "".join(spreadsheets.stream(["name", "email", "link", "expires"], rows))
    # With the mark that makes Excel read names in UTF-8.
    response = HttpResponse(f"\ufeff{table}", content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-links.csv"'
    return response


@staff_only
@require_POST
def new_open_link(request: StaffRequest, slug: str) -> HttpResponse:
    """Make a link by which experts put themselves on the panel, and show it."""
    study = get_object_or_404(Study, slug=slug)
    form = OpenLinkForm(request.POST, study=study, auto_id="open_%s")
    if not form.is_valid():
        return panel_page(request, study, open_link_form=form)
    try:
        link = links.open_link(study, **form.cleaned_data)
    except links.NotOpen:
        return closed(request, study)
    return redirect("open-link", slug=slug, key=link.pk)


@never_cache
@staff_only
@require_GET
def show_open_link(request: StaffRequest, slug: str, key: int) -> HttpResponse:
    """Show an open link."""
    study = get_object_or_404(Study, slug=slug)
    link = get_object_or_404(study.open_links, pk=key)
    secret = links.open_secret(link)
    if secret is None or link.revoked_at:
        raise Http404("The link is stopped, or was made under another key of the site.")
    context = {
        "study": study,
        "open_link": link,
        "name": str(link),
        "address": _absolute(request, "join", secret),
        "expires_at": link.expires_at,
    }
    return render(request, "panel/link.html", context)


@staff_only
@require_POST
def stop_open_link(request: StaffRequest, slug: str, key: int) -> HttpResponse:
    """Stop an open link; whoever came by it stays on the panel."""
    study = get_object_or_404(Study, slug=slug)
    links.stop_open_link(get_object_or_404(study.open_links, pk=key))
    messages.success(request, "The open link is stopped. Whoever came by it stays on the panel.")
    return redirect("panel", slug=slug)


def _absolute(request: HttpRequest, name: str, secret: str) -> str:
    return request.build_absolute_uri(reverse(name, args=[secret]))
