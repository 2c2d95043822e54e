"""How strong each player is, from who was preferred to whom."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtri

from backend.statistics.clusters import check_confidence
from backend.statistics.estimate import Result

Floats = NDArray[np.float64]
Links = NDArray[np.bool_]

_STEPS = 200
_CLOSE = 1e-10
_ROUNDING = 1e-12
# A variance this much smaller than the others is a difference of which nothing is left.
_LOST = 1e-13
_UNEVEN = "the wins are too uneven: rounding hides what is to be estimated"


@dataclass(frozen=True)
class Ranking(Result):
    """Strengths of players by Bradley and Terry.

    Attributes
    ----------
    players : tuple of str
        In the order given.
    strength : tuple of float
        Log strength of each against the reference, whose own is 0. By ``1 / (1 + exp(b - a))`` a
        player of strength a is preferred to one of strength b. All ``nan`` where undefined.
    error : tuple of float
        Their standard errors; ``nan`` for a reference, which has none.
    low, high : tuple of float
        Bounds of each; ``nan`` for a reference.
    compared : tuple of float
        In how many comparisons each took part.
    n, method, level, reason, counts, notes
        As in `Result`; a unit is a comparison, and ``reason`` names the players.
    """

    players: tuple[str, ...]
    strength: tuple[float, ...]
    error: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    compared: tuple[float, ...]

    @property
    def defined(self) -> bool:
        """Whether there are strengths at all."""
        return not self.reason


def wins_of(
    winners: ArrayLike, losers: ArrayLike, *, n_players: int, tied: ArrayLike | None = None
) -> Floats:
    """Return how often each player was preferred to each other, a tie half to either.

    Parameters
    ----------
    winners, losers : array-like of int, shape (n,)
        Who was preferred and to whom, as places from 0; in a tie, either way round.
    n_players : int
        How many players there are.
    tied : array-like of bool, shape (n,), optional
        Which comparisons were ties; none if left out.

    Returns
    -------
    array of float, shape (n_players, n_players)

    Raises
    ------
    ValueError
        If the shapes differ or a place is not one of a player.
    """
    first, second = np.asarray(winners, dtype=np.intp), np.asarray(losers, dtype=np.intp)
    even = np.zeros(first.shape, dtype=bool) if tied is None else np.asarray(tied, dtype=bool)
    if first.ndim != 1 or not first.shape == second.shape == even.shape:
        raise ValueError("each comparison needs one winner and one loser")
    places = np.concatenate([first, second])
    if ((places < 0) | (places >= n_players)).any():
        raise ValueError(f"a place is not one of {n_players} players")
    wins = np.zeros((n_players, n_players))
    np.add.at(wins, (first, second), np.where(even, 0.5, 1.0))
    np.add.at(wins, (second, first), np.where(even, 0.5, 0.0))
    return wins


def bradley_terry(
    wins: ArrayLike,
    *,
    players: Sequence[str],
    confidence: float = 0.95,
    reference: int | None = 0,
    level: str = "comparison",
) -> Ranking:
    """Estimate the log strength of each player from who was preferred to whom.

    i is preferred to j with the chance ``1 / (1 + exp(b_j - b_i))``. The strengths b maximise the
    likelihood, by Newton's steps; their covariance is the inverse of the information, the
    weighted Laplacian of the comparisons; each interval is ``b -+ z * standard error``.

    Parameters
    ----------
    wins : array-like of float, shape (n_players, n_players)
        ``wins[i, j]`` is how often i was preferred to j; a tie is half to either. Its diagonal
        is 0. `wins_of` makes it of single comparisons.
    players : sequence of str
        Their names, for the reasons.
    confidence : float
        Coverage asked for, between 0 and 1.
    reference : int or None
        Whose strength is 0. None sets the mean of all strengths to 0, which gives each player an
        interval.
    level : str
        What one comparison is. They are taken for independent of each other.

    Returns
    -------
    Ranking
        All ``nan``, with a reason that names the players, where the likelihood has no maximum:
        if somebody was never compared, no chain of comparisons connects two groups, or a player
        or a group never lost to, or never won against, the others.

    Raises
    ------
    ValueError
        If `wins` is not a square of finite counts with an empty diagonal, does not match
        `players`, or `reference` or `confidence` is out of its range.
    ArithmeticError
        If the likelihood has a maximum that 200 steps do not reach, or rounding hides it or an
        error, as may be where some are compared a billion times as often as others.

    References
    ----------
    Bradley, R. A., Terry, M. E. (1952). Rank analysis of incomplete block designs. Biometrika 39.
    Ford, L. R. (1957). Solution of a ranking problem from binary comparisons. American
    Mathematical Monthly 64(8), for when the maximum exists.
    """
    check_confidence(confidence)
    counted = _counted(wins, len(players))
    if reference is not None and not 0 <= reference < len(players):
        raise ValueError(f"the reference {reference} is not one of {len(players)} players")
    strength = error = low = high = np.full(len(players), np.nan)
    reason = _refusal(counted, players)
    if not reason:
        strength, covariance = _fit(counted)
        strength, error = _against(strength, covariance, reference)
        reach = float(ndtri((1 + confidence) / 2)) * error
        low, high = strength - reach, strength + reach
    against = "the mean of all" if reference is None else players[reference]
    return Ranking(
        players=tuple(players),
        strength=tuple(strength.tolist()),
        error=tuple(error.tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        n=round(float(counted.sum())),
        method=f"Bradley-Terry, maximum likelihood, a tie counted as half a win to either; log "
        f"strength against {against}, {100 * confidence:g} % interval by the information, "
        "comparisons taken for independent",
        level=level,
        reason=reason,
        compared=tuple((counted + counted.T).sum(axis=1).tolist()),
    )


def _counted(wins: ArrayLike, n_players: int) -> Floats:
    counted = np.asarray(wins, dtype=np.float64)
    if counted.shape != (n_players, n_players):
        raise ValueError(f"{n_players} players need a square of wins, got {counted.shape}")
    if not (np.isfinite(counted) & (counted >= 0)).all() or counted.diagonal().any():
        raise ValueError("wins must be counts, and nobody is compared with themselves")
    return counted


def _fit(wins: Floats) -> tuple[Floats, Floats]:
    """Strengths of mean 0 and their covariance."""
    games = wins + wins.T
    strength = np.zeros(len(wins))
    for _ in range(_STEPS):
        chances = expit(strength[:, None] - strength[None, :])
        # Wins less those expected, pair by pair, so that many games do not drown a few in rounding.
        slope = (wins * chances.T - wins.T * chances).sum(axis=1)
        covariance = _inverse(games * chances * chances.T)
        step = covariance @ slope
        if np.abs(step).max() <= _CLOSE:
            return strength + step, covariance
        strength = strength + _damped(wins, strength, step)
    raise ArithmeticError(f"the likelihood was not maximised in {_STEPS} steps")


def _damped(wins: Floats, strength: Floats, step: Floats) -> Floats:
    """A step, halved until the likelihood does not fall."""
    before = _log_likelihood(wins, strength)
    # Near the maximum a good step changes less than rounding does.
    before -= _ROUNDING * abs(before)
    while _log_likelihood(wins, strength + step) < before and np.abs(step).max() > _CLOSE:
        step = step / 2
    return step


def _log_likelihood(wins: Floats, strength: Floats) -> float:
    return -float((wins * np.logaddexp(0.0, strength[None, :] - strength[:, None])).sum())


def _inverse(weights: Floats) -> Floats:
    """Inverse of the Laplacian of these weights on what sums to 0."""
    laplacian = np.diag(weights.sum(axis=1)) - weights
    level = np.full(weights.shape, 1 / len(weights))
    try:
        inverse: Floats = np.linalg.inv(laplacian + level) - level
    except np.linalg.LinAlgError as lost:
        raise ArithmeticError(_UNEVEN) from lost
    return inverse


def _against(strength: Floats, covariance: Floats, reference: int | None) -> tuple[Floats, Floats]:
    own = covariance.diagonal()
    if reference is None:
        return strength, np.sqrt(own)
    variance = own + own[reference] - 2 * covariance[reference]
    variance[reference] = math.nan
    if (variance < _LOST * own.max()).any():
        raise ArithmeticError(_UNEVEN)
    error = np.sqrt(variance)
    return strength - strength[reference], error


def _refusal(wins: Floats, players: Sequence[str]) -> str:
    """Why the likelihood has no maximum; empty if it has one."""
    if len(players) < 2:
        return "a ranking needs two players or more"
    alone = np.flatnonzero((wins + wins.T).sum(axis=1) == 0)
    if alone.size:
        return f"never compared with anyone: {_names(alone, players)}"
    connected = _reach(wins + wins.T > 0)
    if not connected.all():
        groups = "; ".join(_names(group, players) for group in _groups(connected))
        return f"no chain of comparisons connects these groups: {groups}"
    return _one_sided(_reach(wins > 0), players)


def _one_sided(beats: Links, players: Sequence[str]) -> str:
    found = []
    for group in _groups(beats & beats.T):
        others = np.setdiff1d(np.arange(len(players)), group)
        names = _names(group, players)
        if others.size and not beats[np.ix_(others, group)].any():
            found.append(f"never beaten by the others: {names}")
        if others.size and not beats[np.ix_(group, others)].any():
            found.append(f"never won against the others: {names}")
    return f"strengths have no finite estimate; {'; '.join(found)}" if found else ""


def _reach(links: Links) -> Links:
    """Who is reached from whom over any number of links."""
    reached = links | np.eye(len(links), dtype=bool)
    for _ in range(len(links).bit_length()):
        reached = reached @ reached
    return reached


def _groups(same: Links) -> list[NDArray[np.intp]]:
    firsts = np.unique(same.argmax(axis=1))
    return [np.flatnonzero(same[first]) for first in firsts]


def _names(places: NDArray[np.intp], players: Sequence[str]) -> str:
    return ", ".join(players[place] for place in places)
