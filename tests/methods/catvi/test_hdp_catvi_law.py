"""The local law of CATVI: its sampler against enumeration."""

import math
from collections import Counter

import numba
import numpy as np
import pytest
from scipy.special import digamma

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.kernels import catvi as kernels
from bnpexplorer.kernels.dirichlet import exp_shifted
from bnpexplorer.kernels.tuples import Prior, Sweeps, Tokens, TopicFactors
from bnpexplorer.methods.catvi import partition as catvi
from bnpexplorer.methods.catvi.partition import Partition
from tests.twins.catvi import Given, joint_law, path_law

LAM = ((1.5, 0.5, 0.7), (0.3, 2.2, 0.6), (0.9, 0.9, 1.4))


def given(n_topics=1, rest=0.4, gamma=1.7, alpha=0.9, eta=0.6, **options) -> Given:
    share = np.arange(1, n_topics + 1) / max(sum(range(1, n_topics + 1)), 1)
    weight = tuple(((1.0 - rest) * share).tolist())
    return Given(LAM[:n_topics], weight, rest, gamma, alpha, eta, 3, **options)


def partition(g: Given, n_docs: int = 10) -> Partition:
    lam = Dirichlets.empty(g.n_words, g.eta)
    if g.lam:
        lam = Dirichlets.from_excess(np.array(g.lam) - g.eta, g.eta)
    n = len(g.weight)
    return Partition(
        lam, np.array(g.weight), g.rest, np.full(n, 5.0), np.arange(n), n, n_docs, g.alpha
    )


@numba.njit
def many_samples(n_samples, tokens, factors, prior, eta, sweeps, warm, room, rng):
    """The last kept draw of many independent batches, and how many topics each opened."""
    topics = np.empty((n_samples, tokens.word.size), np.int32)
    opened = np.empty(n_samples, np.int64)
    for i in range(n_samples):
        draws, new_weight, new_rest = kernels.sample_documents(
            tokens, factors, prior, eta, sweeps, warm, room, rng
        )
        if abs(new_weight.sum() + new_rest - 1.0) > 1e-12:
            raise RuntimeError("weights do not sum to 1")
        topics[i], opened[i] = draws[-1], new_weight.size - factors.weight.size
    return topics, opened


def arguments(g: Given, docs: list[list[int]]):
    """What `sample` hands to the kernel, for words in their order."""
    state, n_old = partition(g), len(g.weight)
    logs = np.empty((g.n_words, n_old + 2))
    logs[:, :n_old] = state.lam.expected_log(np.arange(g.n_words, dtype=np.int32))
    logs[:, n_old] = digamma(g.eta) - digamma(g.n_words * g.eta)
    logs[:, n_old + 1] = math.log(g.opening_factor())
    factor, shift = exp_shifted(logs, kernels.FLOOR)
    doc_start = np.cumsum([0, *map(len, docs)])
    tokens = np.array([w for doc in docs for w in doc], np.int32)
    factors = TopicFactors(factor, shift, state.weight, g.rest)
    return Tokens(doc_start, tokens), factors, Prior(g.alpha, g.gamma, g.n_words), g.eta


def frequencies(rows) -> Counter:
    observed: Counter = Counter()
    found, counts = np.unique(rows, axis=0, return_counts=True)
    for row, n in zip(found.tolist(), counts, strict=True):
        observed[tuple(row)] += n / len(rows)
    return observed


def distance(law: dict, observed: Counter) -> float:
    """Total variation."""
    return 0.5 * sum(abs(law.get(z, 0.0) - observed[z]) for z in law.keys() | observed.keys())


def noise(law: dict, n: int) -> float:
    """The mean distance between `law` and the frequencies of `n` independent draws from it."""
    p = np.array(list(law.values()))
    return 0.5 * float(np.sqrt(2.0 * p * (1.0 - p) / (np.pi * n)).sum())


# --- the local law -----------------------------------------------------------------------------


@pytest.mark.second
@pytest.mark.parametrize("n_topics", [2, 3])
def test_with_known_topics_the_sampler_has_the_law_of_the_enumeration(n_topics):
    """One document, 400,000 sweeps: the Monte Carlo error is near 0.004 in distance."""
    g = given(n_topics, rest=0.0)
    doc = [0, 1, 1, 2, 0]
    draws, weight, rest = kernels.sample_documents(
        *arguments(g, [doc]), Sweeps(20, 400_000), True, 8, np.random.default_rng(0)
    )
    assert rest == 0.0
    assert weight.tolist() == list(g.weight)
    assert distance(joint_law(g, doc), frequencies(draws)) < 0.01


