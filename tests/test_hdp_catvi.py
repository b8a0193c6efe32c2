"""CATVI for the HDP: the local law, the weights' objective, the global step, what it learns."""

import copy
import math
from collections import Counter

import numba
import numpy as np
import pytest
from naive_catvi import Given, Topic, global_step, joint_law, path_law, ten_bars
from scipy.special import digamma, gammaln

from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.kernels import catvi as kernels
from bnpexplorer.kernels.dirichlet import exp_shifted
from bnpexplorer.kernels.tables import mean_table_count
from bnpexplorer.methods.hdp_catvi import HdpCatvi
from bnpexplorer.models import catvi
from bnpexplorer.models.catvi import Draws, Partition
from bnpexplorer.models.dirichlet import Dirichlets
from bnpexplorer.models.hdp import HDP

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
def many_samples(
    n_samples, doc_start, token_word, factor, shift, weight, rest, alpha, gamma, eta, n_words,
    burn_in, n_kept, warm, room, rng,
):  # fmt: skip
    """The last kept draw of many independent batches, and how many topics each opened."""
    topics = np.empty((n_samples, token_word.size), np.int32)
    opened = np.empty(n_samples, np.int64)
    for i in range(n_samples):
        draws, new_weight, new_rest = kernels.sample_documents(
            doc_start, token_word, factor, shift, weight, rest, alpha, gamma, eta, n_words,
            burn_in, n_kept, warm, room, rng,
        )  # fmt: skip
        if abs(new_weight.sum() + new_rest - 1.0) > 1e-12:
            raise RuntimeError("weights do not sum to 1")
        topics[i], opened[i] = draws[-1], new_weight.size - weight.size
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
    return doc_start, tokens, factor, shift, state.weight, g.rest, g.alpha, g.gamma, g.eta


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


@pytest.mark.parametrize("n_topics", [2, 3])
def test_with_known_topics_the_sampler_has_the_law_of_the_enumeration(n_topics):
    """One document, 400,000 sweeps: the Monte Carlo error is near 0.004 in distance."""
    g = given(n_topics, rest=0.0)
    doc = [0, 1, 1, 2, 0]
    draws, weight, rest = kernels.sample_documents(
        *arguments(g, [doc]), 3, 20, 400_000, True, 8, np.random.default_rng(0)
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


@pytest.mark.parametrize("options", OPTIONS, ids=["warm", "cold", "uniform", "empty", "two"])
def test_opening_topics_follows_all_histories_of_the_enumeration(options):
    """Two documents of two sweeps, 200,000 batches: the mean number has standard error 0.003."""
    g = given(**options)
    docs = [[0, 0], [0, 1]]
    law = path_law(g, docs, n_sweeps=2)
    assert sum(law.values()) == pytest.approx(1.0)
    topics, opened = many_samples(
        200_000, *arguments(g, docs), 3, 0, 1, g.warm, 8, np.random.default_rng(1)
    )
    exact = sum(p * n for (_, n), p in law.items())
    assert opened.mean() == pytest.approx(exact, abs=0.01)
    observed = frequencies(np.column_stack([topics, opened]))
    flat = {(*z, n): p for (z, n), p in law.items()}
    assert sum(p for z, p in flat.items() if z[-1] > 0) > 0.02

    assert distance(flat, observed) < 1.2 * noise(flat, 200_000)


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
            draws = catvi.sample(state, docs, g.gamma, rule, 0, 1, g.warm, rng)
            rows.append([*draws.topics[0], len(draws.weight) - 2])
        flat = {(*z, n): p for (z, n), p in law.items()}

        assert distance(flat, frequencies(rows)) < 1.2 * noise(flat, 6000)


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
        draws = catvi.sample(state, docs, g.gamma, rule, 0, 1, True, rng)
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
            state, docs, g.gamma, "expected-log", 20, 1, True, np.random.default_rng(0)
        )
        assert draws.topics[0].tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 2]
        assert len(draws.weight) == 3


