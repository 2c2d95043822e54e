"""ProFTAP's own tables: AUC without poems that break a rule of form, and by length or form."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from backend.analytics.frames import Frame, Mask, Panel, Placed
from backend.analytics.reports.basis import basis
from backend.analytics.reports.telling.answers import Telling, tellings
from backend.analytics.reports.telling.detection import areas
from backend.analytics.surface import (
    FIVE,
    OTHERS,
    SEVEN,
    has_repeated_characters,
    has_uneven_lines,
    is_chinese,
    yan,
)
from backend.analytics.tables import Cell, Column, Table, bounds, figure
from backend.statistics.estimate import Estimate

LEAST_POEMS = 10
DASH = "–"
NO_FORM = "no form named"
_DECIMALS = 3

_RULES: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    "lines": ("without uneven lines", has_uneven_lines),
    "characters": ("without repeated characters", has_repeated_characters),
    "both": (
        "without either",
        lambda text: has_uneven_lines(text) or has_repeated_characters(text),
    ),
}
_CHINESE = (
    "lines are counted in Chinese characters, and end where a row or a clause does; a poem is "
    "5-yan or 7-yan if all of its lines are"
)


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return AUC by rule (Chinese alone) and by length or form, for each question on authorship."""
    kinds = categories(frame)
    found: list[Table] = []
    for telling in tellings(frame, panel):
        if all(is_chinese(item.language) for item in frame.items):
            found.append(_by_rule(telling))
        if len(set(kinds)) > 1:
            found.append(_by_category(telling, kinds))
    return tuple(found)


def categories(frame: Frame) -> list[str]:
    """Return the category of each item: by line length if it is Chinese, else by its form."""
    return [_category(item) for item in frame.items]


def shares(frame: Frame) -> tuple[Table, ...]:
    """Return how many of each author's poems are in each category; none if there is but one."""
    kinds = categories(frame) if not frame.paired else []
    named = _ordered(kinds)
    if len(named) < 2:
        return ()
    codes = np.array([named.index(kind) for kind in kinds], np.intp)
    rows = []
    for code, author in enumerate(frame.authors):
        counts = np.bincount(codes[frame.item_author == code], minlength=len(named)).tolist()
        n = sum(counts)
        cells = [cell for k in counts for cell in (_share(k, n), Cell(k))]
        rows.append((Cell(author), Cell(n), *cells))
    return (
        Table(
            key="poems-by-form",
            caption=f"Share of each author's poems by {_what(frame)}",
            basis=f"One unit is a poem; {len(frame.items)} poems, judged or not",
            explanation="Authors whose poems fall into other categories than the human ones can "
            "be told by that alone.",
            columns=(
                Column("author", "Author"),
                Column("poems", "Poems", "count"),
                *(
                    column
                    for place, kind in enumerate(named, start=1)
                    for column in (
                        Column(f"share_{place}", "share", "number", 2, under=kind),
                        Column(f"poems_{place}", "poems", "count", under=kind),
                    )
                ),
            ),
            rows=tuple(rows),
            method=f"counts of the study's poems; {_method(frame)}",
        ),
    )


def _share(k: int, n: int) -> Cell:
    return Cell(k / n) if n else Cell(None, "the study has no poem of this author")


def _category(item: Placed) -> str:
    return yan(item.text) if is_chinese(item.language) else item.form or NO_FORM


def _ordered(kinds: list[str]) -> list[str]:
    """Return the categories: those of Chinese first and as in print, forms by name."""
    first = [kind for kind in (FIVE, SEVEN, OTHERS) if kind in kinds]
    last = [NO_FORM] if NO_FORM in kinds else []
    return [*first, *sorted(set(kinds) - {*first, *last}), *last]


def _what(frame: Frame) -> str:
    chinese = {is_chinese(item.language) for item in frame.items}
    return "line length" if chinese == {True} else "form" if chinese == {False} else (
        "line length (Chinese) or form"
    )  # fmt: skip


