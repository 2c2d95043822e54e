"""Bradley and Terry's strengths against R's BradleyTerry2."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.ranking import bradley_terry, wins_of

# BradleyTerry2::citations, between journals of statistics; the cited one wins.
JOURNALS = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
CITATIONS = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]]

# BradleyTerry2::baseball, after Agresti (2002): wins at home and away together.
TEAMS = ["Baltimore", "Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto"]
BASEBALL = [
    [0, 1, 7, 4, 2, 3, 1], [12, 0, 7, 2, 6, 7, 6], [6, 6, 0, 4, 4, 6, 5], [9, 11, 9, 0, 6, 5, 7],
    [11, 7, 9, 7, 0, 7, 9], [10, 6, 7, 8, 6, 0, 6], [12, 7, 8, 6, 4, 7, 0],
]  # fmt: skip

# Four players with halves for ties.
WITH_TIES = [[0, 3.5, 5, 2], [2.5, 0, 4, 3.5], [1, 3, 0, 2], [4, 1.5, 3, 0]]


@pytest.mark.parametrize(
    ("wins", "players", "reference", "strength", "error"),
    [
        # coef(summary(BTm(cbind(win1, win2), player1, player2, data = ...)))
        (CITATIONS, JOURNALS, 0,
         [0, -2.949072496844, -0.479569769752, 0.268954055819],
         [math.nan, 0.1025453353699, 0.0605887292396, 0.0708299651057]),
        # The same, refcat = "JASA".
        (CITATIONS, JOURNALS, 2,
         [0.479569769752, -2.469502727092, 0, 0.748523825571],
         [0.0605887292396, 0.0981704929154, math.nan, 0.0729435583941]),
        # C %*% coef and sqrt(diag(C %*% vcov %*% t(C))) of these, C <- diag(4) - 1/4.
        (CITATIONS, JOURNALS, None,
         [0.789922052694, -2.159150444150, 0.310352282942, 1.058876108514],
         [0.0433304686873, 0.0725797434598, 0.0416410155199, 0.0530469881931]),
        (BASEBALL, TEAMS, 0,
         [0, 1.107697705372, 0.683852769153, 1.436408431806, 1.581355876655, 1.247617845135,
          1.294485123905],
         [math.nan, 0.333877908162, 0.331876399144, 0.339568187482, 0.343255664026,
          0.335860615785, 0.336669092693]),
        (WITH_TIES, list("abcd"), 0,
         [0, -0.112138011626, -0.778236213643, -0.147044316937],
         [math.nan, 0.588247408188, 0.607674473837, 0.600093057513]),
    ],
)  # fmt: skip
def test_strengths_and_errors_are_r_s(wins, players, reference, strength, error):
    found = bradley_terry(wins, players=players, reference=reference)

    # R stops its steps at a relative change of 1e-8 of the deviance.
    assert found.strength == pytest.approx(strength, rel=1e-6, abs=1e-9)
    assert found.error == pytest.approx(error, rel=1e-6, nan_ok=True)
    assert found.players == tuple(players)
    assert found.reason == ""


@pytest.mark.parametrize(
    ("confidence", "low", "high"),
    [
        # confint.default(model, level = ...)
        (0.95, [-3.150057660951, -0.598321496931, 0.130129875186],
         [-2.748087332736, -0.360818042573, 0.407778236453]),
        (0.90, [-3.117744563654, -0.579229360794, 0.152449130819],
         [-2.78040043003, -0.37991017871, 0.38545898082]),
    ],
)  # fmt: skip
def test_the_intervals_are_r_s_and_the_reference_has_none(confidence, low, high):
    found = bradley_terry(CITATIONS, players=JOURNALS, confidence=confidence)

    assert found.low[1:] == pytest.approx(low, rel=1e-6)
    assert found.high[1:] == pytest.approx(high, rel=1e-6)
    assert math.isnan(found.low[0])
    assert math.isnan(found.high[0])


def test_comparisons_are_counted_and_the_method_named():
    found = bradley_terry(WITH_TIES, players=list("abcd"))

    assert found.n == 35
    assert found.compared == (18, 18, 18, 16)
    assert found.level == "comparison"
    for said in ("tie counted as half", "against a", "95 % interval", "taken for independent"):
        assert said in found.method
    assert "against the mean of all" in (
        bradley_terry(WITH_TIES, players=list("abcd"), reference=None).method
    )


def test_two_players_are_apart_by_the_log_of_their_wins():
    # log(30 / 10), with the standard error sqrt(1/30 + 1/10) of log odds.
    found = bradley_terry([[0, 30], [10, 0]], players=["human", "machine"], reference=1)

    assert found.strength == pytest.approx((math.log(3), 0))
    assert found.error[0] == pytest.approx(math.sqrt(1 / 30 + 1 / 10))


def beating(n, *pairs):
    wins = np.zeros((n, n))
    for winner, loser in pairs:
        wins[winner, loser] += 1
    return wins


def test_a_lopsided_record_is_still_fitted():
    # A chain of three: each difference is the log of its own odds.
    wins = [[0, 10**6, 0], [1, 0, 10**6], [0, 1, 0]]
    found = bradley_terry(wins, players=list("abc"))

    assert found.strength == pytest.approx((0, -math.log(10**6), -2 * math.log(10**6)), rel=1e-6)


CYCLE = ((0, 1), (1, 2), (2, 0))


@pytest.mark.parametrize(
    ("wins", "reason"),
    [
        (beating(3, (0, 1), (1, 0)), "never compared with anyone: c"),
        (beating(4, (0, 1), (1, 0), (2, 3), (3, 2)),
         "no chain of comparisons connects these groups: a, b; c, d"),
        (beating(4, *CYCLE, (3, 0)),
         "strengths have no finite estimate; never won against the others: a, b, c; "
         "never beaten by the others: d"),
        (beating(3, (0, 1), (1, 2), (0, 2)),
         "strengths have no finite estimate; never beaten by the others: a; "
         "never won against the others: c"),
        (beating(1), "a ranking needs two players or more"),
    ],
)  # fmt: skip
def test_a_ranking_that_has_no_maximum_is_refused_by_name(wins, reason):
    found = bradley_terry(wins, players=list("abcd")[: len(wins)])

    assert not found.defined
    assert found.reason == reason
    assert all(math.isnan(value) for value in (*found.strength, *found.low, *found.high))


def test_one_tie_saves_an_undefeated_player():
    wins = beating(3, (0, 1), (1, 2), (0, 2))
    wins[[0, 2], [2, 0]] += 0.5

    assert bradley_terry(wins, players=list("abc")).defined


@pytest.mark.parametrize(
    ("wins", "message"),
    [
        ([[0, 1, 2], [1, 0, 1]], "square of wins"),
        ([[0, -1], [1, 0]], "must be counts"),
        ([[0, math.nan], [1, 0]], "must be counts"),
        ([[1, 1], [1, 0]], "nobody is compared with themselves"),
    ],
)
def test_what_are_no_wins_is_refused(wins, message):
    with pytest.raises(ValueError, match=message):
        bradley_terry(wins, players=["a", "b"])


def test_a_reference_or_confidence_out_of_range_is_refused():
    with pytest.raises(ValueError, match="is not one of 2 players"):
        bradley_terry([[0, 1], [1, 0]], players=["a", "b"], reference=2)
    with pytest.raises(ValueError, match="between 0 and 1"):
        bradley_terry([[0, 1], [1, 0]], players=["a", "b"], confidence=1)


def test_wins_are_made_of_single_comparisons_with_ties_in_halves():
    wins = wins_of([0, 0, 2, 1], [1, 1, 0, 2], n_players=3, tied=[False, False, False, True])

    assert wins.tolist() == [[0, 2, 0], [0, 0, 0.5], [1, 0.5, 0]]


@pytest.mark.parametrize(
    ("winners", "losers", "message"),
    [
        ([0, 1], [1], "one winner and one loser"),
        ([0], [3], "is not one of"),
        ([-1], [0], "is not one of"),
    ],
)
def test_comparisons_of_nobody_are_refused(winners, losers, message):
    with pytest.raises(ValueError, match=message):
        wins_of(winners, losers, n_players=3)


results = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda two: two[0] != two[1]),
    max_size=60,
)


@given(results)
def test_where_there_is_a_maximum_each_player_s_wins_are_as_expected(games):
    wins = beating(5, *games)
    found = bradley_terry(wins, players=list("abcde"))
    reached = np.linalg.matrix_power(np.eye(5) + (wins > 0), 5) > 0

    # Ford (1957): everyone is to be reached from everyone over wins.
    assert found.defined == bool(reached.all())
    if found.defined:
        strength = np.array(found.strength)
        chances = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        expected = ((wins + wins.T) * chances).sum(axis=1)
        assert expected == pytest.approx(wins.sum(axis=1), abs=1e-7)


def test_a_long_way_from_player_to_player_is_enough():
    # Twenty in a row, each even with the next: nineteen links from first to last.
    wins = beating(
        20, *((one, one + 1) for one in range(19)), *((one + 1, one) for one in range(19))
    )
    found = bradley_terry(wins, players=list("abcdefghijklmnopqrst"))

    assert found.reason == ""
    assert found.strength == pytest.approx([0] * 20, abs=1e-9)


def test_a_long_way_round_from_a_winner_to_a_loser_is_enough():
    # Twelve in a ring, each beaten once by the one before: a beats l over eleven links.
    wins = beating(12, *((player, (player + 1) % 12) for player in range(12)))
    found = bradley_terry(wins, players=list("abcdefghijkl"))

    assert found.reason == ""
    assert found.strength == pytest.approx([0] * 12, abs=1e-9)


@pytest.mark.parametrize("games", [1e6, 1e9, 1e12])
def test_many_games_of_some_do_not_drown_the_few_of_another(games):
    # c lost 1 and won 3 of its games with b, whatever b has with a.
    found = bradley_terry([[0, games, 0], [games, 0, 1], [0, 3, 0]], players=list("abc"))

    assert found.strength == pytest.approx((0, 0, math.log(3)), abs=1e-6)
    assert found.error[2] == pytest.approx(math.sqrt(1 + 1 / 3 + 2 / games), rel=1e-4)


def test_two_busy_groups_that_rarely_meet_are_set_apart_by_the_few_games_between_them():
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 1e9
    wins[1, 2], wins[2, 1] = 1, 3

    found = bradley_terry(wins, players=list("abcd"))

    assert found.strength == pytest.approx((0, 0, math.log(3), math.log(3)), abs=1e-5)


def test_the_odds_of_one_in_a_million_million_are_found():
    found = bradley_terry([[0, 1e12], [1, 0]], players=list("ab"))

    assert found.strength[1] == pytest.approx(-math.log(1e12), rel=1e-9)
    assert found.error[1] == pytest.approx(1, rel=1e-6)


def test_wins_too_uneven_for_the_arithmetic_are_refused_and_not_guessed():
    wins = [[0, 1e18, 0, 0], [1e18, 0, 1e-3, 0], [0, 1e-3, 0, 1e18], [0, 0, 1e18, 0]]

    with pytest.raises(ArithmeticError):
        bradley_terry(wins, players=list("abcd"))
