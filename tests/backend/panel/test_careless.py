"""Signs of answering without care, each against values worked by hand."""

from math import sqrt

import pytest

from backend.panel.careless import Record, signs


def figures(*records: Record) -> list[dict[str, tuple[float, bool]]]:
    return [{sign.index.key: (sign.value, sign.flagged) for sign in row} for row in signs(records)]


def test_what_has_nothing_to_measure_is_not_defined():
    (row,) = signs([Record(poems=9)])
    assert [sign.measured for sign in row] == [False] * 6
    assert not any(sign.flagged or sign.enough for sign in row)


VARIED = (1, 5, 2, 4, 3)
CAREFUL = Record(
    poems=5, points=VARIED * 5, seconds_a_line=(3.0, 4.0, 5.0, 4.0, 4.0), tests=2, failed=0,
    distances=(0.0, 0.25, 0.0, 0.25, 0.0),
)  # fmt: skip


def test_a_careful_expert_has_figures_and_no_flag():
    (found,) = figures(CAREFUL)
    assert {key: flagged for key, (_, flagged) in found.items()} == dict.fromkeys(found, False)
    assert found["run"][0] == 1
    assert found["share"][0] == pytest.approx(0.2)
    assert found["spread"][0] == pytest.approx(sqrt(50 / 24))  # five times 4+4+1+1+0 by 24
    assert found["seconds"][0] == 4.0
    assert found["failed"][0] == 0
    assert found["distance"][0] == pytest.approx(0.1)


def test_one_answer_throughout_is_flagged_as_run_share_and_spread():
    (found,) = figures(Record(poems=5, points=(4,) * 25))
    assert found["run"] == (25, True)
    assert found["share"] == (1.0, True)
    assert found["spread"] == (0.0, True)


@pytest.mark.parametrize("said", [500, None, 1, 2])
@pytest.mark.parametrize(("answers", "flagged"), [(10, True), (18, True), (9, False)])
def test_one_probability_or_side_throughout_is_flagged_from_ten_on(said, answers, flagged):
    (row,) = signs([Record(poems=answers, others=[(said,) * answers])])
    shown = {sign.index.key: sign for sign in row}
    for key, value in (("run", answers), ("share", 1.0)):
        sign = shown[key]
        assert (sign.value, sign.flagged, sign.enough) == (value, flagged, flagged)
    assert not shown["spread"].measured


def test_seven_heads_in_a_row_among_twelve_are_no_sign():
    (found,) = figures(Record(poems=12, others=[(1,) * 7 + (2, 1, 2, 2, 1)]))
    assert found["run"] == (7, False)
    assert found["share"] == (pytest.approx(0.75), False)


def test_answers_of_several_kinds_break_no_run_of_each_other():
    same, varied = (500,) * 12, VARIED * 4
    (first,) = figures(Record(poems=12, points=varied, others=[same]))
    assert (first["run"], first["share"]) == ((12, True), (1.0, True))
    assert first["spread"][1] is False
    (second,) = figures(Record(poems=12, points=(4,) * 12, others=[tuple(range(12))]))
    assert (second["run"], second["share"]) == ((12, True), (1.0, True))


def test_few_answers_of_one_kind_hide_no_sign_in_enough_of_another():
    (found,) = figures(Record(poems=12, points=(4, 4, 4, 1, 4, 4, 4, 4), others=[(500,) * 3]))
    assert found["run"] == (4, True)


@pytest.mark.parametrize(("run", "flagged"), [(12, False), (13, True)])
def test_a_run_is_flagged_from_half_of_all_answers_on(run, flagged):
    points = (4,) * run + tuple(1 + index % 2 for index in range(25 - run))
    (found,) = figures(Record(poems=5, points=points))
    assert found["run"] == (run, flagged)


@pytest.mark.parametrize(
    ("seconds", "value", "flagged"),
    [((0.2, 0.9, 0.9, 3, 9), 0.9, True), ((0.2, 0.9, 1.0, 3, 9), 1.0, False)],
)
def test_less_than_a_second_for_a_line_is_flagged_by_the_median(seconds, value, flagged):
    (found,) = figures(Record(poems=5, seconds_a_line=seconds))
    assert found["seconds"] == (value, flagged)


def test_one_failed_attention_item_is_flagged_be_they_ever_so_few():
    (found,) = figures(Record(tests=1, failed=1))
    assert found["failed"] == (1, True)


def test_answers_to_repeats_as_far_apart_as_by_chance_are_flagged():
    (found,) = figures(Record(distances=(0.0, 0.5, 0.5, 0.5, 0.25)))
    assert found["distance"] == (pytest.approx(0.35), True)


def test_of_few_poems_nothing_is_flagged():
    (row,) = signs([Record(poems=4, points=(4,) * 40, seconds_a_line=(0.1,) * 4)])
    shown = {sign.index.key: sign for sign in row}
    assert shown["run"].value == 40
    assert shown["seconds"].value == 0.1
    assert not any(sign.flagged or sign.enough for sign in row)


def test_what_is_usual_is_the_median_of_those_who_answered_enough():
    few = Record(poems=1, seconds_a_line=(90.0,))
    records = [Record(poems=5, seconds_a_line=(each,) * 5) for each in (2.0, 3.0, 7.0)]
    usual = [row[3].usual for row in signs([few, *records])]
    assert usual == [3.0] * 4


def test_an_empty_panel_has_no_signs():
    assert signs([]) == []
