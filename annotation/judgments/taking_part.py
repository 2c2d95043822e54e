"""Coming, agreeing, telling of oneself, leaving: the expert's pages around the reading."""

from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.signing import BadSignature
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language, gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.instruments.questions import NO_TEXT
from annotation.judgments import leaving, presenting, receipts
from annotation.judgments.access import expert_page, speak
from annotation.judgments.forms import BackgroundForm, DisplayForm, JoinForm
from annotation.judgments.models import Draft
from annotation.judgments.views import key_of
from annotation.studies import consenting, links
from annotation.studies import services as ledger
from annotation.studies.models import Background, Judge, Study


@never_cache
@require_GET
def follow_link(request: HttpRequest, key: str) -> HttpResponse:
    """Open a personal link from a letter. One that was used leads to the desk when expired, too."""
    speak(request)
    if links.begun(key).first_used_at is None:
        links.follow(key)
    return redirect("desk", key=key)


@require_GET
@expert_page(begun=True)
def leave_by_mail(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Open the way out that every letter names."""
    return redirect("leave", key=key_of(request))


@require_http_methods(["GET", "POST"])
@expert_page
def consent(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Show what taking part means, and record that the judge agrees."""
    wording = consenting.wording_for(judge.study, get_language() or "")
    if request.method == "GET":
        return _consent_page(request, judge, wording)
    agreed = consenting.agreed(judge)
    problems = _refused_consent(request, judge, agreed=agreed is not None)
    if problems:
        return _consent_page(request, judge, wording, problems, status=422)
    if agreed:
        _allow(request, judge)
        return redirect("consent", key=key_of(request))
    try:
        consenting.agree(
            judge,
            wording=consenting.wording_shown(
                judge.study, request.POST.get("version", ""), request.POST.get("language", "")
            ),
            quotable=request.POST.get("quotable") == "yes",
            thanked_as=_thanked_as(request, judge),
            promised=request.POST.get("promise") == "yes",
        )
    except consenting.OldWording:
        newer = gettext("The text was changed while you read it. Please read the new one.")
        return _consent_page(request, judge, wording, {"agree": newer}, status=409)
    asked = consenting.lacks_background(judge)
    return redirect("background" if asked else "desk", key=key_of(request))


@require_http_methods(["GET", "POST"])
@expert_page
def background(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Ask, in coarse options, what the judge brings along, and for conflicts of interest."""
    told = Background.objects.filter(judge=judge).first()
    form = BackgroundForm(initial=BackgroundForm.of(told), label_suffix="")
    if request.method == "POST":
        form = BackgroundForm(request.POST, label_suffix="")
        if form.is_valid():
            ledger.tell_background(judge, **form.cleaned_data)
            return redirect("desk", key=key_of(request))
    status = 422 if form.is_bound else 200
    context = {"form": form, "told": told}
    return render(request, "judgments/background.html", context, status=status)


@require_POST
@expert_page(begun=True)
def display(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Keep how the judge likes the pages: theme, size, line numbers, language."""
    form = DisplayForm(request.POST)
    if form.is_valid():
        liked: dict[str, Any] = {name: value for name, value in form.cleaned_data.items() if value}
        if "line_numbers" in liked:
            liked["line_numbers"] = liked["line_numbers"] == "yes"
        if liked:
            Judge.objects.filter(pk=judge.pk).update(**liked)
    back = request.POST.get("next", "")
    here = url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return redirect(back if here else reverse("desk", args=[key_of(request)]))


@require_http_methods(["GET", "POST"])
@expert_page(begun=True)
def leave(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Let the judge pause, stop, or stop and have everything deleted."""
    choice = request.POST.get("choice", "")
    if choice == "delete":
        if request.POST.get("sure") != "yes":
            return _leave_page(request, judge, unsure=True, status=422)
        return _delete(judge)
    steps = {"pause": leaving.pause, "stop": leaving.stop, "resume": leaving.resume}
    if choice in steps:
        with suppress(leaving.Replaced):  # the desk says so
            steps[choice](judge)
        return redirect("desk", key=key_of(request))
    return _leave_page(request, judge, status=422 if request.method == "POST" else 200)


@never_cache
@require_GET
def deleted(request: HttpRequest, receipt: str) -> HttpResponse:
    """Show the receipt of a deletion. It is signed, so nothing of the person need be kept."""
    speak(request)
    try:
        told = leaving.from_token(receipt)
    except BadSignature as forged:
        raise Http404 from forged
    return render(request, "judgments/deleted.html", {"receipt": told, "signature": receipt})


@require_GET
@expert_page(begun=True)
def certificate(request: HttpRequest, judge: Judge) -> HttpResponse:
    """A sheet to print: what the judge did, for a certificate or an honorarium."""
    context = {"work": receipts.work(judge), "digest": receipts.digest(judge)}
    return render(request, "judgments/certificate.html", context)


@never_cache
@csrf_exempt
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, secret: str) -> HttpResponse:
    """Let somebody put themselves on the panel by an open link."""
    speak(request)
    open_link = links.opened(secret)
    if open_link.study.state == Study.State.CLOSED:
        raise links.NotOpen
    form = JoinForm(request.POST if request.method == "POST" else None, label_suffix="")
    if not settings.SENDS_MAIL:
        del form.fields["email"]  # it is there to send the link to
    context: dict[str, Any] = {"form": form, "study": open_link.study}
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data.get("email", "")
        try:
            link = links.join(open_link, language=get_language() or "", **form.cleaned_data)
        except links.AlreadyInvited:
            pass  # said to nobody but the owner of the address, by letter
        else:
            if not email:
                return redirect("welcome", key=link.secret)
        links.want_link_to(open_link.study, email)
        return render(request, "judgments/join.html", {**context, "written_to": email})
    status = 422 if form.is_bound else 200
    return render(request, "judgments/join.html", context, status=status)


@require_GET
@expert_page
def welcome(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Show whoever has just joined their personal link, to keep."""
    address = request.build_absolute_uri(reverse("invitation", args=[key_of(request)]))
    return render(request, "judgments/join.html", {"address": address})


@never_cache
@csrf_exempt
@require_POST
def send_again(request: HttpRequest, key: str) -> HttpResponse:
    """Have the newest link sent to the address that an older link was made for."""
    speak(request)
    links.want_link(key)
    return render(request, "judgments/link_sent.html")


def _delete(judge: Judge) -> HttpResponse:
    try:
        receipt = leaving.delete(judge)
    except Judge.DoesNotExist as gone:  # another tab was quicker, and has the receipt
        raise links.StaleLink from gone
    return redirect("deleted", receipt=leaving.to_token(receipt))


def _allow(request: HttpRequest, judge: Judge) -> None:
    quotable = request.POST.get("quotable") == "yes"
    consenting.allow(judge, quotable=quotable, thanked_as=_thanked_as(request, judge))


def _refused_consent(request: HttpRequest, judge: Judge, *, agreed: bool) -> dict[str, str]:
    problems = {}
    if not agreed and request.POST.get("agree") != "yes":
        problems["agree"] = gettext("Tick the box if you agree; otherwise simply close this page.")
    if not agreed and judge.study.promise and request.POST.get("promise") != "yes":
        problems["promise"] = gettext("This study needs your promise; without it, close this page.")
    if request.POST.get("thanked") == "yes" and not _thanked_as(request, judge):
        problems["thanked_as"] = gettext("Write the name under which to thank you.")
    return problems


def _thanked_as(request: HttpRequest, judge: Judge) -> str:
    if request.POST.get("thanked") != "yes":
        return ""
    name = request.POST.get("thanked_as", judge.name).strip()[:120]
    return "" if NO_TEXT.search(name) else name


def _consent_page(
    request: HttpRequest,
    judge: Judge,
    wording: Any,
    problems: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    agreed = consenting.agreed(judge)
    context = {
        "wording": wording,
        "agreed": agreed,
        "newer": agreed is None and judge.consents.exists(),
        "before": judge.consents.last(),
        "problems": problems or {},
        "open": judge.study.state == Study.State.OPEN,
    }
    return render(request, "judgments/consent.html", context, status=status)


def _leave_page(
    request: HttpRequest, judge: Judge, *, unsure: bool = False, status: int = 200
) -> HttpResponse:
    drafts = Draft.objects.filter(assignment__judge=judge).count()
    context = {"progress": presenting.progress(judge), "drafts": drafts, "unsure": unsure}
    return render(request, "judgments/leave.html", context, status=status)
