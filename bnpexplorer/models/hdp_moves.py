"""Splits, merges and deletions of topics for the memoized HDP, adopted only if the bound rises.

What is proposed at the end of a pass is followed through whole passes beside the fit itself, so
that the bounds of the whole corpus with and without it are both exact at the end of a pass:

- a merge by the entropy that it costs, summed over all tokens (Hughes & Sudderth 2013);
- a split by restricted local steps, which share out the topic's tokens with all else as it is;
- the best splits that do not raise the bound at once, and the deletion of a small topic, as a
  trial: a second complete fit, visited like the first for a few passes, and dropped unless it
  overtakes.

D documents, S of them in a block, W its distinct words, V words, K topics, J parts of a split.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import digamma

from ..corpus.corpus import Corpus
from ..kernels import hdp_direct as kernels
from ..kernels.dirichlet import exp_shifted
from ..kernels.jit import F64, I32, I64
from ..snapshot import Event
from .hdp_direct import Block, DirectFit, Local, document_sums

SAMPLE_DOCS = 300
"""Documents from which the parts of a split are made."""
SAMPLE_SHARE = 0.1
"""A document is sampled for a topic that holds at least this share of its tokens."""
RESTRICTED = 5
"""Restricted local steps, and iterations of each."""
TRIAL_PASSES = 3
"""Passes after which a trial that has not overtaken the fit is dropped."""
RETRY = 10
"""Passes before a refused move is proposed again."""
RISE = 1e-10
"""A move must raise the bound by this share of it, well above rounding."""


@dataclass(eq=False)
class Sample:
    """Tokens of one topic in some documents, gathered during a pass: the material of a split."""

    topic: int
    """The topic's identity."""
    indptr: I64
    word_ids: I32
    tokens: F64
    """float64 (U,): expected tokens of the topic."""
    full: bool = False
    """Whether a whole pass has filled it."""


@dataclass(eq=False)
class Part:
    """One block under a split: its tokens of the topic shared out among the parts."""

    stats: F64
    """float64 (W, J)."""
    theta: F64
    """float64 (S, J)."""
    prior: F64
    """float64 (J,)."""
    entropy: float
    """Gain of entropy."""
    log_share: F64
    """float64 (J,): as of a block, also `held`."""
    held: F64


@dataclass(eq=False)
class Split:
    """One topic to become J."""

    topic: int
    excess: F64
    """float64 (V, J): lam - eta of the fresh topics, with which documents are split."""
    share: F64
    """float64 (J,): shares in the topic's weight."""
    parts: list[Part] = field(default_factory=list)
    stats: F64 = field(default_factory=lambda: np.zeros((0, 0)))
    """float64 (V, J): the sum over the parts."""


@dataclass(eq=False)
class Refusal:
    """A move that did not raise the bound; not to be proposed again before pass `until`."""

    topics: tuple[int, ...]
    kind: str
    until: int


@dataclass(eq=False)
class Trial:
    """A fit with other topics, on its way beside the one in force."""

    kind: str
    """split or delete."""
    fit: DirectFit
    topic_ids: I64
    events: tuple[Event, ...]
    """What happened to topics, should it be adopted."""
    passes: int = 0


@dataclass(eq=False)
class Moves:
    """What the present pass follows; identities of topics throughout."""

    samples: list[Sample] = field(default_factory=list)
    splits: list[Split] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    losses: list[F64] = field(default_factory=list)
    """Per block, float64 (pairs,): loss of entropy."""
    pair_sums: list[tuple[F64, F64]] = field(default_factory=list)
    """Per block, float64 (pairs,) each: `log_share` and `held` of the two topics as one."""
    trial: Trial | None = None
    last_trial: str = "delete"
    """The kind of the trial before; the kinds take turns."""
    refusals: list[Refusal] = field(default_factory=list)
    passes: int = 0


# ---- during a pass -------------------------------------------------------------------------------


def follow(
    moves: Moves, fit: DirectFit, topic_ids: I64, docs: Corpus, index: int, found: Local
) -> None:
    """Work out splits and merges on the block just visited, and sample for the next splits."""
    block = fit.blocks[index]
    place = {int(identity): k for k, identity in enumerate(topic_ids)}
    for sample in moves.samples:
        _sample(sample, place[sample.topic], docs, block, found)
    for split in moves.splits:
        if not split.parts:
            split.stats = np.zeros_like(split.excess)
        part = _split_block(split, place[split.topic], fit.lam.eta, block, found)
        split.parts.append(part)
        split.stats[block.words] += part.stats
    pairs = np.array([[place[a], place[b]] for a, b in moves.pairs], np.int64).reshape(-1, 2)
    moves.losses.append(
        kernels.pair_losses(
            found.indptr, found.local, found.ratio, found.theta_factor, found.word_factor, pairs
        )
    )
    a, b = pairs.T
    both, prior = block.theta[:, a] + block.theta[:, b], block.prior[a] + block.prior[b]
    moves.pair_sums.append(document_sums(both, prior, block.prior.sum() + block.lengths))


def _tokens(found: Local, topic: int) -> F64:
    return kernels.topic_tokens(
        found.indptr, found.local, found.ratio, found.theta_factor, found.word_factor, topic
    )


def _sample(sample: Sample, topic: int, docs: Corpus, block: Block, found: Local) -> None:
    if sample.full:
        return
    room = SAMPLE_DOCS - (len(sample.indptr) - 1)
    held = block.theta[:, topic] - block.prior[topic]
    rows = np.flatnonzero(held >= SAMPLE_SHARE * block.lengths)[:room]
    if not len(rows):
        return
    tokens = _tokens(found, topic)
    entries = np.concatenate([np.arange(docs.indptr[d], docs.indptr[d + 1]) for d in rows])
    ends = sample.indptr[-1] + np.cumsum(np.diff(docs.indptr)[rows])
    sample.indptr = np.concatenate((sample.indptr, ends))
    sample.word_ids = np.concatenate((sample.word_ids, docs.word_ids[entries]))
    sample.tokens = np.concatenate((sample.tokens, tokens[entries]))


def word_factors(excess: F64, eta: float, n_words: int, total: F64) -> F64:
    """exp E ln beta, each row over its largest, of J topics: float64 (W, J) from `excess` (W, J),
    lam - eta at these words, and its `total` (J,) over all words."""
    elog = np.asarray(digamma(eta + excess) - digamma(n_words * eta + total))
    factors, _ = exp_shifted(elog, kernels.FLOOR)
    return factors


def _split_block(split: Split, topic: int, eta: float, block: Block, found: Local) -> Part:
    n_parts = len(split.share)
    prior = block.prior[topic] * split.share
    theta = np.empty((len(block.lengths), n_parts))
    stats = np.zeros((len(block.words), n_parts))
    n_words, total = split.excess.shape[0], split.excess.sum(axis=0)
    factors = word_factors(split.excess[block.words], eta, n_words, total)
    gain = kernels.split_documents(
        found.indptr, found.local, _tokens(found, topic), factors, prior, RESTRICTED, theta, stats
    )
    sums = document_sums(theta, prior, block.prior.sum() + block.lengths)
    return Part(stats, theta, prior, gain, *sums)


def refuse(moves: Moves, kind: str, topics: tuple[int, ...]) -> None:
    moves.refusals.append(Refusal(topics, kind, moves.passes + RETRY))
