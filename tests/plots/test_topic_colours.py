"""Fourteen colours of topics: seen against the page, and apart in every common kind of sight."""

import itertools

import numpy as np
import pytest

from bnpexplorer.plots.style import (
    PATTERNS,
    topic_band,
    topic_colour,
    topic_fills,
    topic_paint,
    topic_pattern,
    word_ink,
)
from bnpexplorer.state import looks
from tests.ui.test_config import SETTINGS, SIGHT, contrast, perceived

TRITANOPIA = [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.303900],
]
BOTH = pytest.mark.parametrize("dark", [False, True])


def palette(dark):
    return [topic_colour(look, dark) for look in range(looks.COLOURS)]


@BOTH
def test_every_colour_stands_out_against_the_page(dark):
    ground = SETTINGS["theme"]["dark" if dark else "light"]["backgroundColor"]
    assert min(contrast(c, ground) for c in palette(dark)) >= 3


@BOTH
def test_names_in_a_topic_s_colour_can_be_read(dark):
    ground = SETTINGS["theme"]["dark" if dark else "light"]["backgroundColor"]
    for ink in palette(dark):
        words = word_ink(ink, dark)
        assert contrast(words, ground) >= 4.5
        assert (words == ink) == (contrast(ink, ground) >= 4.5), "no further than it must be"
        apart = perceived(words, SIGHT["usual"]) - perceived(ink, SIGHT["usual"])
        assert np.linalg.norm(apart) < 20, "still its colour"


@BOTH
@pytest.mark.parametrize("sight", [*SIGHT, "tritanopia"])
def test_no_two_colours_look_alike(dark, sight):
    """Distances in OKLab times 100: 2 are just visible, the methods' seven colours have 8."""
    seen = SIGHT.get(sight, TRITANOPIA)
    places = [perceived(c, seen) for c in palette(dark)]
    apart = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(places, 2))
    assert apart >= (15 if sight == "usual" else 7)


def test_what_has_the_same_colour_has_another_pattern():
    assert len(PATTERNS) == looks.PATTERNS
    drawn = {(topic_colour(k, False), topic_pattern(k)) for k in range(4 * looks.COLOURS)}
    painted = {topic_paint(k, False) for k in range(4 * looks.COLOURS)}
    assert len(drawn) == len(painted) == 56
    assert topic_paint(3, True) == topic_colour(3, True), "plain ones are plain"
    fills = topic_fills([0, 14], False)
    assert fills["color"][0] == fills["color"][1]
    assert fills["pattern"]["shape"] == ["", PATTERNS[1]]
    assert topic_band(14, False)["fillpattern"]["shape"] == PATTERNS[1]
