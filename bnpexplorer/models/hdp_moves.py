"""Splits, merges and deletions of topics for the memoized HDP, each followed through a whole pass.

A proposal is made at the end of a pass. During the next pass every visited block also works out what
it would hold under the proposal, by restricted local steps on the same q(z); after the last block
the sums over all documents are those of a complete q, so that the bound with and without the move
is exact and no document has to be visited again. A move is adopted only if the bound rises (merges:
Hughes & Sudderth 2013; splits and deletions after Hughes, Kim & Sudderth 2015, simplified).
D documents, S of them in a block, W its distinct words, V words, K topics, J parts of a split.
"""

from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse
from scipy.special import digamma

from ..corpus.corpus import Corpus
from ..kernels import hdp_direct as kernels
from ..kernels.jit import F64, I32, I64
from ..snapshot import Event
from .dirichlet import Dirichlets
from .hdp import HDP
from .hdp_direct import (
    Block,
    Columns,
    DirectFit,
    Local,
    bound_of,
    columns_of,
    document_sums,
    fit_block,
    fit_sticks,
    make_block,
    recount,
    sticks_of,
    weights_of,
)
from .start import cluster_tokens

SAMPLE_DOCS = 300
"""Documents from which the parts of a split are made."""
SAMPLE_SHARE = 0.1
"""A document is sampled for a topic that holds at least this share of its tokens."""
RESTRICTED = 5
"""Restricted local steps, and iterations of each."""
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


@dataclass(eq=False)
class Split:
    """One topic to become J."""

    topic: int
    excess: F64
    """float64 (V, J): lam - eta of the fresh topics, with which documents are split."""
    share: F64
    """float64 (J,): shares in the topic's weight."""
    parts: list[Part] = field(default_factory=list)


@dataclass(eq=False)
class Refusal:
    """A move that did not raise the bound; not to be proposed again before pass `until`."""

    topics: tuple[int, ...]
    kind: str
    until: int


@dataclass(eq=False)
class Moves:
    """What the present pass follows; identities of topics throughout."""

    samples: list[Sample] = field(default_factory=list)
    splits: list[Split] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    losses: list[F64] = field(default_factory=list)
    """Per block, float64 (pairs,): loss of entropy."""
    delete: int = -1
    """The topic to be deleted; -1: none."""
    without: list[Block] = field(default_factory=list)
    """The blocks fitted anew without it."""
    refusals: list[Refusal] = field(default_factory=list)
    passes: int = 0


# ---- during a pass -------------------------------------------------------------------------------


def follow(
    moves: Moves,
    fit: DirectFit,
    model: HDP,
    topic_ids: I64,
    docs: Corpus,
    index: int,
    found: Local,
    pool: Executor | None,
    tolerance: float,
) -> None:
    """Work out every proposal on the block just visited, and sample for the next ones."""
    block = fit.blocks[index]
    place = {int(identity): k for k, identity in enumerate(topic_ids)}
    for sample in moves.samples:
        _sample(sample, place[sample.topic], docs, block, found)
    for split in moves.splits:
        split.parts.append(_split_block(split, place[split.topic], fit.lam.eta, block, found))
    pairs = np.array([[place[a], place[b]] for a, b in moves.pairs], np.int64).reshape(-1, 2)
    moves.losses.append(
        kernels.pair_losses(
            found.indptr, found.local, found.ratio, found.theta_factor, found.word_factor, pairs
        )
    )
    if moves.delete >= 0:
        moves.without.append(
            _block_without(place[moves.delete], fit, docs, block, found, pool, tolerance)
        )


def _tokens(found: Local, topic: int) -> F64:
    return kernels.topic_tokens(
        found.indptr, found.local, found.ratio, found.theta_factor, found.word_factor, topic
    )


def _sample(sample: Sample, topic: int, docs: Corpus, block: Block, found: Local) -> None:
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


