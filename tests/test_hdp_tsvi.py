"""Truncation-free inference for the HDP: the local law, the global step, and what it learns."""

import copy
import dataclasses
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from naive_hdp import Prior, RestaurantSampler, canonical, enumerate_law

from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.kernels import hdp_collapsed as kernels
from bnpexplorer.methods import METHODS, hdp_tsvi
from bnpexplorer.methods.hdp_tsvi import HdpTsvi, State
from bnpexplorer.models.dirichlet import Dirichlets
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.local import fold_in_proportions
from bnpexplorer.models.sticks import expected_weights, stick_parameters

ONE_TOPIC = Prior(((1.5, 0.5, 0.7),), (2.2,), (1.7,), 0.8, 0.9, 0.4, 3)
TWO_TOPICS = Prior(
    ((0.3, 0.2, 2.2, 0.6), (1.1, 0.4, 0.2, 0.9)), (1.6, 1.3), (4.1, 3.5), 3.0, 0.6, 0.25, 4
)


def local_sample(prior: Prior, docs: list[list[int]]) -> hdp_tsvi.LocalSample:
    """A batch ready to be seated; words keep their order within documents."""
    n_old = len(prior.u)
    lam = np.array(prior.lam).reshape(n_old, prior.n_words).T.copy()
    mean = np.array(prior.u) / (np.array(prior.u) + np.array(prior.v))
    left = np.cumprod(np.append(1.0, 1 - mean))
    tokens = np.array([w for doc in docs for w in doc], np.int32)
    local = hdp_tsvi.LocalSample(
        words=np.arange(prior.n_words, dtype=np.int32),
        doc_start=np.cumsum([0, *map(len, docs)]),
        token_word=tokens,
        topic=np.full(len(tokens), -1, np.int32),
        n_old=n_old,
        word=lam,
        total=lam.sum(axis=0),
        count=np.zeros(n_old, np.int64),
        weight=mean * left[:-1],
        rest=left[-1:],
        free=np.zeros(n_old, np.int64),
        n_free=np.zeros(1, np.int64),
        kept=np.zeros(n_old, bool),
        tables=np.zeros(n_old),
        stats=np.zeros((prior.n_words, n_old)),
        table_stats=np.zeros(n_old),
    )
    local.make_room(1, prior.eta, prior.n_words)
    return local


@numba.njit
def many_sweeps(
    n_sweeps, doc_start, token_word, topic, word, total, count, weight, rest, free, n_free, kept,
    stats, tables, sticks_a, sticks_b, n_words, alpha, gamma, start, means, counting, rng,
):  # fmt: skip
    """The chain of the method's local step; the topics and tables after every sweep.

    `start`, `means` and `counting` are arguments because kernels have one compiled signature, and
    constants in compiled code have types of their own.
    """
    topics = np.empty((n_sweeps, topic.size), np.int32)
    all_tables = np.empty((n_sweeps, tables.size))
    for i in range(n_sweeps):
        done = kernels.resample_tokens(
            doc_start, token_word, topic, word, total, count, weight, rest, free, n_free, kept,
            stats, counting, sticks_a.size, n_words, alpha, gamma, start, rng,
        )  # fmt: skip
        if done != topic.size:
            raise RuntimeError("no slot was free")
        kernels.seat_tables(doc_start, topic, weight, alpha, means, tables, rng)
        kernels.draw_weights(sticks_a, sticks_b, gamma, tables, weight, rest, rng)
        topics[i], all_tables[i] = topic, tables
    return topics, all_tables


def run_chain(prior: Prior, docs: list[list[int]], n_sweeps: int, seed: int):
    local = local_sample(prior, docs)
    local.make_room(local.topic.size + 8, prior.eta, prior.n_words)
    return many_sweeps(
        n_sweeps, local.doc_start, local.token_word, local.topic, local.word, local.total,
        local.count, local.weight, local.rest, local.free, local.n_free, local.kept,
        local.stats, local.tables, np.array(prior.u), np.array(prior.v), prior.n_words,
        prior.alpha, prior.gamma, 0, False, kernels.COUNT_NOTHING, np.random.default_rng(seed),
    )  # fmt: skip


