"""Finding the poem in a reply, from its edges inwards; an inner line is never cut."""

import re
from collections.abc import Sequence

from backend.generation.cleaning import wording
from backend.generation.cleaning.closing import cut_closing
from backend.generation.cleaning.enclosing import unwrap
from backend.generation.cleaning.flagging import flag_headings, flag_poem
from backend.generation.cleaning.found import Found, Log, NoPoem
from backend.generation.cleaning.lines import Line, blocks, read, strip_blank
from backend.generation.cleaning.marks import take_marks_off
from backend.generation.cleaning.opening import Above, cut_opening, is_verse
from backend.generation.cleaning.rules import Rule
from backend.generation.cleaning.talk import Measure, closes, is_refusal, opens
from backend.generation.cleaning.thinking import split_thinking
from backend.generation.cleaning.titles import take_title

LENGTH = {"length", "max_tokens", "max_output_tokens", "model_length"}
FILTERED = {
    "content_filter",
    "refusal",
    "safety",
    "recitation",
    "prohibited_content",
    "blocklist",
    "spii",
}
# The words of those who say that the reply is whole; empty, where nothing is said.
ENDED = {
    "",
    "stop",
    "stop_sequence",
    "end_turn",
    "eos",
    "eos_token",
    "complete",
    "completed",
    "normal",
}
OFFERS = re.compile(r"(?:i|if|however|instead|but)\b.*:$", re.IGNORECASE)
SHORT_REFUSAL = 3  # lines


def find_poem(reply: str, *, finish: str = "stop", prompt: str = "") -> Found:
    """Return the poem in `reply`. Only what is around it is cut; every cut is named.

    Parameters
    ----------
    reply : str
        The reply as it came.
    finish : str
        Why the reply ended: "stop", "length", "content_filter" or a vendor's own word.
    prompt : str
        What was asked; if the reply says it again, that is cut.

    Raises
    ------
    NoPoem
        If the reply is empty, was cut off by its length limit, or refuses to write.
    """
    log = Log()
    _check_finish(finish, reply, log)
    split = split_thinking(read(reply, log), log)
    lines = strip_blank(split.lines)
    reasoning = "\n".join(split.thought).strip()
    if not lines and split.unended:
        raise NoPoem("truncated", "The reply ends within the model's reasoning; raise max. tokens.")
    if not lines:
        raise NoPoem("empty", "The reply holds no text.")
    _check_refusal(lines)
    above = Above([])
    lines = strip_blank(unwrap(lines, log, above))
    measure = Measure.of([block for block in blocks(lines) if not block.is_rule])
    lines, said = cut_opening(lines, measure, log, prompt)
    above = Above([*above.said, *said.said], said.marked)
    whole = lines
    lines = cut_closing(lines, measure, log, above) if lines else []
    ends_reply = len(strip_blank(whole)) == len(lines)
    title, lines = take_title(lines, log, above)
    _check_left(lines, measure, above)
    flag_headings(lines, log)
    kept = take_marks_off(strip_blank(lines), log, framed=bool(above.said))
    if not any(line.text.strip() for line in kept):
        raise NoPoem("empty", "The reply holds no poem.")
    flag_poem(kept, log, ends_reply=ends_reply)
    return Found(
        title=title,
        text="\n".join(line.text for line in kept),
        reasoning=reasoning,
        cuts=tuple(log.cuts),
        changes=tuple(log.changes),
        flags=tuple(log.flags.values()),
        kept=tuple(dict.fromkeys(line.number for line in kept)),
    )


def _check_finish(finish: str, reply: str, log: Log) -> None:
    reason = finish.lower()
    if reason in LENGTH:
        raise NoPoem("truncated", "The reply was cut off at its length limit; raise max. tokens.")
    if reason in FILTERED:
        said = reply.strip()[:200]
        if is_refusal(said.partition("\n")[0]):
            raise NoPoem("refused", f"The model declined: {said}")
        raise NoPoem("refused", "The provider's content filter stopped the reply.")
    if reason not in ENDED:
        said = f"The reply ended with “{finish[:40]}”, not as one that is whole; it may be cut off."
        log.flag(Rule("ended_otherwise", "", said))


def _check_refusal(lines: Sequence[Line]) -> None:
    """Raise NoPoem if the reply begins by declining and no verse follows."""
    groups = [block for block in blocks(lines) if not block.is_rule]
    first = groups[0].lines[0] if groups else None
    if first is None:
        return
    alone = len(groups) == len(groups[0].lines) == 1
    if not is_refusal(first.plain) and not (
        alone and wording.CANNOT.fullmatch(first.plain.strip())
    ):
        return
    measure = Measure.of(groups)
    if len(groups[0].lines) > SHORT_REFUSAL and is_verse(groups[0], measure):
        return
    below = groups[1:]
    if any(is_verse(one, measure) and not OFFERS.match(one.lines[0].plain[:300]) for one in below):
        return
    raise NoPoem("refused", f"The model declined: {first.text.strip()[:200]}")


def _check_left(lines: Sequence[Line], measure: Measure, above: Above) -> None:
    """Raise NoPoem if nothing is left, or nothing but talk."""
    said = [line for line in lines if not line.is_blank and not line.is_rule]
    declined = next((one for one in above.said if is_refusal(one)), "")
    talk = len(said) <= 2 and all(
        bool(wording.TO_READER.search(line.text))
        and (opens(line, measure) or closes(line, measure))
        for line in said
    )
    if said and not talk:
        return
    if declined:
        raise NoPoem("refused", f"The model declined: {declined.strip()[:200]}")
    raise NoPoem("empty", "The reply holds no poem.")
