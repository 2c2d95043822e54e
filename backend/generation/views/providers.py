"""The researcher's pages about providers of language models."""

from django.contrib import messages
from django.db import transaction
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from backend.accounts.access import StaffRequest, researchers_only
from backend.generation import removing
from backend.generation.forms.providers import ProviderForm
from backend.generation.models import Provider
from backend.generation.providers import is_key_set


@researchers_only
@require_GET
def providers(request: StaffRequest) -> HttpResponse:
    """List the providers, and whether the key of each is set here."""
    found = Provider.objects.order_by("name").annotate(n_models=Count("language_models"))
    listed = [(one, is_key_set(one.key_variable)) for one in found]
    return render(request, "generation/providers.html", {"providers": listed})


@researchers_only
@require_http_methods(["GET", "POST"])
def provider_new(request: StaffRequest) -> HttpResponse:
    """Add a provider."""
    return _page(request, None)


@researchers_only
@require_http_methods(["GET", "POST"])
def provider_edit(request: StaffRequest, key: int) -> HttpResponse:
    """Change a provider."""
    if request.method == "GET":
        return _page(request, get_object_or_404(Provider, pk=key))
    with transaction.atomic():
        return _page(
            request, get_object_or_404(Provider.objects.select_for_update(no_key=True), pk=key)
        )


@researchers_only
@require_http_methods(["GET", "POST"])
def provider_delete(request: StaffRequest, key: int) -> HttpResponse:
    """Delete a provider that has no models, once that is confirmed."""
    provider = get_object_or_404(Provider, pk=key)
    if request.method == "POST":
        try:
            removing.remove_provider(key)
        except removing.InUse as reason:
            messages.error(request, str(reason))
            return redirect("provider-edit", key=key)
        except Provider.DoesNotExist as gone:
            raise Http404 from gone
        messages.success(request, f"“{provider}” is deleted.")
        return redirect("providers")
    return render(request, "generation/provider_delete.html", {"provider": provider})


def _page(request: StaffRequest, provider: Provider | None) -> HttpResponse:
    form = ProviderForm(request.POST or None, provider=provider)
    if request.method == "POST" and form.is_valid() and (saved := form.save()):
        messages.success(request, f"“{saved}” is kept.")
        return redirect("providers")
    context = {
        "form": form,
        "provider": provider,
        "key_is_set": bool(provider and is_key_set(provider.key_variable)),
        "n_models": provider.language_models.count() if provider else 0,
    }
    return render(
        request, "generation/provider.html", context, status=422 if form.is_bound else 200
    )