OPTIONS = [
    {},
    {"warm": False},
    {"uniform": True, "eta": 0.2},
    {"n_topics": 0, "rest": 1.0},
    {"n_topics": 2, "gamma": 0.5, "alpha": 2.5, "eta": 0.8},
]


@pytest.mark.second
@pytest.mark.parametrize("options", OPTIONS, ids=["warm", "cold", "uniform", "empty", "two"])
def test_opening_topics_follows_all_histories_of_the_enumeration(options):
    """Two documents of two sweeps, 200,000 batches: the mean number has standard error 0.003."""
    g = given(**options)
    docs = [[0, 0], [0, 1]]
    law = path_law(g, docs, n_sweeps=2)
    assert sum(law.values()) == pytest.approx(1.0)
    topics, opened = many_samples(
        200_000, *arguments(g, docs), Sweeps(0, 1), g.warm, 8, np.random.default_rng(1)
    )
    exact = sum(p * n for (_, n), p in law.items())
    assert opened.mean() == pytest.approx(exact, abs=0.01)
    observed = frequencies(np.column_stack([topics, opened]))
    flat = {(*z, n): p for (z, n), p in law.items()}
    assert sum(p for z, p in flat.items() if z[-1] > 0) > 0.02

    assert distance(flat, observed) < 1.2 * noise(flat, 200_000)


@pytest.mark.second
def test_the_batch_is_handed_to_the_kernel_as_it_should():
    """`sample` on a corpus against the enumeration: 6,000 batches of one document."""
    for uniform in (False, True):
        g = given(2, eta=0.2, uniform=uniform, warm=not uniform)
        law = path_law(g, [[0, 2, 2]], n_sweeps=2)
        state, rng = partition(g), np.random.default_rng(2)
        docs = Corpus.from_csr(np.array([[1, 0, 2]]))
        rule = catvi.NEW_TOPIC_WORDS[uniform]
        rows = []
        for _ in range(6000):
            draws = catvi.sample(state, docs, g.gamma, rule, Sweeps(0, 1), g.warm, rng)
            rows.append([*draws.topics[0], len(draws.weight) - 2])
        flat = {(*z, n): p for (z, n), p in law.items()}

        assert distance(flat, frequencies(rows)) < 1.2 * noise(flat, 6000)


@pytest.mark.second
@pytest.mark.parametrize("uniform", [False, True])
def test_opening_follows_the_enumeration_where_psi_of_the_prior_is_huge(uniform):
    """psi(V eta) = -333: a topic's share would be 1e130 (the most there is) times exp(-333).

    6,000 batches. A token joins the topic that its word opened and none that another word opened.
    """
    g = given(0, rest=1.0, eta=1e-3, uniform=uniform)
    law = path_law(g, [[0, 0, 1], [0, 1]], n_sweeps=2)
    state, rng = partition(g), np.random.default_rng(3)
    docs = Corpus.from_csr(np.array([[2, 1, 0], [1, 1, 0]]))
    rows = []
    for _ in range(6000):
        rule = catvi.NEW_TOPIC_WORDS[uniform]
        draws = catvi.sample(state, docs, g.gamma, rule, Sweeps(0, 1), True, rng)
        rows.append([*draws.topics[0], len(draws.weight)])
    flat = {(*z, n): p for (z, n), p in law.items()}
    assert distance(flat, frequencies(rows)) < 1.2 * noise(flat, 6000)


def test_a_topic_keeps_the_word_that_opened_it_at_the_smallest_eta():
    """Words no topic knew open one topic each, and their other tokens join it, as if certain."""
    docs = Corpus.from_csr(np.array([[3, 2, 0, 4]]))
    for eta in (1e-6, 1e-5, 1e-4, 1e-3):
        g = given(0, rest=1.0, eta=eta)
        state = partition(g)
        state.lam = Dirichlets.empty(4, eta)
        draws = catvi.sample(
            state, docs, g.gamma, "expected-log", Sweeps(20, 1), True, np.random.default_rng(0)
        )
        assert draws.topics[0].tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 2]
        assert len(draws.weight) == 3


def test_burn_in_only_decides_which_sweeps_are_kept():
    g = given(2, eta=0.5)
    one, other = (
        kernels.sample_documents(
            *arguments(g, [[0, 1, 1, 2, 0, 2]]),
            Sweeps(burn_in, n_kept),
            True,
            8,
            np.random.default_rng(5),
        )
        for burn_in, n_kept in ((0, 6), (4, 2))
    )
    assert np.array_equal(one[0][4:], other[0])
    assert np.array_equal(one[1], other[1])
