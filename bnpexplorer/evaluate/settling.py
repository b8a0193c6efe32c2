"""Whether one run still moves: the quantities without labels, and the rule for a run alone.

A draw is what a state tells at one point: log joint, held-out score, number of topics in use,
entropy of their sizes. The first half of the draws is dropped; the rule looks at the two halves of
what is left, N draws.

*A sampler* has settled when these two halves, taken for two chains, have met: rank-normalised split
R-hat is at most 1.05 and the bulk effective sample size at least 100 for every quantity (Vehtari,
Gelman, Simpson, Carpenter & Bürkner 2021, "Rank-normalization, folding, and localization: an
improved R-hat", as the library arviz-stats computes them). What never changes has settled.

*A method that follows a curve* to a fixed point, as variational ones do, has no law around which
its draws would lie. It has settled when between the two halves the mean of no quantity has moved
by more than `Quantity.steady`: what it read meanwhile changed nothing that a person would see.

Neither tells whether another start would have led elsewhere: that takes several chains.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64, Bools

MOST_RHAT = 1.05
FEWEST_ESS = 100
FEWEST_DRAWS = 4
"""Of a chain; with fewer there is no R-hat."""
FEWEST_ALONE = 20
"""Draws of one run, without the first half, below which nothing is said of it."""
EQUAL = 1e-9
"""Of what never changes, values nearer than this, by their size, are equal: a score sums the
topics in another order."""
SUMMED = 1e-11
"""Of what does, values nearer than this, by their own size, are: one step moves it by more."""


@dataclass(frozen=True)
class Quantity:
    """What a state tells without labels of topics."""

    title: str
    decimals: int
    """In a sentence."""
    steady: float
    """A mean that moves by no more has stayed where it was."""


QUANTITIES = {
    "log_joint": Quantity("log joint", 0, 0.0),
    "heldout": Quantity("held-out score", 2, 0.01),
    "topics": Quantity("topics in use", 0, 1.0),
    "entropy": Quantity("entropy of sizes", 2, 0.05),
}
"""Key -> what it is called. Only samplers have a log joint. A score that differs by less than 0.01
on a tenth of the texts is none that a person could tell from chance."""


@dataclass(frozen=True)
class Settling:
    """Whether a run has settled, and the numbers that say so as part of a sentence."""

    settled: bool
    why: str


def rhat_and_ess(draws: F64) -> tuple[float, float]:
    """Rank-normalised split R-hat and bulk effective sample size of draws, float64 (C, N).

    One constant: 1 and all draws. Constants that differ: infinite, and one draw a chain. Fewer than
    four draws or two chains, or a value that is not finite: nan.
    """
    n_chains, n_draws = draws.shape
    if n_chains < 2 or n_draws < FEWEST_DRAWS or not np.isfinite(draws).all():
        return float("nan"), float("nan")
    draws = _made_same(draws)
    if constant_in_all(draws):
        return 1.0, float(draws.size)
    if _constant(draws).all():
        return float("inf"), float(n_chains)
    from arviz_stats.base.array import array_stats  # takes a third of a second

    with np.errstate(divide="ignore", invalid="ignore"):  # of folded ranks that are all equal
        return float(array_stats.rhat(draws)), float(array_stats.ess(draws))


def _made_same(draws: F64) -> F64:
    """Values that differ only by the order in which a score sums are made the same: their ranks
    would tell chains apart that stay in one place."""
    values, places = np.unique(draws, return_inverse=True)
    apart = np.diff(values, prepend=-np.inf) > SUMMED * np.maximum(np.abs(values), 0.01)
    return np.asarray(values[apart][np.cumsum(apart) - 1][places].reshape(draws.shape))


def constant_in_all(draws: F64) -> bool:
    """Whether all draws of all chains, float64 (C, N), have one value."""
    return bool(_constant(draws.reshape(1, -1)).all())


def _constant(draws: F64) -> Bools:
    """bool (C,): chains that never change."""
    spread = draws.max(axis=1) - draws.min(axis=1)
    return np.asarray(spread <= EQUAL * np.maximum(np.abs(draws).max(axis=1), 1.0))


# ---- one run alone -------------------------------------------------------------------------------


def settling(draws: Mapping[str, F64], sampler: bool) -> Settling:
    """Return whether a run has settled, judged by the second half of its draws.

    Key of `QUANTITIES` -> float64 (N,); `sampler`: they are those of a Markov chain.
    """
    n_draws = min((len(values) for values in draws.values()), default=0)
    if n_draws < FEWEST_ALONE:
        return Settling(
            False, f"its latter half has {n_draws} draws, and at least {FEWEST_ALONE} are needed"
        )
    n = n_draws // 2
    halves = {key: values[-2 * n :].reshape(2, n) for key, values in draws.items()}
    return _settling_of_chain(halves) if sampler else _settling_of_curve(halves)


def _settling_of_chain(halves: Mapping[str, F64]) -> Settling:
    """By R-hat and effective sample size of two halves, float64 (2, n) for every quantity."""
    both = {key: rhat_and_ess(values) for key, values in halves.items()}
    apart = [key for key, (rhat, _) in both.items() if not rhat <= MOST_RHAT]
    if apart:
        worst = max(apart, key=lambda key: both[key][0])
        said = f"the two halves of its latter half differ in {QUANTITIES[worst].title}"
        return Settling(False, f"{said}: R-hat is {both[worst][0]:.2f}, at most {MOST_RHAT} is due")
    ess = {key: both[key][1] for key, values in halves.items() if not constant_in_all(values)}
    if min(ess.values(), default=FEWEST_ESS) < FEWEST_ESS:
        worst = min(ess, key=lambda key: ess[key])
        said = f"the effective sample size of {QUANTITIES[worst].title} is {ess[worst]:.0f}"
        return Settling(False, f"{said}, at least {FEWEST_ESS} is due")
    said = (
        f"R-hat of the halves of its latter half is at most {max(r for r, _ in both.values()):.2f}"
    )
    least = f" and the effective sample size at least {min(ess.values()):.0f}" if ess else ""
    return Settling(True, said + least)


def _settling_of_curve(halves: Mapping[str, F64]) -> Settling:
    """By how far the mean has moved from one half to the other, float64 (2, n) for each."""
    with np.errstate(invalid="ignore"):  # a score may be -inf: then it has not settled
        means = {key: values.mean(axis=1) for key, values in halves.items()}
        moved = {key: float(abs(after - before)) for key, (before, after) in means.items()}
    parts = [_moved(key, by) for key, by in moved.items() if not by <= QUANTITIES[key].steady]
    if parts:
        return Settling(False, f"over its latter half {' and '.join(parts)}")
    key = "heldout" if "heldout" in moved else "topics"
    return Settling(True, f"over its latter half {_moved(key, moved[key], 'only ')}")


def _moved(key: str, by: float, only: str = "") -> str:
    about = QUANTITIES[key]
    return f"{about.title} moved by {only}{by:.{about.decimals + 1}f}"
