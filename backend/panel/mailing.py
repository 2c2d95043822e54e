"""The coordinator's letters: invitations, reminders, messages, and the rules of reminders."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.studies import links
from annotation.studies.models import Study
from backend.accounts.access import StaffRequest, staff_only
from backend.panel import inviting, reminding, services, tasks
from backend.panel.forms import MessageForm, RulesForm
from backend.panel.models import Letter, PanelRules
from backend.panel.views import closed, expert_on, panel_page


@staff_only
@require_POST
def send_invitation(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Send an expert their link, a new one if theirs has ended."""
    judge = expert_on(slug, code)
    try:
        renewed = inviting.invite_by_mail(judge, by=request.user)
    except links.NotOpen:
        return closed(request, judge.study)
    new = ", with a new link, since the old one had ended" if renewed else ""
    messages.success(request, f"The invitation to {judge.name} is on its way{new}.")
    return _sending(slug)


@staff_only
@require_POST
def remind(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Send one expert a reminder."""
    judge = expert_on(slug, code)
    services.write([judge], Letter.Kind.REMINDER, by=request.user)
    messages.success(request, f"The reminder to {judge.name} is on its way.")
    return _sending(slug)


@staff_only
@require_POST
def remind_all(request: StaffRequest, slug: str) -> HttpResponse:
    """Send a reminder to every expert who has something left to do."""
    study = get_object_or_404(Study, slug=slug)
    left = reminding.with_something_left(study, timezone.now())
    sent = services.write(left, Letter.Kind.REMINDER, by=request.user)
    messages.success(request, f"Reminders on their way: {sent}.")
    return _sending(slug)


@never_cache
@staff_only
@require_POST
def write_to_panel(request: StaffRequest, slug: str) -> HttpResponse:
    """Send a message to the experts of the panel."""
    study = get_object_or_404(Study, slug=slug)
    form = MessageForm(request.POST, auto_id="message_%s")
    if not form.is_valid():
        return panel_page(request, study, message_form=form)
    to, subject, body = (form.cleaned_data[name] for name in ("to", "subject", "body"))
    experts = (
        reminding.with_something_left(study, timezone.now())
        if to == MessageForm.WITH_POEMS_LEFT
        else study.judges.at_work().exclude(email="")
    )
    sent = services.write(
        experts, Letter.Kind.MESSAGE, by=request.user, subject=subject, body=body
    )  # fmt: skip
    messages.success(request, f"Messages on their way: {sent}.")
    return _sending(slug)


@staff_only
@require_POST
def send_again(request: StaffRequest, slug: str, key: int) -> HttpResponse:
    """Try once more to send a letter that failed."""
    letter = get_object_or_404(Letter, pk=key, judge__study__slug=slug)
    if services.again(letter):
        messages.success(request, f"The letter to {letter.judge.name} is tried again.")
    else:
        messages.error(request, "That letter did not fail, or the same one is waiting already.")
    return _sending(slug)


@never_cache
@staff_only
@require_POST
def set_rules(request: StaffRequest, slug: str) -> HttpResponse:
    """Set when experts are reminded without anybody asking."""
    study = get_object_or_404(Study, slug=slug)
    rules = PanelRules.objects.filter(study=study).first() or PanelRules(study=study)
    form = RulesForm(request.POST, instance=rules, auto_id="rules_%s")
    if not form.is_valid():
        return panel_page(request, study, rules_form=form)
    form.instance.checked_at = None
    form.save()
    messages.success(request, "The rules for reminders are kept.")
    return _sending(slug)


def _sending(slug: str) -> HttpResponse:
    """Wake the workers, and lead back to the panel."""
    transaction.on_commit(tasks.sweep.delay, robust=True)
    return redirect("panel", slug=slug)
