"""Names that a judge must not meet, as codes that tell nobody the names."""

import hashlib
import hmac
import re
import unicodedata

# Between names; a plain comma may also stand within one ("Blake, William").
_APART = re.compile(r"[\n\r;；、，]")


def codes(salt: str, name: str) -> list[str]:
    """Return the codes of a name: of the whole, whatever its order, and of the surname.

    Case, accents and punctuation do not matter. The surname is what stands before a comma, else
    the last word; a name of one word, as Chinese names are written, has one code.
    """
    words = _words(name)
    if not words:
        return []
    before, comma, _ = name.partition(",")
    surname = " ".join(_words(before)) if comma else words[-1]
    forms = dict.fromkeys([" ".join(sorted(words)), surname or words[-1]])
    return [_code(salt, form) for form in forms]


def declared(salt: str, text: str) -> set[str]:
    """Return the codes of all names in what a judge wrote, one a line or set apart by commas.

    In doubt a name is read in several ways: to keep one poem too many from a judge does less
    harm than to give them one of a friend's.
    """
    names = [name for line in _APART.split(text) for name in (line, *line.split(","))]
    return {code for name in names for code in codes(salt, name)}


def _words(name: str) -> list[str]:
    # Folded twice: a compatibility form may come apart into capitals.
    letters = unicodedata.normalize("NFKD", name.casefold()).casefold()
    kept = (letter for letter in letters if unicodedata.category(letter) != "Mn")
    return "".join(letter if letter.isalnum() else " " for letter in kept).split()


def _code(salt: str, form: str) -> str:
    return hmac.new(salt.encode(), form.encode(), hashlib.sha256).hexdigest()[:16]
