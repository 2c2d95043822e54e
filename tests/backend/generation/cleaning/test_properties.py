"""Whatever a reply holds, kept lines are raw lines in order; a wrapped poem comes back whole."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.generation.cleaning import Found, NoPoem, find_poem

OPENINGS = (
    "",
    "Sure! Here's a poem for you:\n\n",
    "Here is a poem:\n\n---\n\n",
    "**Poem:**\n\n",
    "Certainly! Here is a sonnet on time, written in iambic pentameter:\n\n",
    "Poem:\n\n",
    "Of course! I'd be happy to write a poem about winter.\n\n",
    "Here's my attempt at a villanelle:\n",
    "I've written a poem that follows the ABAB rhyme scheme and explores loss:\n\n",
    "## Poem\n\n",
    "Below is a poem that meets your criteria.\n\n",
    "Here you go:\n\n",
    "Sure thing!\n\n",
    "Great prompt! Here's a limerick:\n\n",
    "Thank you for the prompt! Here is my poem:\n\n",
    "I cannot reproduce that poem, but here is an original one in a similar spirit:\n\n",
    "<think>\nA poem.\n\nLine one:\nline two\n</think>\n\n",
    "A poem is asked for.\n</think>\n\n",
    "[Verse 1]\n",
    "Stanza 1:\n",
    "**Stanza 1**\n\n",
    "**Untitled**\n\n",
    "In the style of Frost:\n\n",
    "Assistant: \n",
    "Write a poem about winter.\n\nSure, here it is:\n\n",
    "*clears throat*\n\n",
    "好的，以下是一首诗：\n\n",
)
TITLES = (
    "",
    "# The Keeping\n\n",
    "**The Keeping**\n\n",
    "Title: The Keeping\n\n",
    "“The Keeping”\n\n",
    "**The Keeping**\n*by Claude*\n\n",
    "# The Keeping\n\n*A Poem*\n\n",
    "The Keeping\n\n",
)
CLOSINGS = (
    "",
    "\n\nI hope you enjoyed this poem!",
    "\nI hope you enjoyed this poem!",
    "\n\n***\n\nEnjoy!",
    "\n\n---\n\nLet me know if you'd like me to adjust the tone or style!",
    "\n\n*The End*",
    "\n\nThis poem follows the ABAB rhyme scheme and uses iambic pentameter to explore time.",
    "\n\n(Note: the rhyme scheme is AABB.)",
    "\n\nRhyme scheme: AABB CCDD",
    "\n\n— Claude",
    "\n\n**Explanation:**\n\nThe poem uses snow to convey loss.\n\n* **Meter:** iambic",
    "\n\n### Analysis\n\n- **Theme**: loss\n- **Imagery**: snow",
    "\n\n(Word count: 64)",
    "\n\nWould you like me to write another one, or adjust this in any way?",
    "\n\n🌲❄️",
    "\n\nThe speaker reflects on time through the natural world, using snow as a metaphor for "
    "forgetting. The final lines turn toward acceptance.",
    "<|im_end|>",
    "\n\n</s>",
    "\n\n### Human: Write another poem about spring.\n### Assistant: Spring is here\nand well",
    "\n\n**Alternative version:**\n\nThe snow is deep\nThe night is long\nAnd I am here",
    "\n\n注释：\n雪：冬天的雪。",
    "\n\nTranslation:\nLe vieux lac glacé\nun héron attend",
)
WORDS = [
    "snow",
    "river",
    "stone",
    "lamp",
    "grey",
    "slow",
    "keeps",
    "under",
    "the",
    "a",
    "my",
    "window",
    "winter",
    "bell",
    "sings",
    "falls",
    "and",
    "of",
    "field",
    "crow",
    "ash",
    "salt",
    "mother",
    "door",
    "bread",
    "stairs",
    "half",
    "again",
    "never",
    "into",
    "rust",
]
line = st.builds(
    lambda words, end: " ".join(words).capitalize() + end,
    st.lists(st.sampled_from(WORDS), min_size=4, max_size=9),
    st.sampled_from([",", ".", "", ";"]),
)
stanza = st.lists(line, min_size=3, max_size=6).map("\n".join)
poem = st.lists(stanza, min_size=1, max_size=4).map("\n\n".join)
PIECES = (
    *OPENINGS,
    *TITLES,
    *CLOSINGS,
    "\n",
    "\n\n",
    "---\n",
    "**",
    "*",
    "_",
    "# ",
    "> ",
    "- ",
    "1. ",
    "```\n",
    "The river keeps ",
    "the light,",
    "Note: ",
    "《静夜思》",
    "床前明月光，",
    "“",
    "”",
    "(",
    ")",
    "Poem 2:",
    "\r\n",
    "\u00a0",
    "<br>",
    "\\n",
    "User: ",
    "II.",
    ":",
    "|",
    "\\",
    "<poem>",
    "</poem>",
    "I'm sorry, but I cannot write",
    "[/INST]",
    "===",
    "~~~",
    "a",
    " ",
    "\t",
    "😊",
)
replies = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=25)


def found_in(reply: str) -> Found | None:
    try:
        return find_poem(reply)
    except NoPoem:
        return None


@settings(max_examples=300, deadline=None)
@given(replies.map("".join))
def test_kept_lines_are_raw_lines_in_order_and_nothing_inner_is_cut(reply: str) -> None:
    found = found_in(reply)
    if found is None:
        return
    assert found.text.strip()
    assert set(found.kept) <= set(range(len(reply.split("\n"))))
    assert list(found.kept) == sorted(set(found.kept))
    if not any(mark in reply for mark in ("think>", "INST]", "```", "~~~")):
        # Only reasoning, an earlier turn and the marks of a fence are taken out from between.
        assert list(found.kept) == list(range(found.kept[0], found.kept[-1] + 1))


@settings(max_examples=200, deadline=None)
@given(poem)
def test_a_plain_poem_comes_back_as_it_is(text: str) -> None:
    found = find_poem(text)
    assert (found.text, found.title, found.cuts) == (text, "", ())


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(OPENINGS), st.sampled_from(TITLES), poem, st.sampled_from(CLOSINGS))
def test_a_wrapped_poem_comes_back_whole(opening: str, title: str, text: str, closing: str) -> None:
    found = find_poem(f"{opening}{title}{text}{closing}")
    assert found.text == text
    assert found.title == ("The Keeping" if title else "")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(OPENINGS), st.sampled_from(TITLES), poem, st.sampled_from(CLOSINGS))
def test_a_poem_that_was_found_is_found_whole_again(
    opening: str, title: str, text: str, closing: str
) -> None:
    once = find_poem(f"{opening}{title}{text}{closing}")
    assert find_poem(once.text).text == once.text


@pytest.mark.parametrize(
    "unit",
    [
        "a ",
        "*a",
        "*",
        "_",
        "> ",
        "“",
        " ",
        " #",
        "- ",
        "**a** ",
        "the poem ",
        "here is ",
        "《",
        "：",
        "<think>",
        "</think>",
        "<|a",
        "\\n",
        "a: ",
        "this poem is ",
        "(",
        "a\n",
        "a\n\n",
        "# a\n\n",
        "---\n",
        "> a\n",
        "```\n",
        "Note: a\n\n",
        "A B\n\n",
        "titled “",
        "12 words ",
        "analysis",
    ],
)
def test_no_reply_takes_long(unit: str) -> None:
    reply = (unit * 20_000)[:60_000]
    for raw in (reply, f"x\n\n{reply}\n\ny", f"{reply}q"):
        began = time.process_time()
        found_in(raw)
        assert time.process_time() - began < 3
