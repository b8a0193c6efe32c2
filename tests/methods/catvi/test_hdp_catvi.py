"""CATVI for the HDP: the global step against a dense twin, its bookkeeping, what it learns."""

import copy
import math

import numpy as np
import pytest
from scipy.special import digamma

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.kernels.tuples import Sweeps
from bnpexplorer.methods.catvi import partition as catvi
from bnpexplorer.methods.catvi.hdp_catvi import HdpCatvi
from bnpexplorer.models.hdp import HDP
from tests.tools.methods import dense, take_batch
from tests.twins.catvi import Topic, global_step, ten_bars


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
            state, corpus, 300.0, "expected-log", Sweeps(1, 2), True, np.random.default_rng(1)
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
        draws = catvi.sample(
            state, batch.docs, 3.0, "expected-log", Sweeps(1, 2), True, copy.deepcopy(rng)
        )
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
        edges = draws.tokens.doc_start[1:-1]
        sweeps = [
            [[ids.index(names[k]) for k in doc] for doc in np.split(sweep, edges)]
            for sweep in draws.topics
        ]
        docs = [draws.words[doc].tolist() for doc in np.split(draws.tokens.word, edges)]
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
        assert info.scalars["new topics"] == len(births)
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


@pytest.mark.second
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
    law = (
        "the method gives a word that a topic has not seen exp(E ln beta), at eta = 0.1 only 3e-04 "
        "times"
    )
    assert HdpCatvi(small).caution() == (
        f"Hardly any new topic will be found: {law} the 1/V that the model itself gives it. Take "
        "eta of 0.5 or more."
    )
    assert HdpCatvi(small, new_topic_word="uniform").caution() == (
        f"New topics will hardly grow beyond the word that opened them: {law} what the model "
        "itself gives it. Take eta of 0.5 or more."
    )


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
    draws = catvi.sample(twin, batch.docs, 5.0, "expected-log", Sweeps(10, 5), True, twin_rng)
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


@pytest.mark.parametrize(("start_topics", "users"), [(4, 5.0), (20, 1.0), (50, 1.0), (0, None)])
def test_topics_of_the_start_share_the_documents_and_have_one_at_least(start_topics, users):
    corpus = random_corpus(0, 20, 30, 15.0)
    state = HdpCatvi(start_topics=start_topics).init(corpus, np.random.default_rng(0))
    assert state.users.tolist() == [users] * start_topics
    assert state.next_id == start_topics == len(state.weight)
    assert state.weight.sum() + state.rest == pytest.approx(1.0)
    near = np.append(state.weight, state.rest) * (start_topics + 1)
    assert (np.abs(near - 1.0) < 0.5).all(), "nearly even"