def _method(frame: Frame) -> str:
    said = {
        True: _CHINESE,
        False: "a model's poem has the form of the human poem whose brief it was written to",
    }
    chinese = sorted({is_chinese(item.language) for item in frame.items}, reverse=True)
    return "; ".join(said[one] for one in chinese)


@dataclass(frozen=True)
class Filtered:
    """Each model's AUC on some of the poems, and how many poems of each side were judged.

    Attributes
    ----------
    label : str
    areas : tuple of Estimate
    n_human : int
    n_models : tuple of int
    taken : tuple of int
        How many of each model's judged poems a rule took away; a category takes none away.
    """

    label: str
    areas: tuple[Estimate, ...]
    n_human: int
    n_models: tuple[int, ...]
    taken: tuple[int, ...]

    def too_few(self, place: int) -> str:
        """Return why a model has no figure here; empty if it has one."""
        if self.n_human < LEAST_POEMS:
            return f"fewer than {LEAST_POEMS} human poems"
        if self.n_models[place] < LEAST_POEMS:
            left = " are left" if self.taken[place] else ""
            return f"fewer than {LEAST_POEMS} of the model's poems{left}"
        return ""


def _judged(telling: Telling) -> list[int]:
    """Return how many poems of each author were judged."""
    poems = np.unique(telling.frame.item[telling.rows])
    authors = telling.frame.item_author[poems]
    counts: list[int] = np.bincount(authors, minlength=len(telling.frame.authors)).tolist()
    return counts


def _of_category(telling: Telling, kind: str, kept: Mask) -> Filtered:
    """`kept` is over items."""
    some = telling.of(kept[telling.frame.item])
    n_human, *n_models = _judged(some)
    return Filtered(kind, areas(some), n_human, tuple(n_models), (0,) * len(n_models))


def _unbroken(telling: Telling, label: str, breaks: Callable[[str], bool]) -> Filtered:
    frame = telling.frame
    broken = np.array([breaks(item.text) for item in frame.items], np.bool_)
    found = _of_category(telling, label, (frame.item_author == 0) | ~broken)
    pairs = zip(_judged(telling)[1:], found.n_models, strict=True)
    return replace(found, taken=tuple(before - left for before, left in pairs))


def _cells(found: Filtered, place: int, whole: Estimate) -> tuple[Cell, ...]:
    """Area, interval, arrow, change; under ten poems of either side, why there are none, once."""
    if reason := found.too_few(place):
        return (Cell(None, reason), *[Cell(None)] * 4)
    area = found.areas[place]
    if not (area.defined and whole.defined):
        reason = area.reason or whole.reason
        return (figure(area), *bounds(area), Cell(None, reason), Cell(None, reason))
    return (
        figure(area),
        *bounds(area),
        Cell(_arrow(area.value, whole.value)),
        Cell(area.value - whole.value),
    )


def _arrow(value: float, whole: float) -> str:
    now, before = round(value, _DECIMALS), round(whole, _DECIMALS)
    if now == before:
        return "= unchanged"
    return "↑ higher" if now > before else "↓ lower"


def _columns(key: str, under: str) -> tuple[Column, ...]:
    return (
        Column(f"{key}_auc", "AUC", "number", _DECIMALS, under=under, blank=DASH),
        Column(f"{key}_low", "95 % from", "number", _DECIMALS, under=under),
        Column(f"{key}_high", "to", "number", _DECIMALS, under=under),
        Column(f"{key}_arrow", "against all poems", under=under),
        Column(f"{key}_change", "change", "number", _DECIMALS, under=under),
    )


_WHOLE = (
    Column("model", "Model"),
    Column("auc", "AUC", "number", _DECIMALS, under="all poems"),
    Column("auc_low", "95 % from", "number", _DECIMALS, under="all poems"),
    Column("auc_high", "to", "number", _DECIMALS, under="all poems"),
)


def _none(found: Sequence[Filtered], n_models: int) -> bool:
    return all(one.too_few(place) for one in found for place in range(n_models))


