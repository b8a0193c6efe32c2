"""The HDP by direct assignment, memoized: local step, corpus sticks and the bound.

pi ~ GEM(gamma), pi_d ~ DP(alpha pi), z_dn ~ pi_d (Teh et al. 2006, section 5.3); the truncation is
on the assignments: tokens take topics 1 to K and everything beyond stays as one rest. With
q(stick_k) = Beta(rho_k omega_k, (1 - rho_k) omega_k), q(pi_d) = Dir(theta_d1 .. theta_dK,
theta_d,rest) and q(z), E ln p(pi_d | alpha pi) has no closed form, and

    c(alpha pi) >= K ln alpha + sum_{k <= K+1} ln pi_k,     c(x) = lnGamma(sum x) - sum lnGamma(x),

takes the place of its normaliser (Hughes, Kim & Sudderth 2015), so that the bound stays a bound.

A block is a mini-batch whose documents are the same in every pass; what the bound needs of it is
kept, so that one visit costs one block and still ends in the bound of the whole corpus (Hughes &
Sudderth 2013). D documents, S of them in a block, W its distinct words, V words, K topics.
"""

from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
from scipy.special import betaln, digamma, expit, gammaln, logit, polygamma

from ..corpus.corpus import Batch, Corpus
from ..kernels import hdp_direct as kernels
from ..kernels.admixture import gather_stats
from ..kernels.dirichlet import add_rows, exp_shifted
from ..kernels.jit import F64, I32, I64
from ..kernels.special import distinct_words
from ..snapshot import Topics
from .dirichlet import Dirichlets
from .hdp import HDP
from .local import fit_lda_documents
from .start import start_excess

SETTLING = 5
"""Rounds of `settle` at the end of a pass."""
LARGEST_LOGIT = 20.0
"""Sticks stay between 2e-9 and 1 - 2e-9."""

# ---- corpus sticks -------------------------------------------------------------------------------


def weights_of(rho: F64) -> F64:
    """E pi_1 .. E pi_K and the rest, float64 (K+1,): rho_k prod_{l<k} (1 - rho_l)."""
    left = np.concatenate(([1.0], np.cumprod(1.0 - rho)))
    return np.append(rho * left[:-1], left[-1])


def sticks_of(weights: F64) -> F64:
    """The rho (K,) with these weights (K+1,), the rest last."""
    above = np.cumsum(weights[::-1])[::-1][:-1]
    small = expit(-LARGEST_LOGIT)
    return np.asarray(np.clip(weights[:-1] / above, small, 1.0 - small))


def stick_sizes(n_topics: int, gamma: float, n_docs: int) -> F64:
    """omega_k = 1 + gamma + D (K + 2 - k), float64 (K,).

    What the two stick terms of the bound alone would choose; rho carries the rest.
    """
    return 1.0 + gamma + n_docs * np.arange(n_topics + 1.0, 1.0, -1.0)


def sticks_bound(
    rho: F64, gamma: float, alpha: float, n_docs: int, log_share: F64
) -> tuple[float, F64]:
    """All terms of the bound that hold the sticks, and their gradient with respect to rho (K,).

    `log_share` (K+1,) is sum_d E ln pi_dk, the rest last. The terms are D times the surrogate,
    E ln p(sticks) - E ln q(sticks), and alpha sum_k E pi_k log_share_k.
    """
    n_topics = len(rho)
    omega = stick_sizes(n_topics, gamma, n_docs)
    a, b = rho * omega, (1.0 - rho) * omega
    psi_omega = digamma(omega)
    log_on, log_off = digamma(a) - psi_omega, digamma(b) - psi_omega
    on = n_docs + 1.0 - a
    off = n_docs * np.arange(n_topics, 0.0, -1.0) + gamma - b
    bound = n_docs * n_topics * np.log(alpha) + n_topics * np.log(gamma)
    bound += float((on * log_on + off * log_off + betaln(a, b)).sum())
    weights = weights_of(rho)
    held = weights * log_share
    above = np.cumsum(held[::-1])[::-1][1:]
    gradient = omega * (on * polygamma(1, a) - off * polygamma(1, b))
    gradient += alpha * (held[:-1] / rho - above / (1.0 - rho))
    return bound + alpha * float(held.sum()), gradient


