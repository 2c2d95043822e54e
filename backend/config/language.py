"""The language of a page: English, unless whoever reads it is an expert who asks for another."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.views.i18n import JavaScriptCatalog


class OneLanguageEach:
    """Middleware: a request begins in English, and its language ends with it.

    The pages of staff are in English. Those of experts choose for themselves, by
    `annotation.judgments.access.speak`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        translation.activate(settings.LANGUAGE_CODE)
        try:
            return self.get_response(request)
        finally:
            translation.deactivate()


def script_strings(request: HttpRequest, language: str) -> HttpResponseBase:
    """Hand out the strings of the scripts in one language."""
    known = {code for code, _ in settings.LANGUAGES}
    with translation.override(language if language in known else settings.LANGUAGE_CODE):
        response = JavaScriptCatalog.as_view(packages=["backend.config"])(request)
    response["Cache-Control"] = "public, max-age=3600"
    return response
