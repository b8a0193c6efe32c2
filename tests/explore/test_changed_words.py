"""Words that changed, by a slow twin and by simulation, and what is said of each."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from bnpexplorer.corpus import Corpus
from bnpexplorer.explore import changed_words, means
from bnpexplorer.explore.sentences import Sides, word_sentence


def bursts(seed, n_docs, strength=20.0, v=300):
    """Documents whose words come in bursts: each has its own shares of words."""
    rng = np.random.default_rng(seed)
    p = np.random.default_rng(0).dirichlet(np.full(v, 0.4)) * strength
    lengths = rng.geometric(1 / 50, n_docs) + 5
    return np.array([rng.multinomial(n, rng.dirichlet(p + 1e-9)) for n in lengths])


def monroe(x, before, after, prior=0.25):
    """`changed_words` by loops: z of every word by the equations of the file's head."""
    n_a, n_b = x[before].sum(), x[after].sum()
    a0, z = prior * min(n_a, n_b), []
    for w in range(x.shape[1]):
        y_a, y_b = x[before, w].sum(), x[after, w].sum()
        commoner = after if y_b * n_a >= y_a * n_b else before
        if np.sum(x[commoner, w] > 0) < 5:
            z.append(0.0)
            continue
        aw = a0 * (y_a + y_b) / (n_a + n_b)
        delta = np.log((y_b + aw) / (n_b + a0 - y_b - aw))
        delta -= np.log((y_a + aw) / (n_a + a0 - y_a - aw))
        differs = expected = 0.0
        for side, n, y in ((before, n_a, y_a), (after, n_b, y_b)):
            p = y / n
            for row in np.flatnonzero(side):
                length = x[row].sum()
                differs += (x[row, w] - p * length) ** 2
                expected += p * (1 - p) * length * (1 - length / n)
        f = max(differs / expected, 1.0)
        z.append(delta / np.sqrt((1 / (y_a + aw) + 1 / (y_b + aw)) * f))
    return np.array(z)


def test_log_odds_are_those_of_a_slow_twin():
    x = bursts(3, 70)
    before, after = np.arange(70) < 25, (np.arange(70) >= 25) & (np.arange(70) < 60)
    found = changed_words.changed_words(Corpus.from_csr(x), before, after)
    np.testing.assert_allclose(found.z, monroe(x, before, after), rtol=1e-9, atol=1e-12)
    assert (found.n_before, found.n_after) == (x[before].sum(), x[after].sum())
    np.testing.assert_array_equal(found.docs_before, (x[before] > 0).sum(axis=0))
    np.testing.assert_array_equal(found.docs_after, (x[after] > 0).sum(axis=0))
    tail = 0.05 / 2 / np.count_nonzero(found.log_odds)
    assert found.least == pytest.approx(student.isf(tail, 25 - 1)), "by the side of fewer texts"


def test_bursts_are_not_called_sure_though_words_drawn_singly_would_be():
    wrong = naive = 0
    for seed in range(20):
        x = bursts(seed, 80)
        before = np.arange(80) < 40
        found = changed_words.changed_words(Corpus.from_csr(x), before, ~before)
        wrong += bool(found.sure.any())
        both = (found.before + found.after) / x.sum()
        alpha = 0.25 * min(found.n_before, found.n_after) * both + 1e-12
        plain = found.log_odds / np.sqrt(1 / (found.before + alpha) + 1 / (found.after + alpha))
        naive += bool(np.any(np.abs(plain) > found.least))
    assert wrong <= 2
    assert naive >= 15, "the correction is needed"


def test_a_word_that_came_is_sure_unless_one_document_says_it():
    x = bursts(5, 200)
    x = np.hstack([x, np.zeros((200, 2), int)])
    x[120:180, -2] = 2
    x[150, -1] = 120
    before = np.arange(200) < 100
    found = changed_words.changed_words(Corpus.from_csr(x), before, ~before)
    assert found.risen(1).tolist() == [300]
    assert found.sure[300]
    assert found.z[301] == 0.0
    said = word_sentence("ebola", found, 300, Sides("2013", "2014"))
    rate = 120 / x[100:].sum()
    match = re.fullmatch(
        r"The word “ebola” rose from 0 \(2013\) to (\d+) in ([\d,]+) words \(2014\)\.", said.text
    )
    assert match, said
    assert abs(float(match[1]) / float(match[2].replace(",", "")) / rate - 1) < 0.1
    assert "0 times in 0 documents, then 120 times in 60" in said.detail
    both = word_sentence("ebola", found, 300, Sides("Whig", "Democratic", True))
    assert both.detail.startswith("120 times in 60 documents and 0 times in 0; ")
    assert re.search(r"stands \d+ times in [\d,]+ words of “Democratic” and 0 times", both.text)
    with pytest.raises(ValueError, match="no documents"):
        changed_words.changed_words(Corpus.from_csr(x), before, np.zeros(200, bool))


def test_which_side_comes_first_is_the_same_to_a_word_as_common_on_both():
    """Six texts use it on one side and one on the other, as often in all: it is compared anyway."""
    x = np.zeros((12, 3), int)
    x[:, 1], x[:, 2] = np.arange(12) + 1, np.roll(np.arange(12) + 1, 6)
    x[:6, 0], x[6, 0] = 1, 6
    x[6:, 2] += x[:6, 1:].sum() // 6 - x[6:, 1:].sum() // 6
    before = np.arange(12) < 6
    assert x[before].sum() == x[~before].sum()
    found = [
        changed_words.changed_words(Corpus.from_csr(x), one, ~one).n_compared
        for one in (before, ~before)
    ]
    assert found == [3, 3]


def test_words_are_sure_by_the_freedom_of_the_side_with_fewer_texts():
    """Twelve texts before and forty after: eleven degrees of freedom, not fifty."""
    x = bursts(3, 52)
    before = np.arange(52) < 12
    found = changed_words.changed_words(Corpus.from_csr(x), before, ~before)
    tail = (1 - means.LEVEL) / 2 / found.n_compared
    assert found.least == pytest.approx(student.isf(tail, 11), rel=1e-6)


def words_changed(before, after, n_before, n_after, **other):
    """What `word_sentence` needs of one word."""
    ones = np.ones(1, np.int64)
    found = changed_words.ChangedWords(
        np.array([before]), np.array([after]), 2 * ones, 3 * ones, n_before, n_after,
        np.zeros(1), np.zeros(1), 2.0, 1,
    )  # fmt: skip
    return replace(found, **other)


@pytest.mark.parametrize(
    ("counts", "totals"), [((3, 5), (1_000, 4_000)), ((70, 9), (2_000, 90_000)), ((0, 2), (50, 7))]
)
def test_each_rate_of_a_word_is_by_the_words_of_its_own_side(counts, totals):
    found = words_changed(*counts, *totals)
    said = word_sentence("tide", found, 0, Sides("May", "June")).text
    match = re.fullmatch(
        r"The word “tide” (?:rose|fell) from ([\d.]+) \(May\) to ([\d.]+) in ([\d,]+) words "
        r"\(June\)\.",
        said,
    )
    assert match, said
    unit = int(match[3].replace(",", ""))
    for written, count, total in zip(match.groups()[:2], counts, totals, strict=True):
        decimals = len(written.partition(".")[2])
        assert abs(float(written) - unit * count / total) <= 0.5 * 10.0**-decimals + 1e-9
