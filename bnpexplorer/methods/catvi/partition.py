"""Conditional and adaptively truncated inference: what its two models share (Liu et al. 2022).

q(G_0) puts point masses m_k on K topics and leaves m_0 to a Dirichlet process over all others;
q(beta_k) = Dir(lam_k); topics of tokens are drawn from the law that these leave them. The paper's
letters: its alpha is our gamma, its gamma is our alpha, or the mass mu of the gamma process.
"""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.special import digamma, gammaln

from ...core.arrays import F64, I32, I64
from ...corpus.corpus import Corpus
from ...inference.dirichlet import Dirichlets
from ...inference.start import Start, start_excess
from ...kernels import catvi as kernels
from ...kernels.dirichlet import exp_shifted
from ...kernels.special import distinct_words
from ...kernels.tuples import Prior, Sweeps, Tokens, TopicFactors
from ...state.invariants import ALL_DOCUMENTS, POSITIVE, Constraint, StateContext
from ...state.snapshot import Event, Topics, in_use

G0_RULES = ("map", "mean", "jacobian")
NEW_TOPIC_WORDS = ("expected-log", "uniform")
SMALLEST_STAR = 1e-12
"""Floor of c_k - 1, which keeps the weight of a topic positive that no document used."""
ROOM = 32
"""Topics that a batch may open before its arrays grow; has no influence on results."""
HARDLY_GROWS = 0.01
"""A warning appears below this `growth_factor` (0.90 at eta = 5, 0.28 at 0.5, 0.0003 at 0.1).

On bars, starting without topics, all ten are found at eta = 0.5. At 0.1 with a uniform new topic
word, every topic stays a single word, since a second word is a thousand times too improbable."""


@dataclass(eq=False)
class Partition:
    """The state of both methods: K topics, in the order in which they were found."""

    lam: Annotated[Dirichlets, Constraint("K")]
    weight: Annotated[F64, Constraint("K", most=1)]
    """float64 (K,): m_k; with `rest`, m_0, they sum to 1."""
    rest: Annotated[float, Constraint(most=1)]
    users: Annotated[F64, Constraint("K")]
    """float64 (K,): u_k, the estimated number of documents that use each topic."""
    topic_ids: Annotated[I64, Constraint("K", below="next_id", distinct=True)]
    next_id: int
    n_docs: Annotated[int, ALL_DOCUMENTS]
    """J, the number of documents in the corpus that a mini-batch is a sample of."""
    concentration: Annotated[float, POSITIVE]
    """Factor of the weights in a document's prior: alpha, or mu."""
    t: int = 0
    """Steps taken."""

    def mismatch(self, ground: StateContext) -> str:
        total = float(self.weight.sum()) + self.rest
        return "" if abs(total - 1.0) < 1e-6 else "weights that do not add up to 1"


@dataclass(eq=False)
class TopicDraws:
    """The topics drawn for the tokens of a mini-batch (kernels.catvi)."""

    words: I32
    """int32 (W,): the distinct words of the batch."""
    tokens: Tokens
    topics: I32
    """int32 (T, N): topics by their place among the old ones and then the opened ones."""
    weight: F64
    """float64 (K + opened,): m_k, after opened topics took their shares."""
    rest: float


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums over the draws for each topic, scaled to the corpus by J / S."""

    scale: float
    """J / S."""
    words: F64
    """float64 (W, K): tokens."""
    tables: F64
    """float64 (K,): c_k, the expected number of tables."""
    docs: F64
    """float64 (K,): documents that use the topic."""
    log_moments: float
    """sum_s sum_k lnGamma(b m_k + n_sk) - lnGamma(b m_k): the documents' part of equation 12."""


def start_partition(
    start: Start,
    corpus: Corpus,
    n_topics: int,
    eta: float,
    concentration: float,
    doc_length: float,
    rng: np.random.Generator,
) -> Partition:
    """Return K topics from noise or clusters, with nearly even weights (Gamma(100), normalised).

    Every topic starts with an even share of the documents as users, and at least one. If the
    documents hardly outnumber the topics, those that the first mini-batch does not use are still
    dropped.
    """
    lam = Dirichlets.empty(corpus.n_words, eta)
    if n_topics > 0:
        excess = start_excess(start, corpus, n_topics, rng, doc_length)
        lam = Dirichlets.from_excess(excess, eta)
    weight = rng.gamma(100.0, size=n_topics + 1)
    weight /= weight.sum()
    users = np.full(n_topics, max(corpus.n_docs / max(n_topics, 1), 1.0))
    ids = np.arange(n_topics, dtype=np.int64)
    return Partition(
        lam, weight[1:], float(weight[0]), users, ids, n_topics, corpus.n_docs, concentration
    )


