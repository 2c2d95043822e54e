"""What stands at the top of the results, read from tables made by hand."""

import pytest

from backend.analytics import services
from backend.analytics.reports.report import Report, Section
from backend.analytics.reports.summary import End, summary
from backend.analytics.tables import Cell, Column, Table
from tests.backend.analytics.answering import answered, fitting, pair_study
from tests.backend.analytics.reports.scales import likert_study
from tests.studies import make_study

COLUMNS = {
    "auc-judgments": ("model", "auc", "verdict"),
    "ranking": ("author", "overall", "rank_low", "rank_high"),
    "choices": ("model", "share", "clustered_low", "clustered_high", "low", "high"),
}


def table(kind: str, *rows: tuple[object, ...], aside: bool = False) -> Table:
    return Table(
        key=f"{kind}-experts-q1",
        caption=kind,
        explanation="",
        columns=tuple(Column(key, key, "number", 3) for key in COLUMNS[kind]),
        rows=tuple(
            tuple(Cell(one, "" if one is not None else "none") for one in row)  # type: ignore[arg-type]
            for row in rows
        ),
        basis="One unit is a judgment. 36 judgments of 18 poems on 6 titles by 2 judges",
        aside=aside,
    )


def report(*tables: Table, panel: str = "the experts", margin: float | None = None) -> Report:
    return Report((Section("some", "Some", tables, panel),), margin)


def test_models_are_counted_and_named_by_verdict_those_told_most_easily_first() -> None:
    head = table(
        "auc-judgments",
        ("Alpha", 0.61, "different"),
        ("beta", 0.7, "different"),
        ("Gamma", 0.5, "equivalent within 0.05"),
        ("Delta", None, None),
    )
    (panel,) = summary(report(head, margin=0.05)).panels
    (found,) = panel.verdicts
    assert found.table is head
    assert [(one.word, one.models) for one in found.called] == [
        ("different", (("beta", "0.700"), ("Alpha", "0.610"))),
        ("equivalent", (("Gamma", "0.500"),)),
        ("inconclusive", ()),
        ("not defined", (("Delta", "not defined"),)),
    ]


def test_nothing_is_said_of_undefined_verdicts_where_there_are_none() -> None:
    (panel,) = summary(report(table("auc-judgments", ("Alpha", 0.6, "different")))).panels
    assert [one.word for one in panel.verdicts[0].called] == [
        "different", "equivalent", "inconclusive",
    ]  # fmt: skip


def test_how_many_judgments_there_are_is_what_the_headline_rests_on() -> None:
    (panel,) = summary(report(table("auc-judgments", ("Alpha", 0.6, "different")))).panels
    assert panel.judgments == "36 judgments of 18 poems on 6 titles by 2 judges"
    assert panel.label == "the experts"


def test_both_ends_of_the_ranking_are_named_with_their_rank_intervals() -> None:
    ranking = table(
        "ranking",
        ("human (reference)", 4.2, 1.0, 1.0),
        ("Alpha", 3.1, 2.0, 3.5),
        ("Beta", 1.25, 3.0, 4.0),
        ("Gamma", None, None, None),
    )
    (panel,) = summary(report(ranking)).panels
    (order,) = panel.orders
    assert order.kind == "means"
    assert order.highest == (End("human (reference)", "4.200", "1.000", "1.000"),)
    assert order.lowest == (End("Beta", "1.250", "3.000", "4.000"),)


def test_of_equal_rows_at_an_end_all_are_named_and_of_equal_rows_alone_no_lowest() -> None:
    equal = table("ranking", ("Alpha", 3.0, None, None), ("Beta", 3.0, None, None))
    (panel,) = summary(report(equal)).panels
    assert [one.name for one in panel.orders[0].highest] == ["Alpha", "Beta"]
    assert panel.orders[0].lowest == ()
    assert panel.orders[0].highest[0].low == ""


def test_choices_come_with_the_interval_by_titles_and_judges_or_else_with_wilsons() -> None:
    chosen = table(
        "choices", ("Alpha", 0.8, 0.6, 0.9, 0.7, 0.85), ("Beta", 0.4, None, None, 0.3, 0.5)
    )
    (panel,) = summary(report(chosen)).panels
    (order,) = panel.orders
    assert order.highest == (End("Alpha", "0.800", "0.600", "0.900"),)
    assert order.lowest == (End("Beta", "0.400", "0.300", "0.500"),)


def test_what_is_looked_up_and_what_is_of_no_one_panel_is_not_summed_up() -> None:
    (panel,) = summary(report(table("ranking", ("Alpha", 3.0, 1.0, 1.0), aside=True))).panels
    assert panel.orders == ()
    assert summary(report(table("ranking", ("Alpha", 3.0, 1.0, 1.0)), panel="")).panels == ()


@pytest.mark.django_db
def test_every_panel_of_a_study_is_summed_up_by_itself() -> None:
    study = make_study(machines=["Gamma"])
    found = summary(services.report(study))
    assert [panel.label for panel in found.panels] == ["the experts", "Gamma"]
    for panel in found.panels:
        (verdicts,) = panel.verdicts
        assert sum(len(one.models) for one in verdicts.called) == 2
        assert "judgments" in panel.judgments


@pytest.mark.django_db
def test_a_study_on_scales_is_summed_up_by_its_ranking() -> None:
    experts, _ = summary(services.report(likert_study())).panels
    assert [order.kind for order in experts.orders] == ["means"]


@pytest.mark.django_db
def test_a_study_of_pairs_is_summed_up_by_how_often_the_human_text_was_chosen() -> None:
    study = pair_study(lambda *_: None, judges=["Anna", "Ben"])
    study = answered(study, fitting(study.instrument))
    (experts,) = summary(services.report(study)).panels
    assert {order.kind for order in experts.orders} == {"choices"}
    assert not experts.verdicts


@pytest.mark.django_db
def test_who_took_part_comes_after_what_was_found() -> None:
    keys = [section.key for section in services.report(make_study()).sections]
    assert keys[0] == "telling-experts"
    assert keys[-1] == "taking-part"