def _elog(excess: F64, eta: float, n_words: int, total: F64) -> F64:
    return np.asarray(digamma(eta + excess) - digamma(n_words * eta + total))


def _split_block(split: Split, topic: int, eta: float, block: Block, found: Local) -> Part:
    n_parts = len(split.share)
    prior = block.prior[topic] * split.share
    theta = np.empty((len(block.lengths), n_parts))
    stats = np.zeros((len(block.words), n_parts))
    n_words, total = split.excess.shape[0], split.excess.sum(axis=0)
    elog = _elog(split.excess[block.words], eta, n_words, total)
    gain = kernels.split_documents(
        found.indptr, found.local, _tokens(found, topic), elog, prior, RESTRICTED, theta, stats
    )
    return Part(stats, theta, prior, gain)


def _block_without(
    topic: int,
    fit: DirectFit,
    docs: Corpus,
    block: Block,
    found: Local,
    pool: Executor | None,
    tolerance: float,
) -> Block:
    """The block fitted anew with one topic less, whose weight falls to all others alike."""
    prior = np.delete(block.prior, topic)
    prior *= block.prior.sum() / prior.sum()
    theta = np.delete(block.theta, topic, axis=1)
    elog = np.delete(fit.lam.expected_log(block.words), topic, axis=1)
    fresh, _ = fit_block(
        docs, elog, block.words, found.local, prior, theta, pool, RESTRICTED, tolerance
    )
    return fresh


# ---- at the end of a pass ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Source:
    """Where a topic after the moves comes from: the sum of old columns, or a part of a split."""

    topics: tuple[int, ...] = ()
    split: Split | None = None
    part: int = 0
    identity: int = -1


@dataclass(eq=False)
class Outcome:
    """What the moves at the end of a pass led to."""

    fit: DirectFit
    topic_ids: I64
    next_id: int
    bound: float
    events: tuple[Event, ...] = ()


def judge(moves: Moves, fit: DirectFit, model: HDP, topic_ids: I64, next_id: int) -> Outcome:
    """Adopt the proposals that raise the bound, one after the other; refuse the others.

    A deletion has fitted all documents anew, so that the other proposals do not fit it: where it is
    adopted, they are dropped.
    """
    columns = columns_of(fit, model)
    outcome = Outcome(fit, topic_ids, next_id, bound_of(columns, model, fit.n_docs))
    if moves.delete >= 0 and _judge_deletion(moves, outcome, model):
        return outcome
    sources = [Source((k,), identity=int(i)) for k, i in enumerate(topic_ids)]
    events: list[Event] = []
    for split in moves.splits:
        trial, fresh = _split_columns(split, columns, sources, fit, outcome.next_id)
        columns, adopted = _better(trial, columns, outcome, model)
        if adopted:
            sources, outcome.next_id = fresh, outcome.next_id + len(split.share)
            children = tuple(range(outcome.next_id - len(split.share), outcome.next_id))
            events.append(Event("split", (split.topic,), children))
        else:
            _refuse(moves, "split", (split.topic,))
    for p, pair in enumerate(moves.pairs):
        at = [k for k, s in enumerate(sources) if s.identity in pair]
        if len(at) < 2:
            continue
        loss = sum(float(losses[p]) for losses in moves.losses)
        trial, fresh = _merged_columns(at, loss, columns, sources, fit, outcome.next_id)
        columns, adopted = _better(trial, columns, outcome, model)
        if adopted:
            sources = fresh
            events.append(Event("merge", pair, (outcome.next_id,)))
            outcome.next_id += 1
        else:
            _refuse(moves, "merge", pair)
    outcome.events = tuple(events)
    if events:
        _adopt(moves, outcome, sources, columns)
    return outcome


def _refuse(moves: Moves, kind: str, topics: tuple[int, ...]) -> None:
    moves.refusals.append(Refusal(topics, kind, moves.passes + RETRY))