def fit_sticks(
    rho: F64, gamma: float, alpha: float, n_docs: int, log_share: F64, iterations: int = 30
) -> F64:
    """The rho that maximises `sticks_bound`, from the start `rho`; never worse than the start.

    L-BFGS on logit rho with the last six steps (Nocedal 1980) and halved step lengths. Our own,
    because scipy's spent 18 ms an iteration in threaded linear algebra on ten numbers.
    """

    def value(x: F64) -> tuple[float, F64]:
        rho = expit(x)
        bound, gradient = sticks_bound(rho, gamma, alpha, n_docs, log_share)
        return bound / n_docs, gradient * rho * (1.0 - rho) / n_docs

    x = logit(rho)
    height, slope = value(x)
    steps: list[tuple[F64, F64]] = []
    for _ in range(iterations):
        direction = _ascent(slope, steps)
        rate = float(direction @ slope)
        length = min(1.0, 2.0 / max(float(np.abs(direction).max()), 1e-300))
        for _ in range(30):
            fresh = np.clip(x + length * direction, -LARGEST_LOGIT, LARGEST_LOGIT)
            reached, fresh_slope = value(fresh)
            if reached >= height + 1e-4 * length * rate:
                break
            length *= 0.5
        gain = reached - height
        if not gain > 0.0:
            break
        if float((fresh - x) @ (slope - fresh_slope)) > 1e-14:
            steps = [*steps[-5:], (fresh - x, slope - fresh_slope)]
        x, height, slope = fresh, reached, fresh_slope
        if gain < 1e-13 * abs(height):
            break
    fresh = expit(x)
    before, _ = sticks_bound(rho, gamma, alpha, n_docs, log_share)
    after, _ = sticks_bound(fresh, gamma, alpha, n_docs, log_share)
    return fresh if after > before else rho


def _ascent(slope: F64, steps: list[tuple[F64, F64]]) -> F64:
    """The inverse curvature, as the last `steps` (change of x, fall of slope) show it, times
    `slope`."""
    direction, used = slope.copy(), []
    for change, fall in reversed(steps):
        share = float(change @ direction) / float(change @ fall)
        direction -= share * fall
        used.append(share)
    if steps:
        change, fall = steps[-1]
        direction *= float(change @ fall) / float(fall @ fall)
    for (change, fall), share in zip(steps, reversed(used), strict=True):
        direction += change * (share - float(fall @ direction) / float(change @ fall))
    return direction


# ---- documents -----------------------------------------------------------------------------------


@dataclass(eq=False)
class Block:
    """What the last visit left of one block: its share of every sum, and q(pi_d)."""

    words: I32
    """int32 (W,): its distinct words."""
    stats: F64
    """float64 (W, K): sum_d c_dw q(z = k)."""
    theta: F64
    """float64 (S, K+1): `prior` plus the expected tokens of each topic, exactly."""
    prior: F64
    """float64 (K+1,): alpha E pi at the visit, the rest last."""
    lengths: F64
    """float64 (S,)."""
    entropy: float
    """-sum c_dw sum_k q(z = k) ln q(z = k)."""
    log_share: F64
    """float64 (K+1,): sum_d E ln pi_dk."""
    held: F64
    """float64 (K+1,): sum_d lnGamma(theta_dk) - prior_k E ln pi_dk; since theta - prior are the
    expected tokens, all that the bound has of topic k in the documents but for alpha E pi_k."""


@dataclass(frozen=True, eq=False)
class Local:
    """q(z) of the block just visited, as `kernels.hdp_direct` describes it."""

    indptr: I64
    local: I32
    ratio: F64
    theta_factor: F64
    word_factor: F64


def fresh_theta(prior: F64, lengths: F64) -> F64:
    """Where documents begin that were never visited: their tokens shared out like `prior`."""
    return np.asarray(prior * (1.0 + lengths[:, None] / prior.sum()))


def fit_block(
    docs: Corpus,
    elog: F64,
    words: I32,
    local: I32,
    prior: F64,
    theta: F64,
    pool: Executor | None,
    max_iterations: int,
    tolerance: float,
) -> tuple[Block, Local]:
    """The local step: q(z) and q(pi_d) of a block from the start `theta` (S, K+1), overwritten.

    It is LDA's with the prior alpha E pi, in which the rest is a topic that no token takes. One
    more update of theta from the final q(z) makes theta - prior the exact expected tokens, which
    lets every sum be taken apart by topic afterwards. `elog` (W, K) is E ln beta at `words`.
    """
    n_topics = elog.shape[1]
    by_word, _ = exp_shifted(elog, 1e-150)
    word_factor = np.concatenate((by_word, np.zeros((len(words), 1))), axis=1)
    fit = fit_lda_documents(
        docs.indptr, local, docs.counts, word_factor, prior, theta, pool, max_iterations, tolerance
    )
    found = Local(docs.indptr, local, fit.ratio, fit.theta_factor, word_factor)
    sums = (docs.indptr, local, fit.ratio, fit.theta_factor, word_factor)
    stats = np.ascontiguousarray(gather_stats(*sums)[:, :n_topics])
    tokens = kernels.document_tokens(*sums)[:, :n_topics]
    # q(z) = ratio theta_factor word_factor / c, hence its entropy without another loop over tokens.
    entropy = float(docs.counts @ np.log(docs.counts / fit.ratio))
    entropy -= float((tokens * np.log(fit.theta_factor[:, :n_topics])).sum())
    entropy -= float((stats * np.log(by_word)).sum())
    theta = np.tile(prior, (docs.n_docs, 1))
    theta[:, :n_topics] += tokens
    lengths = docs.doc_lengths.astype(np.float64)
    block = make_block(words, stats, theta, prior.copy(), lengths, entropy)
    return block, found