def frequencies(topics: np.ndarray, n_old: int) -> Counter:
    rows, counts = np.unique(topics, axis=0, return_counts=True)
    result: Counter = Counter()
    for row, n in zip(rows, counts, strict=True):
        result[canonical(row.tolist(), n_old)] += n / len(topics)
    return result


def n_new(topics: tuple[int, ...], n_old: int) -> int:
    return len({k for k in topics if k >= n_old})


def distance(law: dict, observed: Counter) -> float:
    """Total variation."""
    return 0.5 * sum(abs(law.get(z, 0.0) - observed[z]) for z in law.keys() | observed.keys())


# --- the local law -----------------------------------------------------------------------------


def test_enumeration_gives_the_known_numbers():
    law, _ = enumerate_law(ONE_TOPIC, [[0, 0, 1], [1, 2]])
    assert len(law) == 203
    assert sum(p * n_new(z, 1) for z, p in law.items()) == pytest.approx(1.2132668429, abs=1e-9)
    assert law[0, 0, 0, 0, 0] == pytest.approx(0.1647671593, abs=1e-9)


@pytest.mark.parametrize(
    ("prior", "docs"),
    [(ONE_TOPIC, [[0, 0, 1], [1, 2]]), (TWO_TOPICS, [[3, 1, 1], [2, 1]])],
    ids=["one topic", "two topics"],
)
def test_the_sampler_has_the_law_of_the_enumeration(prior, docs):
    """600,000 sweeps: the Monte Carlo error is near 0.005 in distance and 0.003 in the means."""
    n_old = len(prior.u)
    law, tables = enumerate_law(prior, docs)
    drawn, drawn_tables = run_chain(prior, docs, 600_000, seed=1)
    observed = frequencies(drawn, n_old)
    assert drawn_tables.mean(axis=0)[:n_old] == pytest.approx(tables, abs=0.01)
    assert distance(law, observed) < 0.01
    for topics in ((0,) * 5, (n_old,) * 5):
        assert observed[topics] == pytest.approx(law[topics], abs=0.005)
    exact = sum(p * n_new(z, n_old) for z, p in law.items())
    assert sum(p * n_new(z, n_old) for z, p in observed.items()) == pytest.approx(exact, abs=0.01)


def test_the_restaurant_sampler_has_the_same_law():
    """The slow twin, here against the enumeration: 8,000 sweeps, Monte Carlo error 0.04."""
    docs = [[0, 0, 1], [1, 2]]
    law, _ = enumerate_law(ONE_TOPIC, docs)
    twin = RestaurantSampler(ONE_TOPIC, docs, np.random.default_rng(2))
    rows = []
    for _ in range(8000):
        twin.sweep()
        rows.append(twin.topics)
    observed = frequencies(np.array(rows), 1)
    assert distance(law, observed) < 0.06
    assert sum(p * n_new(z, 1) for z, p in observed.items()) == pytest.approx(1.2133, abs=0.04)


def mean_and_error(values: np.ndarray) -> tuple[float, float]:
    """Mean of a chain and its standard error from 40 batch means."""
    batches = np.array([b.mean() for b in np.array_split(values, 40)])
    return float(values.mean()), float(batches.std(ddof=1) / np.sqrt(40))


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
    for a, b in zip(fast.T, slow.T, strict=True):
        (mean_a, error_a), (mean_b, error_b) = mean_and_error(a), mean_and_error(b)
        assert abs(mean_a - mean_b) < 4.5 * np.hypot(error_a, error_b) + 1e-3


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
    drawn = np.zeros(3)
    for _ in range(2000):
        local = hdp_tsvi._unseated(state, docs)
        method._draw_topics(state, local, False, docs.n_words, rng)
        drawn[min(local.topic[0], 2)] += 1 / 2000
    assert drawn == pytest.approx(p, abs=0.03)


