"""The local law of hdp-tsvi: its sampler against enumeration and a second sampler."""

from collections import Counter

import numba
import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.inference.local_sample import LocalSample
from bnpexplorer.inference.sticks import expected_weights
from bnpexplorer.kernels import hdp_collapsed as kernels
from bnpexplorer.kernels import tuples
from bnpexplorer.kernels.openings import no_openings
from bnpexplorer.kernels.tuples import Slots, Tokens, WordCounts
from bnpexplorer.methods.hdp_tsvi import HdpTsvi, State
from bnpexplorer.models.hdp import HDP
from tests.tools.gibbs import largest_gap, law_moments, mean_and_error, total_variation
from tests.twins.hdp import Prior, RestaurantSampler, canonical, enumerate_law

ONE_TOPIC = Prior(((1.5, 0.5, 0.7),), (2.2,), (1.7,), 0.8, 0.9, 0.4, 3)
TWO_TOPICS = Prior(
    ((0.3, 0.2, 2.2, 0.6), (1.1, 0.4, 0.2, 0.9)), (1.6, 1.3), (4.1, 3.5), 3.0, 0.6, 0.25, 4
)


def local_sample(prior: Prior, docs: list[list[int]]) -> LocalSample:
    """A batch ready to be seated; words keep their order within documents."""
    n_old = len(prior.u)
    lam = np.array(prior.lam).reshape(n_old, prior.n_words).T.copy()
    mean = np.array(prior.u) / (np.array(prior.u) + np.array(prior.v))
    left = np.cumprod(np.append(1.0, 1 - mean))
    tokens = np.array([w for doc in docs for w in doc], np.int32)
    slots = Slots(
        n_old,
        total=lam.sum(axis=0),
        tokens=np.zeros(n_old, np.int64),
        weight=mean * left[:-1],
        rest=left[-1:],
        free=np.zeros(n_old, np.int64),
        n_free=np.zeros(1, np.int64),
        kept=np.zeros(n_old, bool),
    )
    local = LocalSample(
        words=np.arange(prior.n_words, dtype=np.int32),
        tokens=Tokens(np.cumsum([0, *map(len, docs)]), tokens),
        topic=np.full(len(tokens), -1, np.int32),
        counts=WordCounts(lam, np.zeros((prior.n_words, n_old))),
        slots=slots,
        openings=no_openings(n_old, n_old),
        tables=np.zeros(n_old),
        table_stats=np.zeros(n_old),
    )
    local.make_room(1, prior.eta, prior.n_words)
    return local


def test_each_document_that_begins_alone_takes_a_share_of_what_is_left():
    """Beta(1, gamma) of the rest, one stick after the other; no share of known topics changes."""
    local = local_sample(TWO_TOPICS, [[0, 1], [2], [], [3, 3, 3]])
    known, left = local.slots.weight[:2].copy(), local.slots.rest[0]
    replayed, expected = np.random.default_rng(4), []
    for _ in range(3):
        expected.append(left * replayed.beta(1.0, 3.0))
        left -= expected[-1]
    prior = tuples.Prior(0.6, 3.0, 4)
    local.seat_alone(np.ones(4, bool), 0.25, prior, np.random.default_rng(4))
    slots = local.topic[[0, 2, 3]]
    assert local.topic.tolist() == slots[[0, 0, 1, 2, 2, 2]].tolist()
    assert len({*slots.tolist(), 0, 1}) == 5, "known topics are nobody's own"
    np.testing.assert_allclose(local.slots.weight[slots], expected, rtol=1e-12)
    np.testing.assert_allclose(local.slots.rest, [left], rtol=1e-12)
    np.testing.assert_array_equal(local.slots.weight[:2], known)
    assert local.slots.total[slots].tolist() == [1.0 + 2, 1.0 + 1, 1.0 + 3], "four words of 0.25"