def sample(
    state: Partition,
    docs: Corpus,
    gamma: float,
    new_topic_word: str,
    sweeps: Sweeps,
    warm_new: bool,
    rng: np.random.Generator,
) -> TopicDraws:
    """Draw the topics of all tokens of a batch by equation (B.3); leave `state` as it is."""
    words, place = distinct_words(docs.word_ids, docs.n_words)
    doc_start = np.concatenate(([0], np.cumsum(docs.doc_lengths)))
    tokens = Tokens(doc_start, np.repeat(place, docs.counts))
    lam, n_old = state.lam, len(state.lam)
    logs = np.empty((len(words), n_old + 2))
    logs[:, :n_old] = lam.expected_log(words)
    logs[:, n_old] = digamma(lam.eta) - kernels.psi_of_prior(lam.eta, docs.n_words)
    uniform = new_topic_word == "uniform"
    logs[:, n_old + 1] = -math.log(docs.n_words) if uniform else logs[:, n_old]
    factor, shift = exp_shifted(logs, kernels.FLOOR)
    topics, weight, rest = kernels.sample_documents(
        tokens,
        TopicFactors(factor, shift, state.weight, state.rest),
        Prior(state.concentration, gamma, docs.n_words),
        lam.eta,
        sweeps,
        warm_new,
        ROOM,
        rng,
    )
    return TopicDraws(words, tokens, topics, weight, rest)


def refine(state: Partition, draws: TopicDraws) -> tuple[Event, ...]:
    """Take opened topics that kept sweeps use into the partition (section 4.3); return their
    births.

    Topics that only earlier sweeps used give their weight back to the rest. `draws.topics` gets the
    topics' new places. A new topic starts from lam = eta.
    """
    n_old, n_drawn = len(state.weight), len(draws.weight)
    used = np.zeros(n_drawn, bool)
    used[draws.topics.ravel()] = True
    used[:n_old] = True
    place = np.cumsum(used, dtype=np.int32) - np.int32(1)
    draws.topics = place[draws.topics]
    n_new = int(used.sum()) - n_old
    state.rest = draws.rest + float(draws.weight[~used].sum())
    state.weight = draws.weight[used]
    state.lam.append(draws.words[:0], np.zeros((0, n_new)))
    ids = np.arange(state.next_id, state.next_id + n_new)
    state.topic_ids = np.concatenate((state.topic_ids, ids))
    state.next_id += n_new
    return tuple(Event("birth", children=(int(i),)) for i in ids)


def count(state: Partition, draws: TopicDraws) -> Tally:
    """Return the sums over draws in equations 12, (B.1) and (B.2); call `refine` first."""
    (doc_start, token_word), topics = draws.tokens, draws.topics
    scale = state.n_docs / (len(doc_start) - 1)
    words = kernels.count_words(topics, token_word, len(draws.words), len(state.weight))
    mass = state.concentration * state.weight
    tables, docs, log_moments = kernels.count_tables(doc_start, topics, mass)
    return Tally(scale, scale * words, scale * tables, scale * docs, scale * log_moments)


def exponents(rule: str, gamma: float, n_topics: int) -> tuple[float, float]:
    """Return the powers of m_0 and of every m_k that `rule` gives to the law of G_0.

    `map`: gamma - 1 and -1, as printed. `jacobian`: the density of q(G_0) brings m_0^-K, which the
    derivation in appendix C.4 leaves out, hence gamma - 1 + K and -1. `mean`: gamma and 0, whose
    maximum is the posterior mean given the tables; also in place of `map` where gamma <= 1, since
    no weight could have a negative power. Without topics m_0 is 1 under any rule.
    """
    if n_topics == 0 or rule == "mean" or (rule == "map" and gamma <= 1.0):
        return gamma, 0.0
    return (gamma - 1.0 + n_topics if rule == "jacobian" else gamma - 1.0), -1.0


def best_weights(tables: F64, gamma: float, rule: str) -> tuple[F64, float]:
    """Return m* of (B.1): m*_k proportional to c_k - 1 and m*_0 to gamma - 1 (rule `map`)."""
    of_rest, of_topic = exponents(rule, gamma, len(tables))
    star = np.maximum(tables + of_topic, SMALLEST_STAR)
    total = star.sum() + of_rest
    return star / total, float(of_rest / total)