def test_burn_in_only_decides_which_sweeps_are_kept():
    g = given(2, eta=0.5)
    one, other = (
        kernels.sample_documents(
            *arguments(g, [[0, 1, 1, 2, 0, 2]]), 3, burn_in, n_kept, True, 8,
            np.random.default_rng(5),
        )
        for burn_in, n_kept in ((0, 6), (4, 2))
    )  # fmt: skip
    assert np.array_equal(one[0][4:], other[0])
    assert np.array_equal(one[1], other[1])


def random_corpus(seed: int, n_docs: int, n_words: int, length: float) -> Corpus:
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_words, 0.2), 6)
    lengths = rng.poisson(length, n_docs) + 1
    theta = rng.dirichlet(np.full(6, 0.3), n_docs)
    return Corpus.from_csr(
        np.stack([rng.multinomial(n, t @ topics) for n, t in zip(lengths, theta, strict=True)])
    )


def test_room_for_opened_topics_has_no_influence(monkeypatch):
    corpus = random_corpus(4, 20, 30, 40.0)
    method = HdpCatvi(HDP(300.0, 30.0, 2.0), start_topics=0, burn_in=1, kept_sweeps=2)
    results = []
    for room in (0, 1, 1000):
        monkeypatch.setattr(catvi, "ROOM", room)
        state = method.init(corpus, np.random.default_rng(0))
        draws = catvi.sample(
            state, corpus, 300.0, "expected-log", 1, 2, True, np.random.default_rng(1)
        )
        results.append(draws)
    for other in results[1:]:
        assert np.array_equal(results[0].topics, other.topics)
        assert np.array_equal(results[0].weight, other.weight)
    assert len(results[0].weight) > 60


def test_words_that_no_topic_knows_are_drawn_safely_at_tiny_eta():
    """exp(psi(1e-4)) is 0 in a double: only ratios may be formed."""
    corpus = random_corpus(0, 12, 20, 15.0)
    for start in (0, 3):
        for rule in catvi.NEW_TOPIC_WORDS:
            method = HdpCatvi(
                HDP(5.0, 5.0, 1e-4), start_topics=start, new_topic_word=rule, start="random"
            )
            state, rng = method.init(corpus, np.random.default_rng(0)), np.random.default_rng(1)
            for _ in range(4):
                state, _ = method.step(state, take_batch(corpus, np.arange(12)), rng, None)
            assert np.all(np.isfinite(method.topics(state).topic_word))
            assert len(state.weight) > 0


# --- tables, weights, objective ------------------------------------------------------------------


def draws_with(counts: np.ndarray) -> Draws:
    """Draws whose sweeps t give document s the numbers `counts[t, s, k]` of tokens in topic k."""
    rows = [
        [k for doc in sweep for k in np.repeat(np.arange(counts.shape[2]), doc)] for sweep in counts
    ]
    lengths = counts[0].sum(axis=1)
    topics = np.array(rows, np.int32)
    words = np.zeros(topics.shape[1], np.int32)
    start = np.concatenate(([0], np.cumsum(lengths)))
    return Draws(words[:1], start, words, topics, np.zeros(counts.shape[2]), 0.0)


def weighted(weight, rest, concentration, n_docs) -> Partition:
    n = len(weight)
    lam = Dirichlets.from_excess(np.ones((n, 1)), 0.5)
    return Partition(
        lam, np.array(weight), rest, np.ones(n), np.arange(n), n, n_docs, concentration
    )


def test_the_known_numbers():
    draws = draws_with(np.array([[[3, 0], [1, 2]]]))
    state = weighted([0.5, 0.3], 0.2, 5.0, n_docs=10)
    tally = catvi.count(state, draws)
    assert tally.scale == 5.0
    assert tally.tables == pytest.approx([16.34920635, 8.0], abs=1e-8)
    assert tally.docs.tolist() == [10.0, 5.0]
    star, rest = catvi.best_weights(tally.tables, 5.0, "map")
    assert [rest, *star] == pytest.approx([0.15180723, 0.58253012, 0.26566265], abs=1e-8)
    star, rest = catvi.best_weights(tally.tables, 5.0, "mean")
    assert [rest, *star] == pytest.approx([0.17036236, 0.55705787, 0.27257977], abs=1e-8)
    star, rest = catvi.best_weights(tally.tables, 5.0, "jacobian")
    assert rest / star[1] == pytest.approx(6.0 / 7.0)
    printed = 5.0 * math.log(0.2) - sum(map(math.log, (0.2, 0.5, 0.3)))  # equation 12, k from 0
    for b, n in ((2.5, 3), (2.5, 1), (1.5, 2)):
        printed += 5.0 * (gammaln(b + n) - gammaln(b))
    assert catvi.objective(state, tally, 5.0, "map") == pytest.approx(printed)


