"""Measures of topics and of runs by their laws, against scipy and against all that there is."""

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.evaluate.coherence import npmi, umass
from bnpexplorer.evaluate.in_use import (
    DISTANCES,
    effective_topics,
    match_topics,
    topic_distances,
    topics_covering,
    topics_in_use,
)
from bnpexplorer.evaluate.score import perplexity, unigram_score
from bnpexplorer.evaluate.settling import FEWEST_ALONE, QUANTITIES, rhat_and_ess, settling
from bnpexplorer.state.snapshot import ROUNDING
from tests.tools import drawn_topics as drawn


def rows(rng, n, v, zeros=True):
    found = rng.dirichlet(np.full(v, 0.3), n)
    if zeros:
        found[:, rng.integers(v)] = 0.0
    return found / found.sum(axis=1, keepdims=True)


@given(st.integers(1, 4), st.integers(1, 4), drawn.SEEDS, st.sampled_from(DISTANCES))
def test_no_other_pairs_of_topics_are_nearer_together(k, n, seed, distance):
    rng = np.random.default_rng(seed)
    a, b = rows(rng, k, 6), rows(rng, n, 6)
    between = topic_distances(a, b, distance)
    by_scipy = {
        "total-variation": lambda p, q: 0.5 * np.abs(p - q).sum(),
        "jensen-shannon": lambda p, q: jensenshannon(p, q, base=2),
    }[distance]
    expected = [[by_scipy(p, q) for q in b] for p in a]
    np.testing.assert_allclose(between, expected, rtol=1e-7, atol=1e-7)
    pairs, distances = match_topics(a, b, distance)
    np.testing.assert_array_equal(distances, between[pairs[:, 0], pairs[:, 1]])
    assert len(pairs) == len({*pairs[:, 0]}) == len({*pairs[:, 1]}) == min(k, n)
    small = between if k <= n else between.T
    ways = permutations(range(max(k, n)), min(k, n))
    least = min(sum(small[i, j] for i, j in enumerate(way)) for way in ways)
    assert distances.sum() == pytest.approx(least, abs=1e-12)


@given(drawn.topics(), st.floats(0.0, 1.0), st.floats(0.01, 50.0))
def test_topics_in_use_are_counted_by_what_they_hold(topics, share, factor):
    size = [value for value in topics.size.tolist() if value > 0]
    assert topics_in_use(topics) == sum(value >= 1.0 - ROUNDING for value in size)
    p = np.array(size) / sum(size or [1.0])
    expected = np.exp(stats.entropy(p)) if size else 0.0
    assert effective_topics(topics) == pytest.approx(expected, rel=1e-9)
    scaled = replace(topics, size=factor * topics.size)
    assert effective_topics(scaled) == pytest.approx(effective_topics(topics), rel=1e-9)
    n, largest = topics_covering(topics, share), sorted(p.tolist(), reverse=True)
    assert sum(largest[:n]) >= share - 2e-9 or not size
    assert n <= 1 or sum(largest[: n - 1]) < share + 1e-9


@given(drawn.SEEDS, st.integers(2, 5), st.integers(3, 12))
def test_coherence_is_that_of_loops_over_documents_and_pairs(seed, n_words, n_docs):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.8, (n_docs, 7))
    counts[:, 6] += 1
    topics, corpus = rows(rng, 3, 7, zeros=False), Corpus.from_csr(counts)
    holds = counts > 0
    by_loops = {"umass": [], "npmi": []}
    for topic in topics:
        top = sorted(range(7), key=lambda w: -topic[w])[:n_words]
        pairs = [(a, b) for i, b in enumerate(top) for a in top[:i]]
        log = 0.0
        close = []
        for likelier, other in pairs:
            both, alone = (holds[:, likelier] & holds[:, other]).sum(), holds[:, likelier].sum()
            log += math.log((both + 1) / alone) if alone else 0.0
            p = both / n_docs
            pmi = p and math.log(p / (alone / n_docs * holds[:, other].mean()))
            close.append(-1.0 if not p else 1.0 if p == 1 else pmi / -math.log(p))
        by_loops["umass"].append(log)
        by_loops["npmi"].append(np.mean(close))
    np.testing.assert_allclose(umass(topics, corpus, n_words), by_loops["umass"], atol=1e-12)
    np.testing.assert_allclose(npmi(topics, corpus, n_words), by_loops["npmi"], atol=1e-12)
    order = rng.permutation(n_docs)
    again = npmi(topics, corpus.take(order), n_words)
    np.testing.assert_allclose(again, by_loops["npmi"], atol=1e-12)


@given(drawn.SEEDS, st.integers(4, 30), st.data())
def test_held_out_documents_are_taken_away_once_and_whole(seed, n_docs, data):
    counts = np.random.default_rng(seed).poisson(1.2, (n_docs, 8))
    counts[:, :2] += 1
    n = data.draw(st.integers(1, n_docs - 1))
    train, heldout = split_heldout(Corpus.from_csr(counts), seed % 97, n, "completion")
    whole, hidden, seen = (
        part.to_csr().toarray() for part in (heldout.whole, heldout.hidden, heldout.observed)
    )
    assert len(whole) == n
    both = np.vstack([train.to_csr().toarray(), whole])
    assert sorted(both.tolist()) == sorted(counts.tolist())
    np.testing.assert_array_equal(hidden + seen, whole)
    assert not (hidden * seen).any()
    smoothed = train.to_csr().toarray().sum(axis=0) + 1.0
    log_p = np.log(smoothed / smoothed.sum())
    expected = sum(hidden[d] @ log_p for d in range(n)) / hidden.sum()
    assert unigram_score(train, heldout) == pytest.approx(expected, rel=1e-12)


@given(st.floats(-600.0, 0.0))
def test_perplexity_is_the_score_again(score):
    assert math.log(perplexity(score)) == pytest.approx(-score, rel=1e-12)


# ---- whether a run has settled -------------------------------------------------------------------


@pytest.mark.second
@given(drawn.SEEDS, st.integers(4, 30), st.integers(-99, 99), st.sampled_from([0.25, 1.0, 32.0]))
def test_rhat_does_not_depend_on_the_unit_or_the_order_of_chains(seed, n, shift, scale):
    """Whole numbers, moved and stretched without rounding, which would part equal ones."""
    draws = np.random.default_rng(seed).integers(-20, 20, (3, n)).astype(float)
    found = rhat_and_ess(draws)
    assert rhat_and_ess(draws[::-1]) == pytest.approx(found, rel=1e-9)
    assert rhat_and_ess(shift + scale * draws) == pytest.approx(found, rel=1e-6)


@given(drawn.SEEDS, st.integers(0, 60), st.sampled_from([1e-4, 0.02, 0.3]))
def test_a_curve_has_settled_where_no_mean_moved_by_more_than_its_quantity_may(seed, n, scale):
    rng = np.random.default_rng(seed)
    keys = ("heldout", "topics", "entropy")
    draws = {key: scale * rng.normal(size=n).cumsum() for key in keys}
    found = settling(draws, sampler=False)
    if n < FEWEST_ALONE:
        assert not found.settled
        assert f"{n} draws" in found.why
        return
    half = n // 2
    moved = {
        key: abs(np.mean(x[n - half :]) - np.mean(x[n - 2 * half : n - half]))
        for key, x in draws.items()
    }
    assert found.settled == all(moved[key] <= QUANTITIES[key].steady for key in keys)
    for key in keys:
        told = not found.settled and moved[key] > QUANTITIES[key].steady
        about = QUANTITIES[key]
        said = f"{about.title} moved by {moved[key]:.{about.decimals + 1}f}"
        assert (said in found.why) == told
