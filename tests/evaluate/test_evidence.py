"""Whole-document likelihoods against exact enumeration of all topic assignments."""

from dataclasses import replace
from itertools import product
from math import exp, lgamma, log

import numpy as np
import pytest
from scipy.special import logsumexp

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.evaluate import (
    Heldout,
    importance_log_likelihood,
    left_to_right_log_likelihood,
    score,
    split_heldout,
)
from bnpexplorer.inference.mixture import log_predictive
from bnpexplorer.inference.pool import Threads
from bnpexplorer.kernels import scoring
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.lda import LDA
from bnpexplorer.state.snapshot import Topics


def fixed_topics(beta: list[list[float]], weight: list[float], concentration: float) -> Topics:
    n = len(beta)
    return Topics(
        topic_word=np.array(beta, np.float32).reshape(n, len(beta[0]) if n else 4),
        total=np.full(n, 10.0),
        size=np.full(n, 10.0),
        weight=np.array(weight),
        unseen=1.0 - sum(weight) if sum(weight) < 1 - 1e-9 else 0.0,
        topic_ids=np.arange(n),
        concentration=concentration,
        gamma=1.0,
        eta=0.5,
    )


TWO = fixed_topics([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]], [0.4 / 1.3, 0.9 / 1.3], 1.3)
"""The case with a known answer: prior (0.4, 0.9)."""
WITH_UNSEEN = fixed_topics([[0.7, 0.1, 0.1, 0.1], [0.05, 0.05, 0.1, 0.8]], [0.5, 0.3], 4.0)
"""Unseen weight 0.2, hence a rest topic."""


def document(*counts: int) -> Corpus:
    return Corpus.from_csr([counts])


def enumerated(topics: Topics, tokens: list[int]) -> float:
    """ln sum_z p(z) p(w | z) over every assignment z of the tokens."""
    n_words = topics.topic_word.shape[1]
    prior = [topics.concentration * w for w in topics.weight]
    beta = [row.astype(float) for row in topics.topic_word]
    if topics.unseen > 0:
        prior.append(topics.concentration * topics.unseen)
        beta.append(np.full(n_words, 1 / n_words))
    total = 0.0
    for z in product(range(len(prior)), repeat=len(tokens)):
        log_p = lgamma(sum(prior)) - lgamma(sum(prior) + len(tokens))
        for k, a in enumerate(prior):
            log_p += lgamma(a + z.count(k)) - lgamma(a)
        for k, w in zip(z, tokens, strict=True):
            log_p += log(beta[k][w])
        total += exp(log_p)
    return log(total)


def test_the_enumeration_gives_the_known_number():
    assert enumerated(TWO, [0, 2, 2, 1]) == pytest.approx(-4.46901870217717, abs=1e-6)  # float32


CASES = [
    (TWO, document(1, 1, 2), [0, 1, 2, 2]),
    (WITH_UNSEEN, document(2, 0, 1, 3), [0, 0, 2, 3, 3, 3]),
]


@pytest.mark.parametrize(("topics", "doc", "tokens"), CASES)
@pytest.mark.parametrize("n_iterations", [0, 1, 5])
def test_importance_sampling_converges_to_the_enumeration(topics, doc, tokens, n_iterations):
    # The weights' relative standard deviation is below 1.5: 400,000 draws leave 0.0024.
    estimate = importance_log_likelihood(
        topics, doc, np.random.default_rng(1), 400_000, n_iterations=n_iterations
    )
    assert estimate[0] == pytest.approx(enumerated(topics, tokens), abs=0.008)


@pytest.mark.second
@pytest.mark.parametrize(("topics", "doc", "tokens"), CASES)
def test_left_to_right_converges_to_the_enumeration(topics, doc, tokens):
    estimate = left_to_right_log_likelihood(topics, doc, np.random.default_rng(1), 200_000)
    assert estimate[0] == pytest.approx(enumerated(topics, tokens), abs=0.005)