@numba.njit
def many_sweeps(
    n_sweeps,
    tokens,
    topic,
    words,
    slots,
    tables,
    sticks_a,
    sticks_b,
    prior,
    start,
    means,
    counting,
    rng,
):
    """The chain of the method's local step; the topics and tables after every sweep.

    `start`, `means` and `counting` are arguments because kernels have one compiled signature, and
    constants in compiled code have types of their own.
    """
    topics = np.empty((n_sweeps, topic.size), np.int32)
    all_tables = np.empty((n_sweeps, tables.size))
    for i in range(n_sweeps):
        done = start
        while done < topic.size:
            done, opened = kernels.resample_tokens(
                tokens, topic, words, slots, prior, counting, done, rng
            )
            if done < topic.size and opened < 0:
                raise RuntimeError("no slot was free")
        weight, rest = slots.weight, slots.rest
        kernels.seat_tables(tokens.doc_start, topic, weight, prior.alpha, means, tables, rng)
        kernels.draw_weights(sticks_a, sticks_b, prior.gamma, tables, weight, rest, rng)
        topics[i], all_tables[i] = topic, tables
    return topics, all_tables


def run_chain(prior: Prior, docs: list[list[int]], n_sweeps: int, seed: int):
    local = local_sample(prior, docs)
    local.make_room(local.topic.size + 8, prior.eta, prior.n_words)
    return many_sweeps(
        n_sweeps,
        local.tokens,
        local.topic,
        local.counts,
        local.slots,
        local.tables,
        np.array(prior.u),
        np.array(prior.v),
        tuples.Prior(prior.alpha, prior.gamma, prior.n_words),
        0,
        False,
        kernels.COUNT_NOTHING,
        np.random.default_rng(seed),
    )


def frequencies(topics: np.ndarray, n_old: int) -> Counter:
    rows, counts = np.unique(topics, axis=0, return_counts=True)
    result: Counter = Counter()
    for row, n in zip(rows, counts, strict=True):
        result[canonical(row.tolist(), n_old)] += n / len(topics)
    return result


def moments(topics: np.ndarray, n_old: int) -> np.ndarray:
    """Of seatings (rows): pairs that share a topic, tokens in old topics, numbers of new topics."""
    i, j = np.triu_indices(topics.shape[1], 1)
    order = np.sort(topics, axis=1)
    first = np.diff(order, axis=1, prepend=-1) > 0
    new = (first & (order >= n_old)).sum(axis=1)
    old = [topics == k for k in range(n_old)]
    return np.column_stack([topics[:, i] == topics[:, j], *old, new, new**2]).astype(float)


def moments_of(n_old: int):
    return lambda z: moments(np.array([z]), n_old)[0]


def n_new(topics: tuple[int, ...], n_old: int) -> int:
    return len({k for k in topics if k >= n_old})


# --- the local law -----------------------------------------------------------------------------


def test_enumeration_gives_the_known_numbers():
    law, _ = enumerate_law(ONE_TOPIC, [[0, 0, 1], [1, 2]])
    assert len(law) == 203
    assert sum(p * n_new(z, 1) for z, p in law.items()) == pytest.approx(1.2132668429, abs=1e-9)
    assert law[0, 0, 0, 0, 0] == pytest.approx(0.1647671593, abs=1e-9)


@pytest.mark.second
@pytest.mark.parametrize(
    ("prior", "docs"),
    [(ONE_TOPIC, [[0, 0, 1], [1, 2]]), (TWO_TOPICS, [[3, 1, 1], [2, 1]])],
    ids=["one topic", "two topics"],
)
def test_the_sampler_has_the_law_of_the_enumeration(prior, docs):
    """400,000 sweeps: some 20 means within 4 standard errors, each below 0.004; the distance too.

    Moments are of pairs that share a topic, of tokens in every old topic, of topics, of tables.
    """
    n_old = len(prior.u)
    law, tables = enumerate_law(prior, docs)
    drawn, drawn_tables = run_chain(prior, docs, 400_000, seed=1)
    assert largest_gap(moments(drawn, n_old), law_moments(law, moments_of(n_old))) < 4.0
    assert largest_gap(drawn_tables[:, :n_old], tables) < 4.0
    assert total_variation(law, frequencies(drawn, n_old)) < 0.01


