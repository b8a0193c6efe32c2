"""The mixture's exact predictive, its fold-in, and its synthetic corpora."""

from collections import Counter

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.mixture import document_log_predictive, log_predictive
from bnpexplorer.inference.slices import by_distinct_word
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.state.snapshot import Topics
from tests.tools.gibbs import binomial_gap
from tests.twins.mixture import log_dm, weights_of

LAM = np.array([[2.5, 0.7, 1.1], [0.6, 3.0, 0.9]])
U, V = (3.2, 1.9), (2.6, 1.3)


def topics_of(lam, weight, unseen, gamma=0.7, eta=0.5) -> Topics:
    total = lam.sum(axis=1)
    return Topics(
        (lam / total[:, None]).astype(np.float32),
        total,
        np.ones(len(lam)),
        np.array(weight),
        unseen,
        np.arange(len(lam)),
        float("nan"),
        gamma,
        eta,
    )


def test_single_document_has_the_published_law_and_predictive():
    topics = topics_of(LAM, *weights_of(U, V))
    doc = Corpus.from_csr(np.array([[2, 0, 1]]))
    share = DPMixture().fold_in(topics, doc)
    assert share == pytest.approx(np.array([[0.84793982, 0.03277188]]), abs=1e-7)
    assert 1.0 - share.sum() == pytest.approx(0.11928830, abs=1e-7)
    assert log_predictive(topics, doc)[0] == pytest.approx(-3.132269087950673, abs=1e-6)


def test_predictive_matches_the_definition_for_short_and_very_repetitive_documents():
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 4, (20, 12))
    counts[3, 4], counts[7, 0], counts[7, 2] = 17, 16, 40
    lam = rng.gamma(1.0, 3.0, (5, 12)) + 0.01
    lam[2] = 1e3 * lam[2]
    docs = Corpus.from_csr(counts)
    words, entries = by_distinct_word(docs)
    by_word = np.ascontiguousarray(lam[:, words].T)
    ours = document_log_predictive(entries, by_word, lam.sum(axis=1), None)
    slow = np.array([[log_dm(doc, row) for row in lam] for doc in counts])
    assert ours == pytest.approx(slow, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("unseen", [0.3, 0.0])
def test_predictive_of_one_token_documents_sums_to_one(unseen):
    rng = np.random.default_rng(0)
    lam = rng.gamma(0.5, 4.0, (6, 30)) + 0.5
    topics = topics_of(lam, (1 - unseen) * rng.dirichlet(np.ones(6)), unseen)
    docs = Corpus.from_csr(np.eye(30, dtype=int))
    assert np.exp(log_predictive(topics, docs)).sum() == pytest.approx(1.0, abs=1e-6)


def test_predictive_of_two_token_documents_sums_to_one_over_ordered_pairs():
    topics = topics_of(LAM, *weights_of(U, V))
    pairs = Corpus.from_csr(
        np.array([[2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    )
    orders = np.array([1, 1, 1, 2, 2, 2])
    assert orders @ np.exp(log_predictive(topics, pairs)) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.second
def test_predictive_is_the_average_likelihood_over_q():
    """Draw sticks and components from q and from the prior beyond it, and average p(x | draw)."""
    rng = np.random.default_rng(5)
    doc, n_draws, gamma, eta = np.array([2, 0, 1]), 200_000, 0.7, 0.5
    likelihood, left = np.zeros(n_draws), np.ones(n_draws)
    for k in range(30):
        stick = rng.beta(U[k], V[k], n_draws) if k < 2 else rng.beta(1.0, gamma, n_draws)
        parameter = LAM[k] if k < 2 else np.full(3, eta)
        likelihood += left * stick * np.prod(rng.dirichlet(parameter, n_draws) ** doc, axis=1)
        left *= 1.0 - stick
    ours = np.exp(log_predictive(topics_of(LAM, *weights_of(U, V)), Corpus.from_csr(doc[None])))[0]
    error = likelihood.std() / np.sqrt(n_draws)
    assert abs(likelihood.mean() - ours) < 4 * error
    assert error < 0.005 * ours


def test_no_components_at_all_predict_by_the_prior():
    topics = topics_of(np.zeros((0, 4)), np.zeros(0), 1.0)
    docs = Corpus.from_csr(np.array([[1, 2, 0, 0], [0, 0, 0, 5]]))
    slow = [log_dm(doc, [0.5] * 4) for doc in docs.to_csr().toarray()]
    assert log_predictive(topics, docs) == pytest.approx(np.array(slow), rel=1e-12)
    assert DPMixture().fold_in(topics, docs).shape == (2, 0)


def test_fold_in_is_a_posterior_and_leaves_room_for_a_new_component():
    lam = 0.5 + 50.0 * np.eye(4)[:3]
    topics = topics_of(lam, [0.3, 0.3, 0.3], 0.1)
    docs = Corpus.from_csr(4 * np.eye(4, dtype=int))
    share = DPMixture().fold_in(topics, docs)
    assert np.all(share[np.arange(3), np.arange(3)] > 0.9)
    assert share[3].sum() < 0.1


def test_drawn_corpora_come_from_the_drawn_components():
    drawn = DPMixture(gamma=2.0, eta=0.1).sample(np.random.default_rng(2), 400, 30, 50.0)
    labels = np.array([int(label.split()[-1]) - 1 for label in drawn.corpus.docs.label])
    assert drawn.corpus.n_docs == len(labels) == 400
    assert sorted(set(labels)) == list(range(len(drawn.topic_word)))
    counts = drawn.corpus.to_csr().toarray()
    assert counts.sum() / 400 == pytest.approx(50.0, abs=1.5)
    for k in np.flatnonzero(np.bincount(labels) > 30):
        seen = counts[labels == k].sum(axis=0)
        assert binomial_gap(seen / seen.sum(), drawn.topic_word[k], seen.sum()) < 4.5


@pytest.mark.parametrize("seed", range(5))
def test_each_drawn_document_is_likeliest_under_its_own_component(seed):
    """Of few documents and many components, between which lie some that hold no document."""
    drawn = DPMixture(gamma=8.0, eta=0.1).sample(np.random.default_rng(seed), 25, 40, 300.0)
    log_words = np.log(np.maximum(drawn.topic_word, 1e-300))
    log_p = drawn.corpus.to_csr() @ log_words.T
    assert len(drawn.topic_word) > 5
    np.testing.assert_array_equal(log_p.argmax(axis=1), drawn.doc_topic.argmax(axis=1))


@pytest.mark.second
def test_drawn_documents_share_components_as_the_restaurant_says():
    """Partitions of 4,000 corpora of three documents: gamma to 1 at every new table."""
    gamma, n, rng = 1.7, 4000, np.random.default_rng(3)
    model, drawn = DPMixture(gamma, 0.5), Counter()
    for _ in range(n):
        names = model.sample(rng, 3, 5, 4.0).corpus.docs.label.tolist()
        drawn[tuple(names.index(name) for name in names)] += 1
    rest = (1 + gamma) * (2 + gamma)
    law = {(0, 0, 0): 2, (0, 0, 2): gamma, (0, 1, 0): gamma, (0, 1, 1): gamma, (0, 1, 2): gamma**2}
    assert set(drawn) == set(law)
    shares = np.array([drawn[z] / n for z in law])
    assert binomial_gap(shares, np.array([*law.values()]) / rest, n) < 4.0
