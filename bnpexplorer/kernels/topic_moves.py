"""Splitting and merging the topics of an HDP whose proportions and topics are collapsed.

Two tokens are chosen (Jain & Neal 2004), and their topics are divided or joined; the division is
sequential (Dahl 2005), as Wang & Blei 2012, "A split-merge MCMC algorithm for the hierarchical
Dirichlet process", divide tables. Here it is tokens that are divided, the tables being summed out.

Topics z and corpus weights pi have, given the concentrations, the density

    p(z, pi, x) = gamma^K rest^(gamma-1) prod_k 1/pi_k  prod_d DM(z_d | alpha pi)  p(x | z):

the franchise with m_k tables of topic k gives gamma^K prod_k Gamma(m_k) / (gamma)_m, pi given the
tables Dirichlet(m, gamma), so that both give gamma^K rest^(gamma-1) prod_k pi_k^(m_k-1); and the
sum over the tables of n_dk customers, of Stirling numbers times (alpha pi_k)^m_dk, is a rising
factorial. A split of c puts u pi_c and (1-u) pi_c in the place of pi_c. From prod 1/pi_k it has
pi_c / (u pi_c (1-u) pi_c), from d(pi_a, pi_b) / d(pi_c, u) the Jacobian pi_c, together 1/(u(1-u)):

    ratio = gamma / (u (1-u))  p(z_ab | u, pi_c) p(x | z_ab) / (p(z_c | pi_c) p(x | z_c))
            / (q(z_ab) q(u | z_ab)).

M tokens in the two parts, in E documents; V words.
"""

import math

import numpy as np

from ..core.arrays import F64, I32, I64, Bools
from .jit import kernel
from .special import log_rising
from .tables import draw_table_count, mean_table_count
from .tuples import Parts, Tokens

STAY, SPLIT, MERGE = 0, 1, 2
"""What became of a proposal."""


@kernel
def choose_tokens(word: I32, rng: np.random.Generator) -> tuple[int, int]:
    """Two tokens, of one word or any: half of the pairs each; (0, 0) if there is no such pair.

    Topics that share words are those worth joining, and a word of two topics those worth a split.
    The chance of a pair does not depend on topics. `word` int32 (N,): of every token.
    """
    n = word.size
    i = int(rng.random() * n)
    same = rng.random() < 0.5
    n_others = n - 1
    if same:
        n_others = (word == word[i]).sum() - 1
    if n_others < 1:
        return 0, 0
    left = int(rng.random() * n_others)
    for j in range(n):
        if j != i and (not same or word[j] == word[i]):
            if left == 0:
                return i, j
            left -= 1
    return 0, 0


@kernel
def gather(tokens: Tokens, topic: I32, a: int, b: int, rng: np.random.Generator) -> tuple[I64, I64]:
    """The tokens of topics `a` and `b`, by documents, which come in random order.

    `topic` int32 (N,): of every token. Returns where they stand, int64 (M,), and where each
    document with such tokens begins among them, int64 (E+1,).
    """
    doc_start = tokens.doc_start
    docs = np.empty(doc_start.size - 1, np.int64)
    n_docs, n_members = 0, 0
    for d in range(doc_start.size - 1):
        before = n_members
        for i in range(doc_start[d], doc_start[d + 1]):
            if topic[i] == a or topic[i] == b:
                n_members += 1
        if n_members > before:
            docs[n_docs] = d
            n_docs += 1
    for e in range(n_docs - 1, 0, -1):
        other = int(rng.random() * (e + 1))
        docs[e], docs[other] = docs[other], docs[e]
    members, first = np.empty(n_members, np.int64), np.zeros(n_docs + 1, np.int64)
    m = 0
    for e in range(n_docs):
        for i in range(doc_start[docs[e]], doc_start[docs[e] + 1]):
            if topic[i] == a or topic[i] == b:
                members[m] = i
                m += 1
        first[e + 1] = m
    return members, first


@kernel
def divide(
    parts: Parts,
    seeds: tuple[int, int],
    drawn: bool,
    mass: float,
    eta: float,
    rng: np.random.Generator,
) -> float:
    """Divide tokens into two parts, one after the other; ln of the probability of the division.

    The seeds, places among the M tokens, are the first of their parts. Each further token joins a
    part with the probability (n_ds + mass/2) (n_ws + eta) / (n_s + V eta), normalised, of the
    tokens placed before. `parts.second` is drawn if `drawn`, else a division whose probability is
    asked for; `parts.held` comes as zeros. `mass` is alpha pi of the two parts together.
    """
    first, word, second, held = parts
    v_eta = eta * held.shape[0]
    total_0, total_1 = 1.0 + v_eta, 1.0 + v_eta
    second[seeds[0]], second[seeds[1]] = False, True
    held[word[seeds[0]], 0] += 1.0
    held[word[seeds[1]], 1] += 1.0
    log_q = 0.0
    for e in range(first.size - 1):
        n_0 = n_1 = 0.5 * mass
        if first[e] <= seeds[0] < first[e + 1]:
            n_0 += 1.0
        if first[e] <= seeds[1] < first[e + 1]:
            n_1 += 1.0
        for m in range(first[e], first[e + 1]):
            if m == seeds[0] or m == seeds[1]:
                continue
            w = word[m]
            p_0 = n_0 * (held[w, 0] + eta) * total_1
            p_1 = n_1 * (held[w, 1] + eta) * total_0
            if drawn:
                second[m] = rng.random() * (p_0 + p_1) < p_1
            if second[m]:
                log_q += math.log(p_1 / (p_0 + p_1))
                n_1 += 1.0
                total_1 += 1.0
                held[w, 1] += 1.0
            else:
                log_q += math.log(p_0 / (p_0 + p_1))
                n_0 += 1.0
                total_0 += 1.0
                held[w, 0] += 1.0
    return log_q


