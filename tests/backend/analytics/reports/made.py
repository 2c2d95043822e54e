"""Frames made by hand, without a database: what was said, by whom, about which poem."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert, Point
from backend.analytics.frames import Closed, Frame, Placed, Seat
from backend.analytics.tables import Cell, Table

PROBABILITY = Probability(
    key="probability_human", number=1, text="How likely is a human author?", required=True,
    low_label="model", high_label="human", about="authorship",
)  # fmt: skip
POINTS = Likert(
    key="human_authorship", number=1, text="A human wrote it.", required=True, about="authorship",
    points=tuple(Point(code, str(code)) for code in range(1, 6)),
)  # fmt: skip

Said = Mapping[tuple[str, str, str], float | None]


def made(
    said: Said,
    *,
    question: Closed = PROBABILITY,
    machines: Iterable[str] = (),
    text: Callable[[str, str], str] = lambda author, title: f"{title},\nby {author}",
    form: Callable[[str], str] = lambda _title: "sonnet",
    language: str = "en",
    margin: float | None = None,
    seed: int = 17,
) -> Frame:
    """Return a frame of one question: ``said[judge, author, title]``, "human" among the authors.

    Probabilities are given from 0 to 1. Judges, authors and titles keep the order of the
    alphabet; `machines` are the judges that are language models and come last.
    """
    names = sorted({judge for judge, _, _ in said})
    judges = [one for one in names if one not in machines]
    judges += [one for one in names if one in machines]
    poems = sorted({(title, author) for _, author, title in said})
    titles = sorted({title for title, _ in poems})
    rows = [
        (judges.index(judge), poems.index((title, author)), number)
        for (judge, author, title), number in said.items()
        if number is not None
    ]
    scale = 1000 if isinstance(question, Probability) else 1
    return Frame(
        seats=tuple(
            Seat(place, f"code-{name}", name, expert=name not in machines)
            for place, name in enumerate(judges)
        ),
        items=tuple(
            Placed(
                place,
                "" if author == "human" else author,
                f"The poet of {title}" if author == "human" else "",
                titles.index(title) + 1,
                title,
                form(title),
                text=text(author, title),
                language=language,
            )
            for place, (title, author) in enumerate(poems)
        ),
        questions=(question,),
        models=tuple(sorted({author for _, author in poems} - {"human"})),
        judge=np.array([row[0] for row in rows], np.intp),
        item=np.array([row[1] for row in rows], np.intp),
        question=np.zeros(len(rows), np.intp),
        number=np.round([row[2] * scale for row in rows]),
        na=np.zeros(len(rows), np.bool_),
        cannot_tell=np.zeros(len(rows), np.bool_),
        human_first=np.zeros(len(rows), np.bool_),
        margin=margin,
        seed=seed,
    )


def by_key(tables: Iterable[Table], start: str) -> Table:
    """Return the one table whose key begins so."""
    (found,) = [table for table in tables if table.key.startswith(start)]
    return found


def cells(table: Table) -> dict[object, dict[str, Cell]]:
    """Return a table's cells by the first cell of the row and the key of the column."""
    names = [column.key for column in table.columns]
    return {row[0].value: dict(zip(names, row, strict=True)) for row in table.rows}


# What three experts said of two titles, as in the tests of detection.
ALPHA: Said = {
    ("Anna", "human", "Dawn"): 0.8,
    ("Ben", "human", "Dawn"): 0.6,
    ("Cem", "human", "Dawn"): 0.7,
    ("Anna", "human", "Dusk"): 0.5,
    ("Ben", "human", "Dusk"): 0.9,
    ("Cem", "human", "Dusk"): 0.7,
    ("Anna", "Alpha", "Dawn"): 0.6,
    ("Ben", "Alpha", "Dawn"): 0.6,
    ("Cem", "Alpha", "Dawn"): 0.3,
    ("Anna", "Alpha", "Dusk"): 0.7,
    ("Ben", "Alpha", "Dusk"): 0.2,
    ("Cem", "Alpha", "Dusk"): 0.3,
}
