"""What a table rests on: one unit of it, and how many judgments, poems, titles and judges."""

import numpy as np

from backend.analytics.frames import Frame, Mask


def basis(frame: Frame, rows: Mask, *, unit: str) -> str:
    """Return what one unit of a table is, and what the ratings in `rows` are made of."""
    items = np.unique(frame.item[rows])
    titles = np.unique(frame.item_title[items])
    judges = np.unique(frame.judge[rows])
    what = "pair" if frame.paired else "poem"
    return (
        f"One unit is {unit}. {_n(_judgments(frame, rows), 'judgment')} of "
        f"{_n(items.size, what)} on {_n(titles.size, 'title')} by {_n(judges.size, 'judge')}"
    )


def _judgments(frame: Frame, rows: Mask) -> int:
    return int(np.unique(frame.judge[rows] * len(frame.items) + frame.item[rows]).size)


def _n(how_many: int, what: str) -> str:
    return f"{how_many:,} {what}{'' if how_many == 1 else 's'}"
