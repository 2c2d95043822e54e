"""From a language model's row to a call that goes to it."""

from backend.generation import providers
from backend.generation.models import LanguageModel

BUILT_IN = providers.Reach(wire="openai", base_url="built-in:")

ANOTHER = 1_000_003  # between the seeds of two turns


def reach_of(model: LanguageModel) -> providers.Reach:
    """Return where calls to this model go.

    Raises
    ------
    ValueError
        If it was only imported, so that it cannot be asked.
    """
    if model.reach == LanguageModel.Reach.BUILT_IN:
        return BUILT_IN
    if model.provider is None:
        raise ValueError(f"{model} cannot be asked; its poems were imported.")
    at = model.provider
    return providers.Reach(
        wire=at.wire,
        base_url=at.base_url,
        key_variable=at.key_variable,
        seconds=float(model.seconds),
    )


def request_for(
    model: LanguageModel,
    prompt: str,
    *,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
) -> providers.Request:
    """Return the call that puts `prompt` to this model. What is None is not sent."""
    return providers.request(
        reach_of(model),
        model.model_id,
        prompt,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        parameters=model.parameters,
        max_tokens_name=model.max_tokens_name,
    )


def seed_of(model: LanguageModel, seed: int | None, sample: int, turn: int = 0) -> int | None:
    """Return the seed to send: one for each sample, so that samples differ and can be repeated.

    None, if the run has no seed, for some endpoints refuse to be sent one. The built-in writers
    write by nothing else. A poem that is asked for anew has another, or the same would come.
    """
    if seed is None and model.reach != LanguageModel.Reach.BUILT_IN:
        return None
    return ((seed or 0) * 1000 + sample + turn * ANOTHER) % 2**31