@pytest.mark.parametrize("concentration", [1e-9, 1e-4, 0.3, 5.0, 400.0])
def test_expected_tables_by_digamma_and_by_the_sum(concentration):
    for n in (1, 2, 7, 64, 65, 500):
        ours = mean_table_count(n, concentration)
        slow = sum(concentration / (concentration + j) for j in range(n))
        assert ours == pytest.approx(slow, rel=1e-10)
        if concentration > 1e-3:
            by_digamma = concentration * (digamma(concentration + n) - digamma(concentration))
            assert ours == pytest.approx(by_digamma, rel=1e-9)


def softmax_state(theta: np.ndarray, concentration: float) -> Partition:
    m = np.exp(theta - theta.max())
    m /= m.sum()
    return weighted(m[1:], float(m[0]), concentration, n_docs=12)


@pytest.mark.parametrize("rule", catvi.G0_RULES)
def test_the_step_on_weights_follows_the_gradient(rule):
    """dL/dtheta = Lambda (m* - m) under softmax, by central differences."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, (3, 30))  # three sweeps, three documents of ten tokens
    draws = draws_with(
        np.array([[np.bincount(d, minlength=4) for d in r.reshape(3, 10)] for r in rows])
    )
    theta, gamma = rng.normal(size=5), 2.6

    def value(theta: np.ndarray) -> float:
        state = softmax_state(theta, 3.0)
        return catvi.objective(state, catvi.count(state, draws), gamma, rule)

    state = softmax_state(theta, 3.0)
    tally = catvi.count(state, draws)
    star, star_rest = catvi.best_weights(tally.tables, gamma, rule)
    assert tally.tables.min() > 1.0
    assert star.sum() + star_rest == pytest.approx(1.0)
    of_rest, of_topic = catvi.exponents(rule, gamma, 4)
    total = of_rest + (tally.tables + of_topic).sum()
    ours = total * (np.array([star_rest, *star]) - np.array([state.rest, *state.weight]))
    step = 1e-5
    slopes = [(value(theta + step * e) - value(theta - step * e)) / (2 * step) for e in np.eye(5)]
    assert ours == pytest.approx(np.array(slopes), rel=1e-6, abs=1e-6)


def test_repeated_steps_on_weights_reach_the_maximum():
    """With the same draws the fixed point of m* has the largest objective around."""
    draws = draws_with(np.array([[[3, 0], [1, 2], [0, 4]]]))
    state = weighted([0.5, 0.3], 0.2, 5.0, n_docs=9)
    for _ in range(4000):
        star, rest = catvi.best_weights(catvi.count(state, draws).tables, 5.0, "map")
        state.weight, state.rest = 0.5 * (state.weight + star), 0.5 * (state.rest + rest)
    best = catvi.objective(state, catvi.count(state, draws), 5.0, "map")
    for move in np.random.default_rng(0).normal(0, 0.02, (30, 3)):
        m = np.array([state.rest, *state.weight]) * np.exp(move)
        other = weighted(m[1:] / m.sum(), m[0] / m.sum(), 5.0, n_docs=9)
        assert catvi.objective(other, catvi.count(other, draws), 5.0, "map") < best


@pytest.mark.parametrize("rule", catvi.G0_RULES)
def test_weights_stay_positive_where_the_formula_would_not_be(rule):
    for gamma in (1e-3, 1.0, 1.0 + 1e-9, 5.0):
        for tables in ([], [0.0], [0.3, 0.9], [0.0, 40.0]):
            star, rest = catvi.best_weights(np.array(tables), gamma, rule)
            assert np.all(star > 0)
            assert rest > 0
            assert star.sum() + rest == pytest.approx(1.0)
    star, rest = catvi.best_weights(np.array([3.0, 0.5]), 1.0, "map")  # the mean in its place
    assert [rest, *star] == pytest.approx([1 / 4.5, 3 / 4.5, 0.5 / 4.5])
    star, rest = catvi.best_weights(np.array([3.0, 0.5]), 5.0, "map")
    assert [rest, *star] == pytest.approx([4 / 6, 2 / 6, 0.0], abs=1e-9)


# --- the global step -----------------------------------------------------------------------------


def take_batch(corpus: Corpus, rows: np.ndarray) -> Batch:
    return Batch(corpus.take(rows), rows, 0, 1)


def dense(lam: Dirichlets) -> np.ndarray:
    """lam (K, V) as written in the docstring of `Dirichlets`."""
    return lam.eta + lam.scale * lam.stats[:, lam.slots].T


@pytest.mark.parametrize("start_topics", [0, 12])
@pytest.mark.parametrize("rule", catvi.G0_RULES)
def test_the_global_step_agrees_with_a_dense_twin(rule, start_topics):
    """Births, (B.1), (B.2), users and prunes from the same draws, over two passes."""
    corpus = random_corpus(0, 53, 40, 20.0)
    method = HdpCatvi(
        HDP(3.0, 4.0, 1.0),
        start_topics=start_topics,
        start="random",
        burn_in=1,
        kept_sweeps=2,
        g0_rule=rule,
    )
    rng = np.random.default_rng(1)
    state = method.init(corpus, rng)
    twin = {
        int(i): Topic(float(m), lam, float(u))
        for i, m, lam, u in zip(
            state.topic_ids, state.weight, dense(state.lam), state.users, strict=True
        )
    }
    rest, next_id, born, pruned = state.rest, start_topics, 0, 0
    for step in range(14):
        rows = np.arange(53)[8 * (step % 7) : 8 * (step % 7) + 8]
        batch = take_batch(corpus, rows)
        draws = catvi.sample(state, batch.docs, 3.0, "expected-log", 1, 2, True, copy.deepcopy(rng))
        state, info = method.step(state, batch, rng, None)

        ids = list(twin)
        used, rest = set(draws.topics.ravel().tolist()), draws.rest
        names = {}
        for place in range(len(draws.weight)):
            if place < len(ids):
                names[place] = ids[place]
            elif place in used:
                names[place] = next_id
                twin[next_id] = Topic(draws.weight[place], np.full(40, 1.0), None)
                next_id, born = next_id + 1, born + 1
            else:
                rest += draws.weight[place]
        ids = list(twin)
        edges = draws.doc_start[1:-1]
        sweeps = [
            [[ids.index(names[k]) for k in doc] for doc in np.split(sweep, edges)]
            for sweep in draws.topics
        ]
        docs = [draws.words[doc].tolist() for doc in np.split(draws.token_word, edges)]
        rho = (1.0 + step + 1) ** -0.7
        rest, _ = global_step(list(twin.values()), rest, sweeps, docs, 53, rho, 3.0, 4.0, 1.0, rule)
        gone = {i for i, topic in twin.items() if topic.users < 1.0}
        rest += sum(twin[i].m for i in gone)
        twin = {i: topic for i, topic in twin.items() if i not in gone}
        pruned += len(gone)
        assert {e.parents[0] for e in info.events if e.kind == "prune"} == gone
        assert list(twin) == state.topic_ids.tolist()
        assert state.rest == pytest.approx(rest, abs=1e-12)
        for mine, theirs in zip(
            twin.values(),
            zip(state.weight, dense(state.lam), state.users, strict=True),
            strict=True,
        ):
            assert theirs[0] == pytest.approx(mine.m, abs=1e-12)
            assert theirs[1] == pytest.approx(mine.lam, abs=1e-9)
            assert theirs[2] == pytest.approx(mine.users, abs=1e-9)
    assert born
    assert pruned


@pytest.mark.parametrize("seed", range(6))
def test_invariants_hold_over_random_steps(seed):
    rng = np.random.default_rng(seed)
    corpus = random_corpus(seed, 60, int(rng.integers(2, 50)), float(rng.integers(1, 30)))
    method = HdpCatvi(
        HDP(*rng.choice([0.05, 0.8, 20.0], 2), rng.choice([0.01, 0.5, 5.0])),
        start_topics=int(rng.integers(0, 30)),
        start=("random", "k-means")[seed % 2],
        burn_in=int(rng.integers(0, 3)),
        kept_sweeps=int(rng.integers(1, 3)),
        tau=float(rng.choice([0.0, 1.0, 64.0])),
        learn_alpha=bool(seed % 2),
        new_topic_word=catvi.NEW_TOPIC_WORDS[seed % 2],
        warm_new=seed % 3 > 0,
        g0_rule=catvi.G0_RULES[seed % 3],
    )
    state = method.init(corpus, rng)
    born, gone = set(), set()
    for _ in range(25):
        rows = rng.choice(60, int(rng.integers(1, 20)), replace=False)
        size, alive = state.lam.size.sum(), set(state.topic_ids.tolist())
        state, info = method.step(state, take_batch(corpus, rows), rng, None)
        births = {e.children[0] for e in info.events if e.kind == "birth"}
        pruned = {e.parents[0] for e in info.events if e.kind == "prune"}
        assert not births & (born | alive | gone)
        assert len(births) + len(pruned) == len(info.events)
        born, gone = born | births, gone | pruned
        assert set(state.topic_ids.tolist()) == (alive | births) - pruned
        topics = method.topics(state)
        assert topics.weight.sum() + topics.unseen == pytest.approx(1.0, abs=1e-9)
        assert np.all(topics.weight > 0)
        assert topics.topic_word.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
        assert np.all(state.users >= 1.0 - 1e-9)
        assert np.isfinite(info.scalars["objective"])
        rho = info.scalars["step size"]
        blended = (1 - rho) * size + rho * corpus.take(rows).n_tokens * 60 / len(rows)
        if not pruned:
            assert topics.size.sum() == pytest.approx(blended)


def test_the_objective_is_no_bound():
    corpus = random_corpus(1, 20, 20, 20.0)
    method = HdpCatvi(start_topics=5)
    state = method.init(corpus, np.random.default_rng(0))
    _, info = method.step(state, take_batch(corpus, np.arange(20)), np.random.default_rng(0), None)
    assert math.isnan(info.bound)
    assert "alpha" not in info.scalars


# --- what it learns ------------------------------------------------------------------------------


def run_passes(method, corpus: Corpus, batch_size: int, passes: int, seed: int):
    rng = np.random.default_rng(seed)
    state = method.init(corpus, rng)
    births = 0
    for _ in range(passes):
        order = rng.permutation(corpus.n_docs)
        for i in range(0, corpus.n_docs, batch_size):
            state, info = method.step(
                state, take_batch(corpus, order[i : i + batch_size]), rng, None
            )
            births += sum(e.kind == "birth" for e in info.events)
    return state, births


@pytest.mark.parametrize("start", ["k-means", "random", "nothing"])
def test_bars_are_recovered(bars, start):
    corpus, truth = bars
    if start == "nothing":  # a large gamma, so that much weight stays unseen
        method = HdpCatvi(HDP(20.0, 1.0, 0.5), start_topics=0)
    else:
        method = HdpCatvi(HDP(2.0, 2.0, 0.5), start_topics=20, start=start)
    topics = method.topics(run_passes(method, corpus, 50, 20, seed=1)[0])
    errors = 0.5 * np.abs(topics.topic_word[:, None, :] - truth).sum(axis=2)

    assert np.all(errors.min(axis=0) < 0.15)
    assert topics.weight[errors.min(axis=1) < 0.15].sum() > 0.8


def test_topics_are_found_only_where_eta_is_not_small(bars):
    """exp(psi(0.01) - psi(25 * 0.01)) is 1e-41: the paper's rule then opens nothing, 1/V does."""
    corpus = bars[0].take(np.arange(100))
    births = {}
    for eta, rule in ((0.01, "expected-log"), (0.01, "uniform"), (0.5, "expected-log")):
        method = HdpCatvi(HDP(20.0, 5.0, eta), start_topics=3, start="random", new_topic_word=rule)
        births[eta, rule] = run_passes(method, corpus, 20, 2, seed=0)[1]
    assert births[0.01, "expected-log"] == 0
    assert births[0.01, "uniform"] > 0
    assert births[0.5, "expected-log"] > 3


