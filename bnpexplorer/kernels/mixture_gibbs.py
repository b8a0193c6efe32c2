"""Collapsed Gibbs sampling of a mixture: the documents of a block, one after the other."""

import math

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel
from .mixture_sampler import Sampler, component_value, empty_sampler, place_document, wider_sampler
from .special import draw_from_logs
from .tuples import Base, Docs


@kernel
def _draw_documents(
    s: Sampler,
    z: I64,
    n_rows: int,
    gamma: float,
    new_value: F64,
    start: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Draw the documents from `start` on; returns the first one for which there is no row, S if all
    are drawn, and the rows in use.

    `z` int64 (S,), `new_value` float64 (S,): those of `resample`. `n_rows`: the rows in use.
    """
    n_docs = z.size
    logs = np.empty(s.held_docs.size + 1)
    for i in range(start, n_docs):
        if n_rows == s.held_docs.size:
            return i, n_rows
        old = z[i]
        if old >= 0:
            s.stamp[i, old] = -1  # it was computed with the document inside
            place_document(s, i, old, -1)
        for k in range(n_rows):
            logs[k] = -np.inf
            if s.held_docs[k] > 0:
                logs[k] = math.log(s.held_docs[k]) + component_value(s, i, k)
        logs[n_rows] = math.log(gamma) + new_value[i]
        new = draw_from_logs(logs, n_rows + 1, rng.random())
        if new == n_rows:
            if old >= 0 and s.held_docs[old] == 0:
                new = old
            else:
                n_rows += 1
        place_document(s, i, new, 1)
        if new != old:
            s.version[new] += 1
            if old >= 0:
                s.version[old] += 1
        z[i] = new
    return n_docs, n_rows


def resample(
    docs: Docs,
    z: I64,
    n: I64,
    gamma: float,
    base: Base,
    value: F64,
    new_value: F64,
    rng: np.random.Generator,
) -> tuple[I32, I64, F64]:
    """Take every document of a block out of its component and draw it a component anew.

    Neal 2000, algorithm 3: component k with the chance n_k DM(x | eta + C_k), a new one with gamma
    DM(x | eta), both without the document itself. `z` int64 (S,): components 0 to K-1, or -1 for a
    document that sits nowhere yet; it is overwritten, new components being numbered from K. `n`
    int64 (K,) and `base`: documents and eta + C of the K components, the seated documents of the
    block included. `value` float64 (S, K): ln DM(x | base_k). `new_value` float64 (S,): ln DM(x |
    eta).

    A document that was alone and draws a new component keeps its own. Returns the net changes in
    tokens, int32 (R, W), and in documents, int64 (R,), of the K components and the new ones; and ln
    DM of each document under the components in use at its turn, float64 (S, R or more).
    """
    done, n_old, n_docs = 0, len(n), len(z)
    s, n_rows = empty_sampler(docs, base, value), n_old
    s.held_docs[:n_old] = n
    while True:
        done, n_rows = _draw_documents(s, z, n_rows, gamma, new_value, done, rng)
        if done == n_docs:
            break
        s = wider_sampler(s, n_rows)
    s.held_docs[:n_old] -= n
    return s.held[:n_rows], s.held_docs[:n_rows], s.value
