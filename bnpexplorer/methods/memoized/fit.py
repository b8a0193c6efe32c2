"""The HDP by direct assignment, memoized: local step, blocks and the bound.

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

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from scipy.special import digamma, gammaln

from ...core.arrays import F64, I32, I64
from ...corpus.corpus import Batch, Corpus
from ...inference.dirichlet import Dirichlets
from ...inference.lda_local import law_of, unfitted
from ...inference.pool import Pool
from ...inference.slices import by_distinct_word, map_slices
from ...inference.start import Start, start_excess
from ...kernels import hdp_direct as kernels
from ...kernels.admixture import fit_documents, gather_stats
from ...kernels.dirichlet import add_rows, exp_shifted
from ...kernels.tuples import TokenLaw, Until
from ...models.hdp import HDP
from ...state.invariants import ALL_DOCUMENTS, CLOSE, LARGEST, TINY, Ground, Must, close
from ...state.snapshot import Topics
from .sticks import fit_sticks, sticks_bound, sticks_of, weights_of

SETTLING = 5
"""Rounds of `settle` at the end of a pass."""

# ---- documents -----------------------------------------------------------------------------------


@dataclass(eq=False)
class Block:
    """What the last visit left of one block: its share of every sum, and q(pi_d)."""

    words: Annotated[I32, Must("W", below="V", ascending=True)]
    """int32 (W,): its distinct words."""
    stats: Annotated[F64, Must("W", "K")]
    """float64 (W, K): sum_d c_dw q(z = k)."""
    theta: Annotated[F64, Must("S", "K+1", least=TINY)]
    """float64 (S, K+1): `prior` plus the expected tokens of each topic, exactly."""
    prior: Annotated[F64, Must("K+1", least=TINY)]
    """float64 (K+1,): alpha E pi at the visit, the rest last."""
    lengths: Annotated[F64, Must("S")]
    """float64 (S,)."""
    entropy: float
    """-sum c_dw sum_k q(z = k) ln q(z = k)."""
    log_share: Annotated[F64, Must("K+1", least=-LARGEST)]
    """float64 (K+1,): sum_d E ln pi_dk."""
    held: Annotated[F64, Must("K+1", least=-LARGEST)]
    """float64 (K+1,): sum_d lnGamma(theta_dk) - prior_k E ln pi_dk; since theta - prior are the
    expected tokens, all that the bound has of topic k in the documents but for alpha E pi_k."""


def fresh_theta(prior: F64, lengths: F64) -> F64:
    """Where documents begin that were never visited: their tokens shared out like `prior`."""
    return np.asarray(prior * (1.0 + lengths[:, None] / prior.sum()))


def summary_of(q: TokenLaw, docs: Corpus, words: I32, prior: F64) -> Block:
    """What is kept of a block with the fit `q`, whose last topic is the rest.

    One more update of theta from the final q(z) makes theta - prior the exact expected tokens,
    which lets every sum be taken apart by topic afterwards. `words` int32 (W,): the block's.
    `prior` float64 (K+1,): alpha E pi.
    """
    n_topics = len(prior) - 1
    stats = np.ascontiguousarray(gather_stats(q)[:, :n_topics])
    tokens = kernels.document_tokens(q)[:, :n_topics]
    # q(z) = ratio theta_factor word_factor / c, hence its entropy without another loop over tokens.
    entropy = float(docs.counts @ np.log(docs.counts / q.ratio))
    entropy -= float((tokens * np.log(q.theta_factor[:, :n_topics])).sum())
    entropy -= float((stats * np.log(q.word_factor[:, :n_topics])).sum())
    theta = np.tile(prior, (docs.n_docs, 1))
    theta[:, :n_topics] += tokens
    lengths = docs.doc_lengths.astype(np.float64)
    return make_block(words, stats, theta, prior.copy(), lengths, entropy)


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

    lam: Annotated[Dirichlets, Must("K")]
    """`lam.stats` is the sum over blocks; a block not visited yet has its share of `start`."""
    rho: Annotated[F64, Must("K", least=TINY, below=1)]
    """float64 (K,)."""
    start: Annotated[F64, Must("V", "K", or_empty=True)]
    """float64 (V, K): lam - eta at the start, until every block was visited once; then (0, 0)."""
    n_docs: Annotated[int, ALL_DOCUMENTS]
    n_tokens: Annotated[int, Must(least="N", most="N")]
    blocks: list[Block] = field(default_factory=list)
    log_share: Annotated[F64, Must("K+1", least=-LARGEST, or_empty=True)] = field(
        default_factory=lambda: np.zeros(0)
    )
    """float64 (K+1,): the sum over blocks, from the end of the first pass on."""

    def __len__(self) -> int:
        return len(self.rho)

    def mismatch(self, ground: Ground) -> str:
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


def _block_mismatch(block: Block, docs: Corpus, n_topics: int) -> str:
    """What is not of these documents and so many topics."""
    if block.stats.shape[1] != n_topics or not np.array_equal(block.lengths, docs.doc_lengths):
        return "other documents or topics"
    if not np.array_equal(block.words, np.unique(docs.word_ids)):
        return "other words than its documents have"
    tokens, total = block.theta - block.prior, block.prior.sum() + block.lengths
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
    if fit.complete:
        theta = fit.blocks[batch.index].theta.copy()
    else:
        theta = fresh_theta(prior, docs.doc_lengths.astype(np.float64))
    by_word, _ = exp_shifted(fit.lam.expected_log(words), 1e-150)
    word_factor = np.concatenate((by_word, np.zeros((len(words), 1))), axis=1)
    local = unfitted(entries, theta)
    map_slices(pool, docs.n_docs, fit_documents, entries, word_factor, prior, local, until)
    found = law_of(entries, local, word_factor)
    replace_block(fit, batch, summary_of(found, docs, words, prior))
    if fit.complete:
        if batch.index == batch.of - 1:
            recount(fit)
        fit.rho = fit_sticks(fit.rho, model.gamma, model.alpha, fit.n_docs, fit.log_share)
    return found


def replace_block(fit: DirectFit, batch: Batch, block: Block) -> None:
    """`block` in the place of what the sums over the corpus held of the batch's documents."""
    lam, words = fit.lam, block.words
    if fit.complete:
        before = fit.blocks[batch.index]
        change = block.stats - before.stats
        fit.log_share = fit.log_share + (block.log_share - before.log_share)
        fit.blocks[batch.index] = block
        add_rows(lam.stats, lam.row_sum, lam.slots, words, change, 1.0)
        return
    fit.blocks.append(block)
    add_rows(lam.stats, lam.row_sum, lam.slots, words, block.stats, 1.0)
    everywhere = np.arange(lam.n_words, dtype=np.int32)
    share = batch.docs.n_tokens / fit.n_tokens
    add_rows(lam.stats, lam.row_sum, lam.slots, everywhere, fit.start, -share)
    if batch.index == batch.of - 1:
        fit.start = np.zeros((0, 0))


