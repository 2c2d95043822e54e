"""The coordinator's letters: invitations, reminders, messages, and the rules of reminders."""

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.studies import links
from annotation.studies.models import Judge, Study
from backend.accounts.access import StaffRequest, staff_only
from backend.panel import inviting, ledger, reminding, services, tasks
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
    except links.Withdrawn as problem:
        messages.error(request, str(problem))
        return redirect("expert-part", slug=slug, code=code)
    new = ", with a new link, since the old one had ended" if renewed else ""
    messages.success(request, f"The invitation to {judge.name} is on its way{new}.")
    return _sending(slug)


@never_cache
@staff_only
@require_POST
def remind(request: StaffRequest, slug: str, code: str) -> HttpResponse:
    """Send one expert a reminder; within a day of the last letter, only if that is meant."""
    judge, back = expert_on(slug, code), _page(request)
    again = request.POST.get("again") == "yes"
    if reminding.remind([judge], by=request.user, again=again).just_written_to:
        last = judge.letters.exclude(status=Letter.Status.FAILED).first()
        context = {"study": judge.study, "judge": judge, "last": last, "back": back}
        return render(request, "panel/remind_again.html", context, status=409)
    messages.success(request, f"The reminder to {judge.name} is on its way.")
    return _sending(slug, back)


@staff_only
@require_POST
def remind_all(request: StaffRequest, slug: str) -> HttpResponse:
    """Send a reminder to every expert who has something left to do."""
    study = get_object_or_404(Study, slug=slug)
    return _remind(request, study, reminding.with_something_left(study, timezone.now()))


@staff_only
@require_POST
def remind_these(request: StaffRequest, slug: str, which: str) -> HttpResponse:
    """Send a reminder to every expert of one list on the ledger page."""
    study = get_object_or_404(Study, slug=slug)
    found = ledger.watch(study, which)
    if found is None:
        raise Http404("There is no such list.")
    codes = {seat.code for seat in found.people}
    left = reminding.with_something_left(study, timezone.now())
    return _remind(request, study, [judge for judge in left if judge.code in codes])


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
    reminding.keep_rules(form.instance)
    messages.success(request, "The rules for reminders are kept.")
    return _sending(slug)


def _remind(request: StaffRequest, study: Study, judges: list[Judge]) -> HttpResponse:
    """Remind these, but for those to whom a letter went within a day."""
    done = reminding.remind(judges, by=request.user)
    recent = done.just_written_to
    rest = f" Left out, since a letter went to them within a day: {recent}." if recent else ""
    messages.success(request, f"Reminders on their way: {done.queued}.{rest}")
    return _sending(study.slug, _page(request))


def _page(request: StaffRequest) -> str:
    """Return the name of the page that a reminder was asked for on."""
    return "ledger" if request.POST.get("from") == "ledger" else "panel"


def _sending(slug: str, page: str = "panel") -> HttpResponse:
    """Wake the workers, and lead back."""
    transaction.on_commit(tasks.sweep.delay, robust=True)
    return redirect(page, slug=slug)
