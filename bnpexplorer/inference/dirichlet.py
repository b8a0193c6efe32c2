"""The topics' Dirichlet posteriors, stored so that a stochastic step costs what its batch costs."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.special import gammaln, psi

from ..core.arrays import F32, F64, I32, I64, Bools, widened
from ..kernels import dirichlet as kernels
from ..kernels.special import digamma
from ..kernels.tuples import Lam
from ..state.invariants import LARGEST, POSITIVE, Constraint, StateContext, close
from .pool import Pool, here

TINY_SCALE = 1e-80
"""Below this the lazy scale is multiplied into the statistics."""
FLOOR = 1e-150
"""See `exp_shifted`."""


@dataclass(eq=False)
class Dirichlets:
    """q(beta_k) = Dir(lam_k), `lam[k, w] = eta + scale * stats[w, slots[k]]`.

    The step lam <- (1-rho) lam + rho (eta + new) multiplies `scale` by 1-rho and touches only the
    columns of the batch's words. Topics live in slots: reordering permutes `slots`, dropping frees
    one, appending takes a free one (the capacity doubles when none is left).
    """

    eta: Annotated[float, POSITIVE]
    stats: Annotated[F64, Constraint("V", "capacity", least=-LARGEST, most=math.inf)]
    """float64 (V, capacity)."""
    row_sum: Annotated[F64, Constraint("capacity", least=-LARGEST, most=math.inf)]
    """float64 (capacity,): sums of `stats` over words."""
    slots: Annotated[I64, Constraint("K", below="capacity", distinct=True)]
    """int64 (K,): the column of each topic, in the topics' present order."""
    scale: Annotated[float, Constraint(least=TINY_SCALE, most=1)] = 1.0

    @classmethod
    def empty(cls, n_words: int, eta: float, capacity: int = 16) -> "Dirichlets":
        """No topics yet."""
        return cls(eta, np.zeros((n_words, capacity)), np.zeros(capacity), np.empty(0, np.int64))

    @classmethod
    def from_excess(cls, excess: F64, eta: float) -> "Dirichlets":
        """K topics with lam = eta + excess, `excess` float64 (K, V)."""
        stats = np.ascontiguousarray(excess.T, dtype=np.float64)
        return cls(eta, stats, stats.sum(axis=0), np.arange(excess.shape[0], dtype=np.int64))

    @property
    def n_words(self) -> int:
        return int(self.stats.shape[0])

    @property
    def capacity(self) -> int:
        """Columns, with a topic or free."""
        return len(self.row_sum)

    def __len__(self) -> int:
        return len(self.slots)

    def mismatch(self, ground: StateContext) -> str:
        """A parameter that is no Dirichlet's, or sums that are not those of `stats`."""
        low, high = (self.scale * x(initial=0.0) for x in (self.stats.min, self.stats.max))
        if self.eta + low <= 0.0 or high > LARGEST:
            return "no Dirichlet distributions"
        if not close(self.scale * self.row_sum, self.scale * self.stats.sum(axis=0)):
            return "sums of other statistics"
        return "a free slot is not empty" if self.stats[:, self._free()].any() else ""

    @property
    def _lam(self) -> Lam:
        """As kernels read it."""
        return Lam(self.stats, self.slots, self.scale, self.eta)

    @property
    def size(self) -> F64:
        """sum_w (lam_kw - eta), float64 (K,): expected tokens of each topic."""
        # Rounding may leave -1e-12 after many steps; a size is never negative.
        return np.maximum(self.scale * self.row_sum[self.slots], 0.0)

    @property
    def total(self) -> F64:
        """Lam_k = sum_w lam_kw, float64 (K,)."""
        return self.n_words * self.eta + self.size

    def at(self, words: I32) -> F64:
        """lam at `words` int32 (W,): float64 (W, K)."""
        return kernels.gather_lam(self.stats, self.slots, words, self.scale, self.eta)

    def expected_log(self, words: I32, pool: Pool | None = None) -> F64:
        """E ln beta_kw = psi(lam_kw) - psi(Lam_k) at `words` int32 (W,): float64 (W, K)."""
        out = np.empty((len(words), len(self)))  # by numpy, which asks for large pages
        lam, total = self._lam, self.total

        def work(start: int, stop: int) -> None:
            kernels.expected_log(start, stop, lam, words, total, out)

        here(pool, work, len(words))
        return out

    def word_factor(self, words: I32, pool: Pool | None = None) -> tuple[F64, F64]:
        """exp E ln beta_kw at `words` int32 (W,) over its largest, float64 (W, K), at least 1e-150;
        and the logarithm of the largest of each word, float64 (W,): see `exp_shifted`."""
        out, shift = np.empty((len(words), len(self))), np.empty(len(words))
        lam, total = self._lam, self.total

        def work(start: int, stop: int) -> None:
            kernels.expected_log(start, stop, lam, words, total, out)
            kernels.exp_of_rows(start, stop, out, FLOOR, shift)

        here(pool, work, len(words))
        return out, shift

    def expected(self) -> F32:
        """E beta, float32 (K, V)."""
        return kernels.expected_topics(self.stats, self.slots, self.scale, self.eta, self.total)

    def sum_expected_log(self, pool: Pool | None = None) -> float:
        """sum_kw E ln beta_kw over all topics and words."""
        total_psi = sum(digamma(total) for total in self.total)
        psi, lam = np.empty(_n_blocks(self.n_words)), self._lam
        here(pool, lambda start, stop: kernels.sum_digamma(start, stop, lam, psi), len(psi))
        return float(psi.sum() - self.n_words * total_psi)

    def blend(
        self, rho: float, words: I32, excess: F64, times: float = 1.0, pool: Pool | None = None
    ) -> None:
        """lam <- (1-rho) lam + rho (eta + `times` excess).

        `excess` float64 (W, K): at `words` int32 (W,), each once; it is 0 elsewhere.
        """
        if rho == 1.0:
            self._clear(pool)
        else:
            self.scale *= 1.0 - rho
            if self.scale < TINY_SCALE:
                self.stats *= self.scale
                self.row_sum *= self.scale
                self.scale = 1.0
        self._add(self.slots, words, excess, rho * times / self.scale, pool)

    def add(self, words: I32, excess: F64, times: float = 1.0, pool: Pool | None = None) -> None:
        """lam <- lam + `times` excess.

        `excess` float64 (W, K): at `words` int32 (W,), each once; it is 0 elsewhere.
        """
        self._add(self.slots, words, excess, times / self.scale, pool)

    def _add(self, slots: I64, words: I32, excess: F64, factor: float, pool: Pool | None) -> None:
        """`stats` <- `stats` + `factor` excess at the columns `slots` int64 (K,).

        `words` int32 (W,), `excess` float64 (W, K).
        """
        lam = Lam(self.stats, slots, self.scale, self.eta)
        sums = np.empty((_n_blocks(len(words)), len(slots)))

        def work(start: int, stop: int) -> None:
            kernels.add_rows(start, stop, lam, words, excess, factor, sums)

        here(pool, work, len(sums))
        self.row_sum[slots] += sums.sum(axis=0)

    def _clear(self, pool: Pool | None) -> None:
        """lam <- eta."""

        def work(start: int, stop: int) -> None:
            self.stats[start:stop] = 0.0

        here(pool, work, self.n_words)
        self.row_sum[:] = 0.0
        self.scale = 1.0

    def append(self, words: I32, excess: F64, pool: Pool | None = None) -> None:
        """Add C topics with lam = eta + excess.

        `excess` float64 (W, C): at `words` int32 (W,), each once; it is 0 elsewhere.
        """
        n_new = excess.shape[1]
        if not n_new:
            return
        if self.capacity - len(self) < n_new:
            self.widen(max(2 * self.capacity, len(self) + n_new))
        taken = self._free()[:n_new]
        self._add(taken, words, excess, 1.0 / self.scale, pool)
        self.slots = np.concatenate((self.slots, taken))

    def widen(self, capacity: int) -> None:
        """Make room for so many topics in all."""
        more = capacity - self.capacity
        self.stats, self.row_sum = widened(self.stats, more), widened(self.row_sum, more)

    def pack(self) -> None:
        """Move the topics into the first columns, so that no free one lies between them."""
        late = np.flatnonzero(self.slots >= len(self))
        old, free = self.slots[late], self._free()[: len(late)]
        for array in (self.stats.T, self.row_sum):
            array[free] = array[old]
            array[old] = 0.0
        self.slots[late] = free

    def _free(self) -> I64:
        """The columns without a topic, ascending: int64 (capacity - K,)."""
        free = np.ones(self.stats.shape[1], np.bool_)
        free[self.slots] = False
        return np.flatnonzero(free)

    def reorder(self, order: I64) -> None:
        """Topic k becomes what topic `order[k]` was, `order` int64 (K,)."""
        self.slots = self.slots[order]

    def keep(self, mask: Bools) -> None:
        """Drop the topics where `mask` bool (K,) is false; their mass falls back to the prior."""
        for slot in self.slots[~mask]:
            self.stats[:, slot] = 0.0
            self.row_sum[slot] = 0.0
        self.slots = self.slots[mask]

    def log_normaliser_terms(self, pool: Pool | None = None) -> tuple[F64, F64]:
        """Per topic, sum_w lnGamma(lam_kw) and sum_w (eta - lam_kw) psi(lam_kw): float64 (K,),
        float64 (K,)."""
        lam, (log_gammas, slack) = self._lam, np.empty((2, _n_blocks(self.n_words), len(self)))

        def work(start: int, stop: int) -> None:
            kernels.log_normaliser_terms(start, stop, lam, log_gammas, slack)

        here(pool, work, len(slack))
        return log_gammas.sum(axis=0), slack.sum(axis=0)

    def log_evidence(self) -> float:
        """sum_k ln of the normaliser of Dir(lam_k) over that of Dir(eta)."""
        tokens = gammaln(self.total) - math.lgamma(self.n_words * self.eta)
        return kernels.log_rising_of_words(self._lam) - float(tokens.sum())

    def bound(self, pool: Pool | None = None) -> float:
        """sum_k E ln p(beta_k) - E ln q(beta_k) (algorithms: the topics' part of every bound)."""
        log_gammas, slack = self.log_normaliser_terms(pool)
        v_eta = self.n_words * self.eta
        prior = math.lgamma(v_eta) - self.n_words * math.lgamma(self.eta)
        bound = len(self) * prior
        for k, total in enumerate(self.total):
            # sum_w (eta - lam_kw)(psi(lam_kw) - psi(Lam_k)) = slack_k + (Lam_k - V eta) psi(Lam_k)
            bound += log_gammas[k] - math.lgamma(total)
            bound += slack[k] + (total - v_eta) * digamma(total)
        return bound


def mean_log(counts: F64 | I32, lam: F64, total: F64) -> F64:
    """E ln p(words | theta), theta ~ Dir(lam): sum_w c_w (psi(lam_w) - psi(total)), R times.

    `counts` int32 or float64 (W,): how often each of the words occurs. `lam` float64 (W, R): at
    these words. `total` float64 (R,): over all words. Returns float64 (R,).
    """
    return np.asarray(counts @ (psi(lam) - psi(total)), np.float64)


def _n_blocks(n_words: int) -> int:
    """Blocks in which kernels sum up so many words."""
    return -(-n_words // kernels.BLOCK)


def random_excess(
    n_topics: int, n_words: int, n_docs: int, doc_length: float, rng: np.random.Generator
) -> F64:
    """lam - eta at a random start: Exponential with mean D * L / (K V), float64 (K, V).

    Hoffman et al. 2013, footnote 6 (there L = 100).
    """
    mean = n_docs * doc_length / (n_topics * n_words)
    return rng.exponential(mean, size=(n_topics, n_words))