def make_block(
    words: I32, stats: F64, theta: F64, prior: F64, lengths: F64, entropy: float
) -> Block:
    """A block with the sums over its documents."""
    log_share, held = document_sums(theta, prior, prior.sum() + lengths)
    return Block(words, stats, theta, prior, lengths, entropy, log_share, held)


def document_sums(theta: F64, prior: F64, total: F64) -> tuple[F64, F64]:
    """`log_share` and `held` (J,) of topics with `theta` (S, J) and `prior` (J,).

    `total` (S,) is the sum of theta_d over all topics and the rest: alpha + L_d, always.
    """
    theta = np.ascontiguousarray(theta)
    log_share = kernels.log_shares(theta, digamma(total))
    return log_share, kernels.log_gamma_sums(theta) - prior * log_share


@dataclass(eq=False)
class Columns:
    """The bound's terms topic by topic, from which moves are judged. The rest is the last column of
    `log_share` and `held`."""

    evidence: F64
    """float64 (K,): c(eta) - c(lam_k), all that beta_k adds right after its update."""
    log_share: F64
    """float64 (K+1,): summed over blocks, as `held`."""
    held: F64
    rho: F64
    """float64 (K,)."""
    entropy: float
    constant: float
    """-sum_d lnGamma(alpha + L_d)."""


# ---- the whole -----------------------------------------------------------------------------------


