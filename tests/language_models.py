"""Language models at an address, as tests need them."""

from typing import Any

from backend.generation.models import LanguageModel, Provider


def provider_at(
    url: str, *, wire: str = "openai", key_variable: str = "", **limits: Any
) -> Provider:
    """Return the provider at this address, adding it if there is none with this key and wire."""
    where = {"base_url": url, "wire": wire, "key_variable": key_variable}
    name = f"{wire} at {url} {key_variable}".strip()[:120]
    return Provider.objects.get_or_create(**where, defaults={"name": name, **limits})[0]


def model_at(
    url: str,
    model_id: str,
    *,
    name: str = "",
    wire: str = "openai",
    key_variable: str = "",
    **fields: Any,
) -> LanguageModel:
    """Add a language model that is asked at this address."""
    provider = provider_at(url, wire=wire, key_variable=key_variable)
    return LanguageModel.objects.create(
        name=name or model_id, provider=provider, model_id=model_id, **fields
    )
