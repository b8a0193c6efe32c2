"""Corpora drawn from any model: lengths, which document is made of what, and LDA's two priors."""

import numpy as np
import pytest

from bnpexplorer.models import MODELS
from bnpexplorer.models.base import draw_dirichlet
from bnpexplorer.models.lda import LDA
from tests.evaluate.test_heldout import drawn_corpus, some_topics


@pytest.mark.parametrize("name", MODELS)
def test_a_document_has_the_words_of_what_it_is_made_of(name):
    """They are likelier under its own proportions than under those of the next one."""
    drawn = MODELS[name](eta=0.05).sample(np.random.default_rng(3), 40, 60, 200.0)
    counts, shares = drawn.corpus.to_csr().toarray(), drawn.doc_topic
    assert counts.shape == (40, 60)
    assert shares.shape == (40, len(drawn.topic_word))
    assert drawn.topic_word.sum(axis=1) == pytest.approx(1.0)
    assert (shares.sum(axis=1) <= 1.0 + 1e-12).all()
    log_p = counts @ np.log(shares @ drawn.topic_word + 1e-12).T
    own, next_one = np.diagonal(log_p), log_p[np.arange(40), (np.arange(40) + 1) % 40]
    other = np.abs(shares - np.roll(shares, -1, axis=0)).sum(axis=1) > 0.5
    assert other.sum() > 10
    assert (own[other] > next_one[other]).all()


@pytest.mark.parametrize("name", MODELS)
def test_lengths_are_those_of_a_poisson_law_and_no_document_is_empty(name):
    model, rng = MODELS[name](), np.random.default_rng(0)
    lengths = model.sample(rng, 900, 8, 16.0).corpus.doc_lengths
    assert len(lengths) == 900
    assert lengths.mean() == pytest.approx(16.0, abs=4 * 4 / 30)
    short = model.sample(rng, 900, 8, 0.5).corpus.doc_lengths
    assert short.min() == 1
    # E max(n, 1) = mean + P(n = 0)
    assert short.mean() == pytest.approx(0.5 + np.exp(-0.5), abs=4 * 0.4 / 30)


DRAWN_FROM = {
    "lda": "LDA",
    "hdp": "an HDP",
    "dpm": "a Dirichlet process mixture",
    "gdp": "a gamma-Dirichlet process",
}


@pytest.mark.parametrize("name", MODELS)
def test_a_corpus_is_named_after_the_model_that_it_was_drawn_from(name):
    corpus = MODELS[name]().sample(np.random.default_rng(0), 3, 5, 4.0).corpus
    assert corpus.name == f"drawn from {DRAWN_FROM[name]}"


def test_documents_of_lda_are_drawn_by_alpha_and_topics_by_eta():
    """E x^2 = (a + 1) / (n (n a + 1)) for a symmetric Dirichlet of n parts."""
    model, rng = LDA(n_topics=4, alpha=0.5, eta=3.0), np.random.default_rng(1)
    theta = model.sample(rng, 4000, 6, 2.0).doc_topic
    assert theta.shape == (4000, 4)
    assert (theta**2).mean() == pytest.approx(1.5 / (4 * 3.0), abs=0.004)
    topics = LDA(n_topics=2000, alpha=0.5, eta=3.0).sample(rng, 2, 6, 2.0).topic_word
    assert topics.shape == (2000, 6)
    assert (topics**2).mean() == pytest.approx(4.0 / (6 * 19.0), abs=0.001)


def test_draws_of_a_dirichlet_have_its_means_also_for_tiny_parameters():
    rng = np.random.default_rng(2)
    drawn = draw_dirichlet(np.array([2.0, 1.0, 1.0]), 20_000, rng)
    assert drawn.mean(axis=0) == pytest.approx([0.5, 0.25, 0.25], abs=0.006)
    assert (drawn**2).mean(axis=0) == pytest.approx([6 / 20, 2 / 20, 2 / 20], abs=0.006)
    tiny = draw_dirichlet(np.array([2e-4, 1e-4]), 20_000, rng)
    assert np.isfinite(tiny).all()
    assert tiny.sum(axis=1) == pytest.approx(1.0)
    assert tiny.mean(axis=0) == pytest.approx([2 / 3, 1 / 3], abs=0.015)


def test_topic_models_fold_documents_in_alike():
    """So that held-out scores compare methods."""
    docs = drawn_corpus(20)
    for unseen in (0.0, 0.2):
        topics = some_topics(4, 40, unseen=unseen)
        lda, hdp, gdp = (MODELS[name]().fold_in(topics, docs) for name in ("lda", "hdp", "gdp"))
        assert lda.shape == (20, 4)
        assert np.array_equal(lda, hdp)
        assert np.array_equal(hdp, gdp)
        assert (np.abs(1.0 - lda.sum(axis=1)) < 1e-9).all() == (unseen == 0.0)
