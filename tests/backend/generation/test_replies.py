"""Finding the poem: talk around it goes, named; the lines within stay."""

import pytest

from backend.generation.replies import NoPoem, find_poem

POEM = "The river keeps the light\nAnd lends it to the stones;\n\nThe stones give back a sound."


@pytest.mark.parametrize(
    ("reply", "cut"),
    [
        (POEM, []),
        (f"<think>Hm.</think>\n{POEM}", ["cut the model's reasoning"]),
        (f"Hm, a river.</think>\n{POEM}", ["cut the model's reasoning"]),
        (f"```\n{POEM}\n```", ["took the text inside a code fence"]),
        (f"Sure!\n\n{POEM}", ["cut the opening line: Sure!"]),
        (
            f"Here's a poem for you:\n{POEM}",
            ["cut the opening line: Here's a poem for you:"],
        ),
        (
            f"{POEM}\n\nThis poem follows an ABC pattern.",
            ["cut the closing words: This poem follows an ABC pattern."],
        ),
        (
            f"Sure!\n\n---\n\n{POEM}\n\n---\n\nI hope you like it!",
            [
                "cut the opening line: Sure!",
                "cut the closing words: I hope you like it!",
                "cut a rule above or below the poem",
            ],
        ),
        (POEM.replace("light", "**light**"), ["removed marks of emphasis"]),
        (POEM.replace("\n", "\r\n"), []),
    ],
)
def test_what_surrounds_the_poem_is_cut_and_named(reply: str, cut: list[str]) -> None:
    found = find_poem(reply)
    assert (found.title, found.text, found.trimmed) == ("", POEM, cut)


@pytest.mark.parametrize("line", ["# Water", "**Water**", "Title: Water", "Water", "《Water》"])
def test_a_title_is_taken_out(line: str) -> None:
    found = find_poem(f"{line}\n\n{POEM}")
    assert (found.title, found.text) == ("Water", POEM)


def test_a_first_line_that_comes_back_below_is_no_title() -> None:
    poem = f"The river\n\n{POEM}"
    assert (find_poem(poem).title, find_poem(poem).text) == ("", poem)


def test_indents_blank_lines_and_inner_spaces_stay() -> None:
    poem = "The river\n    keeps   the light\n\n\tand lends it\n  to the stones"
    assert find_poem(poem).text == poem


@pytest.mark.parametrize(
    "stanza",
    [
        "I hope the river stays\nWhere I have left it,\nBeneath the stones.",
        "This poem is a stone\nThat no one threw,\nThat no one owns.",
    ],
)
def test_a_last_stanza_that_begins_like_talk_stays(stanza: str) -> None:
    poem = f"{POEM}\n\n{stanza}"
    assert find_poem(poem).text == poem


def test_a_rule_between_stanzas_stays() -> None:
    poem = f"{POEM}\n\n***\n\n{POEM}"
    assert find_poem(poem).text == poem


@pytest.mark.parametrize(
    ("reply", "finish", "kind"),
    [
        ("", "stop", "empty"),
        (" \n\n ", "stop", "empty"),
        ("<think>Hm.</think>\n", "stop", "empty"),
        (POEM, "length", "truncated"),
        (f"<think>Hm. {POEM}", "stop", "truncated"),
        (POEM, "content_filter", "refused"),
        ("I'm sorry, but I can't write that.", "stop", "refused"),
        ("As an AI language model, I do not write poems.", "stop", "refused"),
    ],
)
def test_a_reply_without_a_poem_says_why(reply: str, finish: str, kind: str) -> None:
    with pytest.raises(NoPoem) as problem:
        find_poem(reply, finish=finish)
    assert problem.value.kind == kind


def test_a_poem_that_begins_with_being_sorry_is_no_refusal() -> None:
    poem = "I'm sorry for the river,\nI'm sorry for the stones,\nI'm sorry for the light\nit lends."
    assert find_poem(poem).text == poem
