"""Proposals of the memoized HDP for its next pass: splits, merges and a deletion.

The splits are made of what the last pass sampled from a topic's documents. D documents, V words,
K topics, J parts of a split.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from threadpoolctl import ThreadpoolController

from ...core.arrays import F64, I64
from ...inference.dirichlet import Dirichlets
from ...inference.pool import Pool, here, mapped
from ...inference.start import cluster_tokens
from ...kernels import hdp_direct as kernels
from ...models.hdp import HDP
from ...state.snapshot import Event
from .bound import Columns, evidence_of_pairs
from .fit import DirectFit, sticks_of, weights_of
from .moves import RESTRICTED, Moves, MoveTrial, TokenSample, TopicSplit, refuse, word_factors

WORDS_TOGETHER = 2048
"""Words whose products of topics are added up at once."""
BLAS = ThreadpoolController()
"""Its own threads would compute beside those of the pool."""


@dataclass(frozen=True)
class ProposalLimits:
    """How much is proposed in a pass."""

    splits: int
    merges: int
    parts: int
    max_topics: int


def empty_samples(topics: list[int]) -> list[TokenSample]:
    """Samples to be filled during the next pass."""
    return [
        TokenSample(i, np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0)) for i in topics
    ]


def propose(
    moves: Moves,
    fit: DirectFit,
    model: HDP,
    topic_ids: I64,
    columns: Columns,
    limits: ProposalLimits,
    rng: np.random.Generator,
    pool: Pool | None,
) -> Moves:
    """Return the moves that the next pass follows, given `columns` of the fit.

    While a trial runs, nothing else is tried, and the samples wait. Otherwise, in turn, a deletion
    as a trial, or splits of the topics sampled and the likeliest pairs to merge.
    """
    now = moves.passes + 1
    refusals = [r for r in moves.refusals if r.until > now]
    fresh = Moves(trial=moves.trial, last_trial=moves.last_trial, refusals=refusals, passes=now)
    alive = {int(i): k for k, i in enumerate(topic_ids)}
    samples = [s for s in moves.samples if s.topic in alive]
    refused = {(r.kind, r.topics) for r in refusals}
    smallest = _smallest(fit.lam.size, topic_ids, refused)
    if fresh.trial is None and moves.last_trial == "split" and smallest >= 0:
        fresh.trial = deletion_trial(fit, topic_ids, smallest, pool)
    if fresh.trial is not None:
        fresh.last_trial = fresh.trial.kind
        for sample in samples:  # of one pass: in the next its documents would come in once more
            sample.full = True
        fresh.samples = samples or _new_samples(fit, alive, set(), refused, limits, rng)
        return fresh
    room = limits.max_topics - len(topic_ids)
    splits = _make_splits(samples, alive, room, limits.parts, fit, model, rng, pool)
    for sample, split in zip(samples, splits, strict=False):
        if split is None:
            refuse(fresh, "split", (sample.topic,))
        else:
            room -= len(split.share) - 1
            fresh.splits.append(split)
    if room > 0:
        taken = {split.topic for split in fresh.splits}
        fresh.samples = _new_samples(fit, alive, taken, refused, limits, rng)
    refused_pairs = {pair for kind, pair in refused if kind == "merge"}
    fresh.pairs = _likely_pairs(fit, topic_ids, columns, limits.merges, refused_pairs, pool)
    fresh.last_trial = "split"
    return fresh


def _make_splits(
    samples: list[TokenSample],
    alive: dict[int, int],
    room: int,
    most: int,
    fit: DirectFit,
    model: HDP,
    rng: np.random.Generator,
    pool: Pool | None,
) -> list[TopicSplit | None]:
    """Of the first samples, each by random numbers of its own: as many as `room` more topics allow,
    if every sample gave `most` parts."""
    n_parts = [min(most, room + 1 - s * (most - 1)) for s in range(len(samples))]
    seeds = rng.integers(2**63, size=len(samples))

    def make(sample: TokenSample, n: int, seed: int) -> TopicSplit | None:
        own = np.random.default_rng(seed)
        return make_split(sample, alive[sample.topic], n, fit, model, own)

    n_made = sum(n >= 2 for n in n_parts)
    return mapped(pool, make, samples[:n_made], n_parts[:n_made], seeds[:n_made].tolist())


def _new_samples(
    fit: DirectFit,
    alive: dict[int, int],
    taken: set[int],
    refused: set[tuple[str, tuple[int, ...]]],
    limits: ProposalLimits,
    rng: np.random.Generator,
) -> list[TokenSample]:
    """Empty samples of topics to be split after the next pass, drawn by size."""
    size = fit.lam.size
    free = [
        i
        for i, k in alive.items()
        if i not in taken and ("split", (i,)) not in refused and size[k] >= 2.0
    ]
    n = min(limits.splits, len(free))
    if n == 0:
        return []
    p = np.array([size[alive[i]] for i in free])
    return empty_samples([free[c] for c in rng.choice(len(free), n, replace=False, p=p / p.sum())])


def make_split(
    sample: TokenSample,
    topic: int,
    n_parts: int,
    fit: DirectFit,
    model: HDP,
    rng: np.random.Generator,
) -> TopicSplit | None:
    """Fresh topics from clusters of the sampled documents, refined by restricted steps on them.

    None where the sample has no two clusters.
    """
    n_docs, n_words = len(sample.indptr) - 1, fit.lam.n_words
    if n_docs < 2:
        return None
    shape = (n_docs, n_words)
    parts = (sample.tokens, sample.word_ids, sample.indptr)
    counts = sparse.csr_matrix(parts, shape=shape, copy=True)
    counts.data[counts.data < 1e-3] = 0.0  # words that are other topics' own
    counts.eliminate_zeros()
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    counts = counts[np.flatnonzero(lengths)].tocsr()
    if counts.shape[0] < 2:
        return None
    words = np.flatnonzero(counts.getnnz(axis=0))
    counts = counts[:, words].tocsr()
    excess = cluster_tokens(counts, n_parts, rng)
    excess = np.ascontiguousarray(excess[excess.sum(axis=1) > 0.0].T)
    if excess.shape[1] < 2:
        return None
    prior = model.alpha * weights_of(fit.rho)[topic]
    indptr, word_ids = counts.indptr.astype(np.int64), counts.indices.astype(np.int32)
    indptr.flags.writeable = False  # as in a corpus, for the kernel's one signature
    for _ in range(RESTRICTED):
        total = excess.sum(axis=0)
        share = (total + 1.0) / (total + 1.0).sum()
        factors = word_factors(excess, fit.lam.eta, n_words, total)
        theta = np.empty((counts.shape[0], len(share)))
        excess = np.zeros_like(excess)
        kernels.split_documents(
            indptr, word_ids, counts.data, factors, prior * share, RESTRICTED, theta, excess
        )
    total = excess.sum(axis=0)
    share = (total + 1.0) / (total + 1.0).sum()
    scaled = np.zeros((n_words, len(share)))
    scaled[words] = excess * (fit.lam.size[topic] / total.sum())
    return TopicSplit(sample.topic, scaled, share)


def _likely_pairs(
    fit: DirectFit,
    topic_ids: I64,
    columns: Columns,
    n_pairs: int,
    refused: set[tuple[int, ...]],
    pool: Pool | None,
) -> list[tuple[int, int]]:
    """The pairs whose merging costs the topics' evidence least, among the most similar ones."""
    n_topics = len(topic_ids)
    if n_topics < 2 or n_pairs == 0:
        return []
    first, second = np.triu_indices(n_topics, 1)
    alike = np.argsort(-_cosines(fit.lam, pool)[first, second], kind="stable")
    pairs = np.column_stack((first, second))[alike]
    identities = map(tuple, topic_ids[pairs].tolist())
    free = [p for p, identity in enumerate(identities) if identity not in refused]
    pairs = pairs[free[: 3 * n_pairs]]
    both = evidence_of_pairs(fit.lam, pairs, pool)
    best = np.argsort(-(both - columns.evidence[pairs].sum(axis=1)), kind="stable")
    return [(a, b) for a, b in topic_ids[pairs[best[:n_pairs]]].tolist()]


