"""The expert's pages: link, desk, consent, one poem at a time."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.instruments.instrument import InvalidAnswers
from annotation.judgments import presenting, services
from annotation.judgments.access import assignment_here, enter, judge_here
from annotation.judgments.models import Judgment
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Consent, Judge, Study


@never_cache
@require_GET
def follow_link(request: HttpRequest, secret: str) -> HttpResponse:
    """Open a personal link: let the browser in, then leave the secret out of the address."""
    invitation = ledger.follow(secret)
    enter(request, invitation)
    return redirect("desk", code=invitation.judge.code)


@never_cache
@require_GET
def desk(request: HttpRequest, code: str) -> HttpResponse:
    """Show what awaits the judge, how far they are, and how to go on or stop."""
    judge = judge_here(request, code)
    return render(
        request,
        "judgments/desk.html",
        {
            "judge": judge,
            "study": judge.study,
            "consent": Consent.objects.filter(judge=judge).first(),
            "progress": presenting.progress(judge),
            "minutes": presenting.minutes(judge),
            "open": judge.study.state == Study.State.OPEN,
            "more": ledger.more_to_give(judge),
        },
    )


@never_cache
@require_http_methods(["GET", "POST"])
def consent(request: HttpRequest, code: str) -> HttpResponse:
    """Show what taking part means, and record that the judge agrees."""
    judge = judge_here(request, code)
    if request.method == "POST":
        if request.POST.get("agree") == "yes":
            ledger.agree(judge)
            return redirect("desk", code=code)
        missing = "Tick the box if you agree; otherwise simply close this page."
        return _consent_page(request, judge, missing, status=422)
    return _consent_page(request, judge)


@never_cache
@require_POST
def next_poem(request: HttpRequest, code: str) -> HttpResponse:
    """Give the judge the next batch if none is unfinished, and open the next poem."""
    judge = judge_here(request, code)
    ledger.deal(judge)
    return _next(judge)


@never_cache
@require_http_methods(["GET", "POST"])
def poem(request: HttpRequest, token: str) -> HttpResponse:
    """Show one poem with its questions, and take the answers."""
    assignment = assignment_here(request, token)
    if request.method == "GET":
        return _poem_page(request, presenting.page(assignment))
    keys = [question.key for question in assignment.judge.study.instrument.questions]
    typed = {key: request.POST[key] for key in keys if key in request.POST}
    try:
        services.submit(assignment, typed, milliseconds=_milliseconds(request))
    except InvalidAnswers as refused:
        page = presenting.page(assignment, typed=typed, problems=refused.problems)
        return _poem_page(request, page, status=422)
    except services.AlreadyJudged:
        pass  # a double click, the back button or another tab: the first one counts
    return _next(assignment.judge)


def _next(judge: Judge) -> HttpResponse:
    waiting = Assignment.objects.of(judge).waiting().in_order().first()
    return redirect("poem", token=waiting.token) if waiting else redirect("desk", code=judge.code)


def _poem_page(request: HttpRequest, page: presenting.Page, status: int = 200) -> HttpResponse:
    # An answer to a place that was given back is an answer, too.
    answered = Judgment.objects.filter(assignment=page.assignment).exists()
    template = "judgments/answered.html" if answered else "judgments/poem.html"
    study = page.assignment.judge.study
    context = {"page": page, "study": study, "instrument": study.instrument}
    return render(request, template, context, status=status)


def _consent_page(
    request: HttpRequest, judge: Judge, missing: str = "", status: int = 200
) -> HttpResponse:
    context = {"judge": judge, "study": judge.study, "missing": missing}
    return render(request, "judgments/consent.html", context, status=status)


def _milliseconds(request: HttpRequest) -> int | None:
    """Return the time in view that the page measured; None if no script ran."""
    given = request.POST.get("milliseconds", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 12 else None