def objective(state: Partition, tally: Tally, gamma: float, rule: str) -> float:
    """Return equation 12 at the weights that made the draws, which `best_weights` maximises.

    It is no bound on the evidence: constants that depend on K are left out (and, under `map`, the
    Jacobian), so values compare only between steps with the same topics.
    """
    of_rest, of_topic = exponents(rule, gamma, len(state.weight))
    smallest = 1e-300  # a weight may underflow after very many steps without any use
    log_rest = math.log(max(state.rest, smallest))
    log_weight = np.log(np.maximum(state.weight, smallest)).sum()
    return float(of_rest * log_rest + of_topic * log_weight + tally.log_moments)


def learn(
    state: Partition, draws: TopicDraws, tally: Tally, rho: float, gamma: float, rule: str
) -> None:
    """Apply (B.1) and (B.2): m <- (1-rho) m + rho m*, and the same for lam and the numbers of
    users.

    A newborn topic gets all users of its batch at once; otherwise `prune` would drop it right away.
    """
    star, star_rest = best_weights(tally.tables, gamma, rule)
    state.weight = (1.0 - rho) * state.weight + rho * star
    state.rest = (1.0 - rho) * state.rest + rho * star_rest
    state.lam.blend(rho, draws.words, tally.words)
    n_old = len(state.users)
    users = (1.0 - rho) * state.users + rho * tally.docs[:n_old]
    state.users = np.concatenate((users, tally.docs[n_old:]))


def prune(state: Partition) -> tuple[Event, ...]:
    """Drop topics that fewer than one document uses; return their ends (section 7.1).

    Their weight joins the rest.
    """
    keep = in_use(state.users)
    if keep.all():
        return ()
    gone = state.topic_ids[~keep]
    state.rest += float(state.weight[~keep].sum())
    state.lam.keep(keep)
    state.weight, state.users = state.weight[keep], state.users[keep]
    state.topic_ids = state.topic_ids[keep]
    return tuple(Event("prune", parents=(int(i),)) for i in gone)


def mass_objective(mass: float, doc_lengths: F64, times: float, gamma: float) -> float:
    """Return the terms of equation (B.4) that equation 12 lacks; `times` is J / S.

    Appendix C.7 prints +mu where the law Gamma(gamma, 1) of the mass has -mu, and the paper's
    gradient is that of -mu.
    """
    of_docs = float((gammaln(mass) - gammaln(mass + doc_lengths)).sum())
    return (gamma - 1.0) * math.log(mass) - mass + times * of_docs


def mass_gradient(
    mass: float, tables: float, doc_lengths: F64, times: float, gamma: float
) -> float:
    """Return the derivative in mu of (B.4), equation (B.7), where `tables` is sum_k c_k."""
    expected = times * float((digamma(mass + doc_lengths) - digamma(mass)).sum())
    return (gamma - 1.0 + tables) / mass - 1.0 - expected


def growth_factor(eta: float) -> float:
    """Return V exp(psi(eta) - psi(V eta)), V large: a new topic's probability against 1/V."""
    return math.exp(float(digamma(eta))) / eta


def growth_caution(eta: float, new_topic_word: str) -> str:
    """Return a warning if small eta keeps topics from being found or from growing, else ""."""
    factor = growth_factor(eta)
    if factor >= HARDLY_GROWS:
        return ""
    law = f"the method gives a word that a topic has not seen exp(E ln beta), at eta = {eta:g} only"
    if new_topic_word == "uniform":
        return (
            f"New topics will hardly grow beyond the word that opened them: {law} {factor:.0e} "
            "times what the model itself gives it. Take eta of 0.5 or more."
        )
    return (
        f"Hardly any new topic will be found: {law} {factor:.0e} times the 1/V that the model "
        "itself gives it. Take eta of 0.5 or more."
    )


def partition_topics(state: Partition, gamma: float) -> Topics:
    """Return the posterior in fresh arrays."""
    return Topics(
        topic_word=state.lam.expected(),
        total=state.lam.total,
        size=state.lam.size,
        weight=state.weight.copy(),
        unseen=state.rest,
        topic_ids=state.topic_ids.copy(),
        concentration=state.concentration,
        gamma=gamma,
        eta=state.lam.eta,
    )
