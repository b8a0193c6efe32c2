"""The fold-in of documents under fixed topics, against the plain iteration over all topics."""

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.inference.fold_in import UNTIL, fold_in_proportions, with_rest_topic
from bnpexplorer.inference.lda_local import unfitted
from bnpexplorer.kernels.admixture import fit_documents
from bnpexplorer.kernels.fold_in import fold_in_documents
from bnpexplorer.kernels.tuples import Until
from bnpexplorer.models.lda import LDA
from bnpexplorer.state.snapshot import Topics
from tests.tools.weights import AMOUNTS, amounts_of, corpus_of

N_TOPICS = 60


def drawn(unseen: float, seed: int = 3) -> tuple[Topics, Corpus]:
    """Topics drawn from a sparse prior, and documents that use a few of them each."""
    model = LDA(n_topics=N_TOPICS, alpha=0.05, eta=0.05)
    found = model.sample(np.random.default_rng(seed), 200, 300, 40)
    probs = (found.topic_word + 1e-5).astype(np.float32)
    probs /= probs.sum(axis=1, keepdims=True)
    weight = np.full(N_TOPICS, (1.0 - unseen) / N_TOPICS)
    size, ids = np.ones(N_TOPICS), np.arange(N_TOPICS)
    return Topics(probs, 50.0 * size, size, weight, unseen, ids, 5.0, 1.0, 0.1), found.corpus


def plain(topics: Topics, docs: Corpus) -> np.ndarray:
    """All topics in every iteration, until nothing moves any more."""
    factor, prior, entries = with_rest_topic(topics, docs)
    gamma = prior + docs.doc_lengths[:, None] / len(prior)
    fit = unfitted(entries, gamma)
    fit_documents(0, docs.n_docs, entries, factor, prior, fit, Until(20_000, 1e-11))
    return fit.gamma[:, : len(topics)] / fit.gamma.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("what", AMOUNTS)
@pytest.mark.parametrize("unseen", [0.0, 0.1])
def test_topics_in_play_lead_where_all_topics_lead(unseen, what):
    topics, docs = drawn(unseen)
    docs = corpus_of(amounts_of(docs.to_csr().toarray(), what))
    found, wanted = fold_in_proportions(topics, docs), plain(topics, docs)
    apart = 0.5 * np.abs(found - wanted).sum(axis=1)
    assert np.quantile(apart, 0.95) < 2e-3
    assert apart.mean() < 2e-3  # now and then a document has two equally good readings
    assert found.sum(axis=1).max() <= 1.0 + 1e-12


def test_a_topic_that_comes_late_is_not_left_out():
    # Two copies of one topic share a document evenly, however little the prior gives to one.
    topics, docs = drawn(0.0)
    probs = topics.topic_word.copy()
    probs[1] = probs[0]
    twins = Topics(
        probs, topics.total, topics.size, topics.weight, 0.0, topics.topic_ids, 5.0, 1.0, 0.1
    )
    theta = fold_in_proportions(twins, docs)
    np.testing.assert_allclose(theta[:, 0], theta[:, 1], atol=1e-9)


def test_documents_do_not_disturb_each_other():
    topics, docs = drawn(0.1)
    whole = fold_in_proportions(topics, docs)
    for row in (0, 57, 199):
        alone = fold_in_proportions(topics, docs.take(np.array([row])))
        np.testing.assert_array_equal(alone[0], whole[row])


def test_documents_that_need_many_iterations_reach_their_fixed_point():
    """Topics that are nearly alike part slowly; 300 iterations left all 40 on the way."""
    rng = np.random.default_rng(0)
    base = rng.dirichlet(np.full(80, 0.3))
    probs = base * np.exp(rng.normal(0.0, 0.15, (12, 80)))
    probs = (probs / probs.sum(axis=1, keepdims=True)).astype(np.float32)
    ones, ids = np.ones(12), np.arange(12)
    topics = Topics(probs, 50.0 * ones, ones, ones / 12, 0.0, ids, 12.0, 1.0, 0.1)
    docs = Corpus.from_csr(rng.multinomial(400, probs[0], 40))
    factor, prior, entries = with_rest_topic(topics, docs)
    gamma = prior + docs.doc_lengths[:, None] / 12
    iterations = [
        fold_in_documents(d, d + 1, entries, factor, prior, gamma, UNTIL) for d in range(40)
    ]
    assert np.median(iterations) > 300
    assert max(iterations) < UNTIL.max_iterations
    found = fold_in_proportions(topics, docs)
    np.testing.assert_array_equal(found, gamma / gamma.sum(axis=1, keepdims=True))
    after = gamma.copy()
    fold_in_documents(0, 40, entries, factor, prior, after, Until(1, 1e-15))
    assert np.abs(after - gamma).mean() < UNTIL.tolerance
