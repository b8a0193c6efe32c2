"""Slow twins of the particle filter: partitions as tuples of tuples of documents, nothing shared.

Written from Fearnhead & Clifford 2003 (resampling) and Fearnhead 2004; nothing here uses the
package. Children are numbered particle by particle, its clusters in their order, then a new one.
"""

import math

import numpy as np

from tests.twins.mixture import log, log_dm

Partition = tuple[tuple[int, ...], ...]


def log_crp(partition: Partition, gamma):
    """ln P(partition) under a Chinese restaurant, document after document; `gamma` may be an
    array."""
    cluster_of = {i: k for k, cluster in enumerate(partition) for i in cluster}
    seated = [0] * len(partition)
    log_p = 0.0
    for i in sorted(cluster_of):
        k = cluster_of[i]
        log_p = log_p + log((seated[k] or gamma) / (i + gamma))
        seated[k] += 1
    return log_p


def log_words(x, partition: Partition, eta):
    """ln p(x | partition), the components integrated out; `eta` may be an array."""
    x = np.asarray(x)
    prior = [eta] * x.shape[1]
    return sum(log_dm(x[list(cluster)].sum(axis=0), prior) for cluster in partition)


def partition_of(z: np.ndarray) -> Partition:
    """The partition of documents in clusters `z`."""
    return tuple(tuple(np.flatnonzero(z == k).tolist()) for k in dict.fromkeys(z.tolist()))


def partitions(n: int) -> list[Partition]:
    """All partitions of n documents, clusters in the order of their first document."""
    if n == 0:
        return [()]
    grown = []
    for p in partitions(n - 1):
        for k in range(len(p)):
            grown.append((*p[:k], (*p[k], n - 1), *p[k + 1 :]))
        grown.append((*p, (n - 1,)))
    return grown


def threshold(weights, n: int) -> float:
    """c with sum_j min(w_j / c, 1) = n, by bisection."""
    low, high = 0.0, float(sum(weights))
    for _ in range(200):
        c = (low + high) / 2
        if sum(min(w / c, 1.0) for w in weights) > n:
            low = c
        else:
            high = c
    return high


def resample(weights, n: int, u: float) -> dict[int, float]:
    """The n survivors of weighted children and their weights; `u` uniform on [0, 1)."""
    if len(weights) <= n:
        return dict(enumerate(weights))
    c = threshold(weights, n)
    new, level = {}, u * c
    for j, w in enumerate(weights):
        if w >= c * (1 + 1e-12):
            new[j] = w
            continue
        level -= w
        if level < 0.0:
            new[j] = c
            level += c
    return new


def predictive(doc, x, partition: Partition, gamma: float, eta: float) -> float:
    """p(doc | partition of all rows of x)."""
    x = np.asarray(x)
    n, empty = len(x), [eta] * x.shape[1]
    p = gamma / (n + gamma) * math.exp(log_dm(doc, empty))
    for cluster in partition:
        lam = eta + x[list(cluster)].sum(axis=0)
        p += len(cluster) / (n + gamma) * math.exp(log_dm(doc, lam))
    return p


def filtered(x, n_particles: int, gamma: float, eta: float, uniforms):
    """(particles with weights, ln evidence): one uniform per document, as the filter uses them."""
    x = np.asarray(x)
    particles: dict[Partition, float] = {(): 1.0}
    log_evidence = 0.0
    for i, doc in enumerate(x):
        children: list[tuple[Partition, float]] = []
        for p, weight in particles.items():
            for k in range(len(p) + 1):
                members = p[k] if k < len(p) else ()
                lam = eta + x[list(members)].sum(axis=0)
                seats = len(members) or gamma
                grown = (*p[:k], (*members, i), *p[k + 1 :])
                chance = seats / (i + gamma) * math.exp(log_dm(doc, lam))
                children.append((grown, weight * chance))
        total = sum(w for _, w in children)
        log_evidence += math.log(total)
        new = resample([w / total for _, w in children], n_particles, uniforms[i])
        particles = {children[j][0]: w for j, w in sorted(new.items())}
    return particles, log_evidence
