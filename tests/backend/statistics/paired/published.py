"""Paired data that are printed in books and shipped with R."""

# Hollander & Wolfe (1973), 29f: depression scale at the first and second visit (R ?wilcox.test).
FIRST_VISIT = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
SECOND_VISIT = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]

# Darwin (1876), heights in inches of fifteen pairs of maize, as tabulated by Fisher (1935).
CROSSED = [
    *(23.5, 12, 21, 22, 19.125, 21.5, 22.125, 20.375),
    *(18.25, 21.625, 23.25, 21, 22.125, 23, 12),
]
SELFED = [
    *(17.375, 20.375, 20, 20, 18.375, 18.625, 18.625, 15.25),
    *(16.5, 18, 16.25, 18, 12.75, 15.5, 18),
]

# R datasets::sleep: hours gained under the two drugs; one zero, two ties.
DRUG_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
DRUG_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

# Scores of seven points, twelve titles, three of them equal; of this test alone.
LIKERT_X = [6, 3, 4, 8, 5, 7, 7, 9, 5, 2, 4, 6]
LIKERT_Y = [4, 3, 5, 5, 5, 4, 6, 5, 4, 3, 4, 2]
