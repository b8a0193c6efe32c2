"""The documents of a batch in the components of a mixture while a sampler draws them, q(beta)
collapsed: what every component holds, and how likely a document is under it.

S documents, W distinct words of the batch.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import F64, I32, I64, widened
from .jit import kernel, within
from .mixture import times_rising
from .special import digamma, log_rising
from .tuples import Base, Docs

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


def empty_sampler(docs: Docs, base: Base, value: F64, n_more: int = ROOM) -> Sampler:
    """Return a sampler in which nothing is placed, with `n_more` rows for new components.

    `value` float64 (S, R): ln DM of every document under the first components.
    """
    n_docs, n_known = value.shape
    n_rows, n_words = n_known + n_more, base.lam.shape[1]
    stamp = np.full((n_docs, n_rows), -1)
    stamp[:, :n_known] = 0
    return Sampler(
        docs,
        base,
        np.zeros((n_rows, n_words), np.int32),
        np.zeros(n_rows, np.int64),
        np.zeros(n_rows, np.int64),
        widened(value, n_more),
        stamp,
        np.zeros(n_rows, np.int64),
    )


def wider_sampler(s: Sampler, n_more: int) -> Sampler:
    """Return the sampler with room for `n_more` components more.

    A row for every document, as many as there can be, would need 16 S^2 bytes at once.
    """
    return s._replace(
        held=np.concatenate((s.held, np.zeros((n_more, s.held.shape[1]), np.int32))),
        held_tokens=widened(s.held_tokens, n_more),
        held_docs=widened(s.held_docs, n_more),
        value=widened(s.value, n_more),
        stamp=widened(s.stamp, n_more, -1),
        version=widened(s.version, n_more),
    )


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


@within
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
