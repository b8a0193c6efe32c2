"""The HDP by direct assignment, memoized: local step and blocks; `bound.py` has the bound.

pi ~ GEM(gamma), pi_d ~ DP(alpha pi), z_dn ~ pi_d (Teh et al. 2006, section 5.3); the truncation is
on the assignments: tokens take topics 1 to K and everything beyond stays as one rest. With
q(stick_k) = Beta(rho_k omega_k, (1 - rho_k) omega_k), q(pi_d) = Dir(theta_d1 .. theta_dK,
theta_d,rest) and q(z), E ln p(pi_d | alpha pi) has no closed form, and

    c(alpha pi) >= K ln alpha + sum_{k <= K+1} ln pi_k,     c(x) = lnGamma(sum x) - sum lnGamma(x),

takes the place of its normaliser (Hughes, Kim & Sudderth 2015), so that the bound stays a bound.

A block is a mini-batch whose documents are the same in every pass; what the bound needs of it is
kept, so that one visit costs one block and still ends in the bound of the whole corpus (Hughes &
Sudderth 2013). D documents, S of them in a block, W its distinct words, V words, K topics.

The corpus sticks of the directly assigned HDP: q(stick_k) = Beta(rho_k omega_k, (1 - rho_k)
omega_k), their terms of the bound, and the rho that maximises them (Hughes, Kim & Sudderth 2015).

K topics, D documents; arrays of K+1 entries hold the rest last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from scipy.special import betaln, digamma, expit

from ...core.arrays import F64, I32, I64
from ...corpus.corpus import Batch, Corpus
from ...inference.dirichlet import Dirichlets
from ...inference.pool import Pool, each, here
from ...inference.slices import by_distinct_word, slices_of
from ...inference.start import Start, start_excess
from ...kernels import hdp_direct as kernels
from ...kernels.dirichlet import sum_words
from ...kernels.hdp_direct import LARGEST_LOGIT, climb_sticks
from ...kernels.tuples import Docs, TokenLaw, Until
from ...models.hdp import HDP
from ...state.invariants import ALL_DOCUMENTS, CLOSE, LARGEST, TINY, Constraint, StateContext, close
from ...state.snapshot import Topics
from .local import (
    DirectFitted,
    DirectGiven,
    add_words,
    by_documents,
    document_sums,
    fit_slice,
    joined,
    with_rest,
)

SETTLING = 5
"""Rounds of `settle` at the end of a pass."""

# ---- documents -----------------------------------------------------------------------------------


@dataclass(eq=False)
class MemoizedBlock:
    """Summary of one block at its last visit: its share of every sum, and q(pi_d)."""

    words: Annotated[I32, Constraint("W", below="V", ascending=True)]
    """int32 (W,): its distinct words."""
    stats: Annotated[F64, Constraint("W", "K")]
    """float64 (W, K): sum_d c_dw q(z = k)."""
    theta: Annotated[F64, Constraint("S", "K+1", least=TINY)]
    """float64 (S, K+1): `prior` plus the expected tokens of each topic, exactly."""
    prior: Annotated[F64, Constraint("K+1", least=TINY)]
    """float64 (K+1,): alpha E pi at the visit, the rest last."""
    lengths: Annotated[F64, Constraint("S")]
    """float64 (S,)."""
    entropy: float
    """-sum c_dw sum_k q(z = k) ln q(z = k)."""
    log_share: Annotated[F64, Constraint("K+1", least=-LARGEST)]
    """float64 (K+1,): sum_d E ln pi_dk."""
    held: Annotated[F64, Constraint("K+1", least=-LARGEST)]
    """float64 (K+1,): sum_d lnGamma(theta_dk) - prior_k E ln pi_dk; since theta - prior are the
    expected tokens, all that the bound has of topic k in the documents but for alpha E pi_k."""

    @property
    def total(self) -> F64:
        """alpha + L_d at the visit, float64 (S,)."""
        return np.asarray(self.prior.sum() + self.lengths)


def summary_of(
    pool: Pool | None, docs: Docs, words: I32, fits: list[DirectFitted], given: DirectGiven
) -> tuple[MemoizedBlock, TokenLaw]:
    """What is kept of a block, `docs` over `words` int32 (W,), after the fits of its slices, and
    q(z), whose last topic is the rest."""
    q, theta = joined(pool, docs, fits, given.word_factor)
    n_topics = len(given.prior) - 1
    stats, held_by_words = np.empty((len(words), n_topics)), np.empty(len(words))

    def gather(start: int, stop: int) -> None:
        sum_words(start, stop, docs, q.ratio, q.theta_factor, stats)
        factor, part = q.word_factor[start:stop, :n_topics], stats[start:stop]
        part *= factor
        held_by_words[start:stop] = (part * np.log(factor)).sum(axis=1)

    here(pool, gather, len(words))
    block = MemoizedBlock(
        words,
        stats,
        theta,
        given.prior.copy(),
        np.concatenate([fit.lengths for fit in fits]),
        sum(fit.entropy for fit in fits) - float(held_by_words.sum()),
        np.sum([fit.log_share for fit in fits], axis=0),
        np.sum([fit.held for fit in fits], axis=0),
    )
    return block, q


def with_sums(pool: Pool | None, blocks: Sequence[MemoizedBlock]) -> list[MemoizedBlock]:
    """`blocks` with the sums over their documents, whatever they held before."""

    def sums(index: int, rows: slice) -> tuple[F64, F64]:
        """Sums over some documents of a block: float64 (J,), float64 (J,)."""
        block = blocks[index]
        return document_sums(block.theta[rows], block.prior, block.total[rows])

    found = by_documents(pool, [len(block.lengths) for block in blocks], sums)
    return [
        replace(
            block,
            log_share=np.sum([log_share for log_share, _ in of_slices], axis=0),
            held=np.sum([held for _, held in of_slices], axis=0),
        )
        for block, of_slices in zip(blocks, found, strict=True)
    ]


# ---- the whole -----------------------------------------------------------------------------------


@dataclass(eq=False)
class DirectFit:
    """q of the whole corpus: topics, sticks, and the blocks visited so far, by index."""

    lam: Annotated[Dirichlets, Constraint("K")]
    """`lam.stats` is the sum over blocks; a block not visited yet has its share of `start`."""
    rho: Annotated[F64, Constraint("K", least=TINY, below=1)]
    """float64 (K,)."""
    start: Annotated[F64, Constraint("V", "K", or_empty=True)]
    """float64 (V, K): lam - eta at the start, until every block was visited once; then (0, 0)."""
    n_docs: Annotated[int, ALL_DOCUMENTS]
    n_tokens: Annotated[int, Constraint(least="N", most="N")]
    blocks: list[MemoizedBlock] = field(default_factory=list)
    log_share: Annotated[F64, Constraint("K+1", least=-LARGEST, or_empty=True)] = field(
        default_factory=lambda: np.zeros(0)
    )
    """float64 (K+1,): the sum over blocks, from the end of the first pass on."""

    def __len__(self) -> int:
        return len(self.rho)

    def mismatch(self, ground: StateContext) -> str:
        """Blocks that are not those of the corpus, or sums that are not those of the blocks."""
        done = ground.n_batches if self.complete else ground.n_batches_done
        if len(self.blocks) != done or (self.complete and len(self.log_share) != len(self) + 1):
            return "other blocks than were visited"
        unseen = self.n_tokens - sum(block.lengths.sum() for block in self.blocks)
        stats = np.zeros((ground.corpus.n_words, len(self)))
        if not self.complete:
            stats += self.start * (unseen / self.n_tokens)
        for index, block in enumerate(self.blocks):
            if problem := _block_mismatch(block, ground.corpus.take(ground.rows(index)), len(self)):
                return f"block {index}: {problem}"
            stats[block.words] += block.stats
        if not close(self.lam.scale * self.lam.stats[:, self.lam.slots], stats):
            return "other words than those of its blocks"
        shares = sum((block.log_share for block in self.blocks), np.zeros(len(self) + 1))
        same = not self.complete or close(self.log_share, shares)
        return "" if same else "other shares than those of its blocks"

    @property
    def complete(self) -> bool:
        """Whether every block was visited, so that there is a bound of the whole corpus."""
        return len(self.start) == 0


def _block_mismatch(block: MemoizedBlock, docs: Corpus, n_topics: int) -> str:
    """What is not of these documents and so many topics."""
    if block.stats.shape[1] != n_topics or not np.array_equal(block.lengths, docs.doc_lengths):
        return "other documents or topics"
    if not np.array_equal(block.words, np.unique(docs.word_ids)):
        return "other words than its documents have"
    tokens, total = block.theta - block.prior, block.total
    if (tokens[:, :-1].min(initial=0.0) < -CLOSE * block.lengths.max(initial=1.0)) or not (
        close(block.theta.sum(axis=1), total)
        and close(block.stats.sum(axis=0), tokens[:, :-1].sum(axis=0))
    ):
        return "other tokens than its documents have"
    log_share, held = document_sums(block.theta, block.prior, total)
    same = close(block.log_share, log_share) and close(block.held, held)
    return "" if same else "sums of other documents"


def start_fit(
    model: HDP, start: Start, corpus: Corpus, n_topics: int, rng: np.random.Generator
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


def visit(fit: DirectFit, model: HDP, batch: Batch, pool: Pool | None, until: Until) -> TokenLaw:
    """Documents of one block, then topics and sticks from all blocks; the bound cannot fall once
    all blocks were visited. In the first pass the sticks wait for its end. Returns q(z).

    The local step is LDA's with the prior alpha E pi, in which the rest is a topic that no token
    takes.
    """
    docs = batch.docs
    words, entries = by_distinct_word(docs)
    prior = model.alpha * weights_of(fit.rho)
    theta = fit.blocks[batch.index].theta if fit.complete else None
    by_word, _ = fit.lam.word_factor(words, pool)
    given = DirectGiven(with_rest(pool, by_word), prior, until)
    slices = slices_of(entries, len(words), pool)
    pieces = [(s, None if theta is None else theta[s.first : s.last]) for s in slices]
    fits = each(pool, fit_slice, pieces, given)
    block, found = summary_of(pool, entries, words, fits, given)
    replace_block(fit, batch, block, pool)
    if fit.complete:
        if batch.index == batch.of - 1:
            recount(fit, pool)
        fit.rho = fit_sticks(fit.rho, model.gamma, model.alpha, fit.n_docs, fit.log_share)
    return found


def replace_block(fit: DirectFit, batch: Batch, block: MemoizedBlock, pool: Pool | None) -> None:
    """Replace the sums over the corpus of the batch's documents by those of `block`."""
    lam, words = fit.lam, block.words
    if fit.complete:
        before = fit.blocks[batch.index]
        change = np.empty_like(block.stats)

        def subtract(start: int, stop: int) -> None:
            own = slice(start, stop)
            np.subtract(block.stats[own], before.stats[own], out=change[own])

        here(pool, subtract, len(words))
        fit.log_share = fit.log_share + (block.log_share - before.log_share)
        fit.blocks[batch.index] = block
        lam.add(words, change, pool=pool)
        return
    fit.blocks.append(block)
    lam.add(words, block.stats, pool=pool)
    everywhere = np.arange(lam.n_words, dtype=np.int32)
    share = batch.docs.n_tokens / fit.n_tokens
    lam.add(everywhere, fit.start, -share, pool)
    if batch.index == batch.of - 1:
        fit.start = np.zeros((0, 0))


