"""The catalogue is what the papers' tables say, and adding from it overwrites nothing."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from backend.generation import catalogue, estimating
from backend.generation.catalogue import Entry
from backend.generation.models import LanguageModel, Provider
from backend.generation.reaching import request_for
from tests.backend.generation.conftest import shown_text
from tests.language_models import model_at

pytestmark = pytest.mark.django_db

# As POEMetric's Table 3 has them: families counted by hand.
OPEN_NON_THINKING, OPEN_THINKING, CLOSED_NON_THINKING, CLOSED_THINKING = 18, 2, 6, 4
# As ProFTAP's Table 1 has them, best first; two have names that POEMetric uses for other versions.
PROFTAP = [
    "Qwen-72B-Poet", "Jiuge", "Xunzi-7B-Chat", "Qwen-72B-Chat", "GPT-4", "Ernie-Bot-4.0",
    "Qwen-14B-Chat", "GPT-3.5", "Yi-34B-Chat", "ChatGLM3-6B",
]  # fmt: skip


def entry(name: str) -> Entry:
    return next(
        one for paper in catalogue.papers() for one in paper.models if one.name == name
    )  # fmt: skip


def models_of(key: str) -> tuple[Entry, ...]:
    return next(paper.models for paper in catalogue.papers() if paper.key == key)


def test_poemetrics_thirty_are_classed_as_in_its_table() -> None:
    classed = [(one.weights, one.is_classed_as_thinking) for one in models_of("poemetric")]
    assert len(classed) == 30
    assert classed.count(("open", False)) == OPEN_NON_THINKING
    assert classed.count(("open", True)) == OPEN_THINKING
    assert classed.count(("closed", False)) == CLOSED_NON_THINKING
    assert classed.count(("closed", True)) == CLOSED_THINKING


def test_enough_is_set_aside_for_models_that_think_though_the_table_has_them_elsewhere() -> None:
    distilled = [one for one in models_of("poemetric") if "R1-Distill" in one.name]
    assert [(one.thinks, one.is_classed_as_thinking) for one in distilled] == [(True, False)] * 6
    (model,) = catalogue.add([(distilled[1], "openrouter")]).models
    model.price_input = model.price_output = Decimal(1_000_000)
    reserved = estimating.reserve(model, "Write.")
    assert reserved
    assert reserved > 8_000
    assert "Table 3 has it among those that do not think" in model.description


def test_what_another_adds_at_the_same_moment_is_there_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    picked = [(entry("o1"), "openai"), (entry("GPT-4o"), "openai")]
    catalogue.add(picked)
    # As if the other had come after the look for what is there.
    monkeypatch.setattr(LanguageModel.objects, "filter", lambda **_: LanguageModel.objects.none())
    monkeypatch.setattr(Provider.objects, "filter", lambda **_: Provider.objects.none())
    again = catalogue.add(picked)
    assert (again.models, again.providers, again.there) == ([], [], ["GPT-4o", "o1"])


def test_proftaps_ten_are_those_of_its_table() -> None:
    assert [one.named or one.name for one in models_of("proftap")] == PROFTAP


def test_each_model_fits_into_its_row_and_leads_to_a_provider_of_the_catalogue() -> None:
    entries = [one for paper in catalogue.papers() for one in paper.models]
    assert len({one.name for one in entries}) == len({one.key for one in entries}) == 40
    for one in entries:
        assert len(one.description) <= 300, one.name
        assert set(one.at) <= set(catalogue.places()), one.name


def test_poemetric_sends_no_sampling_and_proftap_a_temperature_of_its_own() -> None:
    catalogue.add([(entry("GPT-4o"), "openai"), (entry("GPT-4-1106-preview"), "openai")])
    by_default, at_nine = (
        request_for(LanguageModel.objects.get(name=name), "Write.").body
        for name in ("GPT-4o", "GPT-4-1106-preview")
    )
    assert set(by_default) == {"model", "messages"}
    assert at_nine["temperature"] == 0.9
    assert at_nine["model"] == "gpt-4-1106-preview"


def test_what_is_no_language_model_with_an_interface_is_there_for_its_poems_alone() -> None:
    catalogue.add([(entry("Jiuge"), ""), (entry("Qwen-72B-Poet"), "")])
    for model in LanguageModel.objects.all():
        assert (model.reach, model.provider, model.parameters) == ("imported", None, {})


def test_all_of_a_paper_is_added_at_once_with_the_providers_it_needs(researcher: Client) -> None:
    researcher.post(reverse("model-catalogue"), {"whole": "poemetric"})
    assert LanguageModel.objects.filter(description__startswith="POEMetric").count() == 30
    needed = {"OpenAI", "Anthropic", "Google Gemini", "vLLM on your own machine"}
    assert set(Provider.objects.values_list("name", flat=True)) == needed
    o1 = LanguageModel.objects.get(name="o1")
    assert (o1.thinks, o1.weights, o1.max_tokens_name) == (True, "closed", "max_completion_tokens")
    assert (o1.price_input, o1.priced_on) == (None, None)


def test_it_is_asked_where_the_row_says(researcher: Client) -> None:
    picked = {"picked": "deepseek-r1", "at-deepseek-r1": "openrouter"}
    researcher.post(reverse("model-catalogue"), picked)
    model = LanguageModel.objects.get()
    assert (str(model.provider), model.model_id) == ("OpenRouter", "deepseek/deepseek-r1")


def test_what_is_there_is_left_and_named(researcher: Client) -> None:
    model_at("http://127.0.0.1:9/v1", "mine", name="GPT-4o")
    picked = {"picked": ["gpt-4o", "o1"]}
    page = researcher.post(reverse("model-catalogue"), picked, follow=True).text
    assert "1 language model is added" in page
    assert "There already, and left as they are: “GPT-4o”." in page
    assert LanguageModel.objects.get(name="GPT-4o").model_id == "mine"
    researcher.post(reverse("model-catalogue"), picked)
    assert LanguageModel.objects.exclude(reach="built-in").count() == 2
    assert Provider.objects.count() == 2


def test_a_provider_of_the_name_is_used_as_it_was_set_up(researcher: Client) -> None:
    mine = Provider.objects.create(
        name="vLLM on your own machine", base_url="http://gpu.example.org:8000/v1"
    )
    researcher.post(reverse("model-catalogue"), {"picked": "yi-34b-chat"})
    assert LanguageModel.objects.get().provider == mine


def test_nothing_ticked_is_said_to_be_nothing(researcher: Client) -> None:
    refused = researcher.post(reverse("model-catalogue"), {})
    assert refused.status_code == 422
    assert "Choose at least one language model." in refused.text


def test_what_was_ticked_stays_ticked_beside_a_problem(researcher: Client) -> None:
    refused = researcher.post(reverse("model-catalogue"), {"picked": "o1", "at-o1": "nowhere"})
    assert refused.status_code == 422
    assert 'value="o1" checked' in refused.text


def test_the_page_names_what_is_there_and_offers_the_rest(researcher: Client) -> None:
    model_at("http://127.0.0.1:9/v1", "mine", name="GPT-4o")
    page = shown_text(researcher, reverse("model-catalogue"))
    assert 'value="gpt-4o"' not in page
    assert 'value="jiuge"' in page
    assert "nowhere; imported only" in page
