"""The rules of cleaning: what each one does to a reply, and why a scholar may accept it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """One reason to cut, to change a mark, or to ask a person to look."""

    name: str
    did: str
    reason: str


CUTTING = (
    REASONING := Rule(
        "reasoning",
        "cut the model's reasoning",
        "What the model thought before it answered is not its answer.",
    ),
    CONTROL := Rule(
        "control_token",
        "cut a control token",
        "A token that steers the model was never meant to be read.",
    ),
    FENCE := Rule(
        "fence",
        "took the text inside a code fence",
        "The model set the poem apart from its talk by a fence.",
    ),
    TAG := Rule(
        "tag",
        "took the text inside a tag",
        "The model set the poem apart from its talk by a tag.",
    ),
    ECHO := Rule(
        "prompt_echoed",
        "cut the prompt said again",
        "The model repeated what it was asked.",
    ),
    OPENING := Rule(
        "opening",
        "cut the opening line",
        "The model speaks to whoever asked, before the poem.",
    ),
    CLOSING := Rule(
        "closing",
        "cut the closing words",
        "The model speaks to whoever asked, or about its poem, after the poem.",
    ),
    ALTERNATIVE := Rule(
        "another_poem",
        "cut what follows the first poem",
        "Of several poems in one reply the first is the answer.",
    ),
    TRANSLATION := Rule(
        "translation",
        "cut a translation",
        "The poem is what was written first; a rendering of it is a second text.",
    ),
    TURN := Rule(
        "another_turn",
        "cut another turn of the conversation",
        "The model went on to play whoever asks, or began with its own name.",
    ),
    END := Rule("end_mark", "cut an end mark", "It marks the end of the text; it is no verse."),
    SIGNATURE := Rule(
        "signature", "cut the author's name", "A name would tell a reader who wrote the poem."
    ),
    RULED := Rule(
        "rule",
        "cut a rule above or below the poem",
        "A rule or ornament at the edge separates the poem from what is around it.",
    ),
    LABEL := Rule(
        "label",
        "cut a label at the edge",
        "It names a part of the form (stanza, chorus, poem); it is no verse.",
    ),
    TITLE := Rule("title", "took the title", "A title is kept apart from the lines."),
    SUBTITLE := Rule(
        "subtitle",
        "cut a line under the title",
        "It names the form, the model or the author copied; it is no verse.",
    ),
)

CHANGING = (
    INVISIBLE := Rule(
        "invisible",
        "removed characters that nobody sees",
        "Zero-width and no-break spaces, and carriage returns, show no difference to a reader.",
    ),
    BREAKS := Rule(
        "line_breaks",
        "read written-out line breaks as line breaks",
        "The model wrote <br> or \\n where it meant the end of a line.",
    ),
    QUOTED := Rule(
        "quoted",
        "removed marks around every line",
        "Quotation marks, bullets or marks of quoting around the whole poem are the frame.",
    ),
    EMPHASIS := Rule(
        "emphasis",
        "removed marks of emphasis",
        "Paired Markdown marks are typesetting, which other poems lack.",
    ),
    LINE_ENDS := Rule(
        "line_ends",
        "removed spaces and backslashes at line ends",
        "Markdown writes a line break so; nobody sees it in the poem.",
    ),
)

FLAGGING = (
    SEVERAL := Rule("several_poems", "", "The reply holds several poems; the first was taken."),
    SEVERAL_FENCES := Rule(
        "several_fences", "", "The reply holds several fenced texts; the first was taken."
    ),
    TRANSLATED := Rule("translation", "", "The reply holds a translation; it was cut."),
    PARTLY_REFUSED := Rule("partly_refused", "", "The model declined a part of the request."),
    SAYS_ANOTHER_TURN := Rule("another_turn", "", "The model went on to write another turn."),
    THOUGHT_ALOUD := Rule(
        "thought_aloud", "", "Much was cut before the poem; see that no verse is among it."
    ),
    CUT_OFF := Rule("cut_off", "", "The poem looks cut off in its last line."),
    PROSE_INSIDE := Rule("prose_inside", "", "A line among the verse reads as prose."),
    TALK_INSIDE := Rule("talk_inside", "", "A line among the verse speaks to whoever asked."),
    LABELS := Rule("labels", "", "Labels such as “Stanza 2” stand between the lines."),
    SECTIONS := Rule(
        "sections", "", "Headings stand between the stanzas: parts, or several poems."
    ),
    NUMBERS := Rule("numbers", "", "Lines or stanzas are numbered."),
    ANNOTATIONS := Rule(
        "annotations",
        "",
        "Lines end in annotations, such as letters of a rhyme or syllable counts.",
    ),
    LONG_LINE := Rule("long_line", "", "The poem is one long line; its breaks may be lost."),
    SLASHES := Rule("slashes", "", "Slashes seem to stand for line breaks."),
    VERSES_IN_A_LINE := Rule("verses_in_a_line", "", "A line holds several verses."),
    MARKS := Rule("marks", "", "Marks of Markdown or HTML are left in the lines."),
    AS_MODEL := Rule("speaks_as_model", "", "The poem speaks of itself as written by a model."),
    SUSPICIOUS := Rule("suspicious", "", "A line reads as an instruction to whoever reads it."),
)
ORDER = {rule.name: at for at, rule in enumerate((*CUTTING, *CHANGING))}
