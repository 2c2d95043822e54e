"""Scores of one small panel, whose figures R has reckoned."""

import numpy as np

# Six titles, five judges, in per mille: title by title, judge by judge.
TITLES = np.repeat(np.arange(6), 5)
JUDGES = np.tile(np.arange(5), 6)
HUMAN = np.array(
    [
        *(700, 800, 650, 900, 550, 600, 750, 300, 800, 500, 900, 850, 700, 950, 400),
        *(500, 650, 600, 700, 450, 800, 600, 750, 850, 600, 400, 700, 550, 600, 300),
    ]
)
MACHINE = np.array(
    [
        *(500, 600, 650, 400, 450, 700, 550, 300, 500, 350, 600, 450, 800, 650, 400),
        *(300, 500, 200, 400, 550, 550, 600, 450, 700, 300, 650, 400, 350, 500, 600),
    ]
)
# A second model on the same titles.
OTHER = np.array(
    [
        *(600, 700, 550, 650, 500, 650, 700, 350, 750, 400, 800, 600, 750, 700, 450),
        *(550, 450, 400, 600, 500, 700, 500, 650, 800, 450, 500, 600, 450, 550, 400),
    ]
)
# What was not judged, in an unbalanced panel.
NO_HUMAN, NO_MACHINE, NO_OTHER = [2, 8, 16, 25], [4, 13, 21], [0, 7, 11, 22, 29]
