"""Slow twins of the mixture's mathematics, in plain Python, from the definitions.

Nothing here uses the package: Dirichlet-multinomials as products of predictive probabilities, stick
moments as ratios of Beta functions, the prior beyond the represented sticks as a sum over the stick
on which each cluster sits. Labels: 0 to K-1 for represented components, K and above for others,
numbered in the order of their first document.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from scipy.special import betaln, digamma
from scipy.stats import beta, chi2, dirichlet


def log(x):
    """ln of a number, or of every number of an array."""
    return np.log(x) if isinstance(x, np.ndarray) else math.log(x)


def log_dm(counts: Sequence[int], lam: Sequence):
    """ln DM(counts | lam) of an ordered sequence: token after token, each from its predictive.

    Entries of `lam` are numbers or arrays, for several priors at once.
    """
    held, total = list(lam), sum(lam)
    log_p = 0.0
    for word, count in enumerate(counts):
        for _ in range(int(count)):
            log_p = log_p + log(held[word] / total)
            held[word] = held[word] + 1.0
            total = total + 1.0
    return log_p


def canonical(z: Sequence[int], n_sticks: int) -> tuple[int, ...]:
    """Relabel the clusters beyond the sticks in order of appearance."""
    seen: dict[int, int] = {}
    return tuple(
        int(k) if k < n_sticks else seen.setdefault(int(k), n_sticks + len(seen)) for k in z
    )


def assignments(n_docs: int, n_sticks: int) -> Iterator[tuple[int, ...]]:
    """All assignments to the sticks or to clusters beyond them, in canonical labels."""
    for z in product(range(n_sticks + n_docs), repeat=n_docs):
        if canonical(z, n_sticks) == z:
            yield z


def log_stick_moment(a, b, here: int, beyond: int):
    """ln E stick^here (1 - stick)^beyond for a stick ~ Beta(a, b); `a` and `b` may be arrays."""
    return betaln(a + here, b + beyond) - betaln(a, b)


def stick_moment(a: float, b: float, here: int, beyond: int) -> float:
    """E stick^here (1 - stick)^beyond for a stick ~ Beta(a, b)."""
    return math.exp(log_stick_moment(a, b, here, beyond))


def prior_probability(sizes: tuple[int, ...], gamma: float) -> float:
    """P that documents fall into clusters of these sizes under GEM(gamma) (clusters told apart by
    their documents): the sum over the sticks on which the clusters sit. Either no cluster sits on
    the first stick, or one does, and the others lie beyond it."""
    if not sizes:
        return 1.0
    total = sum(sizes)
    some = 0.0
    for c, size in enumerate(sizes):
        others = sizes[:c] + sizes[c + 1 :]
        moment = stick_moment(1.0, gamma, size, total - size)
        some += moment * prior_probability(others, gamma)
    return some / (1.0 - stick_moment(1.0, gamma, 0, total))


def log_joint(z, x, lam, u, v, gamma: float, eta: float) -> float:
    """ln E_q [prod_i p(x_i, z_i | beta)], q = Dir(lam_k) Beta(u_k, v_k), the prior elsewhere."""
    x, z = np.asarray(x), np.asarray(z)
    total = 0.0
    for k in range(len(u)):
        total += math.log(stick_moment(u[k], v[k], int((z == k).sum()), int((z > k).sum())))
        total += log_dm(x[z == k].sum(axis=0), lam[k])
    beyond = sorted({int(k) for k in z if k >= len(u)})
    total += math.log(prior_probability(tuple(int((z == k).sum()) for k in beyond), gamma))
    return total + sum(log_dm(x[z == k].sum(axis=0), [eta] * x.shape[1]) for k in beyond)


def joint_law(x, lam, u, v, gamma: float, eta: float) -> dict[tuple[int, ...], float]:
    """q(z) of a batch over all assignments."""
    states = list(assignments(len(x), len(u)))
    weights = np.exp([log_joint(z, x, lam, u, v, gamma, eta) for z in states])
    return dict(zip(states, weights / weights.sum(), strict=True))


def weights_of(u, v) -> tuple[list[float], float]:
    """E pi_k of every stick, and of everything beyond."""
    weights, rest = [], 1.0
    for a, b in zip(u, v, strict=True):
        weights.append(rest * a / (a + b))
        rest *= b / (a + b)
    return weights, rest


def law_in_turn(x, lam, u, v, gamma: float, eta: float) -> dict[tuple[int, ...], float]:
    """The law of one pass of algorithm 2: q fixed, the clusters of the pass a restaurant."""
    x = np.asarray(x)
    weights, rest = weights_of(u, v)
    law: dict[tuple[int, ...], float] = {(): 1.0}
    for i in range(len(x)):
        longer: dict[tuple[int, ...], float] = {}
        for z, p in law.items():
            n_clusters = len({k for k in z if k >= len(u)})
            score = [w * math.exp(log_dm(x[i], row)) for w, row in zip(weights, lam, strict=True)]
            n_beyond = sum(k >= len(u) for k in z)
            for k in range(len(u), len(u) + n_clusters + 1):
                members = [j for j in range(i) if z[j] == k]
                seats = len(members) if members else gamma
                held = [eta + sum(x[j][w] for j in members) for w in range(x.shape[1])]
                score.append(rest * seats / (n_beyond + gamma) * math.exp(log_dm(x[i], held)))
            for k, s in enumerate(score):
                longer[(*z, k)] = p * s / sum(score)
        law = longer
    return law


def log_evidence_truncated(x, n_components: int, gamma, eta: float):
    """ln p(x) of the mixture whose stick K is 1, summed over all K^n assignments; `gamma` may be an
    array."""
    x = np.asarray(x)
    terms = []
    for labels in product(range(n_components), repeat=len(x)):
        z = np.array(labels)
        term = 0.0
        for k in range(n_components):
            if k < n_components - 1:
                here, beyond = int((z == k).sum()), int((z > k).sum())
                term = term + log_stick_moment(1.0, gamma, here, beyond)
            term = term + log_dm(x[z == k].sum(axis=0), [eta] * x.shape[1])
        terms.append(term)
    return np.logaddexp.reduce(terms)


def mean_field(x, lam, u, v) -> np.ndarray:
    """phi of every document, float64 (n, K), the last stick at 1."""
    phi = np.zeros((len(x), len(lam)))
    for i, doc in enumerate(x):
        for k, row in enumerate(lam):
            score = 0.0 if k == len(lam) - 1 else digamma(u[k]) - digamma(u[k] + v[k])
            score += sum(digamma(v[j]) - digamma(u[j] + v[j]) for j in range(k))
            for w, count in enumerate(doc):
                score += count * (digamma(row[w]) - digamma(sum(row)))
            phi[i, k] = score
        phi[i] = np.exp(phi[i] - phi[i].max())
        phi[i] /= phi[i].sum()
    return phi


def global_step(x, phi, gamma: float, eta: float):
    """lam, u and v of the truncated q that is optimal for phi."""
    lam = eta + np.asarray(phi).T @ np.asarray(x)
    u = 1.0 + phi.sum(axis=0)
    v = np.array([gamma + phi[:, k + 1 :].sum() for k in range(phi.shape[1])])
    return lam, u, v


def elbo(x, phi, lam, u, v, gamma: float, eta: float) -> float:
    """E_q [ln p(x, z, beta, sticks) - ln q], term by term; holds for any q of the family."""
    n_components = len(lam)
    log_broken, log_left = digamma(u) - digamma(u + v), digamma(v) - digamma(u + v)
    log_broken[-1] = 0.0
    bound = 0.0
    for k in range(n_components - 1):
        bound += math.log(gamma) + (gamma - 1.0) * log_left[k]  # E ln Beta(stick | 1, gamma)
        bound += beta(u[k], v[k]).entropy()
    for row in lam:
        log_words = digamma(row) - digamma(row.sum())
        bound += math.lgamma(len(row) * eta) - len(row) * math.lgamma(eta)
        bound += (eta - 1.0) * log_words.sum() + dirichlet(row).entropy()
    for i, doc in enumerate(x):
        for k, row in enumerate(lam):
            if phi[i, k] > 0.0:
                log_weight = log_broken[k] + log_left[:k].sum()
                log_doc = float(np.dot(doc, digamma(row) - digamma(row.sum())))
                bound += phi[i, k] * (log_weight + log_doc - math.log(phi[i, k]))
    return float(bound)


def check_law(drawn: Counter, law: dict, n_draws: int) -> None:
    """Independent draws against their law: a chi-square test and the total variation.

    States expected less than five times are pooled, with others if need be.
    """
    assert set(drawn) <= set(law)
    states = sorted(law, key=lambda z: -law[z])
    expected = n_draws * np.array([law[z] for z in states])
    seen = np.array([drawn[z] for z in states], float)
    n_cells = int((expected >= 5.0).sum())
    if expected[n_cells:].sum() < 5.0:
        n_cells -= 1
    pooled = np.append(expected[:n_cells], expected[n_cells:].sum())
    pooled_seen = np.append(seen[:n_cells], seen[n_cells:].sum())
    statistic = ((pooled_seen - pooled) ** 2 / pooled).sum()
    assert chi2.sf(statistic, n_cells) > 1e-4
    typical = np.sqrt(expected * 2 / np.pi).sum() / n_draws / 2  # of the total variation
    assert np.abs(seen - expected).sum() / n_draws / 2 < 1.4 * typical
