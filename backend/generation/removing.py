"""Taking language models and providers away again, as long as nothing rests on them."""

from django.db import transaction
from django.db.models import ProtectedError

from backend.generation.models import Call, LanguageModel, Provider


class InUse(Exception):
    """Something rests on it, so it stays."""


@transaction.atomic
def remove_model(key: int) -> None:
    """Delete a language model that has written nothing and judges nothing.

    What was asked of it to try it out stays on record, for that was paid for.

    Raises
    ------
    InUse
        If anything was asked of it in a run or a study, or imported as its own.
    LanguageModel.DoesNotExist
        If it is not there, or not any more.
    """
    model = LanguageModel.objects.select_for_update().get(pk=key)
    if model.generations.exists():
        raise InUse(f"Poems of “{model}” were written, asked for or imported, so it stays.")
    Call.objects.filter(model=model, generation=None).update(model=None)
    try:
        model.delete()
    except ProtectedError as error:
        raise InUse(f"“{model}” is a machine judge of a study, so it stays.") from error


@transaction.atomic
def remove_provider(key: int) -> None:
    """Delete a provider that has no language models.

    Raises
    ------
    InUse
        If it has any.
    Provider.DoesNotExist
        If it is not there, or not any more.
    """
    provider = Provider.objects.select_for_update().get(pk=key)
    if provider.language_models.exists():
        raise InUse(f"“{provider}” has language models. Delete or move them first.")
    provider.delete()
