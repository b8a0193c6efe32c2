"""Corpora drawn from the gamma-Dirichlet process: their mass and how documents share topics."""

import numpy as np
import pytest
from scipy import stats

from bnpexplorer.models import gdp
from bnpexplorer.models.base import SyntheticCorpus
from bnpexplorer.models.gdp import GammaDP
from bnpexplorer.models.hdp import HDP


def test_the_mass_has_the_law_of_a_gamma_process(monkeypatch):
    """Gamma(gamma, 1): 4,000 masses against its distribution function and moments."""
    masses, drawn = [], HDP().sample(np.random.default_rng(0), 1, 5, 3.0)

    class Recorded:
        def __init__(self, gamma: float, alpha: float, eta: float) -> None:
            assert (gamma, eta) == (2.5, 0.3)
            masses.append(alpha)

        def sample(self, *arguments: object) -> SyntheticCorpus:
            return drawn

    monkeypatch.setattr(gdp, "HDP", Recorded)
    rng = np.random.default_rng(0)
    for _ in range(4000):
        GammaDP(gamma=2.5, eta=0.3).sample(rng, 1, 5, 3.0)
    assert np.mean(masses) == pytest.approx(2.5, abs=0.1)  # four standard errors
    assert np.var(masses) == pytest.approx(2.5, abs=0.3)
    assert stats.kstest(masses, stats.gamma(2.5).cdf).pvalue > 0.01


def shared(gamma: float, n_docs: int, n_corpora: int, n_tokens: int) -> tuple[float, int]:
    """How often two tokens share their topic, in corpora of `n_tokens` tokens in all."""
    rng = np.random.default_rng(1)
    topics = []
    for _ in range(n_corpora):
        drawn = GammaDP(gamma=gamma, eta=0.5).sample(rng, n_docs, 4, 2.0 / n_docs)
        if drawn.corpus.n_tokens == n_tokens:
            topics.append(len(drawn.topic_word))
    return float(np.mean(np.array(topics) == 1)), len(topics)


@pytest.mark.second
@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_two_tokens_of_a_document_share_a_topic_as_often_as_they_should(gamma):
    """Given the mass mu: at the same table 1/(1 + mu), else at two that serve one dish
    1/(1 + gamma); averaged over Gamma(gamma, 1). A fixed mu = gamma would be 0.06 off at 0.5."""
    together = stats.gamma(gamma).expect(lambda mu: 1.0 / (1.0 + mu))
    exact = together + (1.0 - together) / (1.0 + gamma)
    observed, n = shared(gamma, 1, 2500, 2)
    assert n > 500
    assert abs(observed - exact) < 4.0 * np.sqrt(exact * (1.0 - exact) / n)


@pytest.mark.second
def test_tokens_of_two_documents_share_a_topic_whatever_the_mass():
    observed, n = shared(2.0, 2, 2500, 2)
    assert n > 500
    assert abs(observed - 1.0 / 3.0) < 4.0 * np.sqrt(2.0 / 9.0 / n)


def test_larger_gamma_gives_more_topics_and_equal_seeds_the_same_corpus():
    numbers = {}
    for gamma in (0.5, 10.0):
        drawn = [
            GammaDP(gamma=gamma).sample(np.random.default_rng(s), 20, 15, 30.0) for s in range(8)
        ]
        numbers[gamma] = np.mean([len(d.topic_word) for d in drawn])
        assert all(np.allclose(d.topic_word.sum(axis=1), 1.0) for d in drawn)
    assert numbers[10.0] > numbers[0.5] + 5
    again = [GammaDP().sample(np.random.default_rng(3), 20, 15, 30.0) for _ in range(2)]
    other = GammaDP().sample(np.random.default_rng(4), 20, 15, 30.0)
    assert np.array_equal(again[0].corpus.word_ids, again[1].corpus.word_ids)
    assert np.array_equal(again[0].corpus.counts, again[1].corpus.counts)
    assert np.array_equal(again[0].topic_word, again[1].topic_word)
    assert not np.array_equal(again[0].topic_word, other.topic_word)