def test_a_caution_stands_beside_small_eta():
    assert [catvi.growth_factor(eta) for eta in (5.0, 1.0, 0.5, 0.1)] == pytest.approx(
        [0.90, 0.56, 0.28, 3e-4], rel=0.02
    )
    n_words = 10**6  # what the factor is the limit of
    exact = n_words * math.exp(digamma(0.3) - digamma(n_words * 0.3))
    assert catvi.growth_factor(0.3) == pytest.approx(exact, rel=1e-4)
    assert HdpCatvi().caution() == ""
    small = HDP(eta=0.1)
    assert "Hardly any new topic" in HdpCatvi(small).caution()
    assert "0.1 only 3e-04" in HdpCatvi(small).caution()
    assert "hardly grow" in HdpCatvi(small, new_topic_word="uniform").caution()


@pytest.mark.parametrize("truth", [0.7, 6.0])
def test_alpha_is_learned_where_the_topics_are_known(truth):
    """Within a third: 300 documents of 60 tokens, whose topics overlap."""
    counts, tokens = ten_bars(truth, 300)
    method = HdpCatvi(HDP(5.0, 2.0, 0.5), start_topics=10, learn_alpha=True)
    corpus, rng = Corpus.from_csr(counts), np.random.default_rng(0)
    state = method.init(corpus, rng)
    state.lam = Dirichlets.from_excess(tokens, 0.5)
    for _ in range(6):
        for rows in np.array_split(rng.permutation(300), 6):
            state, _ = method.step(state, take_batch(corpus, rows), rng, None)
    assert method.topics(state).concentration == pytest.approx(truth, rel=1 / 3)


