"""What a judge had, as far as it says what they may have next."""

from collections import Counter
from dataclasses import dataclass, field

from annotation.prepared import Prepared, execute
from annotation.studies.cells import Key
from annotation.studies.conflicts import declared
from annotation.studies.models import Assignment, Background, Judge, Study

# By hand, since of so many rows the ORM would take longer to make objects than it takes to ask.
_HAD = (
    "SELECT one.id, one.item_id, one.position, one.batch, one.purpose,"
    " one.answered_at IS NULL AND one.given_back_at IS NOT NULL,"
    " item.group_id, item.stratum, item.twin, item.form"
    " FROM studies_assignment one JOIN studies_item item ON item.id = one.item_id"
    " WHERE one.judge_id = %s ORDER BY one.position"
)
# Judges who replaced one another, at most. By hand, since the ORM cannot follow such a chain.
LINKS = 20
_CHAIN = (
    "WITH RECURSIVE chain (judge_id, step) AS ("
    "SELECT replaces_id, 1 FROM studies_judge WHERE id = %s UNION ALL"
    " SELECT earlier.replaces_id, chain.step + 1 FROM chain"
    " JOIN studies_judge earlier ON earlier.id = chain.judge_id WHERE chain.step < %s)"
    " SELECT one.item_id, one.answered_at IS NULL AND one.given_back_at IS NOT NULL"
    " FROM chain JOIN studies_assignment one ON one.judge_id = chain.judge_id"
    " WHERE one.purpose = %s ORDER BY chain.step, one.position"
)


@dataclass
class History:
    """What a judge had, as far as it says what they may have next.

    Attributes
    ----------
    had : set of int
        Items that they have or answered.
    again : list of int
        Items that were given back unanswered, theirs and those of whom they replace, and of whom
        these replaced: these come first, if a place is still free.
    left : set of int
        Keys of their assignments that were given back unanswered, tests of attention among them.
    told : str or None
        Names that they declared a conflict with, as they wrote them; None if they were not asked.
    avoided : set of str
        Codes of these names.
    twins, forms : counter
        Of what they had.
    strata, order : list
        Strata and twins of what they had, in order, hidden repeats and tests among it.
    position, batch : int
        The last ones.
    """

    had: set[int] = field(default_factory=set)
    again: list[int] = field(default_factory=list)
    left: set[int] = field(default_factory=set)
    told: str | None = None
    avoided: set[str] = field(default_factory=set)
    twins: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    strata: list[Key] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    position: int = 0
    batch: int = 0

    def note(self, item: int, key: Key, twin: str, form: str) -> None:
        """Count an item among those that the judge had."""
        self.had.add(item)
        self.twins[twin] += 1
        self.forms[form] += 1
        self.pass_by(key, twin)

    def pass_by(self, key: Key, twin: str) -> None:
        """Remember that a text stood there, though it may be none of the study itself."""
        self.strata.append(key)
        self.order.append(twin)


def history(judge: Judge, study: Study) -> History:
    """Return what the judge had so far."""
    known = History()
    _, rows = execute(_HAD, [judge.pk])
    for pk, item, position, batch, purpose, is_left, group, stratum, twin, form in rows:
        known.position, known.batch = position, max(known.batch, batch)
        is_main, key = purpose == Assignment.Purpose.MAIN, Key(group or 0, stratum)
        if is_left:
            known.left.add(pk)
            known.again += [item] if is_main else []
        elif is_main:
            known.note(item, key, twin, form)
        else:
            known.pass_by(key, twin)
    background = _TOLD.first(judge=judge.pk)
    if background is not None:
        known.told = background.conflicts
        known.avoided = declared(study.conflict_salt, background.conflicts)
    if judge.replaces_id is not None:
        mine = {*known.again, *known.had}
        known.again += [item for item in _left_by_others(judge) if item not in mine]
    return known


def _left_by_others(judge: Judge) -> list[int]:
    """Return what those left whom the judge replaces, the last of them first.

    Not what one of them answered, or has.
    """
    _, rows = execute(_CHAIN, [judge.pk, LINKS, Assignment.Purpose.MAIN.value])
    done = {item for item, is_left in rows if not is_left}
    return list(dict.fromkeys(item for item, is_left in rows if is_left and item not in done))


_TOLD = Prepared(
    lambda judge: Background.objects.filter(judge=judge).only("conflicts").order_by(), judge=-1
)
