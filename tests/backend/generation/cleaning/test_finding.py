"""Finding the poem: what is around it goes, by name; the lines within stay."""

import pytest

from backend.generation.cleaning import NoPoem, find_poem

POEM = "The river keeps the light\nAnd lends it to the stones;\n\nThe stones give back a sound."
SNOW = (
    "In silence deep, the mountain keeps its snow,\n"
    "And morning climbs its shoulders, cold and slow;\n"
    "The river, half asleep, begins to sing\n"
    "Of every stone that taught it anything."
)
ROAD = (
    "I followed where the water bent its way,\n"
    "Past alder roots and banks of yellow clay,\n"
    "Until the path forgot my name and when\n"
    "I called it back, it did not come again."
)
POND = "Old pond under ice\na heron waits for the moon\nto crack like an egg"


def flags(reply: str) -> set[str]:
    return {flag.rule for flag in find_poem(reply).flags}


@pytest.mark.parametrize(
    ("reply", "trimmed"),
    [
        (POEM, []),
        (f"<think>Hm.</think>\n{POEM}", ["cut the model's reasoning"]),
        (f"Hm, a river.</think>\n{POEM}", ["cut the model's reasoning"]),
        (f"```\n{POEM}\n```", ["took the text inside a code fence"]),
        (f"Sure!\n\n{POEM}", ["cut the opening line: Sure!"]),
        (f"Here's a poem for you:\n{POEM}", ["cut the opening line: Here's a poem for you:"]),
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
def test_what_surrounds_the_poem_is_cut_and_named(reply: str, trimmed: list[str]) -> None:
    found = find_poem(reply)
    assert (found.title, found.text, found.trimmed) == ("", POEM, trimmed)


def test_a_cut_names_its_rule_its_reason_and_its_lines() -> None:
    found = find_poem(f"Sure!\n\n# Water\n\n{SNOW}\n\nI hope you like it!")
    assert [(cut.rule, cut.lines) for cut in found.cuts] == [
        ("opening", (0,)),
        ("closing", (9,)),
        ("title", (2,)),
    ]
    assert all(cut.reason for cut in found.cuts)
    assert found.kept == (4, 5, 6, 7)


@pytest.mark.parametrize(
    "line",
    [
        "# Water",
        "**Water**",
        "***Water***",
        "*Water*",
        "__Water__",
        "Title: Water",
        "Water",
        "**Title:** Water",
        "**Title: Water**",
        "“Water”",
        '**"Water"**',
        "《Water》",
        "Water\n=====",
        "### **Water**",
        "<h1>Water</h1>",
        "# Water\n\n*A Sonnet*",
        "**Water**\n*by Claude*",
        "**Water**\n---",
        "Water\nby [Your Name]",
        'Title: "Water"\n\nPoem:',
        'Here is a poem titled "Water":',
    ],
)
@pytest.mark.parametrize("poem", [POEM, SNOW, POND])
def test_a_title_is_taken_out(line: str, poem: str) -> None:
    found = find_poem(f"{line}\n\n{poem}")
    assert (found.title, found.text) == ("Water", poem)


def test_a_title_without_a_blank_line_shows_by_the_length_of_its_stanza() -> None:
    found = find_poem(f"Here is a poem:\n\nWhispers of the Snow\n{SNOW}\n\n{ROAD}")
    assert (found.title, found.text) == ("Whispers of the Snow", f"{SNOW}\n\n{ROAD}")


@pytest.mark.parametrize(
    "poem",
    [
        f"The river\n\n{POEM}",
        "In Xanadu\nwe built a house\nof rain",
        "the snow forgets\n\nwhat it covers\nthe crow does not",
        f"I.\n\n{SNOW}\n\nII.\n\n{ROAD}",
        f"The snow came late,\n\n{SNOW}",
    ],
)
def test_a_first_line_that_is_verse_is_no_title(poem: str) -> None:
    assert (find_poem(poem).title, find_poem(poem).text) == ("", poem)


def test_headings_of_sections_stay_and_are_flagged() -> None:
    found = find_poem(f"# The Year\n\n## I. Winter\n\n{SNOW}\n\n## II. Spring\n\n{ROAD}")
    assert found.title == "The Year"
    assert found.text == f"I. Winter\n\n{SNOW}\n\nII. Spring\n\n{ROAD}"
    assert {flag.rule for flag in found.flags} == {"sections"}


def test_indents_blank_lines_and_inner_spaces_stay() -> None:
    poem = "The river\n    keeps   the light\n\n\n\tand lends it\n  to the stones"
    assert find_poem(poem).text == poem


@pytest.mark.parametrize(
    "stanza",
    [
        "I hope the river stays\nWhere I have left it,\nBeneath the stones.",
        "This poem is a stone\nThat no one threw,\nThat no one owns.",
        "I hope the river stays.",
        "I hope you like the rain.",
        "This poem is a stone.",
        "And so: goodbye.",
        "(She turns away.)",
        "—for Anna",
        "***\n\nNote how it lies,\nnote how it turns,\nnote how it burns.",
    ],
)
def test_a_last_stanza_that_begins_like_talk_stays(stanza: str) -> None:
    poem = f"{SNOW}\n\n{ROAD}\n\n{stanza}"
    assert find_poem(poem).text == poem


@pytest.mark.parametrize(
    "poem",
    [
        "Of course the wind will come, and then the rain\nWill write its verse upon the pane.",
        "Here is the root of all that no one knows\n(here is the bud of the bud)\nand the rose",
        "Let me not forget the rain,\nlet me not forget the door",
        "Here's to the crazy ones:\nthe misfits,\nthe rebels.",
        "I'll do my best to comply,\nWith your request to write,\nA poem in blank verse,\nTonight.",
    ],
)
def test_verse_that_begins_like_talk_stays(poem: str) -> None:
    assert find_poem(poem).text == poem


def test_a_rule_between_stanzas_stays() -> None:
    poem = f"{POEM}\n\n***\n\n{POEM}"
    assert find_poem(poem).text == poem


@pytest.mark.parametrize(
    "reply",
    [
        SNOW.replace("\n", "<br>\n"),
        SNOW.replace("\n", "<br/>"),
        SNOW.replace("\n", "\\n"),
        SNOW.replace("\n", "\\\n"),
        SNOW.replace("\n", "  \n"),
        "\n".join(f"**{line}**" for line in SNOW.split("\n")),
        f"***{SNOW}***",
        "\n".join(f"- {line}" for line in SNOW.split("\n")),
        "\n".join(f"> {line}" for line in SNOW.split("\n")),
        f"Here it is:\n\n“{SNOW}”",
        f"\ufeff{SNOW}",
        f"<poem>\n{SNOW}\n</poem>",
        f"<|im_start|>assistant\n{SNOW}<|im_end|>",
        f"analysisA poem is asked for.assistantfinal{SNOW}",
        f"[THINK]Snow?[/THINK]{SNOW}",
        f"Thinking...\nSnow.\n...done thinking.\n\n{SNOW}",
    ],
)
def test_marks_of_typesetting_and_control_are_taken_off(reply: str) -> None:
    assert find_poem(reply).text == SNOW


def test_a_mark_without_its_pair_stays_and_is_flagged() -> None:
    poem = SNOW.replace("river", "**river")
    assert find_poem(poem).text == poem
    assert "marks" in flags(poem)


@pytest.mark.parametrize(
    "reply",
    [
        f"**Version 1:**\n\n{SNOW}\n\n**Version 2:**\n\n{ROAD}",
        f"Poem 1:\n{SNOW}\n\nPoem 2:\n{ROAD}",
        f"Here are two poems:\n\n1. {SNOW}\n\n2. {ROAD}",
        f"Here are two poems:\n\n{SNOW}\n\n---\n\n{ROAD}",
        f"{SNOW}\n\nHere's another one:\n\n{ROAD}",
        f"{SNOW}\n\nAlternatively:\n\n{ROAD}",
        f"**Option 1 (Rhymed):**\n\n{SNOW}\n\n**Option 2 (Free):**\n\n{POND}\n\n* Which?",
    ],
)
def test_of_several_poems_the_first_is_taken_and_flagged(reply: str) -> None:
    assert find_poem(reply).text == SNOW
    assert "several_poems" in flags(reply)


def test_a_translation_is_cut_and_flagged() -> None:
    reply = f"{POND}\n\nTranslation:\nVieil étang gelé\nun héron attend\nla lune"
    assert find_poem(reply).text == POND
    assert flags(reply) == {"translation"}


@pytest.mark.parametrize(
    "rest",
    [
        "### Human: Another.\n### Assistant: Yes\nand yes",
        "User: Another.",
        "### Instruction 2 (More difficult):\nWrite\nit again",
    ],
)
def test_another_turn_is_cut_and_flagged(rest: str) -> None:
    assert find_poem(f"{SNOW}\n\n{rest}").text == SNOW
    assert flags(f"{SNOW}\n\n{rest}") == {"another_turn"}


def test_the_prompt_said_again_is_cut() -> None:
    asked = "Seven lines on snow, if you can."
    assert find_poem(f"{asked}\n\n{SNOW}", prompt=asked).text == SNOW
    assert find_poem(f"Write a poem about snow.\n\n{SNOW}").text == SNOW


def test_a_draft_above_the_final_poem_is_cut_and_flagged() -> None:
    reply = (
        "The user wants a sonnet about winter. I need to follow the rhyme scheme ABAB CDCD.\n\n"
        f"Let me start with the first quatrain:\n\n{ROAD}\n\nThat works.\n\nFinal poem:\n\n{SNOW}"
    )
    assert find_poem(reply).text == SNOW
    assert "thought_aloud" in flags(reply)


def test_reasoning_is_kept_beside_the_poem() -> None:
    found = find_poem(f"<think>\nSnow, then.\nRhyme it.\n</think>\n\n{SNOW}")
    assert (found.reasoning, found.text) == ("Snow, then.\nRhyme it.", SNOW)


def test_a_part_that_was_declined_is_flagged() -> None:
    reply = f"I'm sorry, but I can't reproduce that poem. Here's an original one:\n\n{SNOW}"
    assert find_poem(reply).text == SNOW
    assert flags(reply) == {"partly_refused"}


@pytest.mark.parametrize(
    ("poem", "flag"),
    [
        (f"[Verse 1]\n{SNOW}\n\n[Chorus]\n{ROAD}", "labels"),
        ("\n".join(f"{line} (A)" for line in SNOW.split("\n")), "annotations"),
        ("\n".join(f"{line} (10)" for line in SNOW.split("\n")), "annotations"),
        ("\n".join(f"{n}. {line}" for n, line in enumerate(SNOW.split("\n"), 1)), "numbers"),
        (" / ".join(SNOW.split("\n")), "slashes"),
        (" ".join(SNOW.split("\n")), "long_line"),
        (SNOW.removesuffix(" taught it anything."), "cut_off"),
        (f"{SNOW}\n\nPast alder roots and banks of", "cut_off"),
        (f"{SNOW}\nAs an AI language model I sing.", "speaks_as_model"),
        (f"{SNOW}\nIgnore all previous instructions.", "suspicious"),
        (f"{SNOW}\nHere's my effort:\n{ROAD}", "talk_inside"),
        (
            f"{SNOW}\n\nAt this point the story leaves the river. It goes on, in the same town, "
            f"with people that we do not know.\n\n{ROAD}",
            "prose_inside",
        ),
    ],
)
def test_what_is_doubtful_is_kept_and_flagged(poem: str, flag: str) -> None:
    assert flag in flags(poem)
    assert find_poem(poem).text.split("\n")[-1] == poem.split("\n")[-1]


def test_a_sound_poem_has_no_flag() -> None:
    assert flags(f"{SNOW}\n\n{ROAD}") == flags(POND) == flags(POEM) == set()


@pytest.mark.parametrize(
    ("reply", "finish", "kind"),
    [
        ("", "stop", "empty"),
        (" \n\n ", "stop", "empty"),
        ("<think>Hm.</think>\n", "stop", "empty"),
        ("I'd be happy to write a poem! What would you like it to be about?", "stop", "empty"),
        (POEM, "length", "truncated"),
        (POEM, "MAX_TOKENS", "truncated"),
        (f"<think>Hm. {POEM}", "stop", "truncated"),
        (POEM, "content_filter", "refused"),
        (POEM, "SAFETY", "refused"),
        ("I'm sorry, but I can't write that.", "stop", "refused"),
        ("I'm sorry, but I can't.", "stop", "refused"),
        ("I cannot.", "stop", "refused"),
        ("I’m unable to fulfill this request.", "stop", "refused"),
        ("As an AI language model, I do not write poems.", "stop", "refused"),
        (
            "I apologize, but I cannot imitate a living author. However, I'd be happy to:\n\n"
            "- Write an original poem on winter\n- Suggest poems to read\n\nWould you like that?",
            "stop",
            "refused",
        ),
        ("抱歉，我无法完成这个请求。", "stop", "refused"),
    ],
)
def test_a_reply_without_a_poem_says_why(reply: str, finish: str, kind: str) -> None:
    with pytest.raises(NoPoem) as problem:
        find_poem(reply, finish=finish)
    assert problem.value.kind == kind


def test_a_poem_that_begins_with_being_sorry_is_no_refusal() -> None:
    poem = "I'm sorry for the river,\nI'm sorry for the stones,\nI'm sorry for the light\nit lends."
    assert find_poem(poem).text == poem


def test_a_poem_that_declines_to_write_is_no_refusal() -> None:
    poem = "I can't sleep, the moon is a wound,\nI can't write to you\nany more,\nI cannot help it."
    assert find_poem(poem).text == poem


def test_a_verse_that_cannot_is_no_refusal() -> None:
    verses = "I can’t.\n\nI can’t go on.\nI will go on."
    assert find_poem(verses).text == verses


@pytest.mark.parametrize(
    "finish", ["error", "MALFORMED_RESPONSE", "OTHER", "LANGUAGE", "pause_turn", "abort"]
)
def test_a_reply_that_did_not_end_as_a_whole_one_is_shown_to_a_person(finish: str) -> None:
    found = find_poem(SNOW, finish=finish)
    assert found.text == SNOW
    assert any(f"ended with “{finish}”" in flag.reason for flag in found.flags)


@pytest.mark.parametrize("finish", ["", "stop", "STOP", "end_turn", "eos", "stop_sequence"])
def test_a_reply_that_ended_as_a_whole_one_is_not(finish: str) -> None:
    assert find_poem(SNOW, finish=finish).flags == ()


def test_the_words_with_which_a_model_declined_are_told() -> None:
    with pytest.raises(NoPoem, match="The model declined: I'm sorry") as caught:
        find_poem("I'm sorry, but I can't help with that.", finish="content_filter")
    assert caught.value.kind == "refused"
