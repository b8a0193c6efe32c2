"""Drawing the components of documents, q(beta) collapsed: jointly by Gibbs sweeps, or in turn.

S documents, W distinct words of the batch.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import F64, I64, Bools
from .jit import kernel, within
from .mixture_sampler import (
    ROOM,
    Sampler,
    component_meanfield,
    component_value,
    empty_sampler,
    place_document,
    wider_sampler,
)
from .openings import RIVALS, no_openings, note_likeliest, note_opening, set_aside
from .special import draw_from_logs
from .tuples import Base, Docs, Openings, Sticks, Sweeps


class Seats(NamedTuple):
    """Where the S documents of a batch sit, and how far their draws have come."""

    z: I64
    """int64 (S,): the row of each document's component, -1 before it is placed."""
    order: I64
    """int64 (S,): the documents, in the order of this sweep."""
    tail: I64
    """int64 (S,): rows of components beyond the K sticks; those in use come first."""
    at: I64
    """int64 (4,): the sweep, the place in `order`, rows of `tail` in use, rows of `Openings`."""


@within
def _shuffle(order: I64, rng: np.random.Generator) -> None:
    """A random permutation of `order` int64 (any number,), in place."""
    for j in range(order.size - 1, 0, -1):
        other = int(rng.random() * (j + 1))
        order[j], order[other] = order[other], order[j]


@kernel
def _log_weights(
    s: Sampler,
    i: int,
    sticks: Sticks,
    tail: I64,
    n_tail: int,
    new_value: float,
    n_placed: int,
    logs: F64,
) -> None:
    """ln of the weights of z_i given all other placed documents of the batch.

    A stick k that holds m_k of the batch's documents, with m_{>k} beyond it, is broken at
    (a_k + m_k) / (a_k + b_k + m_k + m_{>k}). Beyond the K sticks of q lie the prior's: jointly a
    Chinese restaurant with the clusters `tail[:n_tail]`, so that the first document of a cluster
    opens it and is not counted as a customer who followed. `tail` int64 (S,): rows of the sampler,
    `tail[n_tail]` the next free one. `logs` float64 (K + S + 1,): out, the K sticks, the clusters
    of the tail, a new one.
    """
    sticks_a, sticks_b, gamma = sticks
    n_sticks = sticks_a.size
    log_rest, above = 0.0, n_placed
    for k in range(n_sticks):
        above -= s.held_docs[k]
        broken, left = sticks_a[k] + s.held_docs[k], sticks_b[k] + above
        logs[k] = log_rest + math.log(broken / (broken + left)) + component_value(s, i, k)
        log_rest += math.log(left / (broken + left))
    for c in range(n_tail):
        log_weight = math.log(s.held_docs[tail[c]] / (above + gamma))
        logs[n_sticks + c] = log_rest + log_weight + component_value(s, i, tail[c])
    logs[n_sticks + n_tail] = log_rest + math.log(gamma / (above + gamma)) + new_value


@within
def _note_opening(
    s: Sampler,
    i: int,
    row: int,
    tail: I64,
    n_tail: int,
    new_value: float,
    logs: F64,
    alone: bool,
    o: Openings,
) -> None:
    """Document i opens the component of `row`, which is empty.

    `tail` int64 (S,), `logs` float64 (K + S + 1,): those of `_log_weights`, before it is placed.
    `alone`: it was not drawn.
    """
    n_sticks, rivals, told = s.base.total.size - 1, o.rivals, o.logs
    n = n_sticks + n_tail
    note_opening(o, row, i, alone)
    note_likeliest(o, row, logs, n, -np.inf)
    for r in range(RIVALS + 1):
        best = rivals[r, row] if r < RIVALS else n
        if best >= 0:
            k = best if best < n_sticks else tail[best - n_sticks]
            value = component_value(s, i, k) if r < RIVALS else new_value
            told[0, r, row], told[1, r, row] = logs[best] - value, value
            told[2, r, row] = component_meanfield(s, i, k)
            if r < RIVALS:
                rivals[r, row] = o.label[k]


@kernel
def _draw_jointly(
    s: Sampler,
    sticks: Sticks,
    new_value: F64,
    sweeps: Sweeps,
    alone: Bools,
    seats: Seats,
    opened: Openings,
    kept: I64,
    rng: np.random.Generator,
) -> bool:
    """Draw on from where `seats` stand; returns whether all sweeps are done.

    If not, there is no row for a new component: the caller makes room and calls again. `new_value`
    float64 (S,), `alone` bool (S,) and what stands in `kept` int64 (kept, S) in the end are those
    of `sample_joint`.
    """
    burn_in, keep = sweeps
    z, order, tail, at = seats
    n_docs, n_sticks = z.size, sticks.a.size
    logs, n_placed = np.empty(n_sticks + n_docs + 1), 0
    for k in range(s.held_docs.size):
        n_placed += s.held_docs[k]
    sweep, place, n_tail, n_rows = at[0], at[1], at[2], at[3]
    while sweep < 1 + burn_in + keep:
        while place < n_docs:
            if n_sticks + n_tail >= s.held_docs.size:
                at[0], at[1], at[2], at[3] = sweep, place, n_tail, n_rows
                return False
            i = order[place]
            old = z[i]
            if old >= 0:
                place_document(s, i, old, -1)
                n_placed -= 1
                if old >= n_sticks and s.held_docs[old] == 0:
                    n_tail -= 1
                    for c in range(n_tail):
                        if tail[c] == old:
                            tail[c], tail[n_tail] = tail[n_tail], old
            if sweep == 0 and alone[i]:
                new = tail[n_tail]
            else:
                _log_weights(s, i, sticks, tail, n_tail, new_value[i], n_placed, logs)
                new = draw_from_logs(logs, n_sticks + n_tail + 1, rng.random())
                if new >= n_sticks:
                    new = tail[new - n_sticks]
            if new >= n_sticks and s.held_docs[new] == 0:
                if new != old:  # a document that was alone and stays alone keeps its component
                    if sweep > burn_in + 1:  # what was there may be in a sweep that was kept
                        set_aside(opened, new, n_rows)
                        n_rows += 1
                    _log_weights(s, i, sticks, tail, n_tail, new_value[i], n_placed, logs)
                    undrawn = sweep == 0 and alone[i]
                    _note_opening(s, i, new, tail, n_tail, new_value[i], logs, undrawn, opened)
                n_tail += 1
            place_document(s, i, new, 1)
            n_placed += 1
            if new != old:
                s.version[new] += 1
                if old >= 0:
                    s.version[old] += 1
            z[i] = new
            place += 1
        if sweep > burn_in:
            for i in range(n_docs):
                kept[sweep - burn_in - 1, i] = opened.label[z[i]]
        sweep, place = sweep + 1, 0
        if sweep < 1 + burn_in + keep:
            _shuffle(order, rng)
    return True


