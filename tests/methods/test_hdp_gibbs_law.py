"""The law of hdp-gibbs: enumeration, a franchise sampler that shares nothing, Geweke's test."""

from collections import Counter

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference import assignments
from bnpexplorer.inference.concentrations import CONCENTRATION_PRIOR, ETA_PRIOR
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.direct.state import State, sort_slots
from bnpexplorer.models.hdp import HDP
from tests.tools.gibbs import (
    largest_gap,
    largest_z,
    law_moments,
    mean_and_error,
    pairs,
    total_variation,
)
from tests.tools.methods import blocks_of, corpus_of, one_pass
from tests.twins.franchise import LearnedPosterior
from tests.twins.gibbs import Franchise, draw_franchise, draw_words
from tests.twins.hdp import Prior, canonical, enumerate_law


def slots_law(state: State) -> tuple[int, ...]:
    return canonical(state.tokens.topic.tolist(), 0)


# --- the law -------------------------------------------------------------------------------------


DOCS, N_DRAWS = [[0, 0, 1], [1, 2]], 6000
GIVEN = GivenTopics(np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 2.0]]))


@pytest.mark.second
@pytest.mark.parametrize(
    ("partition", "start"),
    [([[0, 1]], "nothing"), ([[1], [0]], "nothing"), ([[1], [0]], "many"), ([[1], [0]], GIVEN)],
    ids=["one block", "two blocks", "from many", "from another run"],
)
def test_the_long_run_is_the_enumerated_posterior(partition, start):
    """6,000 passes, 13 means within 4 standard errors, of 0.01 (probabilities) to 0.015 (topics).

    A bias of 5 % in how often two tokens share a topic is therefore seen.
    """
    law, _ = enumerate_law(Prior((), (), (), 0.8, 0.9, 0.4, 3), DOCS)
    assert len(law) == 52
    model, corpus = HDP(gamma=0.8, alpha=0.9, eta=0.4), corpus_of(DOCS, 3)
    knob = {} if start is GIVEN else {"start": start}
    method = HdpGibbs(model, n_start=9, start_passes=3, **knob)
    rng, blocks, seen = np.random.default_rng(1), blocks_of(corpus, partition), []
    state = method.begin(corpus, start, rng)
    for _ in range(N_DRAWS):
        state, _ = one_pass(method, state, blocks, rng)
        seen.append(slots_law(state))
    assert largest_gap([pairs(z) for z in seen], law_moments(law, pairs)) < 4.0
    assert total_variation(law, Counter({z: n / N_DRAWS for z, n in Counter(seen).items()})) < 0.05


