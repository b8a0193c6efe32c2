"""Collapsed Gibbs sampling for LDA: its law, its bookkeeping, and what it learns."""

from collections import Counter

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference import assignments
from bnpexplorer.inference.concentrations import CONCENTRATION_PRIOR, ETA_PRIOR
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.lda_gibbs import LdaGibbs, State
from bnpexplorer.models.lda import LDA
from bnpexplorer.runs.run import Run
from tests.tools.gibbs import (
    check_counts,
    check_kept,
    largest_gap,
    largest_z,
    pairs,
    total_variation,
)
from tests.tools.methods import blocks_of, corpus_of, one_pass
from tests.twins.gibbs import draw_words, enumerate_lda, log_lda_joint

DOCS = [[0, 0, 1], [1, 2]]


GIVEN = GivenTopics(np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 2.0]]))


@pytest.mark.second
@pytest.mark.parametrize("start", ["nothing", GIVEN], ids=["from nothing", "from another run"])
def test_the_long_run_is_the_enumerated_posterior(start):
    """10,000 passes over two blocks: the Monte Carlo error of the distance is near 0.02."""
    alpha, eta = 0.7, 0.4
    law = enumerate_lda(DOCS, 2, 3, alpha, eta)
    assert len(law) == 32
    method = LdaGibbs(LDA(2, alpha, eta))
    corpus, rng = corpus_of(DOCS, 3), np.random.default_rng(1)
    blocks = blocks_of(corpus, [[1], [0]])
    state, seen = method.begin(corpus, start, rng), Counter()
    for _ in range(10_000):
        state, _ = one_pass(method, state, blocks, rng)
        seen[tuple(state.tokens.topic.tolist())] += 1 / 10_000
    assert total_variation(law, seen) < 0.035
    together = [z for z in law if len(set(z)) == 1]
    assert sum(seen[z] for z in together) == pytest.approx(sum(map(law.get, together)), abs=0.02)


def grid_weights(logs: np.ndarray, prior: tuple[float, float], joint) -> np.ndarray:
    """Posterior masses (unnormalised) of a Gamma-distributed parameter on a grid of its log."""
    shape, rate = prior
    return np.exp(shape * logs - rate * np.exp(logs) + joint(np.exp(logs)))


@pytest.mark.second
def test_learned_concentrations_follow_their_enumerated_posterior(monkeypatch):
    """alpha and eta integrated over grids for every assignment of the five tokens.

    Given the assignment they are independent: the joint is a factor in alpha times one in eta.
    4,000 passes of two sweeps; means of which tokens share a topic, of ln alpha and ln eta, alone
    and times the number of topics in use, within 4 standard errors.
    """
    monkeypatch.setattr(assignments, "MOST_SWEEPS", 2)
    grid = np.linspace(-9.0, 5.0, 281)
    law, means = {}, {}
    for z in enumerate_lda(DOCS, 2, 3, 1.0, 1.0):
        by_alpha = grid_weights(
            grid, CONCENTRATION_PRIOR, lambda a, z=z: log_lda_joint(DOCS, z, 2, 3, a, 1.0)
        )
        by_eta = grid_weights(grid, ETA_PRIOR, lambda e, z=z: log_lda_joint(DOCS, z, 2, 3, 1.0, e))
        both = np.exp(log_lda_joint(DOCS, z, 2, 3, 1.0, 1.0))
        law[z] = by_alpha.sum() * by_eta.sum() / both
        means[z] = [by @ grid / by.sum() for by in (by_alpha, by_eta)]
    whole = sum(law.values())
    exact = sum(p / whole * np.array(moments(z, means[z])) for z, p in law.items())
    method = LdaGibbs(LDA(2, 1.0, 1.0), learn_alpha=True, learn_eta=True)
    corpus, rng, seen = corpus_of(DOCS, 3), np.random.default_rng(4), []
    state, blocks = method.init(corpus, rng), blocks_of(corpus, [[1], [0]])
    for n in range(4050):
        state, _ = one_pass(method, state, blocks, rng)
        if n >= 50:
            z = tuple(state.tokens.topic.tolist())
            seen.append(moments(z, np.log([state.alpha, state.tokens.eta])))
    assert largest_gap(seen, exact) < 4.0


def moments(z: tuple[int, ...], logs) -> list[float]:
    return [*pairs(z), *logs, *(len(set(z)) * np.asarray(logs))]


@pytest.mark.second
def test_the_first_pass_seats_tokens_one_after_the_other():
    """One word twice in one document: P(same topic) by the chain rule, 5 standard errors."""
    alpha, eta, n = 0.5, 0.2, 2000
    method, rng = LdaGibbs(LDA(3, alpha, eta)), np.random.default_rng(0)
    corpus = corpus_of([[0, 0]], 2)
    same, blocks = 0, blocks_of(corpus, [[0]])
    for _ in range(n):
        state, _ = one_pass(method, method.init(corpus, rng), blocks, rng)
        same += state.tokens.topic[0] == state.tokens.topic[1]
    joined = (1 + alpha) * (1 + eta) / (1 + 2 * eta)
    other = 2 * alpha * eta / (2 * eta)
    exact = joined / (joined + other)
    assert same / n == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / n))


