"""How long documents are, counted in pieces as all at once; and how often words occur."""

from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.plots import corpus
from bnpexplorer.plots.corpus import lengths_figure, lengths_of, zipf_figure


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


def test_words_stand_by_rank_and_as_high_as_they_occur():
    report = SimpleNamespace(zipf=(np.array([1, 2, 5]), np.array([900, 40, 3])))
    figure = zipf_figure(report, dark=False)
    (line,) = figure.data
    assert (line.x.tolist(), line.y.tolist()) == ([1, 2, 5], [900, 40, 3])
    titles = (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text)
    assert titles == ("rank of the word", "times it occurs")
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