@pytest.mark.second
def test_the_restaurant_sampler_has_the_same_law():
    """The slow twin, here against the enumeration: 5,000 sweeps, 4 standard errors."""
    docs = [[0, 0, 1], [1, 2]]
    law, _ = enumerate_law(ONE_TOPIC, docs)
    twin = RestaurantSampler(ONE_TOPIC, docs, np.random.default_rng(2))
    rows = []
    for _ in range(5000):
        twin.sweep()
        rows.append(twin.topics)
    assert largest_gap(moments(np.array(rows), 1), law_moments(law, moments_of(1))) < 4.0
    assert total_variation(law, frequencies(np.array(rows), 1)) < 0.07


@pytest.mark.second
def test_both_samplers_agree_where_nothing_can_be_enumerated():
    """Four documents, 24 tokens: means of chains that share no code, within 4 standard errors."""
    rng = np.random.default_rng(5)
    docs = [sorted(rng.integers(0, 4, n).tolist()) for n in (9, 7, 5, 3)]
    topics, tables = run_chain(TWO_TOPICS, docs, 60_000, seed=3)
    twin = RestaurantSampler(TWO_TOPICS, docs, rng)
    twin_topics, twin_tables = [], []
    for _ in range(1500):
        twin.sweep()
        twin_topics.append(twin.topics)
        counts = twin.tables
        twin_tables.append([counts[0], counts[1], sum(counts.values())])

    def statistics(z: np.ndarray, s: np.ndarray) -> np.ndarray:
        new = [len(set(row[row >= 2])) for row in z]
        return np.column_stack([z == 0, z == 1, z[:, :1] == z[:, 1:], s, new]).astype(float)

    fast_tables = np.column_stack([tables[:, 0], tables[:, 1], tables.sum(axis=1)])
    fast = statistics(topics, fast_tables)
    slow = statistics(np.array(twin_topics), np.array(twin_tables))
    assert fast.shape[1] == slow.shape[1] == 24 + 24 + 23 + 4
    (a, error_a), (b, error_b) = mean_and_error(fast), mean_and_error(slow)
    assert np.all(np.abs(a - b) < 4.5 * np.hypot(error_a, error_b) + 1e-3)


@pytest.mark.second
def test_a_single_token_is_seated_with_its_exact_law():
    """S = 1, one token: q(k) = E pi_k lam_kw / Lam_k, and E pi_rest / V for a new topic."""
    lam = Dirichlets.from_excess(np.array([[0.2, 1.0, 3.0], [2.0, 0.1, 0.4]]), 0.3)
    method = HdpTsvi(HDP(gamma=2.0, alpha=0.7, eta=0.3), burn_in=0, kept_sweeps=1)
    state = State(method.model, lam, np.array([3.0, 1.5]), np.arange(2), 2, n_docs=10)
    docs = Corpus.from_csr(np.array([[0, 1, 0]]))
    a, b = np.array([4.0, 2.5]), np.array([2.0 + 1.5, 2.0])
    first, second = a / (a + b)
    p = np.array([first * 1.3 / 5.1, (1 - first) * second * 0.4 / 3.4, 0.0])
    p[2] = (1 - first) * (1 - second) / 3
    p /= p.sum()
    rng = np.random.default_rng(0)
    n, drawn = 10_000, np.zeros(3)
    for _ in range(n):
        weight, unseen = expected_weights(state.n, 2.0, truncated=False)
        local = LocalSample.unseated(lam, weight, unseen, docs)
        kernels.resample_tokens(
            local.tokens,
            local.topic,
            local.counts,
            local.slots,
            tuples.Prior(0.7, 2.0, docs.n_words),
            kernels.COUNT_NOTHING,
            0,
            rng,
        )
        drawn[min(local.topic[0], 2)] += 1 / n
    assert np.all(np.abs(drawn - p) < 4.0 * np.sqrt(p * (1 - p) / n)), "4 standard errors: 0.02"