@pytest.mark.parametrize("counts", ["expected", "drawn"])
def test_a_step_of_one_document_has_the_exact_law(counts):
    """The whole local step, seating and sweeps: E of its statistics against the enumeration."""
    lam = Dirichlets.from_excess(np.array([[0.2, 1.0, 3.0]]), 0.3)
    model = HDP(gamma=5.0, alpha=0.6, eta=0.3)
    state = State(model, lam, np.array([1.5]), np.arange(1), 1, n_docs=10)
    method = HdpTsvi(model, burn_in=4, kept_sweeps=2, counts=counts)
    docs = Corpus.from_csr(np.array([[2, 1, 0]]))
    prior = Prior(((0.5, 1.3, 3.3),), (2.5,), (5.0,), 5.0, 0.6, 0.3, 3)
    law, tables = enumerate_law(prior, [[0, 0, 1]])
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(2500):
        local = method.sample(state, docs, rng)
        drawn.append([*local.stats[:2, 0], local.table_stats[0]])
    exact = [
        sum(p * ((z[0] == 0) + (z[1] == 0)) for z, p in law.items()),
        sum(p * (z[2] == 0) for z, p in law.items()),
        tables[0],
    ]
    assert np.mean(drawn, axis=0) == pytest.approx(exact, abs=0.04)


@pytest.mark.parametrize(("gamma", "alpha"), [(6.0, 1.5), (0.4, 3.0)])
def test_a_first_step_opens_as_many_topics_as_it_should(gamma, alpha):
    """From no topics: the tail's own weights decide how many topics two documents share."""
    docs = Corpus.from_csr(np.array([[2, 1, 0], [0, 1, 2]]))
    law, _ = enumerate_law(Prior((), (), (), gamma, alpha, 0.3, 3), [[0, 0, 1], [1, 2, 2]])
    exact = sum(p * n_new(z, 0) for z, p in law.items())
    method = HdpTsvi(HDP(gamma, alpha, 0.3), burn_in=5, kept_sweeps=1)
    rng = np.random.default_rng(2)
    state = method.init(docs, rng)
    drawn = [len(set(method.sample(state, docs, rng).topic)) for _ in range(1000)]
    assert np.mean(drawn) == pytest.approx(exact, abs=0.09)


# --- tables ------------------------------------------------------------------------------------


def test_table_counts_have_their_law():
    """Antoniak's law for 5 customers, c = 0.8, from unsigned Stirling numbers."""
    pmf = [0.26106934, 0.43511557, 0.24366472, 0.05569479, 0.00445558]
    rng = np.random.default_rng(0)
    drawn = np.bincount([kernels.draw_table_count(5, 0.8, rng) for _ in range(100_000)])
    assert drawn[1:] / 100_000 == pytest.approx(pmf, abs=0.006)
    assert kernels.mean_table_count(5, 0.8) == pytest.approx(2.107351712614871, abs=1e-12)


@pytest.mark.parametrize("concentration", [0.0, 1e-300, 1e-4, 0.7, 30.0])
@pytest.mark.parametrize("n", [1, 2, 64, 65, 3000])
def test_mean_tables_are_the_sum_of_the_opening_probabilities(n, concentration):
    exact = 1.0 + sum(concentration / (concentration + j) for j in range(1, n))
    assert kernels.mean_table_count(n, concentration) == pytest.approx(exact, rel=1e-11)


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
    drawn = np.zeros(3)
    for _ in range(20_000):
        kernels.seat_tables(doc_start, topic, weight, 2.0, False, tables, rng)
        drawn += tables / 20_000
    assert drawn == pytest.approx(np.sum(mean, axis=0), abs=0.02)


# --- the global step and the bookkeeping ---------------------------------------------------------


def random_corpus(seed: int, n_docs: int, n_words: int, length: float) -> Corpus:
    rng = np.random.default_rng(seed)
    return HDP(2.0, 1.0, 0.1).sample(rng, n_docs, n_words, length).corpus


