"""Slow twins of moves that split and merge: the proposal drawn again, and what decides.

Nothing here uses the package. Of a sampler, a proposal is replayed from the state before it and the
same random numbers, every count taken anew; its ratio is that of the joint densities of the states
before and after it, each by the chain rule, and of the proposal's probability. Of a method that
climbs a bound, parts and unions are written out word by word.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma
from scipy.stats import beta

from tests.twins import direct
from tests.twins.mixture import log_dm

SCANS = 30
"""Of a launch of a division of topics."""
RESTRICTED = 5
"""Iterations of the restricted local step of a split."""


# ---- mixtures ------------------------------------------------------------------------------------


@dataclass
class Proposal:
    """A division that was drawn, or that a merge would have to be undone by."""

    split: bool
    z: np.ndarray
    """Labels after the move, those of the parts or of the union being new."""
    log_q: float
    """ln of the probability density of the division."""
    taken: bool = False
    log_ratio: float = 0.0
    weight: dict[int, float] | None = None
    """Of topics: the weight of every label after it."""


def log_joint_of_clusters(z: np.ndarray, x: np.ndarray, gamma: float, eta: float) -> float:
    """ln p(z, x) of a Dirichlet process mixture: one document after the other takes its seat and
    its words. `z` (D,): -1 before a document is seated."""
    held: dict[int, np.ndarray] = {}
    n: dict[int, int] = {}
    total = 0.0
    for d in np.flatnonzero(z >= 0).tolist():
        k, seated = int(z[d]), sum(n.values())
        total += math.log(n.get(k, gamma) / (seated + gamma))
        total += log_dm(x[d], held.get(k, np.zeros(x.shape[1])) + eta)
        n[k], held[k] = n.get(k, 0) + 1, held.get(k, 0) + x[d]
    return total


def proposed_clusters(
    z: np.ndarray, x: np.ndarray, gamma: float, eta: float, rng: np.random.Generator
) -> Proposal | None:
    """Two documents, and their clusters divided or joined (Jain & Neal 2004; the division is
    Dahl's 2005, document after document). None where there are no two documents."""
    seated = np.flatnonzero(z >= 0).tolist()
    if len(seated) < 2:
        return None
    i = seated[int(rng.random() * len(seated))]
    others = [d for d in seated if d != i]
    j = others[int(rng.random() * len(others))]
    split = bool(z[i] == z[j])
    # The seeds first; the rest is shuffled from where two exchanges have put them.
    order = [d for d in seated if z[d] in (z[i], z[j])]
    for place, seed in enumerate((i, j)):
        at = order.index(seed)
        order[place], order[at] = order[at], order[place]
    for m in range(len(order) - 1, 2, -1):
        other = 2 + int(rng.random() * (m - 1))
        order[m], order[other] = order[other], order[m]
    uniform = rng.random(len(order))
    parts: tuple[list[int], list[int]] = ([i], [j])
    log_q = 0.0
    for m, d in enumerate(order[2:], 2):
        score = [math.log(len(part)) + log_dm(x[d], eta + x[part].sum(axis=0)) for part in parts]
        p = math.exp(score[1] - np.logaddexp(*score))
        side = int(uniform[m] < p) if split else int(z[d] == z[j])
        log_q += score[side] - np.logaddexp(*score)
        parts[side].append(d)
    after = z.copy()
    after[parts[0]] = after[parts[1]] = z.max() + 1
    if split:
        after[parts[1]] += 1
    found = Proposal(split, after, float(log_q))
    found.log_ratio = log_joint_of_clusters(after, x, gamma, eta)
    found.log_ratio -= log_joint_of_clusters(z, x, gamma, eta)
    found.log_ratio += -log_q if split else log_q
    found.taken = math.log(1.0 - rng.random()) < found.log_ratio
    return found


# ---- topics --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tokens:
    """N tokens, the documents in their order."""

    doc: np.ndarray
    word: np.ndarray
    n_words: int


def log_joint_of_topics(
    tokens: Tokens, z: np.ndarray, weight: dict[int, float], gamma: float, alpha: float, eta: float
) -> float:
    """ln p(z, pi, x), the density of an HDP's topics and of the corpus weights of those in use.

    The weights of any K atoms of a Dirichlet process have the correlation function gamma^K
    prod_k 1/pi_k (1 - sum_k pi_k)^(gamma - 1) (Pitman 2006, section 2.3); given them, each
    document's topics are a Dirichlet-multinomial, and so are the words of each topic.
    """
    pi = np.array([weight[k] for k in sorted(weight)])
    rest = 1.0 - pi.sum()
    total = len(pi) * math.log(gamma) + (gamma - 1.0) * math.log(rest) - np.log(pi).sum()
    for d in np.unique(tokens.doc):
        counts = [int((z[tokens.doc == d] == k).sum()) for k in sorted(weight)]
        total += log_dm([*counts, 0], [*(alpha * pi), alpha * rest])
    for k in weight:
        counts = np.bincount(tokens.word[z == k], minlength=tokens.n_words)
        total += log_dm(counts, [eta] * tokens.n_words)
    return float(total)


def two_tokens(word: np.ndarray, rng: np.random.Generator) -> tuple[int, int] | None:
    """Two tokens, half of the time of one word; None where there is no such pair."""
    i = int(rng.random() * len(word))
    same = rng.random() < 0.5
    others = [j for j in range(len(word)) if j != i and (not same or word[j] == word[i])]
    return (i, others[int(rng.random() * len(others))]) if others else None


def proposed_topics(
    tokens: Tokens,
    z: np.ndarray,
    weight: dict[int, float],
    gamma: float,
    alpha: float,
    eta: float,
    rng: np.random.Generator,
) -> Proposal | None:
    """Two tokens, and their topics divided or joined; None where there are no two.

    The launch is the expectation of restricted scans (Asuncion et al. 2009, CVB0): of every token
    but the seeds its share in the second part, given the shares of all others. A last scan draws
    one token after the other, and the first part's share of the weight is drawn from a Beta of the
    tables that are expected of the parts, had each half of the weight.
    """
    pair = two_tokens(tokens.word, rng)
    if pair is None:
        return None
    i, j = pair
    split = bool(z[i] == z[j])
    members = np.flatnonzero((z == z[i]) | (z == z[j]))
    doc, word = tokens.doc[members], tokens.word[members]
    first, second = int(np.searchsorted(members, i)), int(np.searchsorted(members, j))
    whole = sum(weight[k] for k in {int(z[i]), int(z[j])})
    mass = alpha * whole
    others = 1.0 - np.eye(len(members))
    of_doc, of_word = others * (doc[:, None] == doc), others * (word[:, None] == word)
    share = np.full(len(members), 0.5)
    share[first], share[second] = 0.0, 1.0
    log_q = 0.0
    for scan in range(SCANS + 1):
        for m in range(len(members)):
            if m in (first, second):
                continue
            p = []
            for part in (1.0 - share, share):
                rate = (of_word[m] @ part + eta) / (others[m] @ part + tokens.n_words * eta)
                p.append((of_doc[m] @ part + 0.5 * mass) * rate)
            new = p[1] / (p[0] + p[1])
            if scan == SCANS:
                side = rng.random() < new if split else z[members[m]] == z[j]
                log_q += math.log(new if side else p[0] / (p[0] + p[1]))
                new = float(side)
            share[m] = new
    apart = share == 1.0
    tables = [expected_tables(doc[part], 0.5 * mass) for part in (~apart, apart)]
    u = rng.beta(*tables) if split else weight[int(z[i])] / whole
    log_q += float(beta(*tables).logpdf(u))
    after, weights = z.copy(), dict(weight)
    for k in {int(z[i]), int(z[j])}:
        del weights[k]
    new_label = int(z.max()) + 1
    after[members], weights[new_label] = new_label, whole
    if split:
        after[members[apart]] = new_label + 1
        weights[new_label], weights[new_label + 1] = u * whole, (1.0 - u) * whole
    found = Proposal(split, after, log_q, weight=weights)
    found.log_ratio = log_joint_of_topics(tokens, after, weights, gamma, alpha, eta)
    found.log_ratio -= log_joint_of_topics(tokens, z, weight, gamma, alpha, eta)
    # (pi_c, u) -> (u pi_c, (1 - u) pi_c) has the Jacobian pi_c.
    found.log_ratio += (1.0 if split else -1.0) * (math.log(whole) - log_q)
    found.taken = math.log(1.0 - rng.random()) < found.log_ratio
    return found


def expected_tables(doc: np.ndarray, concentration: float) -> float:
    """E tables of some tokens: in each document the first opens one, the next one with c / (c + j)
    after j others."""
    n = np.unique(doc, return_counts=True)[1].tolist()
    return sum(concentration / (concentration + j) for some in n for j in range(some))


# ---- the memoized HDP ----------------------------------------------------------------------------


def restricted(
    counts: np.ndarray,
    r: np.ndarray,
    prior: np.ndarray,
    excess: np.ndarray,
    share: np.ndarray,
    eta: float,
) -> tuple[np.ndarray, np.ndarray]:
    """r (D, V, J) and theta (D, J) of the parts of a topic that is split.

    `counts` (D, V); `r` (D, V) and `prior` (D,): of the topic; `excess` (V, J) and `share` (J,): of
    the parts.
    """
    elog = direct.expected_log(eta + excess.T)
    of_parts, theta = np.zeros((*counts.shape, len(share))), np.zeros((len(counts), len(share)))
    for d in range(len(counts)):
        tokens, own = counts[d] * r[d], prior[d] * share
        at = own * (1 + tokens.sum() / own.sum())
        for _ in range(RESTRICTED):
            logs = digamma(at)[None, :] + elog.T
            s = np.exp(logs - logs.max(axis=1, keepdims=True))
            s /= s.sum(axis=1, keepdims=True)
            at = own + tokens @ s
        of_parts[d], theta[d] = r[d, :, None] * s, at
    return of_parts, theta


@dataclass
class Explicit:
    """q of the whole corpus with every q(z) written out, and its K topics by identity."""

    ids: list[int]
    r: np.ndarray
    """(D, V, K)"""
    theta: np.ndarray
    """(D, K+1), the rest last; `prior` likewise."""
    prior: np.ndarray
    rho: np.ndarray
    """(K,): E of the sticks."""

    def exchanged(self, ids: Sequence[int], new: "Explicit", share: np.ndarray) -> "Explicit":
        """Topics `ids` taken out, and those of `new` in the place of the first of them, which have
        these `share` (J,) of their weight together."""
        old = [self.ids.index(k) for k in ids]
        at, stay = min(old), [k for k in range(len(self.ids)) if k not in old]

        def put(array: np.ndarray, fresh: np.ndarray) -> np.ndarray:
            left = np.delete(array, old, axis=-1)
            return np.concatenate((left[..., :at], fresh, left[..., at:]), axis=-1)

        left = np.append(1.0, np.cumprod(1.0 - self.rho))
        weights = np.append(self.rho, 1.0) * left
        weights = put(weights, weights[old].sum() * share)
        above = np.cumsum(weights[::-1])[::-1]
        kept = [self.ids[k] for k in stay]
        return Explicit(
            [*kept[:at], *new.ids, *kept[at:]],
            put(self.r, new.r),
            put(self.theta, new.theta),
            put(self.prior, new.prior),
            weights[:-1] / above[:-1],
        )

    def settled(self, gamma: float, alpha: float) -> "Explicit":
        """With the sticks that maximise the bound."""
        a, b = direct.fit_sticks(self.theta, self.rho * self._omega(gamma), gamma, alpha)
        return Explicit(self.ids, self.r, self.theta, self.prior, a / (a + b))

    def bound(self, counts: np.ndarray, gamma: float, alpha: float, eta: float) -> float:
        lam = eta + np.einsum("dw,dwk->kw", counts, self.r)
        omega = self._omega(gamma)
        q = direct.Posterior(lam, self.rho * omega, (1 - self.rho) * omega, self.theta, self.r)
        return direct.bound(q, counts, gamma, alpha, eta)

    def _omega(self, gamma: float) -> np.ndarray:
        n_docs, n_topics = len(self.theta), len(self.rho)
        return 1 + gamma + n_docs * (n_topics + 2 - np.arange(1.0, n_topics + 1))