def _better(trial: Columns, columns: Columns, outcome: Outcome, model: HDP) -> tuple[Columns, bool]:
    """`trial` with its sticks fitted if that is a higher bound than the outcome's so far."""
    n_docs = outcome.fit.n_docs
    rho = fit_sticks(trial.rho, model.gamma, model.alpha, n_docs, trial.log_share)
    trial = replace(trial, rho=rho)
    bound = bound_of(trial, model, n_docs)
    if bound <= outcome.bound + RISE * abs(outcome.bound):
        return columns, False
    outcome.bound = bound
    return trial, True


def _judge_deletion(moves: Moves, outcome: Outcome, model: HDP) -> bool:
    fit = outcome.fit
    topic = int(np.flatnonzero(outcome.topic_ids == moves.delete)[0])
    weights = np.delete(weights_of(fit.rho), topic)
    trial = replace(fit, blocks=moves.without, rho=sticks_of(weights / weights.sum()))
    recount(trial)
    columns, adopted = _better(columns_of(trial, model), columns_of(fit, model), outcome, model)
    if not adopted:
        _refuse(moves, "delete", (moves.delete,))
        return False
    trial.rho = columns.rho
    outcome.fit, outcome.topic_ids = trial, np.delete(outcome.topic_ids, topic)
    outcome.events = (Event("prune", parents=(moves.delete,)),)
    return True


def _split_columns(
    split: Split, columns: Columns, sources: list[Source], fit: DirectFit, next_id: int
) -> tuple[Columns, list[Source]]:
    """The bound's terms with the topic replaced, in its place, by its parts."""
    k = next(i for i, s in enumerate(sources) if s.identity == split.topic)
    n_parts = len(split.share)
    stats = np.zeros_like(split.excess)
    log_share, held = np.zeros(n_parts), np.zeros(n_parts)
    for block, part in zip(fit.blocks, split.parts, strict=True):
        stats[block.words] += part.stats
        sums = document_sums(part.theta, part.prior, block.prior.sum() + block.lengths)
        log_share, held = log_share + sums[0], held + sums[1]
    gain = sum(part.entropy for part in split.parts)
    evidence = kernels.topic_evidence(stats, fit.lam.eta)
    weights = weights_of(columns.rho)
    trial = _replaced(columns, [k], evidence, log_share, held, weights[k] * split.share, gain)
    fresh = [Source(split=split, part=j, identity=next_id + j) for j in range(n_parts)]
    return trial, [*sources[:k], *fresh, *sources[k + 1 :]]


def _merged_columns(
    at: list[int], loss: float, columns: Columns, sources: list[Source], fit: DirectFit, new_id: int
) -> tuple[Columns, list[Source]]:
    """The bound's terms with two topics made one, in the place of the first."""
    a, b = (sources[k].topics[0] for k in at)
    lam = fit.lam
    stats = lam.scale * (lam.stats[:, lam.slots[a]] + lam.stats[:, lam.slots[b]])
    log_share, held = np.zeros(1), np.zeros(1)
    for block in fit.blocks:
        theta = (block.theta[:, a] + block.theta[:, b])[:, None]
        prior = block.prior[[a]] + block.prior[[b]]
        sums = document_sums(theta, prior, block.prior.sum() + block.lengths)
        log_share, held = log_share + sums[0], held + sums[1]
    evidence = kernels.topic_evidence(stats[:, None].copy(), lam.eta)
    weight = weights_of(columns.rho)[at].sum(keepdims=True)
    trial = _replaced(columns, at, evidence, log_share, held, weight, -loss)
    fresh = list(sources)
    fresh[at[0]] = Source((a, b), identity=new_id)
    del fresh[at[1]]
    return trial, fresh