def take_batch(corpus: Corpus, rows: np.ndarray) -> Batch:
    return Batch(corpus.take(rows), np.asarray(rows), 0, 1)


def run_passes(method, corpus: Corpus, batch_size: int, passes: int, seed: int, pool=None):
    """States after every step; the last one is first out of date when stepped again."""
    rng = np.random.default_rng(seed)
    state = method.init(corpus, rng)
    infos = []
    for _ in range(passes):
        order = rng.permutation(corpus.n_docs)
        for i in range(0, corpus.n_docs, batch_size):
            batch = take_batch(corpus, order[i : i + batch_size])
            state, info = method.step(state, batch, rng, pool)
            infos.append(info)
    return state, infos, rng


def dense(lam: Dirichlets) -> np.ndarray:
    """lam (K, V) as written in the docstring of `Dirichlets`."""
    return lam.eta + lam.scale * lam.stats[:, lam.slots].T


def arrays(state: State) -> dict[str, np.ndarray]:
    flat = dataclasses.asdict(state)
    flat.update({f"lam.{name}": value for name, value in flat.pop("lam").items()})
    del flat["model"]
    return {name: np.asarray(value) for name, value in flat.items()}


@pytest.mark.parametrize("counts", ["expected", "drawn"])
def test_the_global_step_agrees_with_a_dense_twin(counts):
    """Equation 11 written out on dense arrays, fed with the same draws, over two passes."""
    corpus = random_corpus(0, 53, 40, 20.0)
    method = HdpTsvi(HDP(5.0, 4.0, 0.2), burn_in=1, kept_sweeps=2, counts=counts)
    rng = np.random.default_rng(1)
    state = method.init(corpus, rng)
    topics: dict[int, tuple[float, np.ndarray]] = {}  # id -> (N, lam)
    next_id, seen = 0, 0
    for step in range(14):
        rows = np.arange(53)[8 * (step % 7) : 8 * (step % 7) + 8]
        before = list(state.topic_ids)
        local = method.sample(state, corpus.take(rows), copy.deepcopy(rng))
        state, _ = method.step(state, take_batch(corpus, rows), rng, None)

        seen = min(53, seen + len(rows))
        rho, scale = len(rows) / seen, 53 / len(rows)
        tokens = np.zeros((local.stats.shape[1], 40))
        tokens[:, local.words] = local.stats.T
        for slot in np.flatnonzero(tokens.sum(axis=1)):
            if slot >= len(before):
                before.append(next_id)
                topics[next_id] = (0.0, np.full(40, 0.2))
                next_id += 1
        used = [
            *range(local.n_old),
            *(n for n in range(local.n_old, len(tokens)) if tokens[n].sum() > 0),
        ]
        for identity, slot in zip(before, used, strict=True):
            n, lam = topics[identity]
            n = (1 - rho) * n + rho * scale * local.table_stats[slot]
            lam = (1 - rho) * lam + rho * (0.2 + scale * tokens[slot])
            topics[identity] = (n, lam)
        if step in (6, 13):  # 53 documents went by
            topics = {i: (n, lam) for i, (n, lam) in topics.items() if (lam - 0.2).sum() >= 1}
        assert sorted(topics) == sorted(state.topic_ids)
        assert state.n == pytest.approx([topics[i][0] for i in state.topic_ids], abs=1e-9)
        assert dense(state.lam) == pytest.approx(
            np.array([topics[i][1] for i in state.topic_ids]), abs=1e-9
        )
    assert len(topics) > 3