@pytest.mark.second
@pytest.mark.parametrize("counts", ["expected", "drawn"])
def test_a_step_of_one_document_has_the_exact_law(counts):
    """The whole local step, seating and sweeps: E of its statistics against the enumeration.

    4,000 independent steps; 4 standard errors are 3 % of tables and of tokens.
    """
    lam = Dirichlets.from_excess(np.array([[0.2, 1.0, 3.0]]), 0.3)
    model = HDP(gamma=5.0, alpha=0.6, eta=0.3)
    state = State(model, lam, np.array([1.5]), np.arange(1), 1, n_docs=10)
    method = HdpTsvi(model, burn_in=4, kept_sweeps=2, counts=counts)
    docs = Corpus.from_csr(np.array([[2, 1, 0]]))
    prior = Prior(((0.5, 1.3, 3.3),), (2.5,), (5.0,), 5.0, 0.6, 0.3, 3)
    law, tables = enumerate_law(prior, [[0, 0, 1]])
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(4000):
        local = method.sample(state, docs, rng)
        drawn.append([*local.counts.stats[:2, 0], local.table_stats[0]])
    exact = [
        sum(p * ((z[0] == 0) + (z[1] == 0)) for z, p in law.items()),
        sum(p * (z[2] == 0) for z, p in law.items()),
        tables[0],
    ]
    error = np.std(drawn, axis=0) / np.sqrt(4000)
    assert np.all(np.abs(np.mean(drawn, axis=0) - exact) < 4.0 * error)


@pytest.mark.second
@pytest.mark.parametrize(
    ("gamma", "alpha", "alone"), [(6.0, 1.5, 0.0), (0.4, 3.0, 0.0), (6.0, 1.5, 1.0)]
)
def test_a_first_step_opens_as_many_topics_as_it_should(gamma, alpha, alone):
    """From no topics: the tail's own weights decide how many topics two documents share.

    2,000 steps; 15 pairs of tokens and the number of topics within 4 standard errors: 2 % of it.
    30 sweeps to forget the first seating: after 5 there were still 2 % too few topics.
    """
    docs = Corpus.from_csr(np.array([[2, 1, 0], [0, 1, 2]]))
    law, _ = enumerate_law(Prior((), (), (), gamma, alpha, 0.3, 3), [[0, 0, 1], [1, 2, 2]])
    method = HdpTsvi(HDP(gamma, alpha, 0.3), burn_in=30, kept_sweeps=1, alone=alone)
    rng = np.random.default_rng(2)
    state = method.init(docs, rng)
    drawn = np.array([method.sample(state, docs, rng).topic for _ in range(2000)])
    assert largest_gap(moments(drawn, 0), law_moments(law, moments_of(0))) < 4.0


# --- tables ------------------------------------------------------------------------------------


def test_tables_are_counted_by_document_and_topic():
    topic = np.array([0, 0, 2, 0, 2, 2, 2, 1], np.int32)
    doc_start, weight = np.array([0, 3, 8]), np.array([0.5, 0.2, 0.3])
    rng, tables = np.random.default_rng(0), np.empty(3)
    kernels.seat_tables(doc_start, topic, weight, 2.0, True, tables, rng)
    mean = [
        [kernels.mean_table_count(n, 2.0 * w) if n else 0.0 for n, w in zip(row, weight, strict=1)]
        for row in ([2, 0, 1], [1, 1, 3])
    ]
    assert tables == pytest.approx(np.sum(mean, axis=0))
    drawn = []
    for _ in range(20_000):
        kernels.seat_tables(doc_start, topic, weight, 2.0, False, tables, rng)
        drawn.append(tables.copy())
    error = np.std(drawn, axis=0) / np.sqrt(20_000)
    assert np.all(np.abs(np.mean(drawn, axis=0) - np.sum(mean, axis=0)) <= 4.0 * error + 1e-12)
