"""The built-in writer: a brief in, a poem out, in the language of the brief."""

from collections.abc import Sequence
from hashlib import sha256

from backend.generation.builtin.brief import is_chinese
from backend.generation.builtin.chinese import ChineseWriter
from backend.generation.builtin.english import EnglishWriter
from backend.generation.builtin.ngram import CHINESE, Draw, NgramModel

# The models offered, by name, and how many words each looks at at once.
ORDERS = {"ngram-2": 2, "ngram-4": 4}


class Writer:
    """Writes poems to briefs with n-gram models of one order, one for each language."""

    def __init__(
        self, name: str, *, order: int, english: Sequence[str], chinese: Sequence[str]
    ) -> None:
        self.name = name
        self._english = EnglishWriter(NgramModel.train(english, order), english)
        self._chinese = ChineseWriter(NgramModel.train(chinese, order, script=CHINESE), chinese)

    def write(self, brief: str, *, seed: int = 0, temperature: float = 1.0) -> str:
        """Write a poem to a brief, the same for the same model, brief, seed and temperature.

        Raises
        ------
        OnlyRecitation
            If the training texts are too few to write a line that they do not hold.
        """
        key = sha256(f"{self.name}\n{seed}\n{brief}".encode(errors="replace")).hexdigest()
        draw = Draw(key, temperature=temperature)
        writer = self._chinese if is_chinese(brief) else self._english
        return writer.write(brief, draw)
