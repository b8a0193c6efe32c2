"""Simulation-based calibration: flat ranks at default lengths, and not for other priors.

What it proves: the whole chain, start and burn-in included, reaches the posterior of small corpora.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare

from benchmarks import calibration
from benchmarks.calibration import PRIORS, Trial, histograms, ranks


def p_values(trial: Trial, monkeypatch) -> dict[str, float]:
    """Of 20 corpora of 8 short documents, by quantity: the chance of ranks as uneven as these."""
    monkeypatch.setattr(calibration, "N_DOCS", 8)
    found = histograms([ranks(trial, seed) for seed in range(20)])
    return {name: float(chisquare(counts).pvalue) for name, (counts, _) in found.items()}


@pytest.mark.second
@pytest.mark.parametrize("name", ["dpm-gibbs", "lda-gibbs"])
def test_ranks_are_flat_at_the_default_length(name, monkeypatch):
    """A pass that learns is twenty sweeps here: a hundred, fewer than by default, are enough."""
    passes = {"lda-gibbs": 100}.get(name)
    found = p_values(Trial(name, True, PRIORS, passes), monkeypatch)
    learned = {"dpm-gibbs": {"gamma", "topics"}, "lda-gibbs": {"alpha"}}[name]
    assert found.keys() == {"eta", "log joint"} | learned
    assert min(found.values()) > 1e-3, found


@pytest.mark.second
def test_another_prior_is_seen(monkeypatch):
    wrong = replace(Trial("dpm-gibbs", True, PRIORS), priors={**PRIORS, "eta": (2.0, 0.2)})
    assert p_values(wrong, monkeypatch)["eta"] < 1e-3


def test_the_topics_of_tokens_that_are_drawn_are_those_of_the_corpus():
    """Their counts add up to the corpus, and a token of a word goes where the model says."""
    rng = np.random.default_rng(0)
    model = calibration.METHODS["lda-gibbs"]().model
    drawn = replace(model, n_topics=3, alpha=0.5).sample(rng, 40, 6, 30.0)
    counts = drawn.corpus.to_csr().toarray()
    by_doc, by_topic = calibration.topics_of_tokens(drawn, counts, rng)
    assert np.array_equal(by_doc.sum(axis=1), counts.sum(axis=1))
    assert np.array_equal(by_topic.sum(axis=0), counts.sum(axis=0))
    share = by_doc / by_doc.sum(axis=1, keepdims=True)
    assert np.abs(share - drawn.doc_topic).mean() < 0.1
