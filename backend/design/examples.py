"""What the pages about instruments show by way of example: questions, a first draft, poems."""

from dataclasses import dataclass
from typing import Any

BRIEF = "Write a short poem.\nTheme: the wind"
# Christina Rossetti, "Who Has Seen the Wind?" (1872); Emily Dickinson, "A word is dead" (1894).
ENGLISH = (
    "Who has seen the wind?\n  Neither I nor you:\nBut when the leaves hang trembling,\n"
    "  The wind is passing through.\n\nWho has seen the wind?\n  Neither you nor I:\n"
    "But when the trees bow down their heads,\n  The wind is passing by.",
    "A word is dead\nWhen it is said,\n  Some say.\nI say it just\nBegins to live\n  That day.",
)
# 李白《静夜思》 and 王之涣《登鹳雀楼》.
CHINESE = (
    "床前明月光\n疑是地上霜\n举头望明月\n低头思故乡",
    "白日依山尽\n黄河入海流\n欲穷千里目\n更上一层楼",
)


@dataclass(frozen=True)
class Kind:
    """One kind of question: what it asks for, and an example of it."""

    kind: str
    what: str
    example: dict[str, Any]


KINDS = (
    Kind(
        "likert",
        "One labelled point of a scale. Codes rise from point to point. “na”, which may be left "
        "out, stands outside the scale; so may “examples”, lines under the question.",
        {
            "key": "imagery",
            "kind": "likert",
            "text": "The imagery is vivid.",
            "points": [[1, "Not at all"], [2, "Hardly"], [3, "Partly"], [4, "Mostly"], [5, "Very"]],
            "na": [0, "Not applicable"],
        },
    ),
    Kind(
        "probability",
        "A probability from 0.00 to 1.00, placed on an empty track or typed. “cannot_tell”, which "
        "may be left out, is an answer of its own.",
        {
            "key": "human",
            "kind": "probability",
            "about": "authorship",
            "locks_above": True,
            "text": "How likely is it that a human wrote this poem?",
            "low_label": "certainly a machine",
            "high_label": "certainly a human",
            "cannot_tell": "I cannot tell",
        },
    ),
    Kind(
        "recognition",
        "Whether the poem is known. It comes first, and what follows waits for it. At the last "
        "level a name can be written.",
        {
            "key": "known",
            "kind": "recognition",
            "text": "Have you read this poem before?",
            "levels": [
                [0, "I have never seen it"],
                [1, "It seems vaguely familiar"],
                [2, "I know it"],
                [3, "I can name it"],
            ],
            "named_label": "Which poem, or whose?",
        },
    ),
    Kind(
        "forced_choice",
        "One of two texts, shown side by side. An instrument with such a question is about pairs: "
        "its judge_prompt has {text_a} and {text_b} in place of {the_poem}.",
        {
            "key": "better",
            "kind": "forced_choice",
            "text": "Which of the two is the better poem?",
            "labels": ["Text A", "Text B"],
        },
    ),
    Kind(
        "altered",
        "One of two answers to whether a text was changed.",
        {
            "key": "altered",
            "kind": "altered",
            "text": "Was this text altered?",
            "labels": ["not altered", "altered"],
        },
    ),
    Kind(
        "comment",
        "Words. Lines of the poem can be quoted in it by a click.",
        {
            "key": "comment",
            "kind": "comment",
            "text": "What led you to your answers?",
            "required": False,
        },
    ),
)

# Where an own instrument starts that is not made from another.
START: dict[str, Any] = {
    "key": "my-instrument",
    "version": "1",
    "language": "en",
    "title": "My instrument",
    "source": "",
    "instructions": "Read the poem, then answer the questions beside it.",
    "brief_heading": "",
    "poem_heading": "Poem",
    "questions_heading": "Questions",
    "questions_intro": "",
    "judge_prompt": "Read the poem and answer the questions.\n\n{the_poem}\n\n{questions}",
    "questions": [KINDS[0].example, KINDS[-1].example],
}


def poems(language: str, texts: int) -> tuple[str, ...]:
    """Return as many sample texts as an instrument shows, in Chinese if its language is."""
    return (CHINESE if language.casefold().startswith("zh") else ENGLISH)[:texts]
