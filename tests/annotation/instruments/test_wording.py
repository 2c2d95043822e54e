"""The shipped instruments ask what their papers asked, word for word."""

import re
from pathlib import Path

import pytest

from annotation.instruments.loading import load, published, published_all
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Comment, Likert

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared"

# POEMetric, Appendix C, in its order.
QUESTIONS = (
    "The poem follows the given prompt in terms of form, including meter and rhyme where "
    "applicable.",
    "The poem follows the given prompt in terms of its theme.",
    "The poem uses a varied vocabulary.",
    "The poem is a creative work.",
    "This poem shows idiosyncrasy.",
    "This poem evokes emotional resonance.",
    "The imagery in this poem is used well.",
    "At least one of the literary devices listed below is used well in the poem.",
    "Please comment on why you gave the answer that you did for question 8 above.",
    "This is a good poem.",
    "Please comment on why you gave the answer that you did for question 10 above.",
    "The poem is written by a human.",
    "Please give comments on why you gave the answer that you did for question 12 above.",
)
COMMENTS = {9, 11, 13}
LABELS = {1: "Strongly disagree", 2: "Disagree", 3: "Neutral", 4: "Agree", 5: "Strongly agree"}
NA = {7: "N/A (No imagery is used)", 8: "N/A (No literary devices are used)"}
EXAMPLES = ("Simile", "Metaphor", "Personification", "Allusion")
INSTRUCTIONS = (
    "Please read the prompt (i.e. the instructions that were given for writing each of the "
    "specific poems reproduced below), and then read the poem that was written in response to "
    "this prompt. Then answer the questions that follow. Please do not check any online or "
    "offline resources while completing this survey; we are interested in your own direct and "
    "personal response!"
)
INTRO = (
    "Below are 10 required multiple-choice questions and 3 optional open-ended questions. For "
    "each multiple-choice question, please score the poem from 1 to 5 based on how strongly you "
    "agree or disagree with the question."
)
PROBABILITY = "ssign a probability (0.0 to 1.0) to each poem"  # "instructed to assign" in the paper
LIKELY = (
    "which indicates how likely this poem is written by a real human, without referring to any "
    "other information and without the help of other people or computer."
)

SURVEY = load(published("poemetric-survey"))
PROFTAP = load(published("proftap-probability"))


def paper(name: str) -> str:
    """Return a paper's text on one line, without the line numbers of its margin."""
    file = SHARED / "papers" / name
    if not file.exists():
        pytest.skip(f"the paper's text {name} is not beside this checkout")
    lines = (
        re.sub(r"^(?:\d{3,4}\b\s*)+", "", line.strip())
        for line in file.read_text(encoding="utf-8").splitlines()
    )
    return " ".join(" ".join(lines).split())


def appendix_c() -> tuple[str, str]:
    """Return the survey of the experts and the prompt of the machines."""
    text = paper("poemetric.txt")
    survey = text.index("POEMetric-based Human Expert Survey Please read")
    prompt = text.index("POEMetric-based LLM Evaluation prompt # Role Description")
    return text[survey:prompt], text[prompt : prompt + 5000]


def test_these_instruments_are_shipped_under_the_keys_they_have():
    shipped = published_all()
    assert set(shipped) == {
        "altered-text", "pair-choice", "poemetric-survey", "proftap-probability",
        "proftap-probability-zh", "recognised-probability",
    }  # fmt: skip
    assert {key: load(data).key for key, data in shipped.items()} == {key: key for key in shipped}


def test_an_unknown_instrument_is_refused_with_those_there_are():
    with pytest.raises(LookupError, match="poemetric-survey, proftap-probability,"):
        published("poemetric")


def test_the_survey_asks_the_papers_thirteen_questions_in_their_order():
    assert tuple(question.text for question in SURVEY.questions) == QUESTIONS
    assert [question.number for question in SURVEY.questions] == list(range(1, 14))