LENGTHS, PARTITION, N_TOPICS, N_WORDS = (5, 1, 3, 4), [[2, 0], [3, 1]], 3, 5


def prior_state(method: LdaGibbs, alpha: float, eta: float, rng) -> tuple[State, Corpus]:
    """Topics and words drawn from the model, and the sampler's state that holds them."""
    theta = rng.dirichlet(np.full(N_TOPICS, alpha), len(LENGTHS))
    topics = [rng.choice(N_TOPICS, n, p=t) for n, t in zip(LENGTHS, theta, strict=True)]
    words = np.array(draw_words(np.concatenate(topics).tolist(), N_WORDS, eta, rng))
    edges = np.cumsum(LENGTHS)[:-1]
    docs = np.split(words, edges)
    corpus = corpus_of(docs, N_WORDS)
    state = method.init(corpus, rng)
    tokens = state.tokens
    tokens.topic[:] = np.concatenate(
        [t[np.argsort(w, kind="stable")] for t, w in zip(topics, docs, strict=True)]
    )
    tokens.count_words(np.repeat(corpus.word_ids, corpus.counts))
    tokens.count[:] = np.bincount(tokens.topic, minlength=len(tokens.count))
    tokens.rearrange(np.arange(N_TOPICS), len(tokens.count), eta)
    state.alpha = alpha
    return state, corpus


def features(state: State, corpus: Corpus) -> list[float]:
    tokens, words = state.tokens, np.repeat(corpus.word_ids, corpus.counts)
    z, size = tokens.topic, tokens.count[:N_TOPICS]
    doc = np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths)
    same = z[:, None] == z
    return [
        *(float(same[doc[:, None] == doc].sum()), float(same[words[:, None] == words].sum())),
        *(float(size.max()), float((size > 0).sum()), float((size**2).sum())),
        *((same.sum(axis=0) * (words == 0)).sum(), float((z == 0).sum()), float(z[0])),
        *(np.log(state.alpha), np.log(tokens.eta), np.log(tokens.eta) * (size > 0).sum()),
        *(np.log(state.alpha) * same[doc[:, None] == doc].sum(), 1 / (1 + state.alpha)),
    ]


@pytest.mark.second
@pytest.mark.parametrize("learned", [False, True], ids=["fixed", "learned"])
def test_joint_distribution(learned, monkeypatch):
    """Geweke 2004 with independent replicates: a draw from the model stays one after two sweeps.

    Where concentrations are learned, these are one pass. 2,500 replicates; of 13 features the
    largest z stays below 4.5 but for one seed in 10,000.
    """
    monkeypatch.setattr(assignments, "MOST_SWEEPS", 2)
    method = LdaGibbs(LDA(N_TOPICS, 0.6, 0.5), learn_alpha=learned, learn_eta=learned)
    rng, before, after = np.random.default_rng(5), [], []
    for _ in range(2500):
        alpha, eta = 0.6, 0.5
        if learned:
            alpha = rng.gamma(CONCENTRATION_PRIOR[0], 1 / CONCENTRATION_PRIOR[1])
            eta = rng.gamma(ETA_PRIOR[0], 1 / ETA_PRIOR[1])
        state, corpus = prior_state(method, alpha, eta, rng)
        before.append(features(state, corpus))
        blocks = blocks_of(corpus, PARTITION)
        for _ in range(1 if learned else 2):
            state, _ = one_pass(method, state, blocks, rng)
        after.append(features(state, corpus))
    assert largest_z(before, after) < 4.5


def test_counts_equal_a_recount_after_every_step(dozen):
    rng = np.random.default_rng(0)
    method = LdaGibbs(LDA(5, 0.3, 0.01), learn_alpha=True, learn_eta=True)
    state = method.init(dozen, rng)
    check_counts(state.tokens, dozen)
    for _ in range(6):
        for batch in blocks_of(dozen, [[3, 1, 0, 11], [2, 4, 10, 5], [9, 6, 7, 8]]):
            state, info = method.step(state, batch, rng, None)
            check_counts(state.tokens, dozen)
            assert state.tokens.topic.max() < 5
            assert info.scalars["alpha"] == state.alpha
            assert info.scalars["eta"] == state.tokens.eta
            assert np.isnan(info.bound)
    assert state.tokens.topic.min() >= 0
    assert state.alpha != 0.3
    assert state.tokens.eta != 0.01


