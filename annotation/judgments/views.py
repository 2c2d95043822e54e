"""The expert's reading: the desk, one poem at a time, and what was answered."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.instruments.instrument import InvalidAnswers
from annotation.judgments import presenting, receipts, services
from annotation.judgments.access import assignment_of, expert_page
from annotation.judgments.models import Judgment
from annotation.studies import consenting
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge, Study
from annotation.studies.presence import renew
from annotation.studies.standing import Standing, standing

UNREADY = ("consent", "background", "ready")  # what an expired link does not lead on from


@require_GET
@expert_page(begun=True)
def desk(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Show what awaits the judge, how far they are, and how to go on or stop."""
    progress = presenting.progress(judge)
    expired, state = getattr(request, "expired", False), standing(judge).state
    more = ledger.more_to_give(judge)
    context = {
        "state": "expired" if expired and state in UNREADY else state,
        "consent": consenting.agreed(judge),
        "progress": progress,
        "minutes": presenting.minutes(judge),
        "at_a_time": presenting.at_a_time(judge.study),
        "minutes_at_a_time": presenting.minutes_at_a_time(judge.study),
        "minutes_done": presenting.minutes_done(judge),
        "more": more,
        "more_from": None if more else presenting.first_day(ledger.more_later(judge)),
        "batch_done": bool(progress.answered and not progress.waiting),
    }
    return render(request, "judgments/desk.html", context)


