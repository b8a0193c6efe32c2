"""The toy example of Wang & Blei 2012 (section 2.2, figure 2): which component gets a document?

Two components are equally likely beforehand, and what is known of their word probabilities is
q(theta_1) = Dirichlet(lam1) and q(theta_2) = Dirichlet(lam2). For a new document d the two ways to
update its assignment z differ in where the logarithm stands:

    mean field (equation 5)           q(z = k)  proportional to  exp E_q[ln p(d | theta_k)]
    locally collapsed (equation 6)    q(z = k)  proportional to  E_q[p(d | theta_k)]

Both are closed forms. The first is linear in the word counts, so more copies of a word never change
its sign; the second is the ratio of the two predictive probabilities, exactly.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, betaln, expit, psi

from ..core.arrays import F64, I64

TIE = 1e-12
"""Log odds smaller than this are a tie: what is left is rounding."""

_DIRECT = 65_536
"""Documents of up to this many tokens are summed token by token."""


@dataclass(frozen=True)
class Case:
    """One setting of the example: `Dirichlet(word, rest, ..., rest)` against a symmetric one."""

    n_words: int
    """V, the size of the vocabulary."""
    word: float
    """Component 1: its parameter for word 1."""
    rest: float
    """Component 1: its parameter for every other word."""
    common: float
    """Component 2: its parameter for every word."""

    @property
    def lam1(self) -> F64:
        """float64 (V,): parameters of component 1."""
        return np.array([self.word] + [self.rest] * (self.n_words - 1))

    @property
    def lam2(self) -> F64:
        """float64 (V,): parameters of component 2."""
        return np.full(self.n_words, self.common)


CASES = {"A": Case(10, 0.1, 1.0, 0.1), "B": Case(10, 1.0, 1.0, 0.1)}
"""The two cases of figure 2."""


def _parameters(name: str, lam: ArrayLike) -> F64:
    """`lam` as float64 (V,), V >= 1; ValueError unless every entry is positive and finite."""
    try:
        values = np.asarray(lam, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers; got {lam!r}.") from None
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{name} must be a vector, one entry a word; got shape {values.shape}.")
    if not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(f"{name} must be positive and finite in every entry; got {lam!r}.")
    return values


def _pair(lam1: ArrayLike, lam2: ArrayLike) -> tuple[F64, F64]:
    first, second = _parameters("lam1", lam1), _parameters("lam2", lam2)
    if len(first) != len(second):
        raise ValueError(f"lam1 and lam2 differ in length: {len(first)} and {len(second)} words.")
    return first, second


def _documents(w: ArrayLike, n_words: int) -> tuple[F64, bool]:
    """Counts as float64 (N, V), and whether `w` was a single document."""
    try:
        counts = np.asarray(w, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"w must hold whole numbers; got {w!r}.") from None
    if not (np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts))).all():
        raise ValueError(f"w must hold whole numbers of at least 0; got {w!r}.")
    single = counts.ndim <= 1 and counts.size != 0
    rows = counts.reshape(1, -1) if single else counts
    if rows.ndim != 2 or rows.shape[1] not in (1, n_words):
        raise ValueError(
            f"w has shape {counts.shape}: its last axis must run over the {n_words} words, or have "
            "length 1 for copies of word 1 alone (many counts are a column: shape (N, 1))."
        )
    if rows.shape[1] < n_words:
        rows = np.hstack([rows, np.zeros((len(rows), n_words - 1))])
    return rows, single


def mean_field_log_odds(w: ArrayLike, lam1: ArrayLike, lam2: ArrayLike) -> Any:
    """ln q(z = 1) - ln q(z = 2) by the mean-field update (Wang & Blei 2012, equation 5).

    The sum over words v of n_v {[psi(lam1_v) - psi(sum lam1)] - [psi(lam2_v) - psi(sum lam2)]}.

    `lam1` and `lam2` have shape (V,) and are positive. The last axis of `w` runs over words:

    - a number: that many copies of word 1, and nothing else;
    - shape (V,): the word counts n of one document;
    - shape (N, V): N documents;
    - shape (N, 1): N documents, each of so many copies of word 1.

    Returns a float for one document, float64 (N,) for several. Raises ValueError, naming the
    argument, for unequal lengths, parameters that are not positive and finite, and counts that
    are not whole numbers of at least 0.
    """
    first, second = _pair(lam1, lam2)
    counts, single = _documents(w, len(first))
    expected1 = psi(first) - psi(first.sum())
    expected2 = psi(second) - psi(second.sum())
    odds = counts @ (expected1 - expected2)
    return float(odds[0]) if single else odds


def collapsed_log_odds(w: ArrayLike, lam1: ArrayLike, lam2: ArrayLike) -> Any:
    """ln q(z = 1) - ln q(z = 2) by the locally collapsed update (Wang & Blei 2012, equation 6).

    The difference of the two log predictive probabilities of the document, in its order of words:
    ln E[prod_v theta_v^n_v] = ln { prod_v prod_{j<n_v} (lam_v + j) / prod_{j<N} (sum lam + j) }
    with N = sum_v n_v. Arguments, shapes and errors as in `mean_field_log_odds`.
    """
    first, second = _pair(lam1, lam2)
    counts, single = _documents(w, len(first))
    odds = np.array([_log_predictive(n, first) - _log_predictive(n, second) for n in counts])
    return float(odds[0]) if single else odds


def _log_predictive(counts: F64, lam: F64) -> float:
    """ln E[prod_v theta_v^n_v], theta ~ Dirichlet(lam).

    The urn's product, token by token: a difference of log gammas would lose digits to cancellation.
    Very long documents go word by word instead, each word taking a Beta share of what the words
    before it have left.
    """
    length = counts.sum()
    if length <= _DIRECT:
        present = np.flatnonzero(counts)
        drawn = [lam[v] + np.arange(int(counts[v])) for v in present]
        urn = lam.sum() + np.arange(int(length))
        return float((np.log(np.concatenate([*drawn, []])) - np.log(urn)).sum())
    later = np.cumsum(lam[::-1])[::-1][1:]
    later_counts = np.cumsum(counts[::-1])[::-1][1:]
    shares = betaln(lam[:-1] + counts[:-1], later + later_counts) - betaln(lam[:-1], later)
    return float(shares.sum())


def terms(case: Case, copies: int) -> tuple[F64, F64]:
    """What the log odds of `copies` of word 1 are made of: two float64 (4,).

    Both of lam1_1, sum lam1, lam2_1, sum lam2: their digammas, which mean field takes `copies`
    times, and the sums of ln(x + j) over j = 0, ..., copies - 1, which the collapsed update takes.
    """
    values = np.array([case.word, case.lam1.sum(), case.common, case.lam2.sum()])
    urn = np.log(values[:, None] + np.arange(copies)).sum(axis=1)
    return np.asarray(psi(values)), np.asarray(urn)


def log_likelihoods(w: ArrayLike, lam: ArrayLike) -> tuple[float, float]:
    """What one document says of one component by both updates: ln E[p(d | theta)], which equation 6
    weighs by, and E[ln p(d | theta)], which equation 5 does.

    Arguments and errors as in `mean_field_log_odds`, of one document.
    """
    values = _parameters("lam", lam)
    counts = _documents(w, len(values))[0][0]
    expected = psi(values) - psi(values.sum())
    return _log_predictive(counts, values), float(counts @ expected)


def probability(log_odds: ArrayLike) -> Any:
    """q(z = 1) from its log odds against z = 2."""
    return expit(np.asarray(log_odds, dtype=np.float64))


def favoured(log_odds: ArrayLike) -> I64:
    """int64, shape of `log_odds`: the likelier component, 1 or 2, and 0 for a tie."""
    odds = np.asarray(log_odds, dtype=np.float64)
    return cast(I64, np.where(np.abs(odds) < TIE, 0, np.where(odds > 0, 1, 2)).astype(np.int64))


def word_probabilities(lam: ArrayLike, mass: float = 0.9) -> tuple[F64, F64, F64]:
    """What Dirichlet(lam) believes of each word: its expected probability and its spread.

    Returns three float64 (V,): mean, and the lower and upper end of the central interval that holds
    `mass` of the word's Beta(lam_v, sum lam - lam_v). Raises ValueError as above.
    """
    values = _parameters("lam", lam)
    mean = values / values.sum()
    if len(values) == 1:
        return mean, np.ones(1), np.ones(1)
    others = np.array([np.delete(values, v).sum() for v in range(len(values))])
    tail = np.float64((1 - mass) / 2)
    low = np.asarray(betaincinv(values, others, tail), dtype=np.float64)
    high = np.asarray(betaincinv(values, others, 1 - tail), dtype=np.float64)
    return mean, low, high
