"""Drawing the components of documents, q(beta) collapsed: jointly by Gibbs sweeps, or in turn.

S documents, W distinct words of the batch. `local` holds places among the W words.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel
from .mixture import times_rising
from .special import draw_from_logs, log_rising

ROOM = 16
"""New components before more room is made; has no influence on the draws."""


class Sampler(NamedTuple):
    """The documents of a batch and what every component holds of them.

    B components have a posterior of their own, all further ones have the prior.
    """

    indptr: I64
    local: I32
    counts: I32
    base: F64
    """(B+1, W): lam of the B components; the last row is the prior."""
    base_total: F64
    """(B+1,)"""
    held: I32
    """(R, W): tokens of the batch in each of R >= B components."""
    held_tokens: I64
    held_docs: I64
    value: F64
    """(S, R): ln DM(x_i | base_k + held_k), without document i itself."""
    stamp: I64
    """(S, R): the version of component k for which `value` was computed."""
    version: I64
    """(R,): changes whenever a document enters or leaves for good."""


@kernel
def empty_sampler(
    indptr: I64, local: I32, counts: I32, base: F64, base_total: F64, n_rows: int
) -> Sampler:
    """Nothing is placed and nothing is computed yet."""
    n_docs, n_words = indptr.size - 1, base.shape[1]
    return Sampler(
        indptr,
        local,
        counts,
        base,
        base_total,
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
    w = empty_sampler(s.indptr, s.local, s.counts, s.base, s.base_total, n_rows)
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
    for j in range(s.indptr[i], s.indptr[i + 1]):
        amount = sign * s.counts[j]
        s.held[k, s.local[j]] += amount
        s.held_tokens[k] += amount
    s.held_docs[k] += sign


@kernel
def component_value(s: Sampler, i: int, k: int) -> float:
    """ln DM(x_i | base_k + held_k), computed anew only if the documents of k changed since."""
    if s.stamp[i, k] == s.version[k]:
        return float(s.value[i, k])
    own = min(k, s.base_total.size - 1)
    base, held = s.base[own], s.held[k]
    total, product = 0.0, 1.0
    length, factors = 0, 0
    for n in range(s.indptr[i], s.indptr[i + 1]):
        row, count = s.local[n], s.counts[n]
        x = base[row] + held[row]
        length += count
        total, product, factors = times_rising(x, count, total, product, factors)
    total += math.log(product) - log_rising(s.base_total[own] + s.held_tokens[k], length)
    s.value[i, k] = total
    s.stamp[i, k] = s.version[k]
    return total


@kernel
def _shuffle(order: I64, rng: np.random.Generator) -> None:
    for j in range(order.size - 1, 0, -1):
        other = int(rng.random() * (j + 1))
        order[j], order[other] = order[other], order[j]


@kernel
def _draw_component(
    s: Sampler,
    i: int,
    sticks_a: F64,
    sticks_b: F64,
    gamma: float,
    tail: I64,
    n_tail: int,
    new_value: float,
    n_placed: int,
    logs: F64,
    u: float,
) -> int:
    """Draw z_i given all other placed documents of the batch; returns a row of the sampler.

    A stick k that holds m_k of the batch's documents, with m_{>k} beyond it, is broken at
    (a_k + m_k) / (a_k + b_k + m_k + m_{>k}). Beyond the K sticks of q lie the prior's: jointly a
    Chinese restaurant with the clusters `tail[:n_tail]`, so that the first document of a cluster
    opens it and is not counted as a customer who followed. `tail[n_tail]` is the next free row.
    """
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
    drawn = draw_from_logs(logs, n_sticks + n_tail + 1, u)
    return drawn if drawn < n_sticks else tail[drawn - n_sticks]


@kernel
def sample_joint(
    indptr: I64,
    local: I32,
    counts: I32,
    sticks_a: F64,
    sticks_b: F64,
    gamma: float,
    base: F64,
    base_total: F64,
    value: F64,
    new_value: F64,
    burn_in: int,
    keep: int,
    rng: np.random.Generator,
) -> I64:
    """Gibbs sampling of q(z) = E_q [prod_i p(x_i, z_i | beta)], the joint law of a batch.

    Wang & Blei 2012, section 2.2 (mini-batch). `sticks_a`, `sticks_b` (K,); `base` (K+1, W) and
    `base_total` (K+1,): lam of the K components, then the prior; `value` (S, K) and `new_value`
    (S,): ln DM of every document under each. One sequential pass places all documents, then
    `burn_in` + `keep` sweeps in random order redraw them.

    Returns int64 (keep, S), the labels in the kept sweeps: 0 to K-1, or K and above for components
    that the batch created; a label is never given to another component.
    """
    n_docs, n_sticks = indptr.size - 1, sticks_a.size
    s = empty_sampler(indptr, local, counts, base, base_total, n_sticks + ROOM)
    s.value[:, :n_sticks] = value
    s.stamp[:, :n_sticks] = 0
    labels = np.arange(n_sticks + n_docs)
    n_labels = n_sticks
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
            new = _draw_component(
                s,
                i,
                sticks_a,
                sticks_b,
                gamma,
                tail,
                n_tail,
                new_value[i],
                n_placed,
                logs,
                rng.random(),
            )
            if new >= n_sticks and s.held_docs[new] == 0:
                n_tail += 1
                if new != old:  # a document that was alone and stays alone keeps its component
                    labels[new] = n_labels
                    n_labels += 1
            place_document(s, i, new, 1)
            n_placed += 1
            if new != old:
                s.version[new] += 1
                if old >= 0:
                    s.version[old] += 1
            z[i] = new
        if sweep > burn_in:
            kept[sweep - burn_in - 1] = labels[z]
    return kept


@kernel
def sample_in_turn(
    indptr: I64,
    local: I32,
    counts: I32,
    log_sticks: F64,
    log_rest: float,
    gamma: float,
    base: F64,
    base_total: F64,
    base_docs: I64,
    new_value: F64,
    rng: np.random.Generator,
) -> I64:
    """Draw z_i of every document in turn, q(beta) fixed (Wang & Blei 2012, algorithm 2).

    `log_sticks` (S, K): ln [E pi_k DM(x_i | lam_k)]; `log_rest`: ln of the expected weight beyond.
    Components that this pass created form a Chinese restaurant there, each document seeing those
    before it: C of them come from earlier blocks, `base` (C+1, W) and `base_total` (C+1,): their
    Dirichlets, then the prior; `base_docs` (C,): their documents. `new_value` (S,): ln DM(x_i |
    eta).

    Returns int64 (S,): 0 to K-1, K to K+C-1 for clusters of earlier blocks, then new ones.
    """
    n_docs, n_sticks, n_tail = indptr.size - 1, log_sticks.shape[1], base_docs.size
    s = empty_sampler(indptr, local, counts, base, base_total, n_tail + ROOM)
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