@require_POST
@expert_page
def next_poem(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Give the judge the next batch if none is unfinished, and open the next poem."""
    ledger.deal(judge)
    return redirect(next_address(request, judge))


@require_http_methods(["GET", "POST"])
@expert_page(begun=True)
def poem(request: HttpRequest, judge: Judge, token: str) -> HttpResponse:
    """Show one poem with its questions, and take the answers."""
    assignment = assignment_of(judge, token)
    if request.method == "GET":
        # Whoever has to agree first, or to say so again, comes back here afterwards.
        if standing(judge).state in ("consent", "background") and not _judged(assignment):
            return redirect("desk", key=key_of(request))
        renew(judge)
        return _poem_page(request, presenting.page(assignment), judged=_judged(assignment))
    typed = _typed(request, assignment)
    try:
        if _take(request, assignment, typed):
            return redirect("poem", key=key_of(request), token=token)
    except InvalidAnswers as refused:
        page = presenting.page(assignment, typed=typed, refused=refused)
        return _poem_page(request, page, status=422)
    except services.NewerDraft as newer:
        assignment.draft = newer.draft  # in place of the one that was read before
        stands = presenting.page(assignment)
        page = presenting.page(assignment, typed=typed)
        return _poem_page(request, page, status=409, others=stands.questions)
    except services.AlreadyJudged as judged:
        return _judged_before(request, judged.judgment, typed)
    except services.StageAhead:
        return redirect("poem", key=key_of(request), token=token)  # which asks what comes first
    return redirect(going_on(request, judge))


def _take(request: HttpRequest, assignment: Assignment, typed: Mapping[str, object]) -> bool:
    """Fix a stage or record the judgment, as the button says. Return whether more is asked."""
    button = request.POST.get("go", "") or request.POST.get("done", "")
    # The button knows what its page showed: the version of the draft and, before a dot, the stage.
    stage, _, version = button.rpartition(".")
    known, milliseconds = _whole(version), _milliseconds(request)
    if "go" not in request.POST:
        services.submit(assignment, typed, milliseconds=milliseconds, version=known)
        return False
    services.fix_stage(
        assignment, typed, stage=_whole(stage) or 0, version=known, milliseconds=milliseconds or 0
    )
    return True


def _judged_before(
    request: HttpRequest, judgment: Judgment, typed: Mapping[str, object]
) -> HttpResponse:
    """Show what stands, and offer what was typed since, as long as it can be changed."""
    stands = presenting.changing(judgment)
    if judgment.assignment.judge.study.state != Study.State.OPEN:
        return _poem_page(request, stands, judged=True)
    page = presenting.changing(judgment, typed=typed)
    return _poem_page(request, page, status=409, others=stands.questions)


@require_http_methods(["GET", "POST"])
@expert_page(begun=True)
def change(request: HttpRequest, judge: Judge, token: str) -> HttpResponse:
    """Change the answers to a poem that was judged; both values are kept."""
    judgment = get_object_or_404(
        Judgment.objects.select_related("assignment__item"), assignment=assignment_of(judge, token)
    )
    judgment.assignment.judge = judge
    if judge.study.state != Study.State.OPEN:
        return _poem_page(request, presenting.changing(judgment), judged=True)
    if request.method == "GET":
        return _poem_page(request, presenting.changing(judgment))
    typed = _typed(request, judgment.assignment)
    try:
        services.edit(judgment, typed, edits=_whole(request.POST.get("edits", "")) or 0)
    except InvalidAnswers as refused:
        page = presenting.changing(judgment, typed=typed, refused=refused)
        return _poem_page(request, page, status=422)
    except services.EditedElsewhere:
        page = presenting.changing(judgment, typed=typed)
        others = presenting.changing(judgment).questions
        return _poem_page(request, page, status=409, others=others)
    return redirect("answers", key=key_of(request))


@require_GET
@expert_page(begun=True)
def answers(request: HttpRequest, judge: Judge) -> HttpResponse:
    """List what the judge has answered, with a way to change it."""
    judgments = (
        Judgment.objects.filter(assignment__judge=judge)
        .select_related("assignment__item")
        .order_by("assignment__position")
    )
    context = {"judgments": judgments, "open": judge.study.state == Study.State.OPEN}
    return render(request, "judgments/answers.html", context)


@require_GET
@expert_page(begun=True)
def answers_file(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Hand out everything the judge has answered, as JSON with its checksum."""
    response = JsonResponse(
        receipts.answers(judge), json_dumps_params={"ensure_ascii": False, "indent": 2}
    )
    response["Content-Disposition"] = 'attachment; filename="answers.json"'
    return response


def going_on(request: HttpRequest, judge: Judge, now: Standing | None = None) -> str:
    """Draw the next item of the set, where items are drawn, and return where the judge goes on.

    `now` is where they stand, if that is known.
    """
    if not getattr(request, "expired", False) and ledger.go_on(judge):
        now = None
    return next_address(request, judge, now)


def next_address(request: HttpRequest, judge: Judge, now: Standing | None = None) -> str:
    """Return where the judge goes on: the next poem that waits, or the desk."""
    now = now or standing(judge)
    # A new consent text is asked for before the next poem, at the desk.
    if not now.next_token or not now.ready:
        return reverse("desk", args=[key_of(request)])
    return reverse("poem", args=[key_of(request), now.next_token])


def key_of(request: HttpRequest) -> str:
    """Return the personal secret that this request came with."""
    return str(getattr(request, "key", ""))


def _judged(assignment: Assignment) -> bool:
    # An answer to a place that was given back is an answer, too.
    return hasattr(assignment, "judgment")


def _poem_page(
    request: HttpRequest,
    page: presenting.Page,
    *,
    judged: bool = False,
    status: int = 200,
    others: list[presenting.Asked] | None = None,
) -> HttpResponse:
    template = "judgments/answered.html" if judged else "judgments/poem.html"
    instrument = page.assignment.judge.study.instrument
    context = {"page": page, "instrument": instrument, "others": others}
    return render(request, template, context, status=status)


def _typed(request: HttpRequest, assignment: Assignment) -> Mapping[str, object]:
    names = assignment.judge.study.instrument.field_names
    typed: dict[str, object] = {}
    for name in names & request.POST.keys():
        given = request.POST.getlist(name)
        # Without its script, a page sends the box "cannot tell" beside the number; both together
        # are no answer, and are refused.
        typed[name] = " ".join(one for one in given if one)
    return typed


def _milliseconds(request: HttpRequest) -> int | None:
    """Return the time in view that the page measured; None if no script ran."""
    return _whole(request.POST.get("milliseconds", ""))


def _whole(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 12 else None
