"""Every two models are compared, with what they share, and corrected for how many they are."""

import pytest

from backend.analytics.reports.telling import detection
from tests.backend.analytics.reports.made import ALPHA, Said, by_key, cells, made


def of(said: Said):
    frame = made(said)
    return detection.tables(frame, frame.panels[0])


def model(name: str, shift: float) -> Said:
    """A model whose poems were scored as Alpha's, and `shift` more by Ben alone."""
    return {
        (judge, name, title): number + (shift if judge == "Ben" else 0)
        for (judge, author, title), number in ALPHA.items()
        if author == "Alpha" and number is not None
    }


def test_the_difference_is_that_of_the_two_areas() -> None:
    # Alpha 30 of 36; a model scored as the human poems: 18 of 36.
    same = {(judge, "Beta", title): n for (judge, who, title), n in ALPHA.items() if who == "human"}
    found = cells(by_key(of({**ALPHA, **same}), "auc-differences"))["Alpha"]
    assert found["difference"].value == pytest.approx(1 / 3)
    assert (found["auc"].value, found["other_auc"].value) == (30 / 36, 0.5)
    assert (found["df"].value, found["judgments"].value) == (2, 18)
    assert found["p_holm"] == found["p"]


def test_of_three_models_every_two_are_tested_and_m_is_printed() -> None:
    tables = of({**ALPHA, **model("Beta", 0.1), **model("Gamma", 0.3)})
    table = by_key(tables, "auc-differences")
    assert [(one.value, other.value) for one, other, *_ in table.rows] == [
        ("Alpha", "Beta"), ("Alpha", "Gamma"), ("Beta", "Gamma"),
    ]  # fmt: skip
    assert table.aside
    (holm,) = [column for column in table.columns if column.key == "p_holm"]
    names = [column.key for column in table.columns]
    p = sorted(row[names.index("p")].value for row in table.rows)  # type: ignore[type-var]
    corrected = sorted(row[names.index("p_holm")].value for row in table.rows)  # type: ignore[type-var]
    assert holm.unit == f"m = {len(p)}"
    # Holm by hand: the smallest of three times 3, none below the one before it, none above 1.
    first = min(1, 3 * p[0])
    second = max(first, min(1, 2 * p[1]))
    assert corrected == pytest.approx([first, second, max(second, p[2])])


def test_models_with_the_same_scores_differ_by_nothing_and_are_not_in_m() -> None:
    table = by_key(of({**ALPHA, **model("Beta", 0)}), "auc-differences")
    found = cells(table)["Alpha"]
    assert found["difference"].value == 0
    assert found["p"].value is None
    assert found["p"].reason
    assert next(column for column in table.columns if column.key == "p_holm").unit == "m = 0"


def test_one_model_alone_is_compared_with_none() -> None:
    assert not [one for one in of(ALPHA) if one.key.startswith("auc-differences")]
