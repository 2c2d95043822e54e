"""What was found in a reply: the poem, what was cut and changed, and what a person should see."""

from dataclasses import dataclass, field

from backend.generation.cleaning.rules import ORDER, Rule

SHOWN = 80  # characters of what was cut, as pages show it


class NoPoem(ValueError):
    """The reply holds no poem; `kind` is "empty", "truncated" or "refused"."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Cut:
    """Lines of the raw reply, counted from 0, that are no lines of the poem."""

    rule: str
    reason: str
    lines: tuple[int, ...]
    said: str


@dataclass(frozen=True)
class Change:
    """Marks that were taken off lines of the poem; the words stayed."""

    rule: str
    reason: str
    lines: tuple[int, ...]
    said: str


@dataclass(frozen=True)
class Flag:
    """A reason for a person to look at the poem."""

    rule: str
    reason: str


@dataclass(frozen=True)
class Found:
    """The poem in a reply, and all that was done to find it.

    Attributes
    ----------
    kept : tuple of int
        The lines of the raw reply, counted from 0, that make up the poem, blank ones among them.
    """

    title: str
    text: str
    reasoning: str = ""
    cuts: tuple[Cut, ...] = ()
    changes: tuple[Change, ...] = ()
    flags: tuple[Flag, ...] = ()
    kept: tuple[int, ...] = ()

    @property
    def trimmed(self) -> list[str]:
        """What was cut and changed, each in a few words."""
        done: list[Cut | Change] = [*self.cuts, *self.changes]
        done.sort(key=lambda one: ORDER[one.rule])
        return list(dict.fromkeys(one.said for one in done))


@dataclass
class Log:
    """What the rules did so far."""

    cuts: list[Cut] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    flags: dict[str, Flag] = field(default_factory=dict)

    def cut(self, rule: Rule, numbers: list[int], words: str = "") -> None:
        said = f"{rule.did}: {words.strip()[:SHOWN]}" if words.strip() else rule.did
        self.cuts.append(Cut(rule.name, rule.reason, tuple(dict.fromkeys(numbers)), said))

    def change(self, rule: Rule, numbers: list[int]) -> None:
        if numbers:
            lines = tuple(dict.fromkeys(numbers))
            self.changes.append(Change(rule.name, rule.reason, lines, rule.did))

    def flag(self, rule: Rule) -> None:
        self.flags.setdefault(rule.name, Flag(rule.name, rule.reason))
