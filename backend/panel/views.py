"""The panel page: who is on it, how far they are, inviting more, deleting who asks for it."""

from django.contrib import messages
from django.db import transaction
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.judgments import leaving
from annotation.studies import links
from annotation.studies.models import Judge, Study
from backend.accounts.access import StaffRequest, staff_only
from backend.panel import inviting, presenting, tasks
from backend.panel.forms import InviteForm, RosterForm
from backend.panel.roster import InvalidRoster


@never_cache
@staff_only
@require_GET
def panel(request: StaffRequest, slug: str) -> HttpResponse:
    """Show who is on the panel, how far they are, and what can be done for each."""
    return panel_page(request, get_object_or_404(Study, slug=slug))


@staff_only
@require_POST
def invite(request: StaffRequest, slug: str) -> HttpResponse:
    """Put an expert on the panel, then show their link."""
    study = get_object_or_404(Study, slug=slug)
    form = InviteForm(request.POST, study=study, auto_id="invite_%s")
    if form.is_valid():
        try:
            judge = inviting.invite(study, **form.cleaned_data, by=request.user)
        except links.AlreadyInvited as problem:
            form.add_error("email", str(problem))
        except links.NotOpen:
            return closed(request, study)
        else:
            return _invited(request, study, [judge], send=form.cleaned_data["send"])
    return panel_page(request, study, invite_form=form)


@staff_only
@require_POST
def invite_many(request: StaffRequest, slug: str) -> HttpResponse:
    """Put all the people of a list on the panel, or none and say which lines are wrong."""
    study = get_object_or_404(Study, slug=slug)
    form = RosterForm(request.POST, request.FILES, study=study, auto_id="many_%s")
    if form.is_valid():
        try:
            judges = inviting.invite_many(study, **form.asked(), by=request.user)
        except InvalidRoster as problem:
            form.add_error("people", str(problem))
        except links.NotOpen:
            return closed(request, study)
        else:
            return _invited(request, study, judges, send=form.cleaned_data["send"])
    return panel_page(request, study, roster_form=form)


@never_cache
@staff_only
@require_POST
def delete_expert(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Delete an expert who asked for it by letter, and show the receipt to send them."""
    judge = expert_on(slug, code)
    if request.POST.get("sure") != "yes":
        messages.error(request, "Nothing was deleted: tick the box if that is their wish.")
        return redirect("panel", slug=slug)
    try:
        receipt = leaving.delete(judge)
    except Judge.DoesNotExist as gone:
        raise Http404("They were deleted meanwhile.") from gone
    return redirect("deleted", receipt=leaving.to_token(receipt))


def panel_page(request: HttpRequest, study: Study, **bound: BaseForm) -> HttpResponse:
    """Render the panel page; a form that was sent and refused stands in it as it was sent."""
    refused = next(iter(bound.values()), None)
    context = {**presenting.overview(study), **bound, "refused": refused}
    return render(request, "panel/panel.html", context, status=422 if bound else 200)


def expert_on(slug: str, code: str) -> Judge:
    """Return this expert of this study, or answer 404."""
    experts = Judge.objects.experts().select_related("study")
    return get_object_or_404(experts, study__slug=slug, code=code)


def closed(request: HttpRequest, study: Study) -> HttpResponse:
    """Say that nobody can be invited any more."""
    messages.error(request, "The study is closed: nobody can be invited to it any more.")
    return redirect("panel", slug=study.slug)


def _invited(
    request: HttpRequest, study: Study, judges: list[Judge], *, send: bool
) -> HttpResponse:
    if send:
        transaction.on_commit(tasks.sweep.delay, robust=True)
    if len(judges) == 1:
        sent = " and their invitation is on its way" if send and judges[0].email else ""
        messages.success(request, f"{judges[0].name} is on the panel{sent}.")
        return redirect("show-link", slug=study.slug, code=judges[0].code)
    mailed = sum(bool(judge.email) for judge in judges) if send else 0
    messages.success(
        request,
        f"{len(judges)} experts were added; {study.judges.experts().count()} are on the panel now. "
        f"Letters queued: {mailed}.",
    )
    return redirect("panel", slug=study.slug)
