"""Drawing the components of documents, q(beta) collapsed: jointly by Gibbs sweeps, or in turn.

S documents, W distinct words of the batch.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import F64, I32, I64, Bools
from .jit import kernel
from .mixture import times_rising
from .openings import RIVALS, likeliest, no_openings, note_opening, set_aside
from .special import digamma, draw_from_logs, log_rising
from .tuples import Base, Docs, Openings, Sticks, Sweeps

ROOM = 16
"""New components before more room is made; has no influence on the draws."""


class Sampler(NamedTuple):
    """The documents of a batch and what every component holds of them.

    B components have a posterior of their own, all further ones have the prior.
    """

    docs: Docs
    base: Base
    held: I32
    """int32 (R, W): tokens of the batch in each of R >= B components."""
    held_tokens: I64
    """int64 (R,): their sums."""
    held_docs: I64
    """int64 (R,): documents of the batch in each."""
    value: F64
    """float64 (S, R): ln DM(x_i | base_k + held_k), without document i itself."""
    stamp: I64
    """int64 (S, R): the version of component k for which `value` was computed."""
    version: I64
    """int64 (R,): changes whenever a document enters or leaves for good."""


@kernel
def empty_sampler(docs: Docs, base: Base, n_rows: int) -> Sampler:
    """Nothing is placed and nothing is computed yet."""
    n_docs, n_words = docs.indptr.size - 1, base.lam.shape[1]
    return Sampler(
        docs,
        base,
        np.zeros((n_rows, n_words), np.int32),
        np.zeros(n_rows, np.int64),
        np.zeros(n_rows, np.int64),
        np.empty((n_docs, n_rows)),
        np.full((n_docs, n_rows), -1, np.int64),
        np.zeros(n_rows, np.int64),
    )


@kernel
def wider_sampler(s: Sampler, n_rows: int) -> Sampler:
    """The same with room for `n_rows` components; a row for every document, as many as there can
    be, would need 16 S^2 bytes at once."""
    n_docs, n_old = s.value.shape
    w = empty_sampler(s.docs, s.base, n_rows)
    for k in range(n_old):
        w.held[k] = s.held[k]
        w.held_tokens[k], w.held_docs[k] = s.held_tokens[k], s.held_docs[k]
        w.version[k] = s.version[k]
    for i in range(n_docs):
        w.value[i, :n_old] = s.value[i]
        w.stamp[i, :n_old] = s.stamp[i]
    return w


@kernel
def place_document(s: Sampler, i: int, k: int, sign: int) -> None:
    """Put document i into component k (`sign` 1) or take it out (-1)."""
    indptr, local, counts = s.docs
    for j in range(indptr[i], indptr[i + 1]):
        amount = sign * counts[j]
        s.held[k, local[j]] += amount
        s.held_tokens[k] += amount
    s.held_docs[k] += sign


@kernel
def component_value(s: Sampler, i: int, k: int) -> float:
    """ln DM(x_i | base_k + held_k), computed anew only if the documents of k changed since."""
    if s.stamp[i, k] == s.version[k]:
        return float(s.value[i, k])
    indptr, local, counts = s.docs
    own = min(k, s.base.total.size - 1)
    base, held = s.base.lam[own], s.held[k]
    total, product = 0.0, 1.0
    length, factors = 0, 0
    for n in range(indptr[i], indptr[i + 1]):
        row, count = local[n], counts[n]
        x = base[row] + held[row]
        length += count
        total, product, factors = times_rising(x, count, total, product, factors)
    total += math.log(product) - log_rising(s.base.total[own] + s.held_tokens[k], length)
    s.value[i, k] = total
    s.stamp[i, k] = s.version[k]
    return total


@kernel
def component_meanfield(s: Sampler, i: int, k: int) -> float:
    """E ln p(x_i | theta), theta ~ Dir(base_k + held_k): mean field's `component_value`."""
    indptr, local, counts = s.docs
    own = min(k, s.base.total.size - 1)
    of_all = digamma(s.base.total[own] + s.held_tokens[k])
    total = 0.0
    for n in range(indptr[i], indptr[i + 1]):
        row = local[n]
        total += counts[n] * (digamma(s.base.lam[own, row] + s.held[k, row]) - of_all)
    return total


