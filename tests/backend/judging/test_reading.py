"""What a machine judge's reply says is taken; what it does not say is never made up."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.instruments.instrument import InvalidAnswers
from annotation.instruments.loading import load, published
from annotation.instruments.questions import Answer
from backend.judging.reading import Unreadable, read
from tests.backend.judging.judge_server import SCORES, SURVEY

INSTRUMENT = load(published("poemetric-survey"))
PROFTAP = load(published("proftap-probability"))
KEYS = {str(question.number): question.key for question in INSTRUMENT.questions}


def heard(reply: str) -> dict[str, int | None]:
    """Return the scores that a reply gives, by number of the question, as they would be stored."""
    answers = INSTRUMENT.read(INSTRUMENT.by_number(read(reply, INSTRUMENT).answers))
    return {number: answers[KEYS[number]].number for number in SCORES}


def reply(**changes: object) -> str:
    """Return a full reply with some answers changed, by ``q`` and number; None drops one."""
    changed = {name.removeprefix("q"): value for name, value in changes.items()}
    fields = json.loads(SURVEY) | changed
    return json.dumps({number: value for number, value in fields.items() if value != "dropped"})


PRETTY = json.dumps(json.loads(SURVEY), indent=2)
READABLE = {
    "the object alone": SURVEY,
    "the object on many lines": f"\n{PRETTY}\n\n",
    "in a fence": f"```json\n{PRETTY}\n```",
    "in a fence without a language": f"```\n{SURVEY}\n```",
    "with prose around": f"Here are my scores:\n\n{SURVEY}\n\nI hope this helps!",
    "after braces in prose": f"The form {{iambic}} and the {{rhyme}} please me.\n{SURVEY}",
    "after the form of the answer repeated":
        f'{{"1": <insert your score here>, ..., "9": "<insert your comments here>"}}\n{SURVEY}',
    "after a thought": f"<think>Hm, is it human?</think>\n{SURVEY}",
    "after a thought with braces and other scores":
        f"<think>Perhaps {reply(q1=1)}? or {{...</think>{SURVEY}",
    "after a thought whose beginning was swallowed": f"So {reply(q1=1)} no.\n</think>\n\n{SURVEY}",
    "after two thoughts": f"<think>a</think><THINK>b {reply(q1=2)}</THINK>{SURVEY}",
    "given twice alike": f"{SURVEY}\n\nIn short:\n```json\n{PRETTY}\n```",
    "beside another object": f'{{"note": "scores follow"}}\n{SURVEY}',
    "in a list of one": f"[{SURVEY}]",
    "scores as text": reply(q1="4", q2=" 5 "),
    "a score out of five": reply(q1="4/5", q2="5 / 5"),
    "a score written as a decimal": reply(q1=4.0),
    "a score with its label": reply(q1="4 - Agree", q2="5: strongly agree", q3="3. Neutral"),
    "a score with a long dash": reply(q1="4 — Agree"),
    "not applicable with its label": reply(q7="0 - N/A (No imagery is used)"),
    "no comments": json.dumps(SCORES),
    "comments left blank": reply(q9="", q11=None, q13="  "),
    "a comment with braces": reply(q9='He says {"1": 1} and } {'),
    "a comment on many lines as it stands": SURVEY.replace("A simile.", "A simile.\nAnd\tmore."),
    "one number twice alike": SURVEY.replace('"1": 4', '"1": 4, "1": 4'),
}  # fmt: skip


@pytest.mark.parametrize("name", READABLE)
def test_a_reply_is_read(name):
    assert heard(READABLE[name]) == SCORES


NESTED = json.dumps({"scores": json.loads(SURVEY)})
UNREADABLE = {
    "nothing": "",
    "blank": " \n",
    "prose": "I would give this poem four out of five throughout.",
    "a refusal": "I'm sorry, but I cannot judge this poem.",
    "one number alone": "4",
    "a list of numbers": json.dumps(list(SCORES.values())),
    "numbered lines": "\n".join(f"{number}. {score}" for number, score in SCORES.items()),
    "other keys": json.dumps({KEYS[number]: score for number, score in SCORES.items()}),
    "an empty object": "{}",
    "nested": NESTED,
    "nested and cut off": NESTED[:-1],
    "nested in an object that is no JSON": f"{{'scores': {SURVEY}}}",
    "an answer that is an object": reply(q1={"score": 4}),
    "an answer that is a list": reply(q1=[4]),
    "cut off": SURVEY[:-3],
    "cut off after a nested answer": '{"1": 4, "2": ' + SURVEY,
    "a thought that never ends": f"<think>Perhaps {SURVEY}",
    "only in the thought": f"<think>{SURVEY}</think>\nDone.",
    "two that disagree": f"{SURVEY}\n{reply(q1=5)}",
    "two with other questions": f"{SURVEY}\n{json.dumps(SCORES)}",
    "split in two": '{"1": 4, "2": 5}\n{"3": 3, "4": 2}',
    "one number twice, differently": SURVEY.replace('"1": 4', '"1": 4, "1": 5'),
    "one and then true": reply(q5=1) + "\n" + reply(q5=True),
    "a question more": reply(q14=3),
    "an explanation more": reply(explanation="Well."),
    "a key that no database keeps": SURVEY[:-1] + ', "\\ud800\\u0000": 1}',
    "a missing score": reply(q12="dropped"),
    "a score of null": reply(q12=None),
    "a score between points": reply(q1=3.5),
    "a score above the scale": reply(q1=6),
    "a score below the scale": reply(q1=-1),
    "N/A where it is not offered": reply(q1=0),
    "nought out of five where 0 is no point": reply(q7="0/5"),
    "true": reply(q1=True),
    "a word": reply(q1="four"),
    "a label alone": reply(q1="Agree"),
    "a score with another's label": reply(q1="4 - Disagree"),
    "a score with the label of N/A": reply(q7="1 - N/A (No imagery is used)"),
    "a score out of ten": reply(q1="4/10"),
    "six out of five": reply(q1="6/5"),
    "a range": reply(q1="3-4"),
    "a score and a doubt": reply(q1="4 (or 5)"),
    "NaN": SURVEY.replace('"1": 4', '"1": NaN'),
    "a number too long": SURVEY.replace('"1": 4', '"1": ' + "4" * 5000),
    "a comment that is a number": reply(q9=4),
    "a comment too long": reply(q9="x" * 5001),
    "a comment with NUL": SURVEY.replace("A simile.", "A\\u0000 simile."),
    "a comment with half a pair": SURVEY.replace("A simile.", "A \\ud83d simile."),
    "single quotes": SURVEY.replace('"', "'"),
    "bare keys": '{1: 4, 2: 5}',
    "a trailing comma": SURVEY[:-1] + ",}",
    "very deep": '{"1": ' + "[" * 100_000,
    "very deep in objects": '{"1":' * 50_000 + SURVEY,
    "only braces": "{" * 100_000,
}  # fmt: skip


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_reply_that_does_not_carry_the_answers_is_not_read(name):
    with pytest.raises((Unreadable, InvalidAnswers)):
        heard(UNREADABLE[name])


@pytest.mark.parametrize("name", UNREADABLE)
def test_the_reason_can_be_stored_and_shown(name):
    with pytest.raises((Unreadable, InvalidAnswers)) as refused:
        heard(UNREADABLE[name])
    said = str(refused.value)
    assert said.encode()
    assert "\x00" not in said
    assert len(said) < 2000


@pytest.mark.parametrize(
    ("said", "repairs"),
    [
        (SURVEY, []),
        (f"\n{PRETTY}\n", []),
        (f"{SURVEY}\nI hope this helps.", ["took the JSON object out of other text"]),
        (f"```json\n{SURVEY}\n```", ["took the JSON object out of other text"]),
        (f"<think>Hm.</think>{SURVEY}", ["cut the model's reasoning"]),
        (reply(q1="4/5"), ["1: read '4/5' as 4"]),
        (reply(q1=4.0), ["1: read 4.0 as 4"]),
        (reply(q7="0 - N/A (No imagery is used)"),
         ["7: read '0 - N/A (No imagery is used)' as 0"]),
    ],
)  # fmt: skip
def test_what_was_repaired_is_named(said, repairs):
    assert read(said, INSTRUMENT).repairs == repairs


@pytest.mark.parametrize(
    ("said", "thousandths"),
    [('{"1": 0.35}', 350), ('{"1": "0.9"}', 900), ('{"1": 1}', 1000), ('{"1": 0}', 0)],
)
def test_a_probability_is_read(said, thousandths):
    answers = PROFTAP.read(PROFTAP.by_number(read(said, PROFTAP).answers))
    assert answers == {"probability_human": Answer(number=thousandths)}


@pytest.mark.parametrize(
    "said",
    ['{"1": 35}', '{"1": "35%"}', '{"1": "10"}', '{"1": 1.2}', '{"1": "4/5"}', '{"1": 1e-9}',
     '{"p": 0.4}', "0.4", '{"1": "0.4 - likely"}', '{"example": {"1": 0.5}, "1": 0.9'],
)  # fmt: skip
def test_what_is_no_probability_is_not_read(said):
    with pytest.raises((Unreadable, InvalidAnswers)):
        PROFTAP.read(PROFTAP.by_number(read(said, PROFTAP).answers))


@pytest.mark.parametrize(
    ("key", "said", "number"),
    [
        ("pair-choice", '{"1": 2, "2": ""}', 2),
        ("pair-choice", '{"1": "1 - Text A", "2": ""}', 1),
        ("altered-text", '{"1": 0.0}', 0),
        ("altered-text", '{"1": "1: altered"}', 1),
    ],
)  # fmt: skip
def test_a_choice_of_two_is_read(key, said, number):
    instrument = load(published(key))
    answers = instrument.read(instrument.by_number(read(said, instrument).answers))
    assert next(iter(answers.values())) == Answer(number=number)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("pair-choice", '{"1": "1/2"}'), ("pair-choice", '{"1": "A"}'),
        ("pair-choice", '{"1": "2 - Text A"}'), ("altered-text", '{"1": true}'),
        ("proftap-probability", '{"1": "cannot_tell"}'),
    ],
)  # fmt: skip
def test_what_is_neither_of_two_is_not_read(key, said):
    instrument = load(published(key))
    with pytest.raises((Unreadable, InvalidAnswers)):
        instrument.read(instrument.by_number(read(said, instrument).answers))


def test_a_model_that_cannot_tell_is_read_where_that_is_offered():
    instrument = load(published("recognised-probability"))
    said = '{"1": "0 - I have never seen it", "2": 4, "3": 0, "4": "", "5": "cannot_tell"}'
    answers = instrument.read(instrument.by_number(read(said, instrument).answers))
    assert answers["probability_human"] == Answer(blank="cannot_tell")
    assert answers["recognition"] == Answer(number=0)


@pytest.mark.parametrize("whole", [SURVEY, PRETTY, NESTED, f"[{SURVEY}]"[:-1], reply(q9="{}")])
def test_a_reply_cut_off_anywhere_is_not_read(whole):
    end = whole.rindex("}")
    for cut in range(end):
        with pytest.raises(Unreadable):
            read(whole[:cut], INSTRUMENT)


PIECES = st.sampled_from(
    ["{", "}", "[", "]", ":", ",", '"', '"1"', '"7"', '"9"', "4", "0", "5", "6", "true", "null",
     "<think>", "</think>", "```", "\n", " ", "4/5", '"4 - Agree"', "\\u0000", "\\ud800", "NaN",
     SURVEY, '{"1": 4}', "{}", "x"],
)  # fmt: skip
REPLIES = st.lists(PIECES, max_size=12).map("".join) | st.text()


@given(REPLIES)
def test_no_reply_is_read_to_say_what_it_does_not(said):
    try:
        answers = read(said, INSTRUMENT).answers
    except Unreadable:
        return
    for number, answer in answers.items():
        assert f'"{number}"' in said
        if isinstance(answer, int | str) and re.fullmatch(r"\d+", str(answer).strip()):
            assert str(answer).strip() in said


@given(st.integers(0, len(SURVEY)), st.integers(0, 6), REPLIES.map(lambda text: text[:8]))
def test_a_damaged_reply_gives_only_scores_that_stand_in_it(at, lost, put):
    said = SURVEY[:at] + put + SURVEY[at + lost :]
    try:
        scores = heard(said)
    except (Unreadable, InvalidAnswers):
        return
    for number, score in scores.items():
        assert re.search(rf'"{number}"\s*:\s*"?\s*0*{score}', said)
