"""Which group of a study an item falls into: by the form and language of its brief's poem."""

from collections.abc import Mapping, Sequence

from backend.design.planning import GroupPlan, NothingToJudge
from backend.design.texts import Text

NAMED = 8  # of what no group takes


def grouped(texts: Sequence[Text], groups: Sequence[GroupPlan]) -> dict[str, GroupPlan | None]:
    """Return the group of each brief, by `Text.about`: None for all where there are no groups.

    Never by who wrote a text: all on one brief fall into one group.

    Raises
    ------
    NothingToJudge
        If no group takes a brief; the message names what is left.
    """
    kinds = _kinds(texts)
    if not groups:
        return dict.fromkeys(kinds)
    found = {
        about: next((one for one in groups if one.takes(*kind)), None)
        for about, kind in kinds.items()
    }
    if left := {kinds[about] for about, group in found.items() if group is None}:
        raise NothingToJudge(_left(left), group=groups[-1].name)
    if empty := [one.name for one in groups if one not in found.values()]:
        raise NothingToJudge(
            f"No poem falls into {', '.join(empty)}. Groups are tried in their order: set the "
            "narrower one first, or leave it out.",
            group=empty[0],
        )
    return found


def places_of(about: str, groups: Mapping[str, GroupPlan | None], judges_per_item: int) -> int:
    """Return how many judges an item on this brief is to have."""
    group = groups[about]
    return group.judges_per_item if group else judges_per_item


def _kinds(texts: Sequence[Text]) -> dict[str, tuple[str, str]]:
    """Return form and language of each brief: its human poem's, where there is one."""
    kinds: dict[str, tuple[str, str]] = {}
    for text in sorted(texts, key=lambda one: one.poem is None):
        kinds.setdefault(text.about, (text.form, text.item.language))
    return kinds


def _left(kinds: set[tuple[str, str]]) -> str:
    names = sorted(f"{form or 'no form'} ({language})" for form, language in kinds)
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return (
        f"No group takes poems of {', '.join(names[:NAMED])}{more}. Name them in a group, or add "
        "a last group that names neither forms nor languages."
    )