@pytest.mark.second
def test_learned_concentrations_follow_their_enumerated_posterior(monkeypatch):
    """gamma, alpha and eta integrated over grids for every seating of the five tokens.

    3,000 passes of two sweeps; 13 means of topics, and of tables and the logarithms of what is
    learned, alone and times the numbers of topics and tables: 24 in all, within 4 standard errors.
    """
    monkeypatch.setattr(assignments, "MOST_SWEEPS", 2)
    exact = LearnedPosterior(DOCS, 3, (CONCENTRATION_PRIOR, CONCENTRATION_PRIOR, ETA_PRIOR))
    assert len({z for z, _ in exact.law}) == 52
    method = HdpGibbs(HDP(), start="nothing", learn_gamma=True, learn_alpha=True, learn_eta=True)
    corpus, rng, seen = corpus_of(DOCS, 3), np.random.default_rng(2), []
    state, blocks = method.init(corpus, rng), blocks_of(corpus, [[1], [0]])
    for n in range(50 + N_DRAWS // 2):
        state, _ = one_pass(method, state, blocks, rng)
        z, n_tables = slots_law(state), state.tables.sum()
        logs = np.log([state.gamma, state.alpha, state.tokens.eta])
        if n >= 50:
            seen.append(
                [*pairs(z), n_tables, n_tables**2, *logs, *(max(z) + 1) * logs, *n_tables * logs]
            )
    means = law_moments(exact.law, lambda key: [*pairs(key[0]), key[1], key[1] ** 2])
    more = (exact.mean_logs, exact.mean_log_times["topics"], exact.mean_log_times["tables"])
    assert largest_gap(seen, np.concatenate((means, *more))) < 4.0


def test_the_franchise_sampler_has_the_enumerated_posterior():
    """The slow twin itself: 2,500 sweeps, Monte Carlo error near 0.03."""
    docs = [[0, 0, 1], [1]]
    law, _ = enumerate_law(Prior((), (), (), 0.8, 0.9, 0.4, 2), docs)
    twin, seen = Franchise(docs, 2, 0.8, 0.9, 0.4, np.random.default_rng(3)), Counter()
    for _ in range(2500):
        twin.sweep()
        seen[canonical(twin.topics, 0)] += 1 / 2500
    assert total_variation(law, seen) < 0.05


@pytest.mark.second
def test_direct_assignment_agrees_with_the_franchise():
    """Four documents, 20 tokens: means of samplers that share nothing, within 4.5 errors."""
    rng = np.random.default_rng(5)
    docs = [sorted(rng.integers(0, 4, n).tolist()) for n in (8, 6, 4, 2)]
    model = HDP(gamma=2.0, alpha=1.5, eta=0.3)
    twin = Franchise(docs, 4, model.gamma, model.alpha, model.eta, rng)
    method, corpus = HdpGibbs(model, start="nothing"), corpus_of(docs, 4)
    state, blocks = method.init(corpus, rng), blocks_of(corpus, [[2, 0], [1, 3]])
    fast, slow = [], []
    for _ in range(4000):
        state, _ = one_pass(method, state, blocks, rng)
        fast.append([*neighbours(state.tokens.topic), (state.weight > 0).sum(), state.tables.sum()])
    for _ in range(350):
        twin.sweep()
        slow.append([*neighbours(np.array(twin.topics)), len(set(twin.topics)), len(twin.dish)])
    (a, error_a), (b, error_b) = (mean_and_error(np.array(x, float)) for x in (fast, slow))
    assert np.all(np.abs(a - b) < 4.5 * np.hypot(error_a, error_b) + 1e-3)


def neighbours(z: np.ndarray) -> np.ndarray:
    """Whether tokens share a topic: neighbours, and tokens five places apart."""
    return np.concatenate((z[1:] == z[:-1], z[5:] == z[:-5]))


LENGTHS, PARTITION, N_WORDS = (5, 1, 3, 4), [[2, 0], [3, 1]], 3


def prior_state(
    method: HdpGibbs, gamma: float, alpha: float, eta: float, rng: np.random.Generator
) -> tuple[State, Corpus]:
    """Topics, tables, corpus weights and words drawn from the model, as the sampler's state."""
    topics, tables = draw_franchise(LENGTHS, gamma, alpha, rng)
    words = draw_words([k for row in topics for k in row], N_WORDS, eta, rng)
    docs = [d.tolist() for d in np.split(np.array(words), np.cumsum(LENGTHS)[:-1])]
    corpus = corpus_of(docs, N_WORDS)
    state = method.init(corpus, rng)
    tokens, n_topics = state.tokens, 1 + max(map(max, topics))
    tokens.topic[:] = np.concatenate(
        [np.array(k)[np.argsort(w, kind="stable")] for k, w in zip(topics, docs, strict=True)]
    )
    tokens.count_words(np.repeat(corpus.word_ids, corpus.counts))
    tokens.count[:] = np.bincount(tokens.topic, minlength=len(tokens.count))
    state.tables = np.zeros((len(PARTITION), len(tokens.count)))
    for block, rows in enumerate(PARTITION):
        for row in rows:
            for k, n in tables[row].items():
                state.tables[block, k] += n
    state.all_tables = state.tables.sum(axis=0)
    weight = rng.dirichlet([*state.all_tables[:n_topics], gamma])
    state.weight[:n_topics], state.rest[0] = weight[:-1], weight[-1]
    state.slot_ids[:n_topics], state.n_ids = np.arange(n_topics), n_topics
    state.gamma, state.alpha, state.n_passes = gamma, alpha, 1
    sort_slots(state, eta)
    return state, corpus


def features(state: State, corpus: Corpus) -> list[float]:
    tokens, words = state.tokens, np.repeat(corpus.word_ids, corpus.counts)
    z = tokens.topic
    doc = np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths)
    same = z[:, None] == z
    n_topics, n_tables = float((tokens.count > 0).sum()), state.tables.sum()
    surprise = state.rest[0] - state.gamma / (n_tables + state.gamma)  # 0 on average, given both
    gamma, alpha, eta = np.log([state.gamma, state.alpha, tokens.eta])
    return [
        *(n_topics, n_topics**2, n_tables, n_tables**2, state.tables[0].sum()),
        *(same[doc[:, None] == doc].sum(), same[doc[:, None] != doc].sum()),
        *(same[words[:, None] == words].sum(), tokens.count.max()),
        *(state.rest[0], state.rest[0] ** 2, (state.weight**2).sum(), state.weight[z].sum()),
        *((state.weight * state.tables.sum(axis=0)).sum(), state.weight[z[0]]),
        *(gamma, gamma * n_topics, gamma * n_tables, gamma * surprise, surprise),
        *(alpha, alpha * n_tables, alpha * n_topics, alpha * same.sum(), alpha * gamma),
        *(eta, eta * n_topics, eta * same[words[:, None] == words].sum()),
    ]