def _empty(table: Table, what: str) -> Table:
    """Return a table none of whose figures is defined: a sentence for its cells, folded away."""
    return replace(
        table,
        explanation="",
        rows=(),
        notes=(
            f"no AUC {what}: each would rest on fewer than {LEAST_POEMS} human poems, or on fewer "
            f"than {LEAST_POEMS} of the model's",
        ),
        aside=True,
    )


def _by_rule(telling: Telling) -> Table:
    frame = telling.frame
    found = {key: _unbroken(telling, *rule) for key, rule in _RULES.items()}
    whole = areas(telling)
    table = Table(
        key=f"auc-rules-{telling.suffix}",
        caption="ROC-AUC of each model without its poems that break a rule of form, "
        f"{telling.asked}",
        basis=basis(frame, telling.rows, unit="a judgment"),
        explanation="Human poems all stay, whether or not they keep the rules. An AUC that falls "
        f"once such poems are gone may have been owed in part to their form. {_ARROWS} “{DASH}”: "
        f"fewer than {LEAST_POEMS} human poems or poems of the model.",
        columns=(
            *_WHOLE,
            Column("human_poems", "Human poems", "count"),
            *(
                column
                for key, one in found.items()
                for column in (
                    *_columns(key, one.label),
                    Column(f"{key}_poems", "model's poems", "count", under=one.label),
                )
            ),
        ),
        rows=tuple(
            (
                Cell(name),
                figure(whole[place]),
                *bounds(whole[place]),
                Cell(found["lines"].n_human),
                *(
                    cell
                    for one in found.values()
                    for cell in (
                        *_cells(one, place, whole[place]),
                        Cell(one.n_models[place]),
                    )
                ),
            )
            for place, name in enumerate(frame.models)
        ),
        method=f"{whole[0].method}; ProFTAP, Table 2: only models' poems are removed; uneven: "
        "lines differ in their number of characters; repeated: a character stands in the poem "
        f"more than once, doubled ones included; {_CHINESE}",
    )
    if _none(tuple(found.values()), len(frame.models)):
        return _empty(table, "without poems that break a rule of form")
    return table


def _by_category(telling: Telling, kinds: list[str]) -> Table:
    frame = telling.frame
    of_item = np.array(kinds)
    found = [_of_category(telling, kind, of_item == kind) for kind in _ordered(kinds)]
    whole = areas(telling)
    what = f"by {_what(frame)}"
    table = Table(
        key=f"auc-forms-{telling.suffix}",
        caption=f"ROC-AUC of each model {what}, {telling.asked}",
        basis=basis(frame, telling.rows, unit="a judgment"),
        explanation="A model's poems of each category are set against the human poems of the "
        f"same. {_ARROWS} “{DASH}”: fewer than {LEAST_POEMS} human poems or poems of the model.",
        columns=(
            *_WHOLE,
            *(
                column
                for place, one in enumerate(found, start=1)
                for column in (
                    *_columns(f"form_{place}", one.label),
                    Column(f"form_{place}_human", "human poems", "count", under=one.label),
                    Column(f"form_{place}_poems", "model's poems", "count", under=one.label),
                )
            ),
        ),
        rows=tuple(
            (
                Cell(name),
                figure(whole[place]),
                *bounds(whole[place]),
                *(
                    cell
                    for one in found
                    for cell in (
                        *_cells(one, place, whole[place]),
                        Cell(one.n_human),
                        Cell(one.n_models[place]),
                    )
                ),
            )
            for place, name in enumerate(frame.models)
        ),
        method=f"{whole[0].method}; ProFTAP, Table 3; {_method(frame)}",
    )
    if _none(found, len(frame.models)):
        table = _empty(table, what)
    if any(is_chinese(item.language) for item in frame.items):
        return table
    return replace(table, explanation=f"{table.explanation} {_NO_RULES}".strip())


_ARROWS = (
    "Arrows mark the direction alone of a change that three decimals show; they are no test, and "
    "the intervals beside tell how far chance may move an AUC."
)
_NO_RULES = (
    "ProFTAP's filters by rule, uneven lines and repeated characters, are for Chinese verse: in "
    "English, syllables of a line vary with its metre, so that no such rule would hold."
)
