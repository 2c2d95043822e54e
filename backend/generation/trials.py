"""One call to a language model, made now, to see whether it answers and how."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from django.utils import timezone

from backend.generation import calling, providers
from backend.generation.models import Call, LanguageModel
from backend.generation.providers import ProviderRefused, ProviderUnavailable
from backend.generation.reaching import request_for

PROMPT = "Write two lines of verse about the sea. Reply with these two lines and nothing else."
SECONDS = 60.0
# Within one such while the same answer is shown again, so that nobody pays for a double click.
WHILE = 60


def try_out(model: LanguageModel, *, now: datetime, ask: calling.Ask = providers.ask) -> Call:
    """Put the same short brief to a model as to any other. Return the call, however it ended.

    Raises
    ------
    backend.generation.calling.NotNow
        If the model is being tried out already, or has to be left alone for now.
    ValueError
        If it was only imported, so that it cannot be asked.
    """
    request = request_for(model, PROMPT)
    seconds = min(SECONDS, request.reach.seconds)
    request = replace(request, reach=replace(request.reach, seconds=seconds))
    _refuse_two_at_once(model, request)
    identity = providers.identity(
        request, sample=int(now.timestamp()) // WHILE, purpose=f"test {model.pk}"
    )
    with suppress(ProviderUnavailable, ProviderRefused):
        return calling.make(request, model=model, identity=identity, ask=ask)
    return Call.objects.filter(identity=identity).latest("pk")


def remedy(call: Call) -> str:
    """Return what to do about a call that was not answered."""
    return REMEDIES.get(call.error_kind, "")


REMEDIES = {
    "no key": "Set the variable in the environment of the web process and of the workers, and "
    "start them again.",
    "key": "Check the key that the variable holds: is it whole, still valid, and may it use this "
    "model? Then start the processes again.",
    "request": "Check the model’s id and its parameters against what the provider says about them.",
    "address": "Correct the provider’s address, or have whoever runs this site allow its host.",
    "package": "Have whoever runs this site install that package, and start the processes again.",
    "unreachable": "Check the provider’s address, and whether the service is up and can be reached "
    "from the machine that this page runs on. In a container, localhost is the container itself.",
    "timeout": "A model that thinks may take longer than this test waits; runs wait as long as the "
    "model’s own time-out says. Or the service is overloaded.",
    "busy": "Wait a while. If it happens often, lower the limits of the model or its provider.",
    "server": "The fault is the provider’s. Wait a while, or look at what it says of its state.",
}


def _refuse_two_at_once(model: LanguageModel, request: providers.Request) -> None:
    under_way = Call.objects.filter(
        model=model, generation=None, state=Call.State.OPEN, expires_at__gt=timezone.now()
    )
    # Machine judges make calls without a generation, too, but to other prompts.
    if any(call.request == request.body for call in under_way):
        raise calling.NotNow("same call", None, f"{model} is being tried out already")
