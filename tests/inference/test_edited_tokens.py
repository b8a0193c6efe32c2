"""A topic of a sampler of tokens divided in two by hand."""

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.inference import edited_tokens
from bnpexplorer.inference.assignments import Assignments, words_of


@pytest.mark.parametrize("best", [0, 4, 9])
def test_of_ten_divisions_the_best_is_taken(monkeypatch, best):
    counts = np.array([[4, 3, 0, 0], [0, 1, 5, 2], [3, 2, 2, 1]])
    corpus = Corpus.from_csr(counts, list("abcd"))
    tokens, parts = Assignments.unseated(corpus, 8, 0.1), []
    tokens.topic[:] = 2
    values = [float(n % 3) for n in range(edited_tokens.TRIES)]
    values[best] = 7.0

    def judged(found, mass, share, eta):
        assert (mass, share, eta) == (1.5, 0.5, 0.1)
        parts.append(found.second.copy())
        return values[len(parts) - 1]

    monkeypatch.setattr(edited_tokens, "log_ratio", judged)
    rng = np.random.default_rng(3)
    found = edited_tokens.second_part(tokens, words_of(corpus), 2, 1.5, rng)
    assert len(parts) == edited_tokens.TRIES == 10
    assert len({part.tobytes() for part in parts}) > 5
    second = parts[best]
    smaller = second if 2 * second.sum() <= len(second) else ~second
    np.testing.assert_array_equal(found, np.flatnonzero(smaller))