@dataclass(eq=False)
class DirectFit:
    """q of the whole corpus: topics, sticks, and the blocks visited so far, by index."""

    lam: Dirichlets
    """`lam.stats` is the sum over blocks; a block not visited yet has its share of `start`."""
    rho: F64
    """float64 (K,)."""
    start: F64
    """float64 (V, K): lam - eta at the start, until every block was visited once; then (0, 0)."""
    n_docs: int
    n_tokens: int
    blocks: list[Block] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether every block was visited, so that there is a bound of the whole corpus."""
        return len(self.start) == 0


def start_fit(
    model: HDP, start: str, corpus: Corpus, n_topics: int, rng: np.random.Generator
) -> DirectFit:
    """Topics at random or at clusters of documents, as many tokens as the corpus has; the largest
    first, the corpus weights in proportion, and for the rest the gamma / (gamma + K) that a
    Dirichlet process leaves after K draws."""
    excess = start_excess(start, corpus, n_topics, rng, corpus.n_tokens / corpus.n_docs)
    size = excess.sum(axis=1)
    order = np.argsort(-size, kind="stable")
    lam = Dirichlets.from_excess(excess[order], model.eta)
    rest = model.gamma / (model.gamma + n_topics)
    weights = np.append((1.0 - rest) * (size[order] + 1.0) / (size + 1.0).sum(), rest)
    return DirectFit(lam, sticks_of(weights), lam.stats.copy(), corpus.n_docs, corpus.n_tokens)


def visit(
    fit: DirectFit,
    model: HDP,
    batch: Batch,
    pool: Executor | None,
    max_iterations: int,
    tolerance: float,
) -> Local:
    """Documents of one block, then topics and sticks from all blocks; the bound cannot fall once
    all blocks were visited. In the first pass the sticks wait for its end."""
    docs, lam = batch.docs, fit.lam
    words, local = distinct_words(docs.word_ids, docs.n_words)
    prior = model.alpha * weights_of(fit.rho)
    seen = fit.complete
    if seen:
        theta = fit.blocks[batch.index].theta.copy()
    else:
        theta = fresh_theta(prior, docs.doc_lengths.astype(np.float64))
    block, found = fit_block(
        docs, lam.expected_log(words), words, local, prior, theta, pool, max_iterations, tolerance
    )
    if seen:
        change = block.stats - fit.blocks[batch.index].stats
        fit.blocks[batch.index] = block
        add_rows(lam.stats, lam.row_sum, lam.slots, words, change, 1.0)
    else:
        fit.blocks.append(block)
        add_rows(lam.stats, lam.row_sum, lam.slots, words, block.stats, 1.0)
        everywhere = np.arange(lam.n_words, dtype=np.int32)
        share = docs.n_tokens / fit.n_tokens
        add_rows(lam.stats, lam.row_sum, lam.slots, everywhere, fit.start, -share)
    if not seen and batch.index == batch.of - 1:
        fit.start = np.zeros((0, 0))
    if fit.complete:
        if batch.index == batch.of - 1:
            recount(fit)
        log_share = np.sum([b.log_share for b in fit.blocks], axis=0)
        fit.rho = fit_sticks(fit.rho, model.gamma, model.alpha, fit.n_docs, log_share)
    return found


def settle(fit: DirectFit, model: HDP, rounds: int = SETTLING) -> None:
    """Alternate q(pi_d) of all documents and the sticks, with q(z) as it is; the bound cannot fall.

    Where a topic has no tokens of a document, theta_dk is alpha E pi_k alone and keeps the sticks
    near what they were: the weight of the rest would need dozens of passes to fall. Without a look
    at any token a round costs a few hundredths of a second.
    """
    tokens = [np.maximum(b.theta - b.prior, 0.0) for b in fit.blocks]
    psi_totals = [digamma(b.prior.sum() + b.lengths) for b in fit.blocks]
    for _ in range(rounds):
        prior = model.alpha * weights_of(fit.rho)
        shares = [kernels.log_shares(n + prior, p) for n, p in zip(tokens, psi_totals, strict=True)]
        log_share = np.sum(shares, axis=0)
        fit.rho = fit_sticks(fit.rho, model.gamma, model.alpha, fit.n_docs, log_share)
    fit.blocks = [
        make_block(b.words, b.stats, n + prior, prior, b.lengths, b.entropy)
        for b, n in zip(fit.blocks, tokens, strict=True)
    ]


def recount(fit: DirectFit) -> None:
    """Add up the topics' statistics from the blocks, once a pass, so that the rounding of many
    additions and subtractions does not build up."""
    lam = fit.lam
    total = np.zeros((lam.n_words, fit.blocks[0].stats.shape[1]))
    for block in fit.blocks:
        total[block.words] += block.stats
    fit.lam = Dirichlets.from_excess(np.ascontiguousarray(total.T), lam.eta)


def columns_of(fit: DirectFit, model: HDP) -> Columns:
    """The bound of `fit` by topic; needs `fit.complete` and lam = eta + the sum over blocks."""
    blocks, lam = fit.blocks, fit.lam
    return Columns(
        kernels.topic_evidence(np.ascontiguousarray(lam.stats[:, lam.slots]), lam.eta),
        np.sum([b.log_share for b in blocks], axis=0),
        np.sum([b.held for b in blocks], axis=0),
        fit.rho,
        sum(b.entropy for b in blocks),
        -float(sum(gammaln(b.prior.sum() + b.lengths).sum() for b in blocks)),
    )


def bound_of(columns: Columns, model: HDP, n_docs: int) -> float:
    """The evidence lower bound of the whole corpus."""
    sticks, _ = sticks_bound(columns.rho, model.gamma, model.alpha, n_docs, columns.log_share)
    parts = columns.evidence.sum() + columns.held.sum() + columns.entropy + columns.constant
    return float(parts) + sticks


def direct_topics(model: HDP, fit: DirectFit, topic_ids: I64) -> Topics:
    """`Topics` with the expected sticks as weights; the rest is unseen."""
    weights = weights_of(fit.rho)
    return Topics(
        topic_word=fit.lam.expected(),
        total=fit.lam.total,
        size=fit.lam.size,
        weight=weights[:-1],
        unseen=float(weights[-1]),
        topic_ids=topic_ids.copy(),
        concentration=model.alpha,
        gamma=model.gamma,
        eta=fit.lam.eta,
    )


def kept_bytes(corpus: Corpus, n_topics: int, batch_size: int) -> int:
    """Bytes of all blocks: every topic for every document, and for every word that a block has."""
    in_docs = np.bincount(corpus.word_ids, minlength=corpus.n_words) / corpus.n_docs
    per_block = (1.0 - (1.0 - in_docs) ** min(batch_size, corpus.n_docs)).sum()
    rows = corpus.n_docs + per_block * -(-corpus.n_docs // batch_size)
    return int(8 * rows * (n_topics + 1))
