"""How long documents are: counted in pieces as all at once."""

import numpy as np
import pytest

from bnpexplorer.plots import corpus
from bnpexplorer.plots.corpus import lengths_figure, lengths_of


@pytest.mark.parametrize("n", [1, 2, 999, 1000])
def test_lengths_in_pieces_are_those_of_all(monkeypatch, n):
    monkeypatch.setattr(corpus, "PIECE", 17)
    lengths = np.random.default_rng(n).geometric(0.02, n)
    found = lengths_of(lengths)
    values, counts = np.unique(lengths, return_counts=True)
    assert found.lengths.tolist() == values.tolist()
    assert found.documents.tolist() == counts.tolist()
    assert found.median == np.median(lengths)
    figure = lengths_figure(found, dark=False)
    drawn = figure.data[0]
    assert (
        drawn.hovertemplate == f"{figure.layout.yaxis.title.text}: %{{y:,}}" == "documents: %{y:,}"
    )
    heights, edges = np.array(drawn.y[::2]), np.array(drawn.x[::2])
    assert heights.sum() == n, "every document is in one step of the figure"
    assert (np.diff(edges) > 0).all()


def test_one_text_of_very_many_words_takes_no_memory():
    found = lengths_of(np.array([3, 2**40, 3]))
    assert found.lengths.tolist() == [3, 2**40]
    assert found.documents.tolist() == [2, 1]