def _replaced(
    columns: Columns,
    old: list[int],
    evidence: F64,
    log_share: F64,
    held: F64,
    weights: F64,
    entropy: float,
) -> Columns:
    """`columns` without topics `old` and with others in the place of the first of them."""

    def exchange(values: F64, fresh: F64) -> F64:
        return np.insert(np.delete(values, old), [old[0]] * len(fresh), fresh)

    return Columns(
        exchange(columns.evidence, evidence),
        exchange(columns.log_share, log_share),
        exchange(columns.held, held),
        sticks_of(exchange(weights_of(columns.rho), weights)),
        columns.entropy + entropy,
        columns.constant,
    )


def _adopt(moves: Moves, outcome: Outcome, sources: list[Source], columns: Columns) -> None:
    """Rebuild every block and the topics in the shape of `sources`."""
    fit = outcome.fit
    merged = {pair: p for p, pair in enumerate(moves.pairs)}
    gone = [e.parents for e in outcome.events if e.kind == "merge"]
    splits = [s for s in moves.splits if any(source.split is s for source in sources)]
    blocks = []
    for index, block in enumerate(fit.blocks):
        n = len(sources)
        stats, theta = np.empty((len(block.words), n)), np.empty((len(block.lengths), n + 1))
        prior = np.empty(n + 1)
        for k, source in enumerate(sources):
            if source.split is not None:
                part = source.split.parts[index]
                stats[:, k], theta[:, k] = part.stats[:, source.part], part.theta[:, source.part]
                prior[k] = part.prior[source.part]
            else:
                chosen = list(source.topics)
                stats[:, k] = block.stats[:, chosen].sum(axis=1)
                theta[:, k] = block.theta[:, chosen].sum(axis=1)
                prior[k] = block.prior[chosen].sum()
        theta[:, n], prior[n] = block.theta[:, -1], block.prior[-1]
        entropy = block.entropy + sum(s.parts[index].entropy for s in splits)
        entropy -= sum(float(moves.losses[index][merged[p]]) for p in gone)  # type: ignore[index]
        blocks.append(make_block(block.words, stats, theta, prior, block.lengths, entropy))
    outcome.fit = replace(fit, blocks=blocks, rho=columns.rho)
    recount(outcome.fit)
    outcome.topic_ids = np.array([s.identity for s in sources], np.int64)


# ---- proposals for the next pass -----------------------------------------------------------------


@dataclass(frozen=True)
class Limits:
    """How much is proposed in a pass."""

    splits: int
    merges: int
    parts: int
    max_topics: int


def empty_samples(topics: list[int]) -> list[Sample]:
    """Samples to be filled during the next pass."""
    return [Sample(i, np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0)) for i in topics]


def propose(
    moves: Moves,
    fit: DirectFit,
    model: HDP,
    topic_ids: I64,
    limits: Limits,
    rng: np.random.Generator,
) -> Moves:
    """What the next pass follows: splits of the topics just sampled, other topics to sample, the
    likeliest pairs to merge, and the smallest topic to delete."""
    now = moves.passes + 1
    refusals = [r for r in moves.refusals if r.until > now]
    refused = {(r.kind, r.topics) for r in refusals}
    fresh = Moves(refusals=refusals, passes=now)
    alive = {int(i): k for k, i in enumerate(topic_ids)}
    room = limits.max_topics - len(topic_ids)
    for sample in moves.samples:
        n_parts = min(limits.parts, room + 1)
        if sample.topic in alive and n_parts >= 2:
            split = make_split(sample, alive[sample.topic], n_parts, fit, model, rng)
            if split is None:
                _refuse(fresh, "split", (sample.topic,))
            else:
                room -= len(split.share) - 1
                fresh.splits.append(split)
    taken = {split.topic for split in fresh.splits}
    size = fit.lam.size
    open_ids = [
        i for i, k in alive.items()
        if i not in taken and ("split", (i,)) not in refused and size[k] >= 2.0
    ]  # fmt: skip
    if room > 0 and open_ids:
        p = np.array([size[alive[i]] for i in open_ids])
        n = min(limits.splits, len(open_ids))
        chosen = rng.choice(len(open_ids), n, replace=False, p=p / p.sum())
        fresh.samples = empty_samples([open_ids[c] for c in chosen])
    fresh.pairs = _likely_pairs(fit, topic_ids, limits.merges, refused)
    fresh.delete = _smallest(size, topic_ids, refused)
    return fresh


