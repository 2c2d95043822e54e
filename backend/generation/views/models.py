"""The researcher's pages about language models."""

import json
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from backend.accounts.access import StaffRequest, researchers_only
from backend.generation import gates, removing, services, trials
from backend.generation.calling import NotNow
from backend.generation.forms.models import LanguageModelForm
from backend.generation.models import Call, LanguageModel, Provider
from backend.generation.providers import is_key_set

IsNameFixed = Callable[[LanguageModel], bool]
Group = tuple[Provider | None, str, bool, list[LanguageModel]]


@researchers_only
@require_GET
def models(request: StaffRequest) -> HttpResponse:
    """List the language models by provider, and whether the key of each is set here."""
    services.built_in_models()
    groups = list(_by_provider())
    empty = Provider.objects.filter(language_models=None).order_by("name")
    return render(request, "generation/models.html", {"groups": groups, "empty": empty})


@researchers_only
@require_http_methods(["GET", "POST"])
def model_new(request: StaffRequest) -> HttpResponse:
    """Add a language model."""
    form = LanguageModelForm(request.POST or None)
    if request.method == "GET" and request.GET.get("provider", "").isdecimal():
        form.initial["provider"] = request.GET["provider"]
    return _model_page(request, None, form)


@never_cache
@researchers_only
@require_http_methods(["GET", "POST"])
def model_edit(request: StaffRequest, key: int, *, is_name_fixed: IsNameFixed) -> HttpResponse:
    """Change a language model, or say where one can be asked whose poems were imported."""
    if request.method == "GET":
        return _edited(request, _own(key), is_name_fixed)
    with transaction.atomic():
        # Held, since a study that is being opened fixes the names of its models.
        own = LanguageModel.objects.exclude(reach=LanguageModel.Reach.BUILT_IN)
        model = get_object_or_404(own.select_for_update(no_key=True), pk=key)
        return _edited(request, model, is_name_fixed)


@researchers_only
@require_POST
def model_test(request: StaffRequest, key: int) -> HttpResponse:
    """Make one call to a language model now, and show what came back."""
    model = _own(key)
    if model.reach == LanguageModel.Reach.IMPORTED:
        messages.error(request, "Its poems were imported. Say first where it can be asked.")
        return redirect("model-edit", key=key)
    try:
        call = trials.try_out(model, now=timezone.now())
    except NotNow as wait:
        until = f" Try again at {wait.until:%H:%M:%S} UTC." if wait.until else ""
        messages.warning(request, f"Nothing was asked now: {wait}.{until}")
        return redirect("model-edit", key=key)
    return redirect(f"{reverse('model-edit', args=[key])}?test={call.pk}#test")


@researchers_only
@require_http_methods(["GET", "POST"])
def model_delete(request: StaffRequest, key: int) -> HttpResponse:
    """Delete a language model that nothing rests on, once that is confirmed."""
    model = _own(key)
    if request.method == "POST":
        try:
            removing.remove_model(key)
        except removing.InUse as reason:
            messages.error(request, str(reason))
            return redirect("model-edit", key=key)
        except LanguageModel.DoesNotExist as gone:
            raise Http404 from gone
        messages.success(request, f"“{model}” is deleted.")
        return redirect("models")
    return render(request, "generation/model_delete.html", {"model": model})


def _own(key: int) -> LanguageModel:
    """Return this language model; those that are built in have no page."""
    own = LanguageModel.objects.exclude(reach=LanguageModel.Reach.BUILT_IN)
    return get_object_or_404(own.select_related("provider"), pk=key)


def _by_provider() -> Iterator[Group]:
    """Yield each provider that has models, then those that are built in, then imported ones."""
    found = LanguageModel.objects.select_related("provider").annotate(
        n_done=Count("generations", filter=Q(generations__status="done"))
    )
    ordered = sorted(found, key=lambda one: (*_place(one), one.name))
    for _, group in groupby(ordered, key=_place):
        listed: list[LanguageModel] = list(group)
        first = listed[0]
        at = first.provider if first.reach == LanguageModel.Reach.ENDPOINT else None
        is_set = bool(at and is_key_set(at.key_variable))
        yield at, first.get_reach_display(), is_set, listed


def _place(model: LanguageModel) -> tuple[int, str]:
    """Return where a model stands in the list."""
    if model.reach == LanguageModel.Reach.ENDPOINT:
        return 0, str(model.provider)
    return (1, "") if model.reach == LanguageModel.Reach.BUILT_IN else (2, "")


def _edited(
    request: StaffRequest, model: LanguageModel, is_name_fixed: IsNameFixed
) -> HttpResponse:
    form = LanguageModelForm(request.POST or None, model=model, name_is_fixed=is_name_fixed(model))
    return _model_page(request, model, form)


def _model_page(
    request: StaffRequest, model: LanguageModel | None, form: LanguageModelForm
) -> HttpResponse:
    if request.method == "POST" and form.is_valid() and (saved := form.save()):
        messages.success(request, f"“{saved}” is kept.")
        return redirect("model-edit", key=saved.pk)
    context = {
        "form": form,
        "model": model,
        "has_providers": Provider.objects.exists(),
        **(_standing(model) if model else {}),
        **(_test(request, model) if model else {}),
    }
    return render(request, "generation/model.html", context, status=422 if form.is_bound else 200)


def _standing(model: LanguageModel) -> dict[str, Any]:
    at = model.provider
    asked = model.reach == LanguageModel.Reach.ENDPOINT
    return {
        "can_be_asked": asked,
        "key_is_set": bool(at and is_key_set(at.key_variable)),
        "state": gates.state_of(model, timezone.now()) if asked else None,
        "has_written": model.generations.exists(),
    }


def _test(request: StaffRequest, model: LanguageModel) -> dict[str, Any]:
    """Return what came of the call that the address names, if it was made to try this model out."""
    key = request.GET.get("test", "")
    calls = Call.objects.filter(model=model, generation=None)
    call = calls.filter(pk=int(key[:18])).first() if key.isdecimal() else None
    if call is None:
        return {}
    asked = json.dumps(call.request, ensure_ascii=False, indent=2)
    return {"call": call, "asked": asked, "remedy": trials.remedy(call)}