@pytest.mark.second
@pytest.mark.parametrize("estimate", [importance_log_likelihood, left_to_right_log_likelihood])
def test_few_samples_are_unbiased_for_the_probability(estimate):
    """With 3 samples each, the mean of p over 12,000 copies of a document is right; ln p is low."""
    copies = Corpus.from_csr(np.tile([2, 0, 1, 3], (12_000, 1)))
    logs = estimate(WITH_UNSEEN, copies, np.random.default_rng(2), 3)
    exact = enumerated(WITH_UNSEEN, [0, 0, 2, 3, 3, 3])
    ratio = np.exp(logs - exact)
    standard_error = ratio.std() / np.sqrt(len(ratio))
    assert 1e-4 < standard_error < 0.012
    assert abs(ratio.mean() - 1.0) < 4 * standard_error
    assert logs.mean() < exact


def test_proposal_of_two_tokens_by_hand():
    """One refinement: the other token's expected topic joins the prior."""
    beta, prior = np.array([[0.6, 0.1], [0.1, 0.7]]), np.array([0.4, 0.9])
    first = beta * prior
    first /= first.sum(axis=1, keepdims=True)
    second = beta * (prior + first[::-1])
    second /= second.sum(axis=1, keepdims=True)
    counts = document(1, 1).counts
    np.testing.assert_allclose(scoring._proposal(counts, beta, prior, 0), first)
    np.testing.assert_allclose(scoring._proposal(counts, beta, prior, 1), second)


def test_likelihoods_of_all_documents_of_two_tokens_sum_to_one():
    pairs = list(product(range(4), repeat=2))
    rows = np.zeros((len(pairs), 4), int)
    for row, pair in zip(rows, pairs, strict=True):
        for w in pair:
            row[w] += 1
    corpus = Corpus.from_csr(rows)
    for estimate, n in ((importance_log_likelihood, 50_000), (left_to_right_log_likelihood, 2000)):
        logs = estimate(WITH_UNSEEN, corpus, np.random.default_rng(0), n)
        assert np.exp(logs).sum() == pytest.approx(1.0, abs=0.01)


def test_long_documents_and_many_topics_stay_finite():
    rng = np.random.default_rng(0)
    beta = rng.dirichlet(np.full(200, 0.02), 80)
    topics = fixed_topics(beta.tolist(), rng.dirichlet(np.full(80, 0.1)).tolist(), 1.0)
    docs = Corpus.from_csr(rng.poisson(20, (2, 200)))  # 4,000 tokens each
    logs = importance_log_likelihood(topics, docs, rng, 50)
    uniform = -docs.doc_lengths * log(200)
    assert np.all(np.isfinite(logs))
    assert np.all(logs > 3 * uniform)


def test_no_topics_make_every_word_equally_likely():
    nothing = fixed_topics([], [], 0.7)
    docs = Corpus.from_csr([[2, 0, 1, 3], [0, 1, 0, 0]])
    for estimate in (importance_log_likelihood, left_to_right_log_likelihood):
        logs = estimate(nothing, docs, np.random.default_rng(0), 5)
        np.testing.assert_allclose(logs, [-6 * log(4), -log(4)])


@pytest.mark.parametrize("estimate", [importance_log_likelihood, left_to_right_log_likelihood])
def test_impossible_words(estimate):
    topics = fixed_topics([[0.5, 0.5, 0.0]], [1.0], 1.0)
    docs = Corpus.from_csr([[1, 1, 1], [2, 1, 0]])
    logs = estimate(topics, docs, np.random.default_rng(0), 5)
    np.testing.assert_allclose(logs, [-np.inf, -3 * log(2)])


@pytest.mark.parametrize("estimate", [importance_log_likelihood, left_to_right_log_likelihood])
def test_estimates_follow_the_generator_and_nothing_else(estimate):
    docs = Corpus.from_csr(
        np.random.default_rng(0).poisson(1.0, (70, 4)) + np.eye(70, 4, dtype=int)
    )
    alone = estimate(WITH_UNSEEN, docs, np.random.default_rng(5), 7)
    for workers in (1, 3):
        with Threads(workers) as pool:
            pooled = estimate(WITH_UNSEEN, docs, np.random.default_rng(5), 7, pool=pool)
        np.testing.assert_array_equal(pooled, alone)
    other = estimate(WITH_UNSEEN, docs, np.random.default_rng(6), 7)
    assert not np.array_equal(other, alone)


