"""Words of a poem: how many, how varied."""

import re

# A Chinese character is a word here, as it is in classical verse for the most part.
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")


def words(text: str) -> list[str]:
    """Return the words of `text` in order, case-folded; of Chinese, its characters."""
    found: list[str] = []
    for word in WORD.findall(text.casefold().replace("’", "'")):
        found += HAN.findall(word) if HAN.search(word) else [word]
    return found


def type_token_ratio(text: str, *, first: int | None = None) -> float:
    """Different words over all words.

    Parameters
    ----------
    text : str
    first : int, optional
        Only so many words from the beginning. The ratio falls with length, so texts of unequal
        length are only comparable over a stretch that all of them have.

    Returns
    -------
    float
        In (0, 1]; ``nan`` if there are no words.

    References
    ----------
    POEMetric, section 6.2.
    """
    counted = words(text)[:first]
    return len(set(counted)) / len(counted) if counted else float("nan")