def sample_joint(
    docs: Docs,
    sticks: Sticks,
    base: Base,
    value: F64,
    new_value: F64,
    sweeps: Sweeps,
    alone: Bools,
    rng: np.random.Generator,
) -> tuple[I64, Openings]:
    """Gibbs sampling of q(z) = E_q [prod_i p(x_i, z_i | beta)], the joint law of a batch.

    Wang & Blei 2012, section 2.2 (mini-batch), for K components. `value` float64 (S, K): ln DM of
    every document under each component. `new_value` float64 (S,): under the prior. One sequential
    pass places all documents, each of those `alone` bool (S,) in a component of its own, then the
    sweeps redraw them in random order.

    Returns int64 (kept, S), the labels in the kept sweeps: 0 to K-1, or K and above for components
    that the batch created; and how these were opened, of K + S * kept rows: one that ended after a
    kept sweep counts, too, though another one may have taken its place.
    """
    n_docs, n_sticks = value.shape
    seats = Seats(
        z=np.full(n_docs, -1),
        order=np.arange(n_docs),
        tail=np.arange(n_sticks, n_sticks + n_docs),
        at=np.array([0, 0, 0, n_sticks + n_docs]),
    )
    opened = no_openings(n_sticks, n_sticks + n_docs * max(sweeps.kept, 1))
    kept = np.empty((sweeps.kept, n_docs), np.int64)
    s = empty_sampler(docs, base, value)
    while not _draw_jointly(s, sticks, new_value, sweeps, alone, seats, opened, kept, rng):
        s = wider_sampler(s, len(s.held_docs) - n_sticks)
    return kept, opened


@kernel
def _draw_in_turn(
    s: Sampler,
    log_sticks: F64,
    log_rest: float,
    gamma: float,
    new_value: F64,
    n_tail: int,
    start: int,
    z: I64,
    rng: np.random.Generator,
) -> int:
    """Draw the documents from `start` on; returns the first one for which there is no row, S if all
    are drawn.

    `log_sticks` float64 (S, K), `new_value` float64 (S,): those of `sample_in_turn`, as the other
    numbers. `n_tail`: the rows in use. `z` int64 (S,): out, its labels.
    """
    n_docs, n_sticks = z.size, log_sticks.shape[1]
    n_tail_docs = 0
    for c in range(n_tail):
        n_tail_docs += s.held_docs[c]
    logs = np.empty(n_sticks + s.held_docs.size + 1)
    for i in range(start, n_docs):
        if n_tail == s.held_docs.size:
            return i
        for k in range(n_sticks):
            logs[k] = log_sticks[i, k]
        for c in range(n_tail):
            log_weight = math.log(s.held_docs[c] / (n_tail_docs + gamma))
            logs[n_sticks + c] = log_rest + log_weight + component_value(s, i, c)
        log_weight = math.log(gamma / (n_tail_docs + gamma))
        logs[n_sticks + n_tail] = log_rest + log_weight + new_value[i]
        z[i] = draw_from_logs(logs, n_sticks + n_tail + 1, rng.random())
        cluster = z[i] - n_sticks
        if cluster >= 0:
            place_document(s, i, cluster, 1)
            n_tail_docs += 1
            if cluster == n_tail:
                n_tail += 1
    return n_docs


def sample_in_turn(
    docs: Docs,
    log_sticks: F64,
    log_rest: float,
    gamma: float,
    base: Base,
    base_docs: I64,
    new_value: F64,
    rng: np.random.Generator,
) -> I64:
    """Draw z_i of every document in turn, q(beta) fixed (Wang & Blei 2012, algorithm 2).

    `log_sticks` float64 (S, K): ln [E pi_k DM(x_i | lam_k)]; `log_rest`: ln of the expected weight
    beyond. Components that this pass created form a Chinese restaurant there, each document seeing
    those before it: C of them come from earlier blocks, with `base` and `base_docs` int64 (C,),
    their documents. `new_value` float64 (S,): ln DM(x_i | eta).

    Returns int64 (S,): 0 to K-1, K to K+C-1 for clusters of earlier blocks, then new ones.
    """
    n_docs, n_tail = len(log_sticks), len(base_docs)
    z, done = np.empty(n_docs, np.int64), 0
    s = empty_sampler(docs, base, np.empty((n_docs, 0)), n_tail + ROOM)
    s.held_docs[:n_tail] = base_docs
    while True:
        done = _draw_in_turn(s, log_sticks, log_rest, gamma, new_value, n_tail, done, z, rng)
        if done == n_docs:
            return z
        n_tail = len(s.held_docs)
        s = wider_sampler(s, n_tail)