def check_sample(local, state: State, docs: Corpus, method: HdpTsvi) -> None:
    """What the sampler carries along equals a recount from the topics of the tokens."""
    n_slots, old = len(local.total), local.n_old
    recount = np.zeros((len(local.words), n_slots))
    np.add.at(recount, (local.token_word, local.topic), 1)
    lam = np.full((len(local.words), n_slots), method.model.eta)
    lam[:, :old] = dense(state.lam)[:, local.words].T
    total = np.full(n_slots, method.model.eta * docs.n_words)
    total[:old] = dense(state.lam).sum(axis=1)
    assert np.array_equal(local.count, recount.sum(axis=0))
    assert local.word == pytest.approx(lam + recount, rel=1e-10)
    assert local.total == pytest.approx(total + local.count, rel=1e-10)
    assert local.stats.sum() == pytest.approx(docs.n_tokens)
    assert local.weight.sum() + local.rest[0] == pytest.approx(1.0, abs=1e-12)
    assert np.all((local.weight > 0)[old:] == (local.count > 0)[old:])
    assert np.all(local.tables <= local.count)
    assert np.all((local.tables > 0) == (local.count > 0))
    expected = np.bincount(local.token_word, minlength=len(local.words))
    assert local.stats.sum(axis=1) == pytest.approx(expected)
    closed = set(local.free[: local.n_free[0]])
    assert len(closed) == local.n_free[0]
    assert not local.stats[:, sorted(closed)].any()  # a slot once counted is not for another topic
    inside = set(range(old, n_slots))
    assert closed == {k for k in inside if not local.count[k] and not local.kept[k]}


@pytest.mark.parametrize("seed", range(6))
def test_invariants_hold_over_random_steps(seed):
    rng = np.random.default_rng(seed)
    corpus = random_corpus(seed, 60, int(rng.integers(2, 50)), float(rng.integers(1, 30)))
    model = HDP(*rng.choice([0.05, 0.8, 20.0], 2), rng.choice([0.01, 0.5]))
    sweeps = {"burn_in": int(rng.integers(0, 3)), "kept_sweeps": int(rng.integers(1, 3))}
    method = HdpTsvi(model, **sweeps, counts=("expected", "drawn")[seed % 2])
    state = method.init(corpus, rng)
    assert len(method.topics(state)) == 0
    assert method.topics(state).unseen == 1.0
    born, gone, prunes = set(), set(), 0
    for _ in range(25):
        rows = rng.choice(60, int(rng.integers(1, 20)), replace=False)
        docs = corpus.take(rows)
        check_sample(method.sample(state, docs, copy.deepcopy(rng)), state, docs, method)
        size, seen, alive = state.lam.size.sum(), state.n_seen, set(state.topic_ids)
        state, info = method.step(state, take_batch(corpus, rows), rng, None)
        births = {e.children[0] for e in info.events if e.kind == "birth"}
        pruned = {e.parents[0] for e in info.events if e.kind == "prune"}
        assert not births & born
        assert len(births) + len(pruned) == len(info.events)
        born, gone, prunes = born | births, gone | pruned, prunes + bool(pruned)
        assert set(state.topic_ids) == (alive | births) - pruned
        assert gone.isdisjoint(state.topic_ids)
        assert np.all(np.diff(state.n) <= 0)
        sticks_a, sticks_b = stick_parameters(state.n, model.gamma)
        for k in range(len(state.n)):
            later = model.gamma + (sticks_a[k + 1 :] - 1).sum()
            assert sticks_b[k] == pytest.approx(later, rel=1e-9)
        topics = method.topics(state)
        assert topics.weight.sum() + topics.unseen == pytest.approx(1.0, abs=1e-12)
        assert topics.topic_word.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
        rho = len(rows) / min(60, seen + len(rows))
        blended = (1 - rho) * size + rho * docs.n_tokens * 60 / len(rows)
        if not pruned:
            assert topics.size.sum() == pytest.approx(blended)
    assert born


