"""How far the mix of labels swings between periods, against counts by hand and drawn mixes."""

import numpy as np
import pytest

from bnpexplorer.explore.periods import labelled
from bnpexplorer.explore.swing import Swing, swing

DAYS = np.array(["2020-01-15", "2020-02-15", "2020-03-15"], "datetime64[D]")


def collection(*counts):
    """Labels and dates: `counts` has for each month how many texts each of a, b, c has."""
    label = np.concatenate([np.repeat(list("abc")[: len(row)], row) for row in counts])
    dates = np.repeat(DAYS[: len(counts)], [sum(row) for row in counts])
    return labelled(label.astype(object), len(label)), dates


def test_the_label_that_swings_most_is_told_with_its_periods():
    labels, dates = collection((60, 40), (10, 90), (30, 70))
    said = "in January 2020", "in February 2020"
    assert swing(labels, dates, "month") in (
        Swing("a", 0.6, 0.1, *said),
        Swing("b", 0.9, 0.4, *said[::-1]),
    )
    assert swing(labels, dates, "year") is None, "one period"


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        (((601, 399), (400, 600)), True),
        (((600, 400), (401, 599)), False),  # less than a fifth
        (((9, 0), (0, 9)), False),  # too few texts
        (((10, 0), (0, 10)), True),
        (((6, 4), (4, 6)), False),  # may be chance
    ],
)
def test_what_is_small_or_may_be_chance_is_not_told(counts, told):
    assert (swing(*collection(*counts), "month") is not None) == told


def test_texts_without_a_label_or_a_date_do_not_count():
    labels, dates = collection((60, 40), (10, 90))
    codes = labels.codes.copy()
    codes[:20] = -1
    without = type(labels)(labels.names, codes, labels.n_docs)
    assert swing(without, dates, "month").high - swing(without, dates, "month").low == 0.4
    dates = dates.copy()
    dates[:100] = np.datetime64("NaT")
    assert swing(labels, dates, "month") is None
    assert swing(None, dates, "month") is None


def test_passages_of_a_text_count_once():
    labels, dates = collection((60, 40), (10, 90))
    assert swing(labels, dates, "month", np.arange(200)) is not None
    assert swing(labels, dates, "month", np.arange(200) // 20) is None, "five texts a month"


@pytest.mark.parametrize("n", [15, 60])
def test_an_even_mix_is_seldom_said_to_swing(n):
    rng = np.random.default_rng(7)
    told = 0
    for _ in range(300):
        counts = [rng.multinomial(n, [0.5, 0.3, 0.2]) for _ in range(3)]
        told += swing(*collection(*counts), "month") is not None
    assert told <= 15, "5 % at most"