@pytest.mark.parametrize("estimate", [importance_log_likelihood, left_to_right_log_likelihood])
def test_texts_that_are_alike_are_sampled_each_by_itself(estimate):
    """More than one slice has: were seeds counted anew in each, numbers would repeat."""
    docs = Corpus.from_csr(np.tile([[3, 2, 4, 1]], (70, 1)))
    with Threads(2) as pool:
        logs = estimate(WITH_UNSEEN, docs, np.random.default_rng(5), 200, pool=pool)
    assert len(np.unique(logs)) == 70
    assert logs.std() < 0.2


# ---- scores of whole documents -------------------------------------------------------------------


def whole(protocol: str, corpus: Corpus) -> Heldout:
    _, heldout = split_heldout(corpus, 0, n=corpus.n_docs - 1, protocol=protocol)
    return heldout


SMALL = Corpus.from_csr([[2, 0, 1, 3], [0, 1, 2, 0], [1, 1, 1, 1], [0, 0, 4, 1]])


@pytest.mark.parametrize("model", [LDA(), HDP()])
def test_importance_score_is_the_likelihood_per_token(model):
    heldout = whole("importance", SMALL)
    tokens = [np.repeat(np.arange(4), row).tolist() for row in heldout.whole.to_csr().toarray()]
    exact = sum(enumerated(WITH_UNSEEN, t) for t in tokens) / sum(map(len, tokens))
    got = score(model, WITH_UNSEEN, heldout, np.random.default_rng(0))
    assert got == pytest.approx(exact, abs=0.03)
    assert score(model, WITH_UNSEEN, heldout) == score(model, WITH_UNSEEN, heldout)


MIXTURE = replace(WITH_UNSEEN, concentration=float("nan"), total=np.array([6.0, 3.5]))


def dirichlet_multinomial(lam: np.ndarray, tokens: list[int]) -> float:
    """p(tokens), one after the other by Polya's urn."""
    lam, p = lam.astype(float).copy(), 1.0
    for w in tokens:
        p *= lam[w] / lam.sum()
        lam[w] += 1.0
    return p


def urn_probability(topics: Topics, tokens: list[int]) -> float:
    p = topics.unseen * dirichlet_multinomial(np.full(4, topics.eta), tokens)
    for k in range(len(topics)):
        lam = topics.total[k] * topics.topic_word[k].astype(float)
        p += topics.weight[k] * dirichlet_multinomial(lam, tokens)
    return p


def test_exact_score_of_a_mixture_and_of_several_states():
    heldout = whole("exact", SMALL)
    second = replace(MIXTURE, weight=np.array([0.1, 0.6]), unseen=0.3)
    nothing = fixed_topics([], [], float("nan"))
    tokens = [np.repeat(np.arange(4), row).tolist() for row in heldout.whole.to_csr().toarray()]
    n_tokens = sum(map(len, tokens))
    one = sum(log(urn_probability(MIXTURE, t)) for t in tokens) / n_tokens
    assert score(DPMixture(), MIXTURE, heldout) == pytest.approx(one, abs=1e-6)
    none = sum(log(urn_probability(nothing, t)) for t in tokens) / n_tokens
    assert score(DPMixture(), nothing, heldout) == pytest.approx(none, abs=1e-6)
    mean = sum(
        log(
            0.5 * urn_probability(MIXTURE, t)
            + 0.25 * urn_probability(second, t)
            + 0.25 * urn_probability(nothing, t)
        )
        for t in tokens
    )
    kept = ((2.0, MIXTURE), (1.0, second), (1.0, nothing))
    got = score(DPMixture(), MIXTURE, heldout, kept=kept)
    assert got == pytest.approx(mean / n_tokens, abs=1e-6)


def test_kept_states_average_probabilities_of_documents_under_importance_sampling():
    heldout = whole("importance", SMALL)
    other = replace(WITH_UNSEEN, weight=np.array([0.1, 0.6]), unseen=0.3)
    got = score(
        HDP(), WITH_UNSEEN, heldout, np.random.default_rng(3), ((1.0, WITH_UNSEEN), (3.0, other))
    )
    rng = np.random.default_rng(3)  # the states are scored in turn, from one stream
    first = importance_log_likelihood(WITH_UNSEEN, heldout.whole, rng, 200)
    second = importance_log_likelihood(other, heldout.whole, rng, 200)
    logs = logsumexp([first, second], axis=0, b=np.array([[0.25], [0.75]]))
    assert got == pytest.approx(logs.sum() / heldout.whole.n_tokens, abs=1e-12)


