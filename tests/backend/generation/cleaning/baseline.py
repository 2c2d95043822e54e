"""The first rules this project had, kept to measure better ones against."""

import re
from dataclasses import dataclass

THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
OPEN_THOUGHT = re.compile(r"<think>.*", re.DOTALL | re.IGNORECASE)
END_OF_THOUGHT = re.compile(r"^.*?</think>", re.DOTALL | re.IGNORECASE)
FENCE = re.compile(r"```[^\n]*\n(.*?)\n?```", re.DOTALL)
PREAMBLE = re.compile(
    r"^(sure|certainly|of course|absolutely|here(?: is|'s|’s| are)|okay|ok[,! ]|以下|好的)[^\n]*$",
    re.IGNORECASE,
)
AFTERWORD = re.compile(
    r"^(note|explanation|analysis|this (?:original )?(?:poem|sonnet|ballad|villanelle|limerick)\b"
    r"|i hope|let me know|in this poem|the poem (?:follows|uses|is written)|注|赏析|赏析：)",
    re.IGNORECASE,
)
REFUSAL = re.compile(r"^(i['’]m sorry|i am sorry|sorry,|i can(?:no|['’])t|as an ai)", re.IGNORECASE)
TITLE = re.compile(r"^(?:#+\s*(.+?)|\*\*(.+?)\*\*|title:\s*(.+?)|《(.+?)》)\s*$", re.IGNORECASE)
RULE = re.compile(r"[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*")
VERSE_WIDTH = 70  # characters; a line of prose runs on, a line of verse seldom so far
EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


class NoPoem(ValueError):
    """The reply holds no poem; `kind` is "empty", "truncated" or "refused"."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Found:
    """The poem in a reply: its title if it gave one, its text, and what was cut to find it."""

    title: str
    text: str
    trimmed: list[str]


def find_poem(reply: str, *, finish: str = "stop") -> Found:
    """Return the poem in `reply`. Inner lines are never touched.

    Raises
    ------
    NoPoem
        If the reply is empty, was cut off by its length limit, or refuses to write.
    """
    if finish == "length":
        raise NoPoem("truncated", "The reply was cut off at its length limit; raise max. tokens.")
    if finish == "content_filter":
        raise NoPoem("refused", "The provider's content filter stopped the reply.")
    trimmed: list[str] = []
    text = _without_thought(reply.replace("\r\n", "\n"), trimmed)
    if fenced := FENCE.search(text):
        text = fenced.group(1)
        trimmed.append("took the text inside a code fence")
    paragraphs = [part for part in re.split(r"\n[ \t]*\n", text.strip("\n")) if part.strip()]
    _drop_talk(paragraphs, trimmed)
    _drop_rules(paragraphs, trimmed)
    title = _take_title(paragraphs, trimmed)
    poem = "\n\n".join(part.strip("\n") for part in paragraphs)
    plain = EMPHASIS.sub(r"\2", poem)
    if plain != poem:
        trimmed.append("removed marks of emphasis")
    if not plain.strip() and "<think>" in reply.lower().rpartition("</think>")[2]:
        raise NoPoem("truncated", "The reply ends within the model's reasoning; raise max. tokens.")
    if not plain.strip():
        raise NoPoem("empty", "The reply holds no text.")
    if REFUSAL.match(plain.strip()) and plain.count("\n") < 3:
        raise NoPoem("refused", f"The model declined: {plain.strip()[:200]}")
    return Found(title[:300], plain, trimmed)


def _without_thought(text: str, trimmed: list[str]) -> str:
    cut = THOUGHT.sub("", text)
    if "</think>" in cut:  # some templates swallow the opening mark
        cut = END_OF_THOUGHT.sub("", cut)
    if "<think>" in cut:
        cut = OPEN_THOUGHT.sub("", cut)
    if cut != text:
        trimmed.append("cut the model's reasoning")
    return cut


def _drop_talk(paragraphs: list[str], trimmed: list[str]) -> None:
    if paragraphs:
        first, _, rest = paragraphs[0].partition("\n")
        if PREAMBLE.match(first.strip()):
            trimmed.append(f"cut the opening line: {first.strip()[:80]}")
            paragraphs[0] = rest
            if not rest.strip():
                paragraphs.pop(0)
    while len(paragraphs) > 1 and _is_afterword(paragraphs[-1]):
        trimmed.append(f"cut the closing words: {paragraphs.pop().strip()[:80]}")


def _is_afterword(paragraph: str) -> bool:
    """Whether it speaks of the poem, in prose: a stanza may begin "I hope" as well."""
    lines = paragraph.strip().split("\n")
    in_verse = len(lines) > 2 and all(len(line) <= VERSE_WIDTH for line in lines)
    return not in_verse and bool(AFTERWORD.match(lines[0].lstrip("(*_-[")))


def _drop_rules(paragraphs: list[str], trimmed: list[str]) -> None:
    """Cut rules that fence the poem off from talk; one between stanzas stays."""
    before = len(paragraphs)
    while paragraphs and RULE.fullmatch(paragraphs[0]):
        paragraphs.pop(0)
    while paragraphs and RULE.fullmatch(paragraphs[-1]):
        paragraphs.pop()
    if len(paragraphs) < before:
        trimmed.append("cut a rule above or below the poem")


def _take_title(paragraphs: list[str], trimmed: list[str]) -> str:
    if not paragraphs:
        return ""
    first, _, rest = paragraphs[0].partition("\n")
    marked = TITLE.match(first.strip())
    if not marked and not _stands_alone(first, rest, paragraphs[1:]):
        return ""
    title = next(part for part in marked.groups() if part) if marked else first
    trimmed.append(f"took the title: {title.strip()[:80]}")
    paragraphs[0] = rest
    if not rest.strip():
        paragraphs.pop(0)
    return title.strip().strip("*_\"'“”").removeprefix("Title:").strip()


def _stands_alone(first: str, rest: str, body: list[str]) -> bool:
    """Whether a lone first line reads as a title: not a line of verse, not taken up again below."""
    line = first.strip()
    if rest or not body or len(line) > 80 or line[-1:] in ",;:—-":
        return False
    return "\n" in body[0].strip() and line.casefold() not in "\n".join(body).casefold()