def settle(fit: DirectFit, model: HDP, rounds: int = SETTLING) -> None:
    """Alternate q(pi_d) of all documents and the sticks, with q(z) as it is; the bound cannot fall.

    Where a topic has no tokens of a document, theta_dk is alpha E pi_k alone and keeps the sticks
    near what they were: the weight of the rest would need dozens of passes to fall. Without a look
    at any token a round costs a few hundredths of a second.
    """
    tokens = [np.maximum(b.theta - b.prior, 0.0) for b in fit.blocks]
    psi_totals = [digamma(model.alpha + b.lengths) for b in fit.blocks]
    for _ in range(rounds):
        prior = model.alpha * weights_of(fit.rho)
        shares = [kernels.log_shares(n + prior, p) for n, p in zip(tokens, psi_totals, strict=True)]
        log_share = np.sum(shares, axis=0)
        fit.rho = fit_sticks(fit.rho, model.gamma, model.alpha, fit.n_docs, log_share)
    fit.blocks = [
        make_block(b.words, b.stats, n + prior, prior, b.lengths, b.entropy)
        for b, n in zip(fit.blocks, tokens, strict=True)
    ]
    fit.log_share = np.sum([b.log_share for b in fit.blocks], axis=0)


def recount(fit: DirectFit) -> None:
    """Add up the topics' statistics and `log_share` from the blocks, once a pass, so that the
    rounding of many additions and subtractions does not build up."""
    lam = fit.lam
    total = np.zeros((lam.n_words, fit.blocks[0].stats.shape[1]))
    for block in fit.blocks:
        total[block.words] += block.stats
    fit.lam = Dirichlets.from_excess(np.ascontiguousarray(total.T), lam.eta)
    fit.log_share = np.sum([b.log_share for b in fit.blocks], axis=0)


def columns_of(fit: DirectFit) -> Columns:
    """The bound of `fit` by topic; needs `fit.complete` and lam = eta + the sum over blocks."""
    blocks, lam = fit.blocks, fit.lam
    return Columns(
        kernels.topic_evidence(np.ascontiguousarray(lam.stats[:, lam.slots]), lam.eta),
        fit.log_share,
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
    in_docs = corpus.word_docs / corpus.n_docs
    per_block = (1.0 - (1.0 - in_docs) ** min(batch_size, corpus.n_docs)).sum()
    rows = corpus.n_docs + per_block * -(-corpus.n_docs // batch_size)
    return int(8 * rows * (n_topics + 1))
