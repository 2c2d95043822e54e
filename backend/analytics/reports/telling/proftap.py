"""ProFTAP's own tables: AUC without poems that break a rule of form, and by length or form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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
_SAME = 1e-12

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
    """Each model's AUC on some of the poems, and how many poems of each side were judged."""

    areas: tuple[Estimate, ...]
    n_human: int
    n_models: tuple[int, ...]


def _filtered(telling: Telling, kept: Mask) -> Filtered:
    """`kept` is over items."""
    some = telling.of(kept[telling.frame.item])
    poems = np.unique(some.frame.item[some.rows])
    counts = np.bincount(some.frame.item_author[poems], minlength=len(telling.frame.authors))
    return Filtered(areas(some), int(counts[0]), tuple(counts[1:].tolist()))


def _too_few(found: Filtered, place: int) -> str:
    for n, whose in ((found.n_human, "human"), (found.n_models[place], "of the model's")):
        if n < LEAST_POEMS:
            return f"fewer than {LEAST_POEMS} {whose} poems are left"
    return ""


def _cells(found: Filtered, place: int, whole: Estimate) -> tuple[Cell, ...]:
    """Area, arrow, interval; why there are none under ten poems of either side."""
    if reason := _too_few(found, place):
        none = Cell(None, reason)
        return (none, none, none, none, none)
    area = found.areas[place]
    change = area.value - whole.value
    return (
        figure(area),
        Cell(_arrow(change)) if area.defined and whole.defined else Cell(None, area.reason),
        *bounds(area),
        Cell(change) if area.defined and whole.defined else Cell(None, area.reason),
    )


def _arrow(change: float) -> str:
    if abs(change) < _SAME:
        return "= unchanged"
    return "↑ higher" if change > 0 else "↓ lower"


def _columns(key: str, under: str) -> tuple[Column, ...]:
    return (
        Column(f"{key}_auc", "AUC", "number", 3, under=under, blank=DASH),
        Column(f"{key}_arrow", "against all poems", under=under, blank=DASH),
        Column(f"{key}_low", "95 % from", "number", 3, under=under, blank=DASH),
        Column(f"{key}_high", "to", "number", 3, under=under, blank=DASH),
        Column(f"{key}_change", "change", "number", 3, under=under, blank=DASH),
    )


def _by_rule(telling: Telling) -> Table:
    frame = telling.frame
    human = frame.item_author == 0
    found = {}
    for key, (_, breaks) in _RULES.items():
        broken = np.array([breaks(item.text) for item in frame.items], np.bool_)
        found[key] = _filtered(telling, human | ~broken)
    whole = areas(telling)
    return Table(
        key=f"auc-rules-{telling.suffix}",
        caption="ROC-AUC of each model without those of its poems that break a rule of form, per "
        f"judgment, {telling.asked}",
        basis=basis(frame, telling.rows, unit="a judgment"),
        explanation="Human poems all stay, whether or not they keep the rules. An AUC that falls "
        f"once such poems are gone was owed in part to their form. “{DASH}”: fewer than "
        f"{LEAST_POEMS} poems are left.",
        columns=(
            Column("model", "Model"),
            Column("auc", "AUC", "number", 3, "all poems"),
            Column("human_poems", "Human poems", "count"),
            *(
                column
                for key, (label, _) in _RULES.items()
                for column in (
                    *_columns(key, label),
                    Column(f"{key}_poems", "model's poems", "count", under=label),
                )
            ),
        ),
        rows=tuple(
            (
                Cell(name),
                figure(whole[place]),
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


def _by_category(telling: Telling, kinds: list[str]) -> Table:
    frame = telling.frame
    of_item = np.array(kinds)
    named = _ordered(kinds)
    found = [_filtered(telling, of_item == kind) for kind in named]
    whole = areas(telling)
    chinese = any(is_chinese(item.language) for item in frame.items)
    return Table(
        key=f"auc-forms-{telling.suffix}",
        caption=f"ROC-AUC of each model by {_what(frame)}, per judgment, {telling.asked}",
        basis=basis(frame, telling.rows, unit="a judgment"),
        explanation="A model's poems of each category are set against the human poems of the "
        f"same. “{DASH}”: fewer than {LEAST_POEMS} poems of the model or of humans."
        + ("" if chinese else _NO_RULES),
        columns=(
            Column("model", "Model"),
            Column("auc", "AUC", "number", 3, "all poems"),
            *(
                column
                for place, kind in enumerate(named, start=1)
                for column in (
                    *_columns(f"form_{place}", kind),
                    Column(f"form_{place}_human", "human poems", "count", under=kind),
                    Column(f"form_{place}_poems", "model's poems", "count", under=kind),
                )
            ),
        ),
        rows=tuple(
            (
                Cell(name),
                figure(whole[place]),
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


_NO_RULES = (
    " ProFTAP's filters by rule, uneven lines and repeated characters, are for Chinese verse: in "
    "English, syllables of a line vary with its metre, so that no such rule would hold."
)
