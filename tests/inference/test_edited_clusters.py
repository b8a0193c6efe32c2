"""A cluster of a sampler of documents divided in two by hand."""

import math

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.inference import edited_clusters


@pytest.mark.parametrize("best", [0, 3, 9])
def test_of_ten_divisions_the_best_is_taken(monkeypatch, best):
    """By the probability of the words and of two parts of such sizes."""
    corpus = Corpus.from_csr(np.eye(9, 4, dtype=int) + 1, list("abcd"))
    members, divisions = np.array([1, 2, 4, 5, 7, 8]), []

    def divide(docs, order, second, is_new, held, eta, uniforms):
        second[:] = np.roll([True, False, False, False, False, len(divisions) % 2], len(divisions))
        divisions.append((order.copy(), second.copy()))
        n = int(second.sum())
        wanted = 7.0 if len(divisions) - 1 == best else float(len(divisions) % 3)
        return None, wanted - math.lgamma(n) - math.lgamma(6 - n)

    monkeypatch.setattr(edited_clusters, "divide", divide)
    monkeypatch.setattr(edited_clusters, "redraw", lambda *_: None)
    found = edited_clusters.second_part(corpus, members, 0.1, np.random.default_rng(2))
    assert len(divisions) == edited_clusters.TRIES == 10
    order, second = divisions[best]
    assert sorted(found.tolist()) == sorted(members[order[second]].tolist())