def make_split(
    sample: Sample, topic: int, n_parts: int, fit: DirectFit, model: HDP, rng: np.random.Generator
) -> Split | None:
    """Fresh topics from clusters of the sampled documents, refined by restricted steps on them.

    None where the sample has no two clusters.
    """
    n_docs, n_words = len(sample.indptr) - 1, fit.lam.n_words
    if n_docs < 2:
        return None
    shape = (n_docs, n_words)
    counts = sparse.csr_matrix((sample.tokens, sample.word_ids, sample.indptr), shape=shape)
    counts.data[counts.data < 1e-3] = 0.0  # words that are other topics' own
    counts.eliminate_zeros()
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    counts = counts[np.flatnonzero(lengths)].tocsr()
    if counts.shape[0] < 2:
        return None
    excess = cluster_tokens(counts, n_parts, rng)
    excess = np.ascontiguousarray(excess[excess.sum(axis=1) > 0.0].T)
    if excess.shape[1] < 2:
        return None
    prior = model.alpha * weights_of(fit.rho)[topic]
    indptr, word_ids = counts.indptr.astype(np.int64), counts.indices.astype(np.int32)
    for _ in range(RESTRICTED):
        total = excess.sum(axis=0)
        share = (total + 1.0) / (total + 1.0).sum()
        elog = _elog(excess, fit.lam.eta, n_words, total)
        theta = np.empty((counts.shape[0], len(share)))
        excess = np.zeros_like(excess)
        kernels.split_documents(
            indptr, word_ids, counts.data, elog, prior * share, RESTRICTED, theta, excess
        )
    total = excess.sum(axis=0)
    share = (total + 1.0) / (total + 1.0).sum()
    return Split(sample.topic, excess * (fit.lam.size[topic] / total.sum()), share)


def _likely_pairs(
    fit: DirectFit, topic_ids: I64, n_pairs: int, refused: set[tuple[str, tuple[int, ...]]]
) -> list[tuple[int, int]]:
    """The pairs whose merging costs the topics' evidence least, among the most similar ones."""
    n_topics = len(topic_ids)
    if n_topics < 2 or n_pairs == 0:
        return []
    lam = fit.lam
    stats = lam.scale * lam.stats[:, lam.slots]
    unit = stats / np.maximum(np.linalg.norm(stats, axis=0), 1e-300)
    first, second = np.triu_indices(n_topics, 1)
    alike = np.argsort(-(unit.T @ unit)[first, second], kind="stable")
    evidence = kernels.topic_evidence(stats, lam.eta)
    found: list[tuple[float, tuple[int, int]]] = []
    for a, b in zip(first[alike], second[alike], strict=True):
        pair = (int(topic_ids[a]), int(topic_ids[b]))
        if ("merge", pair) in refused:
            continue
        both = kernels.topic_evidence((stats[:, a] + stats[:, b])[:, None].copy(), lam.eta)
        found.append((float(both[0] - evidence[a] - evidence[b]), pair))
        if len(found) == 3 * n_pairs:
            break
    found.sort(key=lambda item: -item[0])
    return [pair for _, pair in found[:n_pairs]]


def _smallest(size: F64, topic_ids: I64, refused: set[tuple[str, tuple[int, ...]]]) -> int:
    """The smallest topic, if it holds less than half of an average topic; else -1."""
    for k in np.argsort(size, kind="stable"):
        if len(size) < 2 or size[k] >= 0.5 * size.mean():
            break
        if ("delete", (int(topic_ids[k]),)) not in refused:
            return int(topic_ids[k])
    return -1
