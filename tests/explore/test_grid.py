"""Words that are pixels."""

import numpy as np
import pytest

from bnpexplorer.explore.words import grid_of
from bnpexplorer.samples import bar_topics, load_sample


def test_the_bars_are_pictures_of_rows_and_columns():
    vocab = load_sample("bars").corpus.vocab
    grid = grid_of(vocab)
    assert grid is not None
    assert grid.shape == (5, 5)
    for k, topic in enumerate(bar_topics()):
        picture = grid.shades(topic)
        bar = picture[k] if k < 5 else picture[:, k - 5]
        assert bar.tolist() == [1.0] * 5
        assert picture.sum() == 5.0


def test_a_pixel_stands_where_its_word_says_whatever_the_order():
    grid = grid_of(["r2c3", "r1c1", "r2c1"])
    assert grid is not None
    assert grid.shades(np.array([0.2, 0.5, 0.3])).tolist() == [[1.0, 0.0, 0.0], [0.6, 0.0, 0.4]]
    assert grid.shades(np.zeros(3)).tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize(
    "vocab",
    [[], ["war", "peace"], ["r1c1", "war"], ["r1c1", "r01c1"], ["r0c1", "r2c2"], ["r1c1", "r1c2"]],
)
def test_other_words_are_no_picture(vocab):
    assert grid_of(vocab) is None
