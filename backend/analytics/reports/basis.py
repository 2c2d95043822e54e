"""What a table rests on: one unit of it, and how many judgments, poems, titles and judges."""

import numpy as np

from backend.analytics.frames import Frame, Mask


def basis(frame: Frame, rows: Mask, *, unit: str) -> str:
    """Return what one unit of a table is, and what the ratings in `rows` are made of."""
    items = np.unique(frame.item[rows])
    titles = np.unique(frame.item_title[items])
    judges = np.unique(frame.judge[rows])
    return (
        f"One unit is {unit}. {counted(_judgments(frame, rows), 'judgment')} of "
        f"{counted(items.size, piece(frame))} on {counted(titles.size, 'title')} by "
        f"{counted(judges.size, 'judge')}"
    )


def piece(frame: Frame) -> str:
    """Return what was judged: a poem, or a pair of texts."""
    return "pair" if frame.paired else "poem"


def _judgments(frame: Frame, rows: Mask) -> int:
    return int(np.unique(frame.judge[rows] * len(frame.items) + frame.item[rows]).size)


def counted(how_many: int, what: str) -> str:
    """Return a number with what is counted, in the plural but for one."""
    return f"{how_many:,} {what}{'' if how_many == 1 else 's'}"