@kernel
def expected_tables(parts: Parts, mass: float) -> tuple[float, float]:
    """E tables of each part over all documents, if each had half of `mass`.

    Each is 1 or more. Given its tables, u is near Beta of them.
    """
    first, second = parts.first, parts.second
    tables_0, tables_1 = 0.0, 0.0
    for e in range(first.size - 1):
        n_1 = second[first[e] : first[e + 1]].sum()
        n_0 = first[e + 1] - first[e] - n_1
        if n_0 > 0:
            tables_0 += mean_table_count(n_0, 0.5 * mass)
        if n_1 > 0:
            tables_1 += mean_table_count(n_1, 0.5 * mass)
    return tables_0, tables_1


@kernel
def log_ratio(parts: Parts, mass: float, u: float, eta: float) -> float:
    """ln p(z, x) of the two parts with masses u and 1-u over that of one topic with both."""
    first, _, second, held = parts
    total = 0.0
    for e in range(first.size - 1):
        n_1 = second[first[e] : first[e + 1]].sum()
        n_0 = first[e + 1] - first[e] - n_1
        total += log_rising(mass * u, n_0) + log_rising(mass * (1.0 - u), n_1)
        total -= log_rising(mass, n_0 + n_1)
    for w in range(held.shape[0]):
        if held[w, 0] > 0.0 and held[w, 1] > 0.0:
            n_0, n_1 = np.int64(held[w, 0]), np.int64(held[w, 1])
            total += log_rising(eta, n_0) + log_rising(eta, n_1) - log_rising(eta, n_0 + n_1)
    n_1 = second.sum()
    n_0 = second.size - n_1
    v_eta = eta * held.shape[0]
    return total - (log_rising(v_eta, n_0) + log_rising(v_eta, n_1) - log_rising(v_eta, n_0 + n_1))


@kernel
def log_beta_density(u: float, a: float, b: float) -> float:
    """ln of the density of Beta(a, b) at u."""
    log_norm = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return (a - 1.0) * math.log(u) + (b - 1.0) * math.log1p(-u) - log_norm


@kernel
def split_or_merge(
    tokens: Tokens,
    topic: I32,
    weight: F64,
    alpha: float,
    gamma: float,
    eta: float,
    n_words: int,
    rng: np.random.Generator,
) -> tuple[int, I64, Bools, F64, float]:
    """Propose to divide or to join the topics of two tokens; accept by Metropolis-Hastings.

    If one topic holds both it is divided from them, if not their two topics are joined, and the
    reverse probability is that of dividing the union into them. The order of documents is drawn
    anew for every proposal, as for its reverse.

    `tokens`: of all documents. `topic` int32 (N,): the slot of every token, -1 before it is seated.
    `weight` float64 (cap,): corpus weights pi. `n_words` is V. Returns STAY, SPLIT or MERGE; the
    tokens concerned, int64 (M,); which of them are (SPLIT) or were (MERGE) in the second part, bool
    (M,); the words of the two parts, float64 (V, 2); and u, the first part's share of their weight.
    """
    nothing = np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros((0, 2)), 0.0
    i, j = choose_tokens(tokens.word, rng)
    if i == j or topic[i] < 0 or topic[j] < 0:
        return STAY, *nothing
    a, b = topic[i], topic[j]
    split = a == b
    members, first = gather(tokens, topic, a, b, rng)
    seeds = np.flatnonzero(members == i)[0], np.flatnonzero(members == j)[0]
    held = np.zeros((n_words, 2))
    parts = Parts(first, tokens.word[members], topic[members] == b, held)
    mass = alpha * (weight[a] if split else weight[a] + weight[b])
    log_q = divide(parts, seeds, split, mass, eta, rng)
    tables_0, tables_1 = expected_tables(parts, mass)
    u = rng.beta(tables_0, tables_1) if split else weight[a] / (weight[a] + weight[b])
    log_a = math.log(gamma) - math.log(u) - math.log1p(-u) + log_ratio(parts, mass, u, eta)
    log_a -= log_q + log_beta_density(u, tables_0, tables_1)
    if not math.log(1.0 - rng.random()) < (log_a if split else -log_a):
        return STAY, *nothing
    return SPLIT if split else MERGE, members, parts.second, held, u


@kernel
def seat_tables_of(
    doc_start: I64,
    topic: I32,
    block: I64,
    moved: Bools,
    weight: F64,
    alpha: float,
    tables: F64,
    rng: np.random.Generator,
) -> None:
    """Draw the tables of the slots that `moved`, of every block.

    `doc_start` int64 (D+1,). `topic` int32 (N,): the slot of every token, -1 before it is seated.
    `block` int64 (D,): of every document, -1 before it is seated. `moved` bool (cap,), `weight`
    float64 (cap,): of the slots. `tables` float64 (B, cap): out, at these slots alone.
    """
    for k in range(weight.size):
        if moved[k]:
            tables[:, k] = 0.0
    n_doc = np.zeros(weight.size, np.int64)
    for d in range(block.size):
        if block[d] < 0:
            continue
        for i in range(doc_start[d], doc_start[d + 1]):
            if moved[topic[i]]:
                n_doc[topic[i]] += 1
        for i in range(doc_start[d], doc_start[d + 1]):
            k = topic[i]
            if n_doc[k] > 0:
                tables[block[d], k] += draw_table_count(n_doc[k], alpha * weight[k], rng)
                n_doc[k] = 0