def _cosines(lam: Dirichlets, pool: Pool | None) -> F64:
    """How alike the words of every two topics are: float64 (K, K)."""
    n_words = lam.n_words

    def products(first: int) -> F64:
        part = lam.stats[first : first + WORDS_TOGETHER, lam.slots]
        return np.asarray(part.T @ part)

    with BLAS.limit(limits=1, user_api="blas"):
        both = np.sum(mapped(pool, products, range(0, n_words, WORDS_TOGETHER)), axis=0)
    norms = np.sqrt(np.maximum(np.diagonal(both), 1e-300))
    return np.asarray(both / norms / norms[:, None])


def _smallest(size: F64, topic_ids: I64, refused: set[tuple[str, tuple[int, ...]]]) -> int:
    """The smallest topic, if it holds less than half of an average topic; else -1."""
    for k in np.argsort(size, kind="stable"):
        if len(size) < 2 or size[k] >= 0.5 * size.mean():
            break
        if ("delete", (int(topic_ids[k]),)) not in refused:
            return int(topic_ids[k])
    return -1


def deletion_trial(
    fit: DirectFit, topic_ids: I64, identity: int, pool: Pool | None = None
) -> MoveTrial:
    """The fit without one topic; its blocks are all to be visited anew, from topics that keep the
    deleted one's words in proportion to what each holds of them."""
    k = int(np.flatnonzero(topic_ids == identity)[0])
    lam, others = fit.lam, np.delete(fit.lam.slots, k)
    excess, start = np.empty((2, lam.n_words, len(others)))

    def share_out(first: int, last: int) -> None:
        own = slice(first, last)
        kept = np.ascontiguousarray(lam.scale * lam.stats[own, others])
        freed, rest = lam.scale * lam.stats[own, lam.slots[k]], kept + 1e-3
        excess[own] = start[own] = kept + rest * (freed / rest.sum(axis=1))[:, None]

    here(pool, share_out, lam.n_words)
    fresh = Dirichlets(lam.eta, excess, excess.sum(axis=0), np.arange(len(others)))
    weights = np.delete(weights_of(fit.rho), k)
    rho = sticks_of(weights / weights.sum())
    trial = DirectFit(fresh, rho, start, fit.n_docs, fit.n_tokens)
    return MoveTrial("delete", trial, np.delete(topic_ids, k), (Event("prune", (identity,)),))