def test_prunes_happen_and_only_take_small_topics():
    corpus = random_corpus(3, 40, 30, 12.0)
    method = HdpTsvi(HDP(30.0, 30.0, 0.5), burn_in=0, kept_sweeps=4)
    rng = np.random.default_rng(0)
    state = method.init(corpus, rng)
    n_pruned = 0
    for step in range(40):
        before = dict(zip(state.topic_ids, state.lam.size, strict=True))
        batch = take_batch(corpus, np.arange(10) + 10 * (step % 4))
        state, info = method.step(state, batch, rng, None)
        pruned = [e.parents[0] for e in info.events if e.kind == "prune"]
        n_pruned += len(pruned)
        if step % 4 == 3:  # 40 documents went by
            assert state.lam.size.min() >= 1 - 1e-9
        else:
            assert not pruned
        rho = 10 / min(40, 10 * step + 10)
        assert all((1 - rho) * before.get(i, 0.0) < 1 for i in pruned)
    assert n_pruned > 5


def test_room_for_new_topics_has_no_influence(monkeypatch):
    """Slots run out in the midst of documents; the draws must go on as if there were plenty."""
    corpus = random_corpus(4, 30, 60, 40.0)
    method = HdpTsvi(HDP(20.0, 20.0, 0.05), burn_in=2, kept_sweeps=2)
    results = []
    for room in (1, 400):
        monkeypatch.setattr(hdp_tsvi, "FIRST_ROOM", room)
        results.append(arrays(run_passes(method, corpus, 10, 2, seed=0)[0]))
    for name in ("n", "topic_ids", "lam.row_sum", "lam.slots", "lam.stats"):
        assert np.array_equal(results[0][name], results[1][name]), name
    assert len(results[0]["n"]) > 20


# --- what it learns -------------------------------------------------------------------------------


def bars(rng: np.random.Generator, n_docs: int, length: int) -> tuple[Corpus, np.ndarray]:
    """Griffiths & Steyvers 2004: ten topics, the rows and columns of a 5 x 5 grid."""
    grid = np.zeros((10, 5, 5))
    for i in range(5):
        grid[i, i, :] = grid[5 + i, :, i] = 0.2
    topics = grid.reshape(10, 25)
    theta = rng.dirichlet(np.full(10, 0.15), n_docs)
    counts = np.stack([rng.multinomial(length, t @ topics) for t in theta])
    return Corpus.from_csr(counts), topics


def completion_score(topics, docs: Corpus, rng: np.random.Generator) -> tuple[float, float]:
    """Log probability per token of half of each document given the rest, and the unigram's."""
    counts = docs.to_csr().toarray()
    seen = rng.binomial(counts, 0.5)
    both = (seen.sum(axis=1) > 0) & ((counts - seen).sum(axis=1) > 0)
    seen, hidden = seen[both], (counts - seen)[both]
    theta = fold_in_proportions(topics, Corpus.from_csr(seen))
    p = theta @ topics.topic_word + (1 - theta.sum(axis=1, keepdims=True)) / docs.n_words
    unigram = (counts.sum(axis=0) + 0.1) / (counts.sum() + 0.1 * docs.n_words)
    return (hidden * np.log(p)).sum() / hidden.sum(), (
        hidden * np.log(unigram)
    ).sum() / hidden.sum()


def test_bars_are_recovered():
    rng = np.random.default_rng(0)
    corpus, truth = bars(rng, 600, 50)
    method = HdpTsvi(HDP(1.0, 3.0, 0.1), burn_in=40, kept_sweeps=10)
    topics = method.topics(run_passes(method, corpus.take(np.arange(500)), 100, 4, seed=1)[0])
    errors = 0.5 * np.abs(topics.topic_word[:, None, :] - truth).sum(axis=2)
    assert np.all(errors.min(axis=0) < 0.1)
    assert topics.weight[errors.min(axis=1) < 0.1].sum() > 0.95
    score, unigram = completion_score(topics, corpus.take(np.arange(500, 600)), rng)
    assert score > unigram + 0.5


