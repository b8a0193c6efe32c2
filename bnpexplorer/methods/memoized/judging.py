"""Judge the moves at the end of a pass, and adopt those that raise the bound.

The bound with a move is computed from what `moves.follow` gathered over the pass, exactly, with
the best sticks for it. D documents, V words, K topics, J parts of a split.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...core.arrays import F64, I64
from ...inference.pool import Pool, mapped
from ...kernels import hdp_direct as kernels
from ...models.hdp import HDP
from ...state.snapshot import Details, Event
from .bound import Columns, bound_of, columns_of, evidence_of_pairs
from .fit import (
    DirectFit,
    MemoizedBlock,
    fit_sticks,
    recount,
    settle,
    sticks_of,
    weights_of,
    with_sums,
)
from .moves import RISE, TRIAL_PASSES, Moves, MoveTrial, TopicSplit, refuse


@dataclass(frozen=True, eq=False)
class ColumnSource:
    """Where a topic after the moves comes from: the sum of old columns, or a part of a split."""

    topics: tuple[int, ...] = ()
    split: TopicSplit | None = None
    part: int = 0
    pair: int = -1
    """The place in `Moves.pairs` of the pair that it was made of."""
    identity: int = -1


class BoundTerms(NamedTuple):
    """The terms of the bound, a column a topic, and what each column is made of."""

    columns: Columns
    sources: list[ColumnSource]


class Missed(NamedTuple):
    """A split that would lower the bound."""

    by: float
    split: TopicSplit
    evidence: F64
    """float64 (J,): of its parts."""


@dataclass(eq=False)
class MovesOutcome:
    """The result of the moves at the end of a pass."""

    fit: DirectFit
    topic_ids: I64
    next_id: int
    bound: float
    events: tuple[Event, ...] = ()


def judge(
    moves: Moves, fit: DirectFit, model: HDP, topic_ids: I64, next_id: int, pool: Pool | None = None
) -> MovesOutcome:
    """Adopt the proposals that raise the bound, one after the other."""
    if moves.trial is not None:
        # Not otherwise: parts and pairs belong to the priors of the visits.
        settle(fit, model, pool)
    columns = columns_of(fit, pool)
    outcome = MovesOutcome(fit, topic_ids, next_id, bound_of(columns, model, fit.n_docs))
    if moves.trial is not None:
        _judge_trial(moves, moves.trial, outcome, model, pool)
        return outcome
    sources = [ColumnSource((k,), identity=int(i)) for k, i in enumerate(topic_ids)]
    terms, missed = _judge_splits(moves, BoundTerms(columns, sources), outcome, model, pool)
    terms = _judge_merges(moves, terms, outcome, model, pool)
    if outcome.events:
        outcome.fit = rebuilt(moves, fit, terms.sources, terms.columns.rho, pool)
        outcome.topic_ids = np.array([s.identity for s in terms.sources], np.int64)
    moves.trial = _split_trial(moves, fit, terms, missed, outcome, pool)
    return outcome


def _judge_trial(
    moves: Moves, trial: MoveTrial, outcome: MovesOutcome, model: HDP, pool: Pool | None
) -> None:
    settle(trial.fit, model, pool)
    bound = bound_of(columns_of(trial.fit, pool), model, trial.fit.n_docs)
    trial.passes += 1
    # All at once: no event has a rise of its own.
    what = "splits" if trial.kind == "split" and len(trial.events) > 1 else trial.kind
    rise = Details(log_ratio=bound - outcome.bound, trial=what)
    if bound > outcome.bound + RISE * abs(outcome.bound):
        outcome.fit, outcome.topic_ids, outcome.bound = trial.fit, trial.topic_ids, bound
        outcome.events = tuple(replace(event, details=rise) for event in trial.events)
        moves.trial = None
    elif trial.passes == TRIAL_PASSES:
        for event in trial.events:
            refuse(moves, trial.kind, event.parents)
        moves.trial = None


def _judge_splits(
    moves: Moves, terms: BoundTerms, outcome: MovesOutcome, model: HDP, pool: Pool | None
) -> tuple[BoundTerms, list[Missed]]:
    """Also the splits that would lower the bound."""
    eta, missed = outcome.fit.lam.eta, list[Missed]()
    found = mapped(pool, lambda s: kernels.topic_evidence(s.stats, eta), moves.splits)
    for split, evidence in zip(moves.splits, found, strict=True):
        trial = _split_columns(split, evidence, terms, outcome.next_id)
        trial, bound = _with_best_sticks(trial, model, outcome.fit.n_docs)
        if bound > outcome.bound + RISE * abs(outcome.bound):
            rise = Details(log_ratio=bound - outcome.bound, trial="split")
            terms, outcome.bound = trial, bound
            outcome.events += (replace(_split_event(split, outcome.next_id), details=rise),)
            outcome.next_id += len(split.share)
        else:
            missed.append(Missed(outcome.bound - bound, split, evidence))
    return terms, missed


def _judge_merges(
    moves: Moves, terms: BoundTerms, outcome: MovesOutcome, model: HDP, pool: Pool | None
) -> BoundTerms:
    place = {int(identity): k for k, identity in enumerate(outcome.topic_ids)}
    pairs = np.array([[place[a], place[b]] for a, b in moves.pairs], np.int64).reshape(-1, 2)
    evidence = evidence_of_pairs(outcome.fit.lam, pairs, pool)
    for p, pair in enumerate(moves.pairs):
        at = [k for k, s in enumerate(terms.sources) if s.identity in pair]
        if len(at) < 2:
            continue
        own = evidence[p : p + 1]
        trial = _merged_columns(at, p, own, moves, terms, outcome.next_id)
        trial, bound = _with_best_sticks(trial, model, outcome.fit.n_docs)
        if bound > outcome.bound + RISE * abs(outcome.bound):
            rise = Details(log_ratio=bound - outcome.bound, trial="merge")
            terms, outcome.bound = trial, bound
            outcome.events += (Event("merge", pair, (outcome.next_id,), details=rise),)
            outcome.next_id += 1
        else:
            refuse(moves, "merge", pair)
    return terms


def _with_best_sticks(trial: BoundTerms, model: HDP, n_docs: int) -> tuple[BoundTerms, float]:
    columns = trial.columns
    rho = fit_sticks(columns.rho, model.gamma, model.alpha, n_docs, columns.log_share)
    columns = replace(columns, rho=rho)
    return BoundTerms(columns, trial.sources), bound_of(columns, model, n_docs)


def _split_event(split: TopicSplit, next_id: int) -> Event:
    return Event("split", (split.topic,), tuple(range(next_id, next_id + len(split.share))))


def _split_trial(
    moves: Moves,
    fit: DirectFit,
    terms: BoundTerms,
    missed: list[Missed],
    outcome: MovesOutcome,
    pool: Pool | None,
) -> MoveTrial | None:
    """The better half of the splits that did not raise the bound, all at once."""
    alive = {source.identity for source in terms.sources}
    missed = sorted((m for m in missed if m.split.topic in alive), key=lambda m: m.by)
    events: tuple[Event, ...] = ()
    for _, split, evidence in missed[: -(-len(missed) // 2)]:
        terms = _split_columns(split, evidence, terms, outcome.next_id)
        events += (_split_event(split, outcome.next_id),)
        outcome.next_id += len(split.share)
    if not events:
        return None
    ids = np.array([s.identity for s in terms.sources], np.int64)
    fit = rebuilt(moves, fit, terms.sources, terms.columns.rho, pool)
    return MoveTrial("split", fit, ids, events)


def _split_columns(split: TopicSplit, evidence: F64, terms: BoundTerms, next_id: int) -> BoundTerms:
    """Return the terms with the topic replaced by its parts, `evidence` float64 (J,)."""
    columns, sources = terms
    k = next(i for i, s in enumerate(sources) if s.identity == split.topic)
    n_parts = len(split.share)
    log_share = np.sum([part.log_share for part in split.parts], axis=0)
    held = np.sum([part.held for part in split.parts], axis=0)
    gain = sum(part.entropy for part in split.parts)
    weights = weights_of(columns.rho)
    trial = _replaced(columns, [k], evidence, log_share, held, weights[k] * split.share, gain)
    fresh = [ColumnSource(split=split, part=j, identity=next_id + j) for j in range(n_parts)]
    return BoundTerms(trial, [*sources[:k], *fresh, *sources[k + 1 :]])


def _merged_columns(
    at: list[int], pair: int, evidence: F64, moves: Moves, terms: BoundTerms, next_id: int
) -> BoundTerms:
    """The terms with two topics made one, in the place of the first; its `evidence` is float64
    (1,)."""
    columns, sources = terms
    a, b = (sources[k].topics[0] for k in at)
    loss = sum(float(losses[pair]) for losses in moves.losses)
    log_share = np.sum([shares[[pair]] for shares, _ in moves.pair_sums], axis=0)
    held = np.sum([own[[pair]] for _, own in moves.pair_sums], axis=0)
    weight = weights_of(columns.rho)[at].sum(keepdims=True)
    trial = _replaced(columns, at, evidence, log_share, held, weight, -loss)
    fresh = list(sources)
    fresh[at[0]] = ColumnSource((a, b), pair=pair, identity=next_id)
    del fresh[at[1]]
    return BoundTerms(trial, fresh)


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


def rebuilt(
    moves: Moves, fit: DirectFit, sources: list[ColumnSource], rho: F64, pool: Pool | None = None
) -> DirectFit:
    """A fit in the shape of `sources`, every block from its followed parts and pairs."""

    def shaped(index: int) -> MemoizedBlock:
        return _rebuilt_block(moves, fit.blocks[index], index, sources)

    blocks = mapped(pool, shaped, range(len(fit.blocks)))
    fresh = replace(fit, blocks=with_sums(pool, blocks), rho=rho)
    recount(fresh, pool)
    return fresh


def _rebuilt_block(
    moves: Moves, block: MemoizedBlock, index: int, sources: list[ColumnSource]
) -> MemoizedBlock:
    """A block in the shape of `sources`, but for its `log_share` and `held`."""
    splits = [s for s in moves.splits if any(source.split is s for source in sources)]
    merged = [source.pair for source in sources if source.pair >= 0]
    n = len(sources)
    stats, theta = np.empty((len(block.words), n)), np.empty((len(block.lengths), n + 1))
    prior = np.empty(n + 1)
    for k, source in enumerate(sources):
        if source.split is not None:
            part, j = source.split.parts[index], source.part
            stats[:, k], theta[:, k], prior[k] = part.stats[:, j], part.theta[:, j], part.prior[j]
        else:
            old = list(source.topics)
            stats[:, k] = block.stats[:, old].sum(axis=1)
            theta[:, k], prior[k] = block.theta[:, old].sum(axis=1), block.prior[old].sum()
    theta[:, n], prior[n] = block.theta[:, -1], block.prior[-1]
    entropy = block.entropy + sum(s.parts[index].entropy for s in splits)
    entropy -= sum(float(moves.losses[index][p]) for p in merged)
    return replace(block, stats=stats, theta=theta, prior=prior, entropy=entropy)
