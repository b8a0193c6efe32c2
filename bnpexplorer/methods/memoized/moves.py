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
from typing import Annotated

import numpy as np
from scipy.special import digamma

from ...core.arrays import F64, I32, I64
from ...corpus.corpus import Corpus
from ...inference.hdp_local import entries_of
from ...inference.pool import Pool, here, mapped
from ...kernels import hdp_direct as kernels
from ...kernels.dirichlet import exp_shifted
from ...kernels.tuples import TokenLaw
from ...state.invariants import LARGEST, TINY, Constraint, StateContext, close
from ...state.snapshot import Event
from .fit import DirectFit, MemoizedBlock
from .local import document_sums

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
class TokenSample:
    """Tokens of one topic in some documents, gathered during a pass: the material of a split."""

    topic: int
    """The topic's identity."""
    indptr: Annotated[I64, Constraint("...", most="E")]
    word_ids: Annotated[I32, Constraint("E", below="V")]
    tokens: Annotated[F64, Constraint("E")]
    """float64 (U,): expected tokens of the topic."""
    full: bool = False
    """Whether a whole pass has filled it."""

    def mismatch(self, ground: StateContext) -> str:
        ends = self.indptr[[0, -1]].tolist() if len(self.indptr) else []
        ordered = ends == [0, len(self.tokens)] and (np.diff(self.indptr) >= 0).all()
        return "" if ordered else "documents that do not follow each other"


@dataclass(eq=False)
class BlockSplit:
    """One block under a split: its tokens of the topic shared out among the parts."""

    stats: Annotated[F64, Constraint("W", "J")]
    """float64 (W, J)."""
    theta: Annotated[F64, Constraint("S", "J", least=TINY)]
    """float64 (S, J)."""
    prior: Annotated[F64, Constraint("J")]
    """float64 (J,)."""
    entropy: float
    """Gain of entropy."""
    log_share: Annotated[F64, Constraint("J", least=-LARGEST)]
    """float64 (J,): as of a block, also `held`."""
    held: Annotated[F64, Constraint("J", least=-LARGEST)]


@dataclass(eq=False)
class TopicSplit:
    """One topic to become J."""

    topic: int
    excess: Annotated[F64, Constraint("V", "J")]
    """float64 (V, J): lam - eta of the fresh topics, with which documents are split."""
    share: Annotated[F64, Constraint("J", most=1)]
    """float64 (J,): shares in the topic's weight."""
    parts: list[BlockSplit] = field(default_factory=list)
    stats: Annotated[F64, Constraint("V", "J", or_empty=True)] = field(
        default_factory=lambda: np.zeros((0, 0))
    )
    """float64 (V, J): the sum over the parts."""

    def mismatch(self, ground: StateContext) -> str:
        """Parts without a share, or sums that are not theirs (before the first there is none)."""
        if abs(self.share.sum() - 1.0) > 1e-6 or not self.share.all():
            return "shares that do not add up to 1"
        tokens = [part.stats.sum(axis=0) for part in self.parts]
        if any(len(sums) != len(self.share) for sums in tokens):
            return "parts of another split"
        same = not tokens or close(self.stats.sum(axis=0), np.sum(tokens, axis=0))
        return "" if same else "other words than those of its parts"


@dataclass(eq=False)
class Refusal:
    """A move that did not raise the bound; not to be proposed again before pass `until`."""

    topics: tuple[int, ...]
    kind: str
    until: int


@dataclass(eq=False)
class MoveTrial:
    """A fit with other topics, on its way beside the one in force."""

    kind: str
    """split or delete."""
    fit: Annotated[DirectFit, Constraint("K")]
    topic_ids: Annotated[I64, Constraint("K", distinct=True)]
    events: tuple[Event, ...]
    """What happened to topics, should it be adopted."""
    passes: int = 0


@dataclass(eq=False)
class Moves:
    """The moves that the present pass follows, with identities of topics."""

    samples: list[TokenSample] = field(default_factory=list)
    splits: list[TopicSplit] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    losses: Annotated[list[F64], Constraint("pairs", least=-LARGEST)] = field(default_factory=list)
    """Per block, float64 (pairs,): loss of entropy."""
    pair_sums: Annotated[list[tuple[F64, F64]], Constraint("pairs", least=-LARGEST)] = field(
        default_factory=list
    )
    """Per block, float64 (pairs,) each: `log_share` and `held` of the two topics as one."""
    trial: MoveTrial | None = None
    last_trial: str = "delete"
    """The kind of the trial before; the kinds take turns."""
    refusals: list[Refusal] = field(default_factory=list)
    passes: int = 0

    def mismatch(self, ground: StateContext) -> str:
        """Not one entry for every block that the pass has visited, or for every pair."""
        followed = [len(self.losses), len(self.pair_sums), *(len(s.parts) for s in self.splits)]
        if any(n != ground.n_batches_done for n in followed):
            return "other blocks than were visited"
        sums = [array for sums in self.pair_sums for array in sums]
        fits = all(len(array) == len(self.pairs) for array in (*self.losses, *sums))
        return "" if fits else "other pairs than are followed"

    def fault_of(self, fit: DirectFit, topic_ids: I64) -> str:
        """Name a disagreement with the topics and the blocks of `fit`; empty if there is none."""
        followed = [sample.topic for sample in self.samples]
        followed += [split.topic for split in self.splits]
        if not np.isin([*followed, *(i for pair in self.pairs for i in pair)], topic_ids).all():
            return "topics that are not there"
        if len(set(followed)) < len(followed) or any(a == b for a, b in self.pairs):
            return "a topic that is followed twice"
        for split in self.splits:
            for part, block in zip(split.parts, fit.blocks, strict=False):
                shape = (len(block.words), len(block.lengths), len(split.share))
                if (*part.stats.shape[:1], *part.theta.shape) != shape:
                    return "parts of other blocks"
        return ""


