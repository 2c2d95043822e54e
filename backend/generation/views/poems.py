"""The researcher's pages about what was written."""

import json

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from backend.accounts.access import StaffRequest, researchers_only
from backend.generation import correcting, presenting
from backend.generation.comparing import compare
from backend.generation.forms.runs import CorrectionForm
from backend.generation.models import Call, Generation
from backend.generation.sifting import Sieve, neighbours, next_after

# What is wrong with a correction -> the field that it is about.
FIELDS: dict[type[ValueError], str | None] = {
    correcting.NotAPoem: "text",
    correcting.NoReason: "reason",
    correcting.NothingChanged: "text",
    correcting.NothingToCorrect: None,
    correcting.CorrectedMeanwhile: None,
}


@never_cache
@researchers_only
@require_GET
def generation(request: StaffRequest, key: int) -> HttpResponse:
    """Show one generation: brief, poem beside the reply, what was found, and every call."""
    found = _found(key)
    return _page(request, found, CorrectionForm(found))


@researchers_only
@require_POST
def generation_correct(request: StaffRequest, key: int) -> HttpResponse:
    """Replace a poem by one that a person found in the reply, and record it."""
    found = _found(key)
    form = CorrectionForm(found, request.POST)
    if form.is_valid():
        try:
            correcting.correct(found, **form.cleaned_data, by=request.user)
        except tuple(FIELDS) as problem:
            form.add_error(FIELDS[type(problem)], str(problem))
        else:
            messages.success(request, "The correction is kept, and what stood before with it.")
            return redirect(_address(key, Sieve.of(request.GET)))
    return _page(request, found, form)


@researchers_only
@require_POST
def generation_looked(request: StaffRequest, key: int) -> HttpResponse:
    """Note that a person has looked at it, and go on to the next of those that are shown."""
    found, sieve = _found(key), Sieve.of(request.GET)
    correcting.look_at(found, request.user)
    after = next_after(found, sieve) if not sieve.is_empty else None
    if after is None:
        messages.success(request, "Noted: you have looked at it. There is none left of these.")
        return redirect("run", key=found.run_id)
    return redirect(_address(after, sieve))


def _found(key: int) -> Generation:
    with_all = Generation.objects.select_related(
        "run", "model", "brief__poem__collection", "answer", "looked_by"
    )
    return get_object_or_404(with_all, pk=key)


def _page(request: StaffRequest, found: Generation, form: CorrectionForm) -> HttpResponse:
    sieve = Sieve.of(request.GET)
    context = {
        "generation": found,
        "reason": presenting.plainly(found),
        "language": presenting.language(found),
        "comparison": compare(found) if found.reply else None,
        "recitals": found.recitals.select_related("poem__collection"),
        "calls": [(call, _as_sent(call)) for call in _calls(found)],
        "corrections": found.corrections.select_related("by").order_by("-pk"),
        "can_be_corrected": correcting.can_be_corrected(found),
        "form": form,
        "sieve": sieve,
        "neighbours": neighbours(found, sieve),
    }
    status = 422 if form.errors else 200
    return render(request, "generation/generation.html", context, status=status)


def _calls(found: Generation) -> list[Call]:
    """Return the calls made for it, and the earlier one whose answer was taken, if one was."""
    made = list(found.calls.all())
    answer = found.answer
    return made if answer is None or answer in made else [answer, *made]


def _as_sent(call: Call) -> str:
    return json.dumps(call.request, ensure_ascii=False, indent=2)


def _address(key: int, sieve: Sieve) -> str:
    address = reverse("generation", args=[key])
    return address if sieve.is_empty else f"{address}?{sieve.query}"