@pytest.mark.second
@pytest.mark.parametrize(
    ("learned", "start"),
    [(False, "nothing"), (True, "nothing"), (False, "many")],
    ids=["fixed", "learned", "after a start from many"],
)
def test_joint_distribution(learned, start, monkeypatch):
    """Geweke 2004 with independent replicates: a draw from the model stays one after two passes.

    Where concentrations are learned, of two sweeps each.
    1,500 replicates; of 28 features the largest z stays below 4.5 but for one seed in 5,000.
    """
    monkeypatch.setattr(assignments, "MOST_SWEEPS", 2)
    method = HdpGibbs(
        HDP(0.3, 4.0, 0.5),
        start=start,
        n_start=4,
        start_passes=1,
        learn_gamma=learned,
        learn_alpha=learned,
        alpha_rate=1.0,
        learn_eta=learned,
    )
    rng, before, after = np.random.default_rng(7), [], []
    for _ in range(1500):
        gamma, alpha, eta = 0.3, 4.0, 0.5
        if learned:
            shape, rate = CONCENTRATION_PRIOR
            gamma, alpha = rng.gamma(shape, [1 / rate, 1 / method.alpha_rate])
            eta = rng.gamma(ETA_PRIOR[0], 1 / ETA_PRIOR[1])
        state, corpus = prior_state(method, gamma, alpha, eta, rng)
        before.append(features(state, corpus))
        blocks = blocks_of(corpus, PARTITION)
        for _ in range(2):
            state, _ = one_pass(method, state, blocks, rng)
        after.append(features(state, corpus))
    assert largest_z(before, after) < 4.5


@pytest.mark.second
def test_a_new_topic_s_share_of_the_rest():
    """The first token opens a topic: its weight after its table was drawn is Beta(1, gamma)."""
    method, rng = HdpGibbs(HDP(2.5, 1.0, 0.1), start="nothing"), np.random.default_rng(0)
    corpus = corpus_of([[0]], 2)
    drawn, blocks = [], blocks_of(corpus, [[0]])
    for _ in range(2000):
        state, _ = one_pass(method, method.init(corpus, rng), blocks, rng)
        assert state.tables.sum() == 1
        drawn.append(state.weight.sum())
    assert np.mean(drawn) == pytest.approx(1 / 3.5, abs=5 * np.sqrt(2.5 / 3.5**2 / 4.5 / 2000))


@pytest.mark.second
def test_the_first_pass_seats_tokens_one_after_the_other():
    """One word twice: the second token sees the share of the rest that the first topic took.

    P(another topic), integrated over that Beta(1, gamma); 2,000 first passes, 5 standard errors.
    """
    gamma, alpha, eta, n = 0.3, 4.0, 0.2, 2000
    method, rng = HdpGibbs(HDP(gamma, alpha, eta), start="nothing"), np.random.default_rng(0)
    corpus = corpus_of([[0, 0]], 2)
    apart, blocks = 0, blocks_of(corpus, [[0]])
    for _ in range(n):
        state, _ = one_pass(method, method.init(corpus, rng), blocks, rng)
        apart += state.tokens.topic[0] != state.tokens.topic[1]
    share = 1 - (1 - (np.arange(10_000) + 0.5) / 10_000) ** (1 / gamma)  # its quantiles
    joins = (1 + alpha * share) * (1 + eta) / (1 + 2 * eta)
    opens = alpha * (1 - share) / 2
    exact = (opens / (joins + opens)).mean()
    assert apart / n == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / n))
