"""What machine poems have of known ones: as flags for a person, and written down line by line."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from backend.corpus.lines import Finding, Match, find_recited, find_recited_many
from backend.generation.cleaning import Flag
from backend.generation.models import Call, Generation, Recital


def find(generation: Generation, text: str) -> Finding:
    """Return what this text, written to that brief, has of known poems."""
    return find_recited(text, language=_language(generation))


def find_many(written: Sequence[Generation]) -> list[Finding]:
    """Return what each of these poems has of known ones."""
    by_language: dict[str, list[int]] = defaultdict(list)
    for place, generation in enumerate(written):
        by_language[_language(generation)].append(place)
    found = [Finding()] * len(written)
    for language, places in by_language.items():
        texts = [written[place].text for place in places]
        for place, finding in zip(places, find_recited_many(texts, language=language), strict=True):
            found[place] = finding
    return found


def flags(of_cleaning: Iterable[Flag], recited: Finding) -> list[dict[str, str]]:
    """Return what a person should look at, and why."""
    said = [(flag.rule, flag.reason) for flag in of_cleaning]
    said += [("recited", f"These lines are those of {_title(match)}.") for match in recited.exact]
    said += [
        ("near-verbatim", f"These lines are nearly those of {_title(match)}.")
        for match in recited.near
    ]
    return [{"rule": rule, "reason": reason} for rule, reason in said]


def recitals(generation: Generation, call: Call | None, recited: Finding) -> Iterable[Recital]:
    """Yield what was found, to be kept."""
    kinds = ((Recital.Kind.EXACT, recited.exact), (Recital.Kind.NEAR, recited.near))
    for kind, matches in kinds:
        for match in matches:
            yield Recital(
                generation=generation,
                call=call,
                kind=kind,
                poem_id=match.poem_id,
                lines=[[line.own_text, line.its_text] for line in match.lines],
                similarity=match.similarity,
            )


def named(recited: Finding) -> str:
    """Return in a sentence which poems are recited."""
    return f"The reply repeats lines of {'; '.join(_title(match) for match in recited.exact)}."


def _language(generation: Generation) -> str:
    poem = generation.brief.poem
    return poem.language if poem else ""


def _title(match: Match) -> str:
    return f"“{match.title}” by {match.author}" if match.author else f"“{match.title}”"
