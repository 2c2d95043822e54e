"""The pages about instruments: those there are, and writing one's own."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.instruments.describing import export_rows
from annotation.instruments.instrument import Instrument
from annotation.instruments.loading import InvalidInstrument, load, published_all
from annotation.judgments import presenting
from backend.accounts.access import StaffRequest, staff_only
from backend.design import examples, instruments
from backend.design.forms import InstrumentForm
from backend.design.models import OwnInstrument


@staff_only
@require_GET
def instrument_list(request: StaffRequest) -> HttpResponse:
    """List the published instruments, and the coordinators' own in their latest version."""
    context = {
        "published": [load(data) for data in published_all().values()],
        "own": OwnInstrument.objects.newest().select_related("made_by"),
    }
    return render(request, "design/instruments.html", context)


@never_cache
@staff_only
@require_http_methods(["GET", "POST"])
def new_instrument(request: StaffRequest) -> HttpResponse:
    """Write an instrument, from a copy of another if one is named."""
    if request.method == "POST":
        return _typed(request, "")
    source = request.GET.get("from", "")
    try:
        data = instruments.copied(source) if source else examples.START
    except LookupError as error:
        raise Http404 from error
    return _page(request, InstrumentForm(initial={"text": instruments.as_text(data)}), "")


@never_cache
@staff_only
@require_http_methods(["GET", "POST"])
def instrument(request: StaffRequest, key: str) -> HttpResponse:
    """Show a published instrument; show an own one, and save its next version."""
    if key in published_all():
        return _published(request, load(published_all()[key]))
    own = OwnInstrument.objects.filter(key=key)
    if request.method == "POST" and own.exists():
        return _typed(request, key)
    version = request.GET.get("version", "")
    shown = own.filter(version=int(version)).first() if version.isdecimal() else own.first()
    if shown is None:
        raise Http404
    first = {"text": instruments.as_text(shown.data), "seen": instruments.latest_version(key)}
    return _page(request, InstrumentForm(initial=first), key, checked=load(shown.data))


def _published(request: HttpRequest, shipped: Instrument) -> HttpResponse:
    context = {"instrument": shipped, **_described(shipped)}
    return render(request, "design/published_instrument.html", context)


def _typed(request: StaffRequest, key: str) -> HttpResponse:
    """Check what was typed, and save it if that was asked for."""
    form = InstrumentForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, key, status=422)
    text, seen = form.cleaned_data["text"], form.cleaned_data["seen"] or 0
    try:
        if request.POST.get("do") != "save":
            checked = instruments.check(text, key=key)
            return _page(request, form.again(), key, checked=checked, sound=True)
        saved = instruments.save(text, key=key, seen=seen, by=request.user)
    except instruments.NewerVersion as newer:
        again = form.again(seen=newer.version)
        return _page(request, again, key, problems=[str(newer)], status=409)
    except (InvalidInstrument, instruments.KeyTaken) as error:
        problems = instruments.problems_of(error)
        return _page(request, form.again(), key, problems=problems, status=422)
    messages.success(request, f"Version {saved.version} is saved. Studies can be built on it.")
    return redirect("instrument", key=saved.key)


def _page(
    request: HttpRequest,
    form: InstrumentForm,
    key: str,
    *,
    checked: Instrument | None = None,
    sound: bool = False,
    problems: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    versions = list(OwnInstrument.objects.filter(key=key).select_related("made_by"))
    context = {
        "key": key,
        "form": form,
        "problems": problems or [],
        "sound": sound,
        "versions": versions,
        "next": (versions[0].version if versions else 0) + 1,
        "kinds": [(kind, instruments.as_text(kind.example).rstrip()) for kind in examples.KINDS],
        "instrument": checked,
        **(_described(checked) if checked else {}),
    }
    return render(request, "design/instrument.html", context, status=status)


def _described(shown: Instrument) -> dict[str, Any]:
    """Return how experts would see the instrument, what a model is asked, what is exported."""
    texts = examples.poems(shown.language, shown.texts)
    brief = examples.BRIEF if shown.shows_brief else ""
    return {
        "texts": texts,
        "brief": brief,
        "stages": [presenting.asked(stage, {}) for stage in shown.stages],
        "rows": export_rows(shown),
        "prompt": shown.prompt(brief=brief, texts=texts),
    }