@pytest.mark.parametrize("question", SURVEY.questions, ids=lambda question: question.key)
def test_each_question_has_the_papers_kind_scale_and_obligation(question):
    optional = question.number in COMMENTS
    assert isinstance(question, Comment if optional else Likert)
    assert question.required is not optional
    if isinstance(question, Likert):
        assert {point.code: point.label for point in question.points} == LABELS
        na = NA.get(question.number)
        assert (question.na and (question.na.code, question.na.label)) == (na and (0, na))
        assert question.examples == (EXAMPLES if question.number == 8 else ())


def test_only_the_last_two_questions_of_the_survey_are_about_authorship():
    about = [question.about for question in SURVEY.questions]
    assert about == ["quality"] * 11 + ["authorship"] * 2


def test_proftap_is_asked_in_chinese_as_in_english():
    chinese = load(published("proftap-probability-zh"))
    assert chinese.language == "zh-hans"
    [question], [original] = chinese.questions, PROFTAP.questions
    assert isinstance(question, Probability)
    assert (question.key, question.required, question.cannot_tell) == (
        original.key, original.required, original.cannot_tell,
    )  # fmt: skip
    assert "translation" in chinese.source
    assert not chinese.shows_brief


def test_recognition_comes_first_and_authorship_last_behind_a_lock():
    asked = load(published("recognised-probability"))
    assert [question.kind for question in asked.questions] == [
        "recognition", "likert", "likert", "comment", "probability", "comment",
    ]  # fmt: skip
    assert [[question.number for question in stage] for stage in asked.stages] == [
        [1, 2, 3, 4], [5, 6],
    ]  # fmt: skip
    assert {question.about for question in asked.stages[0]} == {"quality"}
    assert {question.about for question in asked.stages[1]} == {"authorship"}


def test_the_survey_is_introduced_in_the_papers_words():
    assert SURVEY.instructions == INSTRUCTIONS
    assert SURVEY.questions_intro == INTRO
    assert (SURVEY.brief_heading, SURVEY.poem_heading) == ("The prompt", "The poem")
    assert SURVEY.questions_heading == "Questions"
    assert SURVEY.shows_brief


def test_proftap_asks_for_one_probability_in_the_papers_words_and_shows_no_brief():
    [question] = PROFTAP.questions
    assert isinstance(question, Probability)
    assert question.required
    assert not PROFTAP.shows_brief
    assert PROFTAP.instructions == f"A{PROBABILITY} you are given {LIKELY}"


def test_the_papers_survey_holds_every_word_of_ours():
    survey, _ = appendix_c()
    assert INSTRUCTIONS in survey
    assert INTRO in survey
    for number, text in enumerate(QUESTIONS, start=1):
        required = "" if number in COMMENTS else " (Required)"
        assert f"{number}. {text}{required}" in survey
    for label in (*(f"{code} - {label}" for code, label in LABELS.items()), *NA.values()):
        assert label in survey
    for example in EXAMPLES:
        assert f"- {example}" in survey


def test_the_papers_survey_requires_what_ours_does():
    survey, _ = appendix_c()
    assert survey.count("(Required)") == sum(question.required for question in SURVEY.questions)


def test_the_papers_judge_prompt_is_ours_up_to_the_questions_and_after_them():
    _, prompt = appendix_c()
    head, _, rest = SURVEY.judge_prompt.partition("{questions}")
    assert " ".join(head.split()) in prompt
    assert " ".join(rest.split()) in prompt


def test_the_papers_judge_prompt_asks_every_question_as_ours_does():
    _, prompt = appendix_c()
    for question in SURVEY.questions:
        assert f"{question.number}. {question.text}" in prompt
    for label in NA.values():
        assert f"0 - {label}" in prompt


def test_proftaps_paper_holds_every_word_of_ours():
    text = paper("proftap.txt")
    assert PROBABILITY in text
    assert LIKELY in text
