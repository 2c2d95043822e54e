"""Language models and where they are asked: for researchers."""

import json
from typing import Any

from django.core.exceptions import ValidationError as NotValid
from django.db import transaction
from django.forms import BaseForm
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from backend.api.authentication import TokenRequest
from backend.api.describing import PageQuery, page_of
from backend.api.problems import refuse
from backend.api.serializers.language_models import (
    ChangedLanguageModelSerializer,
    ChangedProviderSerializer,
    LanguageModelQuery,
    LanguageModelSerializer,
    NewLanguageModelSerializer,
    NewProviderSerializer,
    ProviderSerializer,
)
from backend.api.views.base import filled
from backend.api.views.generation import GenerationView
from backend.api.visible import models_of, providers_of
from backend.design.freezing import fixes_name
from backend.generation import services
from backend.generation.forms import parameters
from backend.generation.forms.models import LanguageModelForm
from backend.generation.forms.providers import ProviderForm
from backend.generation.models import LanguageModel


class Providers(GenerationView):
    """The providers."""

    @extend_schema(
        operation_id="list_providers",
        parameters=[PageQuery],
        responses=page_of(ProviderSerializer),
    )
    def get(self, request: TokenRequest) -> Response:
        """List where language models are asked."""
        self.query(PageQuery)
        return self.page(providers_of(request.user).order_by("name"), ProviderSerializer)

    @extend_schema(
        operation_id="add_provider",
        request=NewProviderSerializer,
        responses={201: ProviderSerializer},
    )
    def post(self, request: TokenRequest) -> Response:
        """Add a provider. Of its key give the name of the variable that holds it."""
        form = filled(ProviderForm, self.asked(NewProviderSerializer))
        return Response(ProviderSerializer(_kept(form)).data, status=201)


class ProviderDetail(GenerationView):
    """One provider."""

    @extend_schema(operation_id="read_provider", responses=ProviderSerializer)
    def get(self, request: TokenRequest, pk: int) -> Response:
        """Show one provider."""
        provider = get_object_or_404(providers_of(request.user), pk=pk)
        return Response(ProviderSerializer(provider).data)

    @extend_schema(
        operation_id="change_provider",
        request=ChangedProviderSerializer,
        responses=ProviderSerializer,
    )
    @transaction.atomic
    def patch(self, request: TokenRequest, pk: int) -> Response:
        """Change what is sent of a provider; its address stays once a model has written there."""
        held = providers_of(request.user).select_for_update(no_key=True)
        provider = get_object_or_404(held, pk=pk)
        asked = self.asked(ChangedProviderSerializer)
        _refuse_fixed(ProviderForm(provider=provider), asked)
        form = filled(ProviderForm, asked, provider=provider)
        return Response(ProviderSerializer(_kept(form)).data)


class LanguageModels(GenerationView):
    """The language models."""

    @extend_schema(
        operation_id="list_language_models",
        parameters=[LanguageModelQuery],
        responses=page_of(LanguageModelSerializer),
    )
    def get(self, request: TokenRequest) -> Response:
        """List the language models that can be asked, or whose poems were imported."""
        asked = self.query(LanguageModelQuery)
        services.built_in_models()
        found = models_of(request.user).filter(name__icontains=asked.get("search", ""))
        if "reach" in asked:
            found = found.filter(reach=asked["reach"])
        return self.page(found.order_by("name"), LanguageModelSerializer)

    @extend_schema(
        operation_id="add_language_model",
        request=NewLanguageModelSerializer,
        responses={201: LanguageModelSerializer},
    )
    def post(self, request: TokenRequest) -> Response:
        """Add a language model at a provider."""
        form = filled(LanguageModelForm, _typed(self.asked(NewLanguageModelSerializer)))
        return Response(LanguageModelSerializer(_kept(form)).data, status=201)


class LanguageModelDetail(GenerationView):
    """One language model."""

    @extend_schema(operation_id="read_language_model", responses=LanguageModelSerializer)
    def get(self, request: TokenRequest, pk: int) -> Response:
        """Show one language model."""
        model = get_object_or_404(models_of(request.user), pk=pk)
        return Response(LanguageModelSerializer(model).data)

    @extend_schema(
        operation_id="change_language_model",
        request=ChangedLanguageModelSerializer,
        responses=LanguageModelSerializer,
    )
    @transaction.atomic
    def patch(self, request: TokenRequest, pk: int) -> Response:
        """Change what is sent of a language model; what its poems rest on stays as it is."""
        # Held, since a study that is being opened fixes the names of its models.
        held = models_of(request.user).select_for_update(no_key=True)
        model = get_object_or_404(held.exclude(reach=LanguageModel.Reach.BUILT_IN), pk=pk)
        asked = _typed(self.asked(ChangedLanguageModelSerializer))
        _refuse_fixed(LanguageModelForm(model=model), asked)
        form = filled(LanguageModelForm, asked, model=model, name_is_fixed=fixes_name(model))
        return Response(LanguageModelSerializer(_kept(form)).data)


def _kept(form: ProviderForm | LanguageModelForm) -> Any:
    """Return what was filled in once it is stored, unless somebody else was faster."""
    saved = form.save()
    refuse(form)
    return saved


def _refuse_fixed(form: BaseForm, asked: dict[str, Any]) -> None:
    """Refuse what cannot be changed any more; a page shows it and takes nothing."""
    fixed = [name for name in asked if form.fields[name].disabled]
    if fixed:
        raise ValidationError({name: [str(form.fields[name].help_text)] for name in fixed})


def _typed(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what was sent as the page would have it: its parameters as text."""
    if "parameters" not in asked:
        return asked
    try:
        parameters.refuse_depth(asked["parameters"])
    except NotValid as error:
        raise ValidationError({"parameters": error.messages}) from error
    return {**asked, "parameters": json.dumps(asked["parameters"], ensure_ascii=False)}