def test_one_step_on_alpha():
    """alpha* (0.1 + J/S sum_s [psi(alpha* + N_s) - psi(alpha*)]) = sum_k c_k; Gamma(1, 0.1)."""
    corpus = random_corpus(2, 30, 25, 30.0)
    method = HdpCatvi(HDP(5.0, 2.0, 0.5), start_topics=10, learn_alpha=True)
    state, rng = method.init(corpus, np.random.default_rng(0)), np.random.default_rng(1)
    batch = take_batch(corpus, np.arange(10))
    twin, twin_rng = copy.deepcopy(state), copy.deepcopy(rng)
    draws = catvi.sample(twin, batch.docs, 5.0, "expected-log", 10, 5, True, twin_rng)
    catvi.refine(twin, draws)
    tables = catvi.count(twin, draws).tables.sum()
    state, info = method.step(state, batch, rng, None)
    rho = 2.0**-0.7
    best = (state.concentration - (1 - rho) * 2.0) / rho
    lengths = batch.docs.doc_lengths
    left = best * (0.1 + 3.0 * (digamma(best + lengths) - digamma(best)).sum())
    assert left == pytest.approx(tables, rel=1e-6)
    assert info.scalars["alpha"] == state.concentration == method.topics(state).concentration


def test_the_paper_s_setting():
    paper = HdpCatvi.presets["liu-2022"]
    assert paper.model == {"gamma": 5.0, "alpha": 5.0, "eta": 5.0}
    assert paper.knobs["tau"] == 64.0
    assert paper.knobs["kappa"] == 1.0
    assert paper.batch_size == 256
    assert HdpCatvi().model.eta >= 0.5
