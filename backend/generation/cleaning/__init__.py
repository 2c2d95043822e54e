"""Finding the poem in a language model's reply: each cut is a named rule, at an edge."""

from backend.generation.cleaning.finding import find_poem
from backend.generation.cleaning.found import Change, Cut, Flag, Found, NoPoem

__all__ = ["Change", "Cut", "Flag", "Found", "NoPoem", "find_poem"]