def settle(fit: DirectFit, model: HDP, pool: Pool | None = None, rounds: int = SETTLING) -> None:
    """Alternate q(pi_d) of all documents and the sticks, with q(z) as it is; the bound cannot fall.

    Where a topic has no tokens of a document, theta_dk is alpha E pi_k alone and keeps the sticks
    near what they were: the weight of the rest would need dozens of passes to fall. Without a look
    at any token a round costs a few hundredths of a second.
    """
    blocks, prior = fit.blocks, model.alpha * weights_of(fit.rho)
    sizes, tokens = [len(b.lengths) for b in blocks], [np.empty_like(b.theta) for b in blocks]
    psi_totals = [np.empty(n) for n in sizes]

    def without_prior(index: int, rows: slice) -> None:
        block = blocks[index]
        tokens[index][rows] = np.maximum(block.theta[rows] - block.prior, 0.0)
        psi_totals[index][rows] = digamma(model.alpha + block.lengths[rows])

    def shares(index: int, rows: slice) -> F64:
        """Sums over some documents of a block: float64 (K,)."""
        return kernels.log_shares(tokens[index][rows] + prior, psi_totals[index][rows])

    def add_prior(index: int, rows: slice) -> None:
        tokens[index][rows] += prior

    by_documents(pool, sizes, without_prior)
    for _ in range(rounds):
        prior = model.alpha * weights_of(fit.rho)
        of_blocks = by_documents(pool, sizes, shares)
        log_share = np.sum([share for block in of_blocks for share in block], axis=0)
        fit.rho = fit_sticks(fit.rho, model.gamma, model.alpha, fit.n_docs, log_share)
    by_documents(pool, sizes, add_prior)
    fresh = [replace(b, theta=n, prior=prior) for b, n in zip(blocks, tokens, strict=True)]
    fit.blocks = with_sums(pool, fresh)
    fit.log_share = np.sum([b.log_share for b in fit.blocks], axis=0)


