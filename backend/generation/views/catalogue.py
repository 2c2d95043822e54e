"""The page on which language models are picked from the catalogue."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from backend.accounts.access import StaffRequest, researchers_only
from backend.generation import catalogue
from backend.generation.catalogue import Added
from backend.generation.forms.catalogue import CatalogueForm
from backend.generation.models import LanguageModel


@researchers_only
@require_http_methods(["GET", "POST"])
def model_catalogue(request: StaffRequest) -> HttpResponse:
    """Pick models that papers put to the test; those that are there already stay as they are."""
    there = set(LanguageModel.objects.values_list("name", flat=True))
    form = CatalogueForm(request.POST if request.method == "POST" else None, there=there)
    if request.method == "POST" and form.is_valid():
        _tell(request, catalogue.add(form.options()))
        return redirect("models")
    context = {
        "form": form,
        "notes": [place for place in catalogue.places().values() if place.note],
    }
    return render(
        request, "generation/catalogue.html", context, status=422 if form.is_bound else 200
    )


def _tell(request: StaffRequest, added: Added) -> None:
    if added.models:
        number = len(added.models)
        counted = "1 language model is" if number == 1 else f"{number} language models are"
        messages.success(request, f"{counted} added. Test each before a run.")
    if added.providers:
        names = ", ".join(f"“{one}”" for one in added.providers)
        messages.success(request, f"Added where they are asked: {names}. Check the addresses.")
    if added.there:
        names = ", ".join(f"“{name}”" for name in added.there)
        messages.warning(request, f"There already, and left as they are: {names}.")
    if not added.models and not added.there:
        messages.info(request, "All of them are there already.")