# ---- during a pass -------------------------------------------------------------------------------


def follow(
    moves: Moves,
    fit: DirectFit,
    topic_ids: I64,
    docs: Corpus,
    index: int,
    found: TokenLaw,
    pool: Pool | None = None,
) -> None:
    """Work out splits and merges on the block just visited, and sample for the next splits.

    Every sample, split and pair is worked out by itself, here: what q(z) of the block takes is
    three times what a local step of it is given, and would have to be sent.
    """
    block = fit.blocks[index]
    place = {int(identity): k for k, identity in enumerate(topic_ids)}
    pairs = np.array([[place[a], place[b]] for a, b in moves.pairs], np.int64).reshape(-1, 2)
    losses, log_share, held = np.empty((3, len(pairs)))

    def sample(one: TokenSample) -> None:
        _sample(one, place[one.topic], docs, block, found)

    def split(one: TopicSplit) -> None:
        part = _split_block(one, place[one.topic], fit.lam.eta, block, found)
        if not one.parts:
            one.stats = np.zeros_like(one.excess)
        one.parts.append(part)
        one.stats[block.words] += part.stats

    def merge(start: int, stop: int) -> None:
        some = pairs[start:stop]
        losses[start:stop] = kernels.pair_losses(found, some)
        a, b = some.T
        both, prior = block.theta[:, a] + block.theta[:, b], block.prior[a] + block.prior[b]
        sums = document_sums(both, prior, block.total)
        log_share[start:stop], held[start:stop] = sums

    mapped(pool, sample, moves.samples)
    mapped(pool, split, moves.splits)
    here(pool, merge, len(pairs))
    moves.losses.append(losses)
    moves.pair_sums.append((log_share, held))


def _sample(
    sample: TokenSample, topic: int, docs: Corpus, block: MemoizedBlock, found: TokenLaw
) -> None:
    if sample.full:
        return
    room = SAMPLE_DOCS - (len(sample.indptr) - 1)
    held = block.theta[:, topic] - block.prior[topic]
    rows = np.flatnonzero(held >= SAMPLE_SHARE * block.lengths)[:room]
    if not len(rows):
        return
    entries, sizes = entries_of(docs.indptr, rows), np.diff(docs.indptr)[rows]
    tokens = found.ratio[entries] * np.repeat(found.theta_factor[rows, topic], sizes)
    tokens *= found.word_factor[found.local[entries], topic]
    sample.indptr = np.concatenate((sample.indptr, sample.indptr[-1] + np.cumsum(sizes)))
    sample.word_ids = np.concatenate((sample.word_ids, docs.word_ids[entries]))
    sample.tokens = np.concatenate((sample.tokens, tokens))


def word_factors(excess: F64, eta: float, n_words: int, total: F64) -> F64:
    """exp E ln beta, each row over its largest, of J topics: float64 (W, J) from `excess` (W, J),
    lam - eta at these words, and its `total` (J,) over all words."""
    elog = np.asarray(digamma(eta + excess) - digamma(n_words * eta + total))
    factors, _ = exp_shifted(elog, kernels.FLOOR)
    return factors


def _split_block(
    split: TopicSplit, topic: int, eta: float, block: MemoizedBlock, found: TokenLaw
) -> BlockSplit:
    n_parts = len(split.share)
    prior = block.prior[topic] * split.share
    theta = np.empty((len(block.lengths), n_parts))
    stats = np.zeros((len(block.words), n_parts))
    n_words, total = split.excess.shape[0], split.excess.sum(axis=0)
    factors = word_factors(split.excess[block.words], eta, n_words, total)
    tokens = kernels.topic_tokens(found, topic)
    gain = kernels.split_documents(
        found.indptr, found.local, tokens, factors, prior, RESTRICTED, theta, stats
    )
    sums = document_sums(theta, prior, block.total)
    return BlockSplit(stats, theta, prior, gain, *sums)


def refuse(moves: Moves, kind: str, topics: tuple[int, ...]) -> None:
    moves.refusals.append(Refusal(topics, kind, moves.passes + RETRY))