def recount(fit: DirectFit, pool: Pool | None = None) -> None:
    """Add up the topics' statistics and `log_share` from the blocks, once a pass, so that the
    rounding of many additions and subtractions does not build up."""
    blocks = fit.blocks
    parts = [(block.words, block.stats) for block in blocks]
    n_words, n_topics = fit.lam.n_words, blocks[0].stats.shape[1]
    total = add_words(pool, parts, n_words, n_topics)
    fit.lam = Dirichlets(fit.lam.eta, total, total.sum(axis=0), np.arange(n_topics))
    fit.log_share = np.sum([b.log_share for b in blocks], axis=0)


def direct_topics(model: HDP, fit: DirectFit, topic_ids: I64) -> Topics:
    """Return `Topics` with the expected sticks as weights; the rest is unseen.

    `topic_ids` int64 (K,).
    """
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
    in_docs = corpus.word_docs / corpus.n_docs
    per_block = (1.0 - (1.0 - in_docs) ** min(batch_size, corpus.n_docs)).sum()
    rows = corpus.n_docs + per_block * -(-corpus.n_docs // batch_size)
    return int(8 * rows * (n_topics + 1))


TOLERANCE = 1e-9
"""Of the logit of a stick."""


def weights_of(rho: F64) -> F64:
    """E pi_1 .. E pi_K and the rest, float64 (K+1,): rho_k prod_{l<k} (1 - rho_l), `rho` float64
    (K,)."""
    left = np.concatenate(([1.0], np.cumprod(1.0 - rho)))
    return np.append(rho * left[:-1], left[-1])


def sticks_of(weights: F64) -> F64:
    """The rho, float64 (K,), with these `weights` float64 (K+1,), the rest last."""
    above = np.cumsum(weights[::-1])[::-1][:-1]
    small = expit(-LARGEST_LOGIT)
    return np.asarray(np.clip(weights[:-1] / above, small, 1.0 - small))


def stick_sizes(n_topics: int, gamma: float, n_docs: int) -> F64:
    """omega_k = 1 + gamma + D (K + 2 - k), float64 (K,).

    What the two stick terms of the bound alone would choose; rho carries the rest.
    """
    return 1.0 + gamma + n_docs * np.arange(n_topics + 1.0, 1.0, -1.0)


def sticks_bound(rho: F64, gamma: float, alpha: float, n_docs: int, log_share: F64) -> float:
    """All terms of the bound that hold the sticks.

    `rho` float64 (K,): E of the sticks. `log_share` float64 (K+1,): sum_d E ln pi_dk, the rest
    last. The terms are D times the surrogate, E ln p(sticks) - E ln q(sticks), and alpha sum_k
    E pi_k log_share_k.
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
    return float(bound) + alpha * float(weights_of(rho) @ log_share)


def fit_sticks(
    rho: F64, gamma: float, alpha: float, n_docs: int, log_share: F64, sweeps: int = 100
) -> F64:
    """The rho that maximises `sticks_bound`, float64 (K,); never worse than the start.

    Stick by stick, at most `sweeps` times: some 15 are enough, in 0.15 ms for 50 topics, where
    L-BFGS took ten times as long for the same bound to fifteen digits. `rho` float64 (K,): the
    start. `log_share` float64 (K+1,): as there.
    """
    fresh = climb_sticks(rho, gamma, alpha, n_docs, log_share, sweeps, TOLERANCE)
    before = sticks_bound(rho, gamma, alpha, n_docs, log_share)
    after = sticks_bound(fresh, gamma, alpha, n_docs, log_share)
    return fresh if after > before else rho
