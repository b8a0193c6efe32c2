"""Differences of mean shares that hold together with all others that are compared.

The interval of a difference of means is made of the intervals of both (Newcombe 1998, method 10),
which are honest for few documents (`explore/means.py`):

    difference - sqrt((other - low_other)^2 + (high_one - one)^2)   to
    difference + sqrt((high_other - other)^2 + (one - low_one)^2)

Of many topics some seem to differ by chance. If each of n intervals is made for 1 - 0.05 / n
(Bonferroni), all hold together, but topics too rare ever to be sure count as much as any: without a
change, hardly one of 100 corpora had a sure one. Therefore the texts set the level (Westfall &
Young 1993; Romano & Wolf 2005). They are resampled in two ways, `DRAWS` times each: the texts of
both sides are dealt out again, and each side's are drawn again with replacement. The level is the
laxest at which at most 5 of 100 resamples, the texts as they are among them, have an interval that
misses, in both ways. Dealing alone trusts that both sides are equally varied. The level is never
stricter than Bonferroni's and never laxer than that of one interval. It is one for all: steps
down, as Holm's, make a few more comparisons sure but leave them without a bound, "at least so
much". `benchmarks/README.md` has power and errors.

The seed is fixed and texts have an order of their own, so that neither the order of documents nor
which side comes first changes a number.
"""

from collections.abc import Callable, Sequence, Set
from typing import NamedTuple

import numpy as np

from ..core.arrays import F64, I64, Bools
from .means import LEVEL, Means, Moments, Texts, share_interval

DRAWS = 99
MOST, MOST_COMPARED = 3 * 10**6, 4000
"""Texts times columns, and comparisons, that are resampled, which takes about a second. Of more
periods some stand for the others; of two sides that are larger, Bonferroni's level stands."""
AT_ONCE = 400_000
"""Texts of resamples at once, so that what is needed beside the shares stays small."""
STEP = 2.0**0.5
"""From one level that is tried to the next."""
LEAST_Z = 1.5
"""Standard errors below which no difference is sure, which spares most of the work."""


class Ends(NamedTuple):
    """Differences of any shape (...): both means, the documents and the spread behind each."""

    mean: F64
    """float64 (2, ...): of the one side and of the other."""
    effective: F64
    spread: F64
    change: F64 | None = None
    """(...): the true difference, which is not 0."""

    def interval(self, miss: float) -> tuple[F64, F64]:
        """Low and high, (...): each misses with this probability."""
        low, high = share_interval(
            np.clip(self.mean, 0.0, 1.0), self.effective, self.spread, miss, True
        )
        low = np.minimum(np.where(self.mean <= 0.0, 0.0, low), self.mean)
        high = np.maximum(np.where(self.mean >= 1.0, 1.0, high), self.mean)
        (a, b), change = self.mean, self.mean[1] - self.mean[0]
        down = np.sqrt((b - low[1]) ** 2 + (high[0] - a) ** 2)
        up = np.sqrt((high[1] - b) ** 2 + (a - low[0]) ** 2)
        return np.asarray(change - down), np.asarray(change + up)

    def sure(self, miss: float) -> Bools:
        low, high = self.interval(miss)
        true = 0.0 if self.change is None else self.change
        return np.asarray((low > true) | (high < true))

    def take(self, kept: Bools) -> "Ends":
        """Those of the last axis that are kept."""
        change = None if self.change is None else self.change[kept]
        return Ends(self.mean[:, kept], self.effective[:, kept], self.spread[:, kept], change)


def ends_of(means: Means, one: I64, other: I64) -> Ends:
    """Return the ends of both groups of every pair: (len(one), K)."""
    both = np.stack([one, other])
    effective = np.broadcast_to(means.effective[both][..., None], means.mean[both].shape)
    return Ends(means.mean[both], effective, means.spread[both])