def test_exact_predictive_of_one_token_sums_to_one():
    one_token = Corpus.from_csr(np.eye(4, dtype=int))
    assert np.exp(log_predictive(MIXTURE, one_token)).sum() == pytest.approx(1.0, abs=1e-6)


def test_protocols_refuse_models_they_are_not_defined_for():
    with pytest.raises(ValueError, match="Exact predictive is not defined for Hierarchical"):
        score(HDP(), WITH_UNSEEN, whole("exact", SMALL))
    with pytest.raises(ValueError, match="Importance sampling is not defined for Dirichlet"):
        score(DPMixture(), MIXTURE, whole("importance", SMALL))
    with pytest.raises(ValueError, match="a mixture has an exact one"):
        importance_log_likelihood(MIXTURE, SMALL, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("model", "topics", "protocol"),
    [(DPMixture(), MIXTURE, "exact"), (HDP(), WITH_UNSEEN, "importance")],
)
def test_whole_document_scores_are_the_same_for_any_pool(model, topics, protocol):
    heldout = whole(protocol, SMALL)
    alone = score(model, topics, heldout, np.random.default_rng(1))
    with Threads(3) as pool:
        assert score(model, topics, heldout, np.random.default_rng(1), pool=pool) == alone


@pytest.mark.parametrize("protocol", ["completion", "tokens-90-10"])
def test_mixtures_complete_documents_too(protocol):
    """The component given the observed part, then its expected words; new ones: uniform."""
    _, heldout = split_heldout(SMALL, 0, n=3, protocol=protocol)
    total = 0.0
    for seen, hidden in zip(
        heldout.observed.to_csr().toarray(), heldout.hidden.to_csr().toarray(), strict=True
    ):
        tokens = np.repeat(np.arange(4), seen).tolist()
        share = [
            MIXTURE.weight[k]
            * dirichlet_multinomial(MIXTURE.total[k] * MIXTURE.topic_word[k], tokens)
            for k in range(2)
        ]
        share.append(MIXTURE.unseen * dirichlet_multinomial(np.full(4, 0.5), tokens))
        beta = [*MIXTURE.topic_word.astype(float), np.full(4, 0.25)]
        for w in np.repeat(np.arange(4), hidden):
            total += log(sum(s * b[w] for s, b in zip(share, beta, strict=True)) / sum(share))
    got = score(DPMixture(), MIXTURE, heldout)
    assert got == pytest.approx(total / heldout.hidden.n_tokens, abs=1e-6)


def test_proposal_counts_tokens_and_not_words():
    """A word that stands three times pulls the others three times as much, but itself twice."""
    rng = np.random.default_rng(6)
    beta, prior = rng.dirichlet(np.ones(4), 3).T @ np.eye(3), np.array([0.4, 0.9, 0.2])
    counts = np.array([3, 1, 2, 1], np.int32)
    q = beta * prior
    q /= q.sum(axis=1, keepdims=True)
    for n_iterations in range(4):
        np.testing.assert_allclose(scoring._proposal(counts, beta, prior, n_iterations), q)
        others = np.array([sum(counts[j] * q[j] for j in range(4)) - q[i] for i in range(4)])
        q = beta * (prior + others)
        q /= q.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("estimate", "length"), [(importance_log_likelihood, 6000), (left_to_right_log_likelihood, 400)]
)
def test_of_one_topic_long_documents_have_their_exact_probability(estimate, length):
    """All samples say the same, though the product of their factors leaves the range of a double
    many times."""
    rng = np.random.default_rng(0)
    beta = rng.dirichlet(np.full(30, 0.3))
    topics = fixed_topics([beta.tolist()], [1.0], 2.5)
    counts = rng.multinomial([length, 5], beta)
    logs = estimate(topics, Corpus.from_csr(counts), np.random.default_rng(1), 3)
    log_beta = np.log(topics.topic_word[0].astype(float))
    expected = np.where(counts > 0, counts * log_beta, 0.0).sum(axis=1)
    np.testing.assert_allclose(logs, expected, rtol=1e-6)
    assert expected[0] < -800
