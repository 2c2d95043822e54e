"""What a judge is told can be translated: one whole sentence with places for its values."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from annotation.instruments import choices, probability, questions
from annotation.instruments.instrument import InvalidAnswers
from annotation.instruments.loading import load, published, published_all
from annotation.instruments.questions import InvalidAnswer

SURVEY = load(published("poemetric-survey"))


def refused(key: str, typed: object) -> InvalidAnswer:
    answers = {question.key: 4 for question in SURVEY.questions if question.required}
    with pytest.raises(InvalidAnswers) as problems:
        SURVEY.read({**answers, key: typed})
    return problems.value.problems[key]


@pytest.mark.parametrize(
    ("key", "typed", "message", "values"),
    [
        ("form", 9, "Choose a point from {low} to {high}.", {"low": 1, "high": 5}),
        ("imagery", 9, "Choose a point from {low} to {high}, or N/A.", {"low": 1, "high": 5}),
        ("author", "Keats", "There is no such question.", {}),
        ("quality_comment", 3, "Write this answer in words.", {}),
    ],
)
def test_a_problem_has_a_message_with_places_and_the_values_for_them(key, typed, message, values):
    problem = refused(key, typed)
    assert (problem.message, problem.values) == (message, values)


def test_a_problem_reads_as_its_english_sentence():
    assert str(refused("imagery", 9)) == "Choose a point from 1 to 5, or N/A."


def test_a_label_with_braces_of_its_own_is_set_as_it_is():
    problem = InvalidAnswer("Choose “{first}”.", first="{second}")
    assert str(problem) == "Choose “{second}”."


@pytest.mark.parametrize("module", [questions, probability, choices], ids=lambda m: m.__name__)
def test_every_message_to_a_judge_is_marked_for_translation(module):
    tree = ast.parse(Path(inspect.getfile(module)).read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    raised = [call for call in calls if getattr(call.func, "id", "") == "InvalidAnswer"]
    assert raised
    for call in raised:
        [message] = call.args
        marked = isinstance(message, ast.Call) and getattr(message.func, "id", "")
        assert marked == "gettext_noop" or isinstance(message, ast.Name), ast.unparse(call)
    for call in calls:
        if getattr(call.func, "id", "") == "gettext_noop":
            [literal] = call.args
            assert isinstance(literal, ast.Constant)  # a sentence put together is not extracted
            assert re.search(r"\.$", literal.value)


@pytest.mark.parametrize("data", published_all().values(), ids=lambda data: data["key"])
def test_a_page_sent_empty_is_told_what_each_required_question_wants(data):
    instrument = load(data)
    required = {question.key for question in instrument.questions if question.required}
    if "recognition" in required:  # a gate: nothing behind it is asked yet
        required = {"recognition"}
    with pytest.raises(InvalidAnswers) as problems:
        instrument.read({})
    assert set(problems.value.problems) == required
    for problem in problems.value.problems.values():
        assert str(problem) == problem.message.format(**problem.values)
