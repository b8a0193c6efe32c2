"""Topics drawn given the tokens in them: the Dirichlet's law, what the urn makes of it, and where
the topics of a word are found; each against its formula."""

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import poisson

from bnpexplorer.inference.drawn_topics import (
    CHUNK,
    WORDS,
    count_cells,
    draw_topics,
    entries_of,
    placed,
    stream_of,
)
from bnpexplorer.kernels.drawn_words import POISSON, draw_words
from bnpexplorer.kernels.partly_collapsed import TOKENS
from bnpexplorer.kernels.tuples import Cells
from tests.tools.drawn import cells_of, dense
from tests.tools.gibbs import chi_square

KEY, SWEEP = 77, 6


@pytest.mark.second
def test_the_topics_of_a_word_are_found_with_the_weights_of_the_prior():
    """The cells of a word are its topics in turn, the bits of 70 slots lead to them, and what the
    prior gives up to each is the sum of phi_kw alpha Psi_k."""
    rng = np.random.default_rng(0)
    n_slots = 70
    counts = rng.poisson(0.3, (300, n_slots))
    base = rng.gamma(1.0, size=n_slots)
    for draw in ("exact", "poisson"):
        phi = draw_topics(None, cells_of(counts), 0.02, base, draw, 3, 4)
        drawn, matrix = placed(None, phi, base), dense(phi, n_slots)
        assert drawn.groups.shape == (300, 3)
        for w in range(300):
            own, cells = np.flatnonzero(matrix[w]), slice(drawn.start[w], drawn.start[w + 1])
            np.testing.assert_array_equal(drawn.slot[cells], own)
            np.testing.assert_array_equal(drawn.chance[cells], matrix[w, own])
            assert drawn.ends[cells] == pytest.approx(np.cumsum(matrix[w] * base)[own], rel=1e-12)
            for k in range(n_slots):
                group = int(drawn.groups[w, k // 32])
                assert group >> k % 32 & 1 == (matrix[w, k] > 0.0)
                below = (group & (1 << k % 32) - 1).bit_count()
                assert (group >> 32) + below == drawn.start[w] + np.searchsorted(own, k)


COUNTS = np.array([[40, 0], [3, 0], [0, 7], [1, 1], [0, 0]])


def phi_draws(draw: str, eta: float, n: int) -> np.ndarray:
    """(n, 5, 2): draws of two topics with `COUNTS`."""
    cells, base = cells_of(COUNTS), np.ones(2)
    return np.array([dense(draw_topics(None, cells, eta, base, draw, 9, s), 2) for s in range(n)])


@pytest.mark.second
def test_exact_topics_have_the_moments_of_their_dirichlet():
    """4,000 draws; means and mean logarithms within 4.5 standard errors."""
    eta, n = 0.8, 4000
    phi, lam = phi_draws("exact", eta, n), COUNTS + eta
    total = lam.sum(axis=0)
    mean = lam / total
    error = np.sqrt(mean * (1 - mean) / (total + 1) / n)
    assert np.all(np.abs(phi.mean(axis=0) - mean) < 4.5 * error)
    logs = np.log(phi)
    error = logs.std(axis=0) / np.sqrt(n)
    assert np.all(np.abs(logs.mean(axis=0) - digamma(lam) + digamma(total)) < 4.5 * error)


@pytest.mark.second
def test_poisson_topics_have_nearly_the_moments_of_the_dirichlet():
    """What the urn approximates: means differ by less than 1 / total, where words that occur
    nowhere are drawn exactly (here the last two), and the standard deviation of a word with many
    tokens by 10 %; but a word with few is 0 in a topic with the probability exp(-eta - n_kw), which
    never happens to a Dirichlet's."""
    eta, n = 0.8, 4000
    phi, lam = phi_draws("poisson", eta, n), COUNTS + eta
    total = lam.sum(axis=0)
    mean = lam / total
    error = phi.std(axis=0) / np.sqrt(n)
    assert np.all(np.abs(phi.mean(axis=0) - mean) < 4.5 * error + 1 / total)
    sd = np.sqrt(mean * (1 - mean) / (total + 1))
    assert np.all(np.abs(phi.std(axis=0) / sd - 1)[0, 0] < 0.1)
    nowhere = (phi[:, 1, 0] == 0).mean()
    p = np.exp(-eta - 3) * (1 - np.exp(-eta))  # there, and not in the other topic as well
    assert nowhere == pytest.approx(p, abs=4.5 * np.sqrt(p / n))
    assert (phi.sum(axis=2) > 0).all(), "a word that is nowhere has no topic to be drawn from"


@pytest.mark.parametrize("mean", [1, 3, 15, 16])
def test_the_urn_draws_poisson_counts(mean):
    """20,000 words with so many tokens in one topic, and 60 in the other: the p-value of all counts
    is above 1e-4, and so it is on both sides of where one draw is looked up and others are not."""
    n = 20_000
    cells, total = cells_of(np.tile([mean, 60], (n, 1))), np.empty(2)
    rng, two = np.random.default_rng(mean), np.ones(2)
    _, slots, drawn = draw_words(0, n, cells, 1e-9, two, POISSON, total, rng)
    seen = np.bincount(drawn[slots == 0].astype(int), minlength=100)
    seen[0] = n - seen.sum()
    assert chi_square(seen, poisson.pmf(np.arange(len(seen)), mean)) > 1e-4
    assert total == pytest.approx([drawn[slots == 0].sum(), drawn[slots == 1].sum()])


@pytest.mark.parametrize("eta", [0.7, 7.9, 9.0])
def test_the_prior_throws_poisson_counts_at_every_topic(eta):
    """20,000 words with 60 tokens in one topic and none in the other, which gets Poisson(eta): the
    p-value of all counts is above 1e-4, whether all throws of a word are looked up or not."""
    n = 20_000
    cells, total = cells_of(np.tile([60, 0], (n, 1))), np.empty(2)
    rng, two = np.random.default_rng(7), np.ones(2)
    _, slots, drawn = draw_words(0, n, cells, eta, two, POISSON, total, rng)
    seen = np.bincount(drawn[slots == 1].astype(int), minlength=100)
    seen[0] = n - seen.sum()
    assert chi_square(seen, poisson.pmf(np.arange(len(seen)), eta)) > 1e-4


@pytest.mark.second
def test_the_urn_comes_near_the_dirichlet_as_counts_grow():
    """Of a word with n tokens of 2 n: skewness of both differs by about 1 / sqrt(n), so that the
    total variation of binned draws falls from n = 4 to n = 100; below 0.08 there (noise 0.02)."""

    def gap(n: int) -> float:
        cells = Cells(np.array([0, 1, 2]), np.zeros(2, np.int32), np.array([n, n], np.int32))
        draws = {
            draw: np.array(
                [
                    draw_topics(None, cells, 0.1, np.ones(1), draw, 1, s).chance[0]
                    for s in range(3000)
                ]
            )
            for draw in ("exact", "poisson")
        }
        edges = np.quantile(draws["exact"], np.linspace(0, 1, 11)[1:-1])
        binned = [np.bincount(np.digitize(x, edges), minlength=10) / 3000 for x in draws.values()]
        return 0.5 * float(np.abs(binned[0] - binned[1]).sum())

    small, large = gap(4), gap(100)
    assert large < 0.08 < small


def test_words_that_are_next_to_nothing_everywhere_can_be_drawn():
    """Gamma(1e-4) is next to nothing for a word without tokens in nearly all of two topics."""
    cells = Cells(np.zeros(401, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))
    base = np.array([1.0, 2.0])
    drawn = placed(None, draw_topics(None, cells, 1e-4, base, "exact", 1, 1), base)
    assert (np.diff(drawn.start) > 0).all()
    assert (drawn.ends > 0).all()
    assert np.isfinite(drawn.ends).all()


@pytest.mark.parametrize("draw", ["poisson", "exact"])
def test_topics_over_many_words_are_distributions(draw):
    counts = np.random.default_rng(1).poisson(2.0, (3 * CHUNK + 5, 4))
    phi = draw_topics(None, cells_of(counts), 0.1, np.ones(4), draw, KEY, SWEEP)
    np.testing.assert_allclose(dense(phi, 4).sum(axis=0), 1.0, rtol=1e-5)


@pytest.mark.parametrize("draw", ["poisson", "exact"])
def test_words_have_random_numbers_of_their_own(draw):
    """Equal counts in every chunk, and no two chunks with equal draws."""
    counts = np.tile(np.random.default_rng(1).poisson(5.0, (CHUNK, 4)), (3, 1))
    phi = draw_topics(None, cells_of(counts), 0.1, np.ones(4), draw, KEY, SWEEP)
    chunks = dense(phi, 4).reshape(3, CHUNK, 4)
    assert not np.array_equal(chunks[0], chunks[1])
    assert not np.array_equal(chunks[1], chunks[2])


def test_words_and_documents_have_streams_of_their_own():
    assert WORDS != TOKENS
    one, other = (stream_of(KEY, purpose, SWEEP, 3).random() for purpose in (WORDS, TOKENS))
    assert one != other


def test_entries_are_those_of_the_corpus_word_by_word(dozen):
    entries, words = entries_of(dozen), np.repeat(dozen.word_ids, dozen.counts)
    seen = np.zeros(dozen.n_tokens, int)
    for w in range(dozen.n_words):
        for e in range(entries.start[w], entries.start[w + 1]):
            tokens = np.arange(entries.place[e], entries.place[e] + entries.held[e])
            assert (words[tokens] == w).all()
            seen[tokens] += 1
    assert (seen == 1).all()
    topic = np.random.default_rng(0).integers(-1, 4, dozen.n_tokens).astype(np.int32)
    cells = count_cells(None, entries, topic, 4)
    found = np.zeros((dozen.n_words, 4), int)
    found[np.repeat(np.arange(dozen.n_words), np.diff(cells.start)), cells.slot] = cells.held
    recount = np.zeros_like(found)
    np.add.at(recount, (words[topic >= 0], topic[topic >= 0]), 1)
    assert np.array_equal(found, recount)
