"""The page of one expert's part: taken out of the analysis, brought back, replaced."""

from django.contrib import messages
from django.db import transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.studies import amending, links
from annotation.studies.models import Assignment, Judge
from backend.accounts.access import StaffRequest, staff_only
from backend.panel import inviting, tasks, withdrawing
from backend.panel.ledger_forms import GroupForm, ReplaceForm, WithdrawForm, part_forms
from backend.panel.views import closed, expert_on


@never_cache
@staff_only
@require_GET
def show_part(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Show what can be done about an expert's part in the study."""
    return _part_page(request, expert_on(slug, code))


@never_cache
@staff_only
@require_POST
def withdraw(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Take an expert's answers out of the analysis; they are kept."""
    judge = expert_on(slug, code)
    form = WithdrawForm(request.POST, auto_id="withdraw_%s")
    if not form.is_valid():
        return _part_page(request, judge, withdraw_form=form)
    try:
        freed = withdrawing.withdraw(judge, form.cleaned_data["reason"], by=request.user)
    except (withdrawing.Unsealed, links.Withdrawn) as problem:
        return _no_more(request, judge, form, problem)
    messages.success(
        request,
        f"{judge.name} is withdrawn from the analysis. Places that went to others: {freed}. "
        "The answers are kept, unless they ask for their deletion, and can be brought back here.",
    )
    return redirect("expert-part", slug=slug, code=code)


@staff_only
@require_POST
def restore(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Bring an expert's answers back into the analysis, as far as places are free."""
    judge = expert_on(slug, code)
    if judge.withdrawn_at is None:
        messages.error(request, f"{judge.name} is not withdrawn.")
        return redirect("expert-part", slug=slug, code=code)
    try:
        back = withdrawing.restore(judge, by=request.user)
    except withdrawing.Unsealed as problem:
        messages.error(request, str(problem))
        return redirect("expert-part", slug=slug, code=code)
    messages.success(
        request,
        f"{judge.name} is back. Answers that count again: {back}. Those whose places were taken "
        "by others meanwhile are kept as extra ones. Their old link stays stopped; make a new one "
        "below.",
    )
    return redirect("expert-part", slug=slug, code=code)


@never_cache
@staff_only
@require_POST
def replace(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """End an expert's part, invite somebody in their place, and show the link."""
    judge = expert_on(slug, code)
    form = ReplaceForm(request.POST, auto_id="replace_%s")
    if form.is_valid():
        try:
            return _replaced(request, judge, form)
        except amending.AlreadyReplaced as problem:
            return _no_more(request, judge, form, problem)
        except links.AlreadyInvited as problem:
            form.add_error("email", str(problem))
        except links.NotOpen:
            return closed(request, judge.study)
    return _part_page(request, judge, replace_form=form)


@never_cache
@staff_only
@require_POST
def assign_group(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Let an expert judge the poems of another group, as long as they were given none."""
    judge = expert_on(slug, code)
    form = GroupForm(request.POST, study=judge.study, auto_id="group_%s")
    if not form.is_valid():
        return _part_page(request, judge, group_form=form)
    try:
        amending.assign_group(judge, form.cleaned_data.get("group"), by=request.user.username)
    except amending.AlreadyGiven as problem:
        return _no_more(request, judge, form, problem)
    whose = f"those of {judge.group}" if judge.group else "all of them"
    messages.success(request, f"The poems that {judge.name} judges: {whose}.")
    return redirect("expert-part", slug=slug, code=code)


def _no_more(
    request: StaffRequest, judge: Judge, form: BaseForm, problem: Exception
) -> HttpResponse:
    """Show the page as it is now, on which the form is offered no more, and why."""
    form.add_error(None, str(problem))
    return _part_page(request, expert_on(judge.study.slug, judge.code), gone=form)


def _replaced(request: StaffRequest, judge: Judge, form: ReplaceForm) -> HttpResponse:
    successor = inviting.replace(judge, **form.cleaned_data, by=request.user)
    if form.cleaned_data["send"]:
        transaction.on_commit(tasks.sweep.delay, robust=True)
    messages.success(
        request,
        f"{successor.name} is on the panel in place of {judge.name}, whose answers are kept.",
    )
    return redirect("show-link", slug=judge.study.slug, code=successor.code)


def _part_page(
    request: HttpRequest, judge: Judge, *, gone: BaseForm | None = None, **bound: BaseForm
) -> HttpResponse:
    refused = gone or next(iter(bound.values()), None)
    answered = judge.assignments.answered()
    own = answered.filter(purpose=Assignment.Purpose.MAIN).count()
    context = {
        "judge": judge,
        "study": judge.study,
        "successors": judge.replaced_by.all(),
        "settled": withdrawing.is_settled(judge.study),
        "looks": withdrawing.looks_so_far(judge.study),
        "answered": own,
        "beside": answered.count() - own,
        "link_works": judge.invitations.usable(timezone.now()).exists(),
        **part_forms(judge),
        **bound,
        "gone": gone,
        "refused": refused,
    }
    return render(request, "panel/expert.html", context, status=422 if refused else 200)
