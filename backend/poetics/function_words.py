"""Words that carry grammar rather than content, left out where words are counted by content.

English with the older forms that verse keeps; classical and modern Chinese, by character.
"""

ENGLISH = frozenset(
    """
    a about above across after again against all almost along although always am amid among an and
    another any are around art as at away be because been before behind being below beneath beside
    between beyond both but by can cannot could did do does doing done dost doth down each either
    else ere even ever every few for from further had hadst has hast hath have having he hence her
    here hers herself him himself his how i if in into is it its itself just let may me might mine
    more most much must my myself near neither never no nor not now o of off oft oh on once one
    only onto or other our ours ourselves out over own quite rather round same shall shalt she
    should since so some still such than that the thee their theirs them themselves then thence
    there these they thine this those thou though through throughout thus thy thyself till to too
    toward towards twas under unless until unto up upon us very was we were what when whence where
    wherein which while whilst whither who whom whose why will wilt with within without would yet
    you your yours yourself yourselves
    """.split()  # noqa: SIM905
)
CHINESE = frozenset(
    "之乎者也而其於于以與与為为則则所且焉矣哉兮乃的了是在和有不我你他她它們们這这那着個个"
)
FUNCTION_WORDS = ENGLISH | CHINESE


def carries_content(word: str) -> bool:
    """Whether a word, as `backend.poetics.lexis.words` gives it, is none of these.

    A contraction is judged by what stands before its apostrophe: "we'll" by "we". One letter of
    the alphabet carries none.
    """
    stem = word.split("'", 1)[0]
    if len(stem) < 2 and stem.isascii():
        return False
    return word not in FUNCTION_WORDS and stem not in FUNCTION_WORDS
