"""What a command asks for is understood, or said to be wrong together with what would do."""

import pytest
from django.core.management import CommandError, call_command

from backend.corpus.models import Collection
from backend.generation.models import Run
from tests.language_models import model_at

pytestmark = pytest.mark.django_db


def of_verse(*models: str) -> tuple[str, ...]:
    return ("--collection", "Verse", "--models", *models)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Name the collection"),
        (("--run", "R"), "no run named 'R' to go on with. There is none yet."),
        (("--collection", "Vers"), "no collection named 'Vers'. Did you mean 'Verse'?"),
        (("--collection", "Prose"), "no collection named 'Prose'."),
        (of_verse("GPT4o"), "no model named 'GPT4o' to ask. Did you mean 'GPT-4o'?"),
        (of_verse("zzzz"), "There are: 'built-in', 'GPT-4o', 'ngram-2"),
        (of_verse()[:2], "Choose at least one language model"),
        ((*of_verse("built-in"), "--poems", 0), "0 is not between 1 and 1,000,000"),
        ((*of_verse("built-in"), "--threads", "many"), "'many' is no whole number"),
        ((*of_verse("built-in"), "--temperature", "nan"), "nan is not between 0 and 2"),
        ((*of_verse("built-in"), "--cap", "-1"), "-1 is not between 0 and 1,000,000"),
        ((*of_verse("built-in"), "--cap", "much"), "'much' is no sum in US dollars"),
        ((*of_verse("built-in"), "--retry-failed"), "so nothing of it failed"),
        ((*of_verse("built-in"), "--run", "R" * 121), "121 characters; 120 fit"),
    ],
)
def test_what_is_missing_is_named(
    arguments: tuple[object, ...], words: str, collection: Collection
) -> None:
    model_at("http://127.0.0.1:9/v1", "gpt", name="GPT-4o")
    with pytest.raises(CommandError) as refusal:
        call_command("generate", *(str(argument) for argument in arguments))
    assert words in str(refusal.value)
    assert Run.objects.count() == 0
