"""What the tests of samplers share: recounts, kept states, the error of a Monte Carlo mean."""

import itertools
from collections import Counter

import numpy as np
from scipy.stats import chi2

from bnpexplorer.corpus.corpus import Corpus
from tests.tools.methods import in_turn, one_pass


def check_counts(tokens, corpus: Corpus) -> None:
    """What a sampler carries along equals a recount from the topics of the tokens."""
    words = np.repeat(corpus.word_ids, corpus.counts)
    seated = tokens.topic >= 0
    recount = np.zeros((corpus.n_words, len(tokens.count)))
    np.add.at(recount, (words[seated], tokens.topic[seated]), 1)
    assert np.array_equal(tokens.count, recount.sum(axis=0))
    assert np.array_equal(word_counts(tokens), recount)
    assert np.allclose(tokens.total, recount.sum(axis=0) + corpus.n_words * tokens.eta)
    assert np.array_equal(np.diff(tokens.doc_start), corpus.doc_lengths)
    assert len(tokens.count) % 8 == 0


def word_counts(tokens) -> np.ndarray:
    """(V, cap), from the topics that each word has; none stands there twice or without tokens."""
    counts = np.zeros((tokens.n_words, len(tokens.count)))
    for w, (first, stop) in enumerate(itertools.pairwise(8 * tokens.word_start)):
        pairs = tokens.cells.reshape(-1, 2)[first:stop]
        slots, held = pairs[: tokens.used[w]].T
        assert len(set(slots.tolist())) == len(slots)
        assert (held > 0).all()
        assert not pairs[tokens.used[w] :, 1].any()
        counts[w, slots] = held
    return counts


def check_kept(method, corpus: Corpus) -> None:
    """With `burn_in` 3, `thin` 2 and `n_kept` 2: copies of the states after passes 5, 7, 9."""
    rng = np.random.default_rng(0)
    half = corpus.n_docs // 2
    state, blocks = method.init(corpus, rng), in_turn(corpus, half)
    expected: list[np.ndarray] = []
    for n_passes in range(1, 11):
        state, _ = one_pass(method, state, blocks, rng)
        if n_passes in (5, 7, 9):
            expected = [*expected, method.topics(state).topic_word][-2:]
        kept = method.kept(state)
        assert [weight for weight, _ in kept] == [1.0] * len(expected)
        for (_, topics), then in zip(kept, expected, strict=True):
            assert np.array_equal(topics.topic_word, then)
    assert kept[0][1].topic_word.dtype == np.float32
    assert expected[0].shape != expected[1].shape or not np.array_equal(*expected)


def total_variation(law: dict, observed: Counter) -> float:
    return 0.5 * sum(abs(law.get(z, 0.0) - observed[z]) for z in law.keys() | observed.keys())


def mean_and_error(values: np.ndarray, n_batches: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Means of chains (rows are sweeps) and their standard errors from batch means."""
    batches = np.array([b.mean(axis=0) for b in np.array_split(values, n_batches)])
    return values.mean(axis=0), batches.std(axis=0, ddof=1) / np.sqrt(n_batches)


def largest_z(before: list[list[float]], after: list[list[float]]) -> float:
    """The largest |mean difference| over its standard error; rows are independent replicates."""
    change = np.array(after) - np.array(before)
    error = change.std(axis=0, ddof=1) / np.sqrt(len(change))
    return float(np.max(np.abs(change.mean(axis=0)) / np.maximum(error, 1e-12)))


def largest_gap(values: np.ndarray, exact: np.ndarray) -> float:
    """The largest |mean - exact| of a chain's numbers over its standard error; rows are sweeps.

    Errors are estimated from 50 batch means; what hardly ever happens is not judged by them.
    """
    mean, error = mean_and_error(np.asarray(values, float), 50)
    floor = 0.3 * np.sqrt(np.abs(exact) / len(values)) + 1e-12
    return float(np.max(np.abs(mean - exact) / np.maximum(error, floor)))


def moments_gap(drawn: Counter, law: dict, features) -> float:
    """The largest |mean - exact| over its exact standard error, of independent draws."""
    n, table = drawn.total(), {z: np.asarray(features(z), float) for z in law}
    exact = law_moments(law, table.get)
    variance = law_moments(law, lambda z: table[z] ** 2) - exact**2
    seen = sum(count * table[z] for z, count in drawn.items()) / n
    error = np.sqrt(np.maximum(variance, 0.0) / n)
    return float(np.max(np.abs(seen - exact) / np.maximum(error, 1e-9)))


def binomial_gap(share: np.ndarray, p: np.ndarray, n: int) -> float:
    """The largest distance of frequencies of `n` independent draws to `p`, in standard errors."""
    error = np.sqrt(np.maximum(p * (1 - p), 1e-12) / n)
    return float(np.max(np.abs(share - p) / error))


def pairs_and_old(n_old: int):
    """`pairs` of an assignment, and which of its items are in each of the first `n_old` topics."""
    return lambda z: [*pairs(z), *(k == i for i in range(n_old) for k in z)]


def law_moments(law: dict, features) -> np.ndarray:
    """E of `features(z)` under an enumerated law."""
    return sum(p * np.asarray(features(z), float) for z, p in law.items())


def pairs(z) -> list[float]:
    """Which pairs of tokens share a topic, how many topics there are, and whether it is one."""
    z = np.asarray(z)
    n_topics = len(set(z.tolist()))
    return [*(z[:, None] == z)[np.triu_indices(len(z), 1)], n_topics, n_topics**2, n_topics == 1]


def chi_square(seen: np.ndarray, p: np.ndarray) -> float:
    """The p-value of counts `seen` under probabilities `p`; rare cells are joined."""
    expected = seen.sum() * p
    rare = expected < 5
    seen = np.append(seen[~rare], seen[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    known = expected > 0
    gap = ((seen[known] - expected[known]) ** 2 / expected[known]).sum()
    return float(chi2.sf(gap, known.sum() - 1))
