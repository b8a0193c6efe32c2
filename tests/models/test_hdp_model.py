"""Corpora drawn from the HDP: how often tokens share a topic, by the restaurant franchise."""

import numpy as np
import pytest

from bnpexplorer.models.base import stick_breaking
from bnpexplorer.models.hdp import HDP


def apart(gamma: float, alpha: float, n_docs: int) -> tuple[float, int]:
    """How often the only two tokens of a corpus have two topics, and of how many corpora."""
    rng, found = np.random.default_rng(2), []
    for _ in range(4000):
        drawn = HDP(gamma, alpha, 0.5).sample(rng, n_docs, 4, 2.0 / n_docs)
        if drawn.corpus.n_tokens == 2:
            found.append(len(drawn.topic_word) == 2)
    return float(np.mean(found)), len(found)


@pytest.mark.second
@pytest.mark.parametrize(("gamma", "alpha"), [(0.7, 3.0), (3.0, 0.5), (1.0, 1.0)])
def test_tokens_share_topics_as_the_franchise_says(gamma, alpha):
    """Of one document: at two tables, alpha / (1 + alpha), that serve two dishes, gamma / (1 +
    gamma). Of two documents: always at two tables. 4 standard errors, 0.05 at most."""
    dishes = gamma / (1.0 + gamma)
    for n_docs, exact in ((1, dishes * alpha / (1.0 + alpha)), (2, dishes)):
        seen, n = apart(gamma, alpha, n_docs)
        assert n > 1000
        assert abs(seen - exact) < 4.0 * np.sqrt(exact * (1.0 - exact) / n)


def test_documents_have_poisson_lengths_and_words_of_drawn_topics():
    drawn = HDP(1.0, 1.0, 0.1).sample(np.random.default_rng(0), 2000, 30, 25.0)
    lengths = drawn.corpus.doc_lengths
    assert abs(lengths.mean() - 25.0) < 4.0 * 5.0 / np.sqrt(2000)
    assert lengths.var() == pytest.approx(25.0, abs=4.0 * 25.0 * np.sqrt(2.0 / 2000))
    assert np.allclose(drawn.topic_word.sum(axis=1), 1.0)
    # Every document's words are a mixture of the topics: so are those of all, nearly exactly.
    share = np.bincount(drawn.corpus.word_ids, drawn.corpus.counts, 30) / drawn.corpus.n_tokens
    mixture, *_ = np.linalg.lstsq(drawn.topic_word.T, share, rcond=None)
    if len(drawn.topic_word) < 30:
        assert np.abs(mixture @ drawn.topic_word - share).max() < 0.01


def test_no_weight_of_a_broken_stick_is_zero():
    """At 0.05 a fifth of the beta variates are 1: nothing is left, and nothing is added."""
    rng = np.random.default_rng(0)
    for concentration in (0.05, 1.0, 30.0):
        drawn = [stick_breaking(concentration, 1e-6, rng) for _ in range(200)]
        assert all((weights > 0.0).all() for weights in drawn)
        assert all(weights.sum() == pytest.approx(1.0) for weights in drawn)
        first = np.mean([weights[0] for weights in drawn])  # Beta(1, c): 4 errors of its mean
        sd = np.sqrt(concentration / (1 + concentration) ** 2 / (2 + concentration))
        assert abs(first - 1.0 / (1.0 + concentration)) < 4.0 * sd / np.sqrt(200)
