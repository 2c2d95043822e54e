"""Whether judges rank authors alike: orders that can be compared by eye."""

import pytest

from backend.analytics.frames import frame
from backend.analytics.reports.agreeing import concordance
from backend.analytics.tables import Table
from tests.backend.analytics.reports.scales import figures
from tests.studies import Answers, make_study

pytestmark = pytest.mark.django_db

WHO = ("Anna", "Ben", "Cem")


def tables(said: Answers, **options: object) -> dict[str, Table]:
    study = make_study(judges=WHO, answers=said, **options)
    return {one.key: one for one in concordance.tables(frame(study))}


def test_one_order_for_all_is_full_concordance_however_severe_a_judge_is() -> None:
    order = {"human": 0.9, "Alpha": 0.6, "Beta": 0.3}
    found = tables(lambda judge, author, _title: round(order[author] / (1 + WHO.index(judge)), 3))
    (row,) = figures(found["concordance"]).values()
    assert [row[key].value for key in ("w", "df", "judges", "authors", "dropped")] == [
        1, 2, 3, 3, 0,
    ]  # fmt: skip
    # chi2 = 3 * 2 * 1 with 2 degrees of freedom: p = exp(-3).
    assert row["chi2"].value == pytest.approx(6)
    assert row["p"].value == pytest.approx(0.049787, abs=1e-6)


def test_orders_that_cancel_out_have_none() -> None:
    # Each author is first, second and third once.
    turns = ("human", "Alpha", "Beta")
    found = tables(lambda judge, author, _title: (turns.index(author) + WHO.index(judge)) % 3 / 10)
    (row,) = figures(found["concordance"]).values()
    assert (row["w"].value, row["p"].value) == (0, 1)


def test_whoever_did_not_rate_every_author_is_left_out() -> None:
    found = tables(
        lambda judge, author, _title: None if (judge, author) == ("Cem", "Beta") else 0.5
    )
    (row,) = figures(found["concordance"]).values()
    assert (row["judges"].value, row["dropped"].value) == (2, 1)
    assert row["w"].reason == "every judge gave everything the same rank"


def test_each_judges_means_are_shown_machines_too() -> None:
    said = {"Dawn": 0.2, "Dusk": 0.4}
    found = tables(
        lambda judge, _author, title: None if judge == "Cem" else said[title], machines=["Gamma"]
    )
    rows = found["judge-means"].rows
    assert [row[0].value for row in rows] == ["Expert 1", "Expert 2", "Expert 3", "Gamma"]
    assert sorted(row[2].value for row in rows) == [0, 2, 2, 2]
    shown = sorted((row[1].value or 0, row[1].reason) for row in rows)
    assert shown[0] == (0, "this judge rated none of these poems")
    assert [mean for mean, _ in shown[1:]] == pytest.approx([0.3] * 3)


def test_machine_judges_alone_have_means_and_no_table_of_experts() -> None:
    study = make_study(judges=[], machines=["Gamma"], answers=lambda *_: 0.5)
    (found,) = concordance.tables(frame(study))
    assert found.key == "judge-means"


def test_one_author_has_no_rank() -> None:
    assert tables(lambda *_: 0.5, models=[]) == {}