@kernel
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


@kernel
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
    n = s.base.total.size - 1 + n_tail
    told = np.zeros((3, RIVALS + 1))
    rivals = likeliest(logs[:n], -np.inf)
    for r in range(RIVALS):
        best = rivals[r]
        if best >= 0:
            k = best if best < n - n_tail else tail[best - n + n_tail]
            value = component_value(s, i, k)
            told[0, r], told[1, r] = logs[best] - value, value
            told[2, r] = component_meanfield(s, i, k)
            rivals[r] = k
    told[0, RIVALS], told[1, RIVALS] = logs[n] - new_value, new_value
    told[2, RIVALS] = component_meanfield(s, i, row)
    note_opening(o, row, i, rivals, told, alone)


@kernel
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
    burn_in, keep = sweeps
    n_docs, n_sticks = docs.indptr.size - 1, sticks.a.size
    s = empty_sampler(docs, base, n_sticks + ROOM)
    s.value[:, :n_sticks] = value
    s.stamp[:, :n_sticks] = 0
    opened = no_openings(n_sticks, n_sticks + n_docs * max(keep, 1))
    n_rows = n_sticks + n_docs
    tail, n_tail = np.arange(n_sticks, n_sticks + n_docs), 0
    z, order = np.full(n_docs, -1), np.arange(n_docs)
    logs = np.empty(n_sticks + n_docs + 1)
    kept = np.empty((keep, n_docs), np.int64)
    n_placed = 0
    for sweep in range(1 + burn_in + keep):
        if sweep > 0:
            _shuffle(order, rng)
        for place in range(n_docs):
            i = int(order[place])
            if n_sticks + n_tail >= s.held_docs.size:
                s = wider_sampler(s, n_sticks + 2 * n_tail)
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
                new = int(tail[n_tail])
            else:
                _log_weights(s, i, sticks, tail, n_tail, new_value[i], n_placed, logs)
                new = draw_from_logs(logs, n_sticks + n_tail + 1, rng.random())
                if new >= n_sticks:
                    new = int(tail[new - n_sticks])
            if new >= n_sticks and s.held_docs[new] == 0:
                if new != old:  # a document that was alone and stays alone keeps its component
                    if sweep > burn_in + 1:  # what was there may be in a sweep that was kept
                        set_aside(opened, new, n_rows)
                        n_rows += 1
                    _log_weights(s, i, sticks, tail, n_tail, new_value[i], n_placed, logs)
                    undrawn = sweep == 0 and bool(alone[i])
                    _note_opening(s, i, new, tail, n_tail, new_value[i], logs, undrawn, opened)
                n_tail += 1
            place_document(s, i, new, 1)
            n_placed += 1
            if new != old:
                s.version[new] += 1
                if old >= 0:
                    s.version[old] += 1
            z[i] = new
        if sweep > burn_in:
            kept[sweep - burn_in - 1] = opened.label[z]
    return kept, opened


@kernel
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
    n_docs, n_sticks, n_tail = docs.indptr.size - 1, log_sticks.shape[1], base_docs.size
    s = empty_sampler(docs, base, n_tail + ROOM)
    s.held_docs[:n_tail] = base_docs
    n_tail_docs = base_docs.sum()
    logs = np.empty(n_sticks + n_tail + n_docs + 1)
    z = np.empty(n_docs, np.int64)
    for i in range(n_docs):
        if n_tail >= s.held_docs.size:
            s = wider_sampler(s, 2 * n_tail)
        logs[:n_sticks] = log_sticks[i]
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
    return z