def test_the_log_joint_is_that_of_the_assignment():
    docs = [[0, 0, 1, 2], [1, 2], [2, 2, 2, 0]]
    corpus, rng = corpus_of(docs, 4), np.random.default_rng(0)
    method = LdaGibbs(LDA(3, 0.3, 0.2))
    state, infos = one_pass(method, method.init(corpus, rng), blocks_of(corpus, [[1, 2], [0]]), rng)
    sorted_docs = [sorted(doc) for doc in docs]
    exact = log_lda_joint(sorted_docs, tuple(state.tokens.topic.tolist()), 3, 4, 0.3, 0.2)
    assert infos[-1].scalars["log joint"] == pytest.approx(exact, rel=1e-12)
    assert "log joint" not in infos[0].scalars


def test_topics_are_smoothed_counts(dozen):
    rng = np.random.default_rng(0)
    method = LdaGibbs(LDA(4, 0.3, 0.2))
    state, _ = one_pass(method, method.init(dozen, rng), blocks_of(dozen, [[*range(12)]]), rng)
    topics = method.topics(state)
    counts = np.zeros((4, dozen.n_words))
    np.add.at(counts, (state.tokens.topic, np.repeat(dozen.word_ids, dozen.counts)), 1)
    expected = (counts + 0.2) / (counts.sum(axis=1, keepdims=True) + 0.2 * dozen.n_words)
    assert topics.topic_word == pytest.approx(expected, rel=1e-6)
    assert np.array_equal(topics.size, counts.sum(axis=1))
    assert topics.total == pytest.approx(topics.size + 0.2 * dozen.n_words)
    assert topics.concentration * topics.weight == pytest.approx(0.3)
    assert topics.unseen == 0.0


def test_states_are_kept_every_so_many_passes(dozen):
    check_kept(LdaGibbs(LDA(4, 0.3, 0.2), burn_in=3, thin=2, n_kept=2), dozen)


def test_empty_topics_die_and_may_return(dozen):
    method = LdaGibbs(LDA(30, 0.05, 0.05))
    rng = np.random.default_rng(2)
    state, blocks = method.init(dozen, rng), blocks_of(dozen, [[*range(12)]])
    alive, deaths = set(), 0
    for _ in range(20):
        state, infos = one_pass(method, state, blocks, rng)
        for event in infos[0].events:
            alive |= set(event.children)
            assert set(event.parents) <= alive
            alive -= set(event.parents)
            deaths += event.kind == "death"
        assert alive == set(np.flatnonzero(method.topics(state).size > 0))
    assert deaths > 3


def test_a_document_longer_than_any_table():
    corpus = Corpus.from_csr(np.array([[70_000, 50_000], [3, 1]]))
    method = LdaGibbs(LDA(2, 0.1, 0.1), learn_alpha=True, learn_eta=True)
    run = Run(method, corpus, batch_size=1, passes=2)
    while not run.done:
        run.step()
    assert run.snapshot().topics.size.sum() == corpus.n_tokens
    check_counts(run.state.tokens, corpus)


def test_bars_are_recovered(bars):
    corpus, truth = bars
    method = LdaGibbs(LDA(10, 0.2, 0.1), burn_in=100)
    run = Run(method, corpus, seed=4, batch_size=100, passes=60)
    while not run.done:
        run.step()
    found = run.snapshot().topics.topic_word
    errors = 0.5 * np.abs(found[:, None, :] - truth).sum(axis=2)
    assert np.all(errors.min(axis=0) < 0.1)


@pytest.mark.parametrize(("n_passes", "passes"), [(4, [2, 3, 4]), (9, [5, 6, 7, 8, 9])])
def test_no_state_of_the_first_half_is_kept(dozen, n_passes, passes):
    """However many may be: with `thin` 1 those since pass n / 2."""
    method = LdaGibbs(LDA(4, 0.3, 0.2), burn_in=0, thin=1, n_kept=100)
    run, then = Run(method, dozen, batch_size=12, passes=n_passes), {}
    while not run.done:
        run.step()
        then[run.n_steps] = run.snapshot().topics.topic_word
    kept = [topics.topic_word for _, topics in run.snapshot(with_kept=True).kept]
    assert [n for n, rows in then.items() if any(np.array_equal(rows, k) for k in kept)] == passes


def test_memory_grows_with_tokens_topics_and_kept_states(dozen):
    few, many = LdaGibbs(LDA(8)), LdaGibbs(LDA(800))
    assert many.memory(dozen) > few.memory(dozen) > 4 * dozen.n_tokens
    assert many.memory(dozen) >= 4 * 5 * 800 * dozen.n_words
    state = few.init(dozen, np.random.default_rng(0))
    assert few.memory(dozen) >= state.tokens.topic.nbytes + state.tokens.cells.nbytes


def test_the_method_is_registered_with_the_paper_s_setting():
    assert METHODS["lda-gibbs"] is LdaGibbs
    paper = LdaGibbs.presets["griffiths-steyvers-2004"]
    assert paper.model["alpha"] * paper.model["n_topics"] == pytest.approx(50)
    assert paper.model["eta"] == 0.1