def miss_together(
    texts: Texts, pairs: Sequence[tuple[int, int]], common: F64, n_compared: int
) -> float:
    """With which probability each of `n_compared` intervals may miss, so that all hold together.

    `pairs`: which groups of the texts are compared; `common`: their `Means.common`.
    """
    miss, n_columns = 1.0 - LEVEL, texts.n_columns
    bonferroni = miss / max(n_compared, 1)
    n_texts = np.bincount(texts.groups[texts.groups >= 0])
    work = sum(int(n_texts[a] + n_texts[b]) for a, b in pairs) * n_columns
    every = max(-(-work // MOST), -(-len(pairs) * n_columns // MOST_COMPARED), 1)
    if every > len(pairs):
        return bonferroni
    pairs = pairs[every // 2 :: every]
    n_here = len(pairs) * n_columns
    rng = np.random.default_rng(0)
    sides = _sides(texts, {group for pair in pairs for group in pair})
    mixed, again = [], []
    for a, b in pairs:
        both = sorted((sides[a], sides[b]), key=_place)
        mixed.append(_resampled(both, common, _dealt, rng))
        again.append(_resampled(both, common, _drawn_again, rng))
    level = min(_widest(mixed, n_here), _widest(again, n_here))
    return float(min(max(level * n_here / max(n_compared, 1), bonferroni), miss))


def _widest(found: Sequence[tuple[I64, Ends]], n_here: int) -> float:
    """The largest probability to miss at which 5 of 100 resamples, the true one among them, have
    an interval that misses; Bonferroni's at least."""
    miss = 1.0 - LEVEL
    level, allowed = miss, int(miss * (DRAWS + 1)) - 1
    draws, ends = _joined(found)
    while level * n_here > miss:
        kept = ends.sure(level)
        draws, ends = draws[kept], ends.take(kept)
        if len(np.unique(draws)) <= allowed:
            break
        level /= STEP
    return level


def _joined(found: Sequence[tuple[I64, Ends]]) -> tuple[I64, Ends]:
    parts = [
        np.concatenate([ends[part] for _, ends in found if ends[part] is not None], axis=-1)
        for part in range(4)
    ]
    return np.concatenate([draw for draw, _ in found]), Ends(*parts)


class OneSide(NamedTuple):
    """The texts of one group in an order of their own: weights (N,) and shares (N, K)."""

    w: F64
    x: F64


def _mean(side: OneSide) -> F64:
    return np.asarray(side.w @ side.x / side.w.sum(), np.float64)


def _place(side: OneSide) -> tuple[float, ...]:
    """Which of two sides is resampled first."""
    return len(side.w), float(side.w.sum()), round(float(np.square(side.x).sum()), 6)


def _sides(texts: Texts, wanted: Set[int]) -> dict[int, OneSide]:
    kept = np.flatnonzero(np.isin(texts.groups, list(wanted)))
    place = np.full(len(texts.groups), -1, np.int64)
    place[kept] = np.arange(len(kept))
    shares = np.zeros((len(kept), texts.n_columns), np.float32)
    for rows, x in texts.blocks:
        here = place[rows] >= 0
        shares[place[rows[here]]] = x[here]
    weights = np.ones(len(kept)) if texts.weights is None else texts.weights[kept]
    order = np.lexsort((weights, np.round(np.square(shares).sum(axis=1), 6)))
    groups = texts.groups[kept][order]
    by_group = {group: order[groups == group] for group in wanted}
    return {g: OneSide(weights[rows], shares[rows]) for g, rows in by_group.items()}


Weighing = Callable[[int, int, int, np.random.Generator], F64]
"""How often so many resamples have each text of two sides of so many texts on each side:
float64 (2, draws, N)."""


def _dealt(draws: int, few: int, more: int, rng: np.random.Generator) -> F64:
    """All texts once, dealt out again."""
    drawn = rng.random((draws, few + more))
    first = drawn <= np.partition(drawn, few - 1, axis=1)[:, few - 1 : few]
    return np.stack([first, ~first]).astype(float)


def _drawn_again(draws: int, few: int, more: int, rng: np.random.Generator) -> F64:
    """As many texts of each side, with replacement."""
    found = np.zeros((2, draws, few + more))
    for side, part in zip(found, (slice(few), slice(few, None)), strict=True):
        n = side[:, part].shape[1]
        side[:, part] = rng.multinomial(n, np.full(n, 1.0 / n), draws)
    return found


def _resampled(
    sides: Sequence[OneSide], common: F64, weighing: Weighing, rng: np.random.Generator
) -> tuple[I64, Ends]:
    """Return the differences in resamples that may be sure, less the true difference: the number of
    the resample, int64 (C,), and their ends."""
    one, other = sides
    true = np.zeros(one.x.shape[1])
    if weighing is _drawn_again:
        true = _mean(other) - _mean(one)
    at_once = max(AT_ONCE // (len(one.w) + len(other.w)), 1)
    parts = []
    for begin in range(0, DRAWS, at_once):
        draws = min(at_once, DRAWS - begin)
        moments = _moments(weighing(draws, len(one.w), len(other.w), rng), one, other)
        mean, spread = np.clip(moments.mean, 0.0, 1.0), moments.spread(common)
        effective = np.broadcast_to(moments.effective[..., None], mean.shape)
        variance = (spread * mean * (1.0 - mean) / np.maximum(effective, 1.0)).sum(axis=1)
        apart = (mean[:, 1] - mean[:, 0] - true) ** 2 > LEAST_Z**2 * variance
        draw, column = np.nonzero(apart)
        kept = [part[draw, :, column].T for part in (mean, effective, spread)]
        parts.append((begin + draw, Ends(kept[0], kept[1], kept[2], true[column])))
    return _joined(parts)


def _moments(often: F64, one: OneSide, other: OneSide) -> Moments:
    """Return the moments of every resample and side: (draws, 2)."""
    w, x = np.concatenate([one.w, other.w]), np.concatenate([one.x, other.x]).astype(float)
    powers = np.stack([often @ w**power for power in range(5)]).swapaxes(1, 2)
    heavy = w[:, None] ** 2 * x
    sums = [(often @ each).swapaxes(0, 1) for each in (w[:, None] * x, heavy, heavy * x)]
    return Moments(powers, *sums)
