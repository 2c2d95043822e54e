"""What the staff API answers to an error: one shape for all."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.views import exception_handler

from backend.api import problems


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer an error of the framework, in the shape of `problems`; None if it is none."""
    if isinstance(error, RequestDataTooBig):
        error = problems.TooLarge()
    response = exception_handler(error, context)
    if response is None:
        return None
    known = error if isinstance(error, APIException) else None
    response.data = problems.of_exception(known) if known else _plainly(response)
    return response


def _plainly(response: Response) -> Any:
    """Return the body for what Django raises itself, whose words may name tables."""
    if response.status_code == 404:
        return problems.body("There is no such thing, or none that you may see.")
    return problems.body(str(response.data["detail"]))