@pytest.mark.parametrize("counts", ["expected", "drawn"])
def test_equal_seeds_give_equal_bits_for_any_pool(counts):
    corpus = random_corpus(1, 60, 50, 30.0)
    method = HdpTsvi(burn_in=2, kept_sweeps=2, counts=counts)
    alone = arrays(run_passes(method, corpus, 16, 2, seed=5)[0])
    with ThreadPoolExecutor(2) as pool:
        pooled = arrays(run_passes(method, corpus, 16, 2, seed=5, pool=pool)[0])
    other = arrays(run_passes(method, corpus, 16, 2, seed=6)[0])
    assert all(np.array_equal(alone[name], pooled[name]) for name in alone)
    assert not np.array_equal(alone["n"], other["n"])


def test_a_copied_state_continues_identically():
    corpus = random_corpus(2, 60, 50, 30.0)
    method = HdpTsvi(burn_in=1, kept_sweeps=2)
    state, _, rng = run_passes(method, corpus, 16, 1, seed=5)
    flat = arrays(state)
    assert all(value.dtype.kind in "fi" for value in flat.values())
    lam = Dirichlets(**{k[4:]: _plain(v) for k, v in flat.items() if k.startswith("lam.")})
    rest = {k: _plain(v) for k, v in flat.items() if not k.startswith("lam.")}
    restored, rng_too = State(state.model, lam, **rest), copy.deepcopy(rng)
    for i in range(6):
        batch = take_batch(corpus, np.arange(10) + 10 * i)
        state, _ = method.step(state, batch, rng, None)
        restored, _ = method.step(restored, batch, rng_too, None)
    a, b = arrays(state), arrays(restored)
    assert all(np.array_equal(a[name], b[name]) for name in a)


def _plain(value: np.ndarray):
    return value.item() if value.ndim == 0 else value.copy()


@pytest.mark.parametrize(
    ("counts", "batch_size"),
    [([[3]], 1), ([[1, 0, 2]], 1), ([[4], [1], [2]], 1), ([[1, 2], [3, 0], [0, 1]], 3)],
    ids=["one word and document", "one document", "one word", "batch is the corpus"],
)
def test_the_smallest_corpora_work(counts, batch_size):
    corpus = Corpus.from_csr(np.array(counts))
    method = HdpTsvi(HDP(1.0, 1.0, 0.1))
    topics = method.topics(run_passes(method, corpus, batch_size, 5, seed=0)[0])
    assert len(topics) >= 1
    assert np.all(np.isfinite(topics.topic_word))
    assert topics.weight.sum() + topics.unseen == pytest.approx(1.0)
    assert topics.size.min() >= 1 - 1e-9


def test_single_documents_are_learned_one_by_one():
    """S = 1: a slow start (the first document stands for the corpus), but it beats the unigram."""
    rng = np.random.default_rng(3)
    corpus, _ = bars(rng, 400, 40)
    method = HdpTsvi(HDP(1.0, 3.0, 0.1), burn_in=10, kept_sweeps=2)
    topics = method.topics(run_passes(method, corpus.take(np.arange(300)), 1, 3, seed=1)[0])
    score, unigram = completion_score(topics, corpus.take(np.arange(300, 400)), rng)
    assert score > unigram + 0.15


def test_first_batch_of_an_empty_state_has_full_weight():
    """rho_1 = 1: what was before the data does not count."""
    corpus = random_corpus(6, 30, 20, 15.0)
    method = HdpTsvi(burn_in=1, kept_sweeps=3)
    state, info = method.step(
        method.init(corpus, np.random.default_rng(0)),
        take_batch(corpus, np.arange(6)),
        np.random.default_rng(0),
        None,
    )
    assert info.scalars["step size"] == 1.0
    assert state.lam.size.sum() == pytest.approx(corpus.take(np.arange(6)).n_tokens * 30 / 6)
    weight, unseen = expected_weights(state.n, method.model.gamma, truncated=False)
    assert method.topics(state).unseen == unseen < weight.sum()


def test_the_method_is_registered_with_the_paper_s_setting():
    assert METHODS["hdp-tsvi"] is HdpTsvi
    paper = HdpTsvi.presets["wang-blei-2012"]
    assert paper.model == {"gamma": 1.0, "alpha": 1.0, "eta": 0.01}
    assert "default" in HdpTsvi.presets
