"""Parts of a change: the mix of labels, and what happened within labels (Kitagawa 1955)."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.explore import mix
from bnpexplorer.explore.mix import Mix, decomposed, mixes
from bnpexplorer.explore.periods import labelled
from bnpexplorer.explore.sentences import Sentence, with_mix


def slow(share, labels, before, after, weights):
    """Total, mix and within, label by label."""
    total = many = within = 0.0
    for name in sorted(set(labels[before | after].tolist())):
        p, x = [], []
        for side in (before, after):
            own = side & (labels == name)
            p.append(weights[own].sum() / weights[side].sum())
            x.append((weights[own] * share[own]).sum() / weights[own].sum() if own.any() else None)
        a, b = x
        if a is None or b is None:
            many += (p[1] - p[0]) * (b if a is None else a)
        else:
            many += (p[1] - p[0]) * (a + b) / 2.0
            within += (b - a) * (p[0] + p[1]) / 2.0
        total += p[1] * (b or 0.0) - p[0] * (a or 0.0)
    return [total, many, within]


@pytest.mark.parametrize("seed", range(4))
def test_the_parts_are_those_of_the_slow_twin_and_add_up(seed):
    rng = np.random.default_rng(seed)
    share, labels, weights = rng.random(90), rng.integers(-1, 3, 90), rng.integers(1, 50, 90)
    before = rng.random(90) < 0.4
    after = ~before & (rng.random(90) < 0.8)
    labels[after & (labels == 2)] = 1  # a label of the side before alone
    found = decomposed(share, labels, before, after, weights.astype(np.float64))
    assert found.parts == pytest.approx(slow(share, labels, before, after, weights), abs=1e-12)
    assert found.parts[0] == pytest.approx(found.parts[1] + found.parts[2], abs=1e-12)
    assert 0.0 < found.shared < 1.0


SOURCES = np.array([0.5, 0.1, 0.3])
"""What a topic holds of the texts of three sources."""


def world(rng, mix_before, mix_after, rise: float, n: int = 150):
    """Texts of two sides, by three sources whose share of the texts and whose topics may move."""
    side = np.repeat([False, True], n)
    labels = np.concatenate([rng.choice(3, n, p=p) for p in (mix_before, mix_after)])
    mean = SOURCES[labels] + np.where(side, rise, 0.0)
    return rng.beta(8.0 * mean, 8.0 * (1.0 - mean)), labels, ~side, side


def test_where_only_the_mix_moves_it_is_the_change_and_names_the_label():
    found = decomposed(*world(np.random.default_rng(1), [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], 0.0))
    assert found.by_mix
    assert found.high[1] < 0.0
    assert found.low[2] < 0.0 < found.high[2]
    assert found.label in (0, 1)
    assert abs(found.after - found.before) > 0.5
    assert found.shared == pytest.approx(1.0)


def test_where_only_the_topic_moves_the_mix_is_no_cause():
    found = decomposed(*world(np.random.default_rng(2), [0.3, 0.3, 0.4], [0.3, 0.3, 0.4], 0.2))
    assert not found.by_mix
    assert found.low[1] < 0.0 < found.high[1]
    assert found.low[2] > 0.0


@pytest.mark.second
def test_all_three_intervals_hold_together_in_95_of_100_worlds():
    """300 worlds in which both parts move: 285 are expected, and fewer than 273 have a chance of
    one in a thousand."""
    p, q, rise = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.5, 0.3]), 0.1
    true_mix = float((q - p) @ (SOURCES + rise / 2.0))
    truth = np.array([true_mix + rise, true_mix, rise])
    rng, held = np.random.default_rng(3), 0
    for _ in range(300):
        found = decomposed(*world(rng, p, q, rise))
        held += bool(((found.low <= truth) & (truth <= found.high)).all())
    assert held >= 273


def test_passages_of_one_text_are_drawn_together():
    """Ten passages each of fifteen texts tell as much as these, not ten times as much."""
    rng = np.random.default_rng(4)
    share, labels, before, after = world(rng, [0.5, 0.3, 0.2], [0.2, 0.5, 0.3], 0.1, 15)
    alone = decomposed(share, labels, before, after)
    tens = [np.repeat(each, 10) for each in (share, labels, before, after)]
    together = decomposed(*tens, units=np.repeat(np.arange(30), 10))
    apart = decomposed(*tens)
    width = [found.high[0] - found.low[0] for found in (alone, together, apart)]
    assert width[1] == pytest.approx(width[0], rel=0.15)
    assert width[2] < 0.5 * width[1]


def test_draws_in_blocks_are_draws(monkeypatch):
    given = world(np.random.default_rng(5), [0.5, 0.3, 0.2], [0.2, 0.5, 0.3], 0.1)
    whole = decomposed(*given)
    monkeypatch.setattr(mix, "BLOCK", 7 * 300)
    assert decomposed(*given).low == pytest.approx(whole.low, abs=0.02)


def test_labels_that_cannot_tell_and_sides_that_are_too_small():
    share, labels, before, after = world(
        np.random.default_rng(6), [0.5, 0.3, 0.2], [0.2, 0.5, 0.3], 0.1
    )
    assert decomposed(share, np.zeros_like(labels), before, after) is None
    assert decomposed(share, np.arange(300), before, after) is None
    assert decomposed(share, labels, before, np.zeros_like(after)) is None
    few = decomposed(share, labels, before & (np.arange(300) < 9), after)
    assert np.isnan(few.low).all()
    assert not few.by_mix


def test_each_column_is_divided_by_its_own_sides_and_without_labels_none_is():
    share, labels, before, after = world(
        np.random.default_rng(7), [0.5, 0.3, 0.2], [0.2, 0.5, 0.3], 0.1
    )
    shares = np.stack([share, 1.0 - share], axis=1)
    named = labelled(np.array([f"source {n}" for n in labels], object), 300)
    compared = [(1, before, after), (0, after, before)]
    one, other = mixes(shares, compared, named)
    assert one.parts == pytest.approx(other.parts, abs=1e-12)
    assert one.parts == pytest.approx(-decomposed(share, labels, before, after).parts, abs=1e-12)
    assert mixes(shares, compared, None) == [None, None]


SAID = Sentence("In May topic “tax” fell from 13 % to 1 % of the words.", "90 documents.")
NAMED = labelled(np.array(["Herald", "Herald", "Times", ""], object), 4)


def parts(low: float, mix_part: float = -0.1, within: float = -0.02, label: int = 0) -> Mix:
    found = np.array([mix_part + within, mix_part, within])
    ends = np.array([low, low, -0.04]), np.array([-0.08, -0.07, 0.01])
    return Mix(found, *ends, 0.98, label, 0.93, 0.02)


def test_a_sentence_leads_with_the_mix_where_it_is_the_larger_part_surely():
    said = with_mix(SAID, parts(-0.13), NAMED, "words")
    assert said.text == (
        "In May topic “tax” fell from 13 % to 1 % of the words, mostly because “Herald” went from "
        "93\u00a0% to 2\u00a0% of the words."
    )
    assert said.detail == (
        "90 documents. Of -12.0 points -10.0 come from the mix of labels and -2.0 from within them "
        "(-13.0 to -7.0 and -4.0 to +1.0, together with 95\u00a0% certainty); 98\u00a0% of the "
        "words have a label of both sides."
    )
    assert (
        "what has no label went from" in with_mix(SAID, parts(-0.13, label=-1), NAMED, "words").text
    )


@pytest.mark.parametrize(
    "found", [parts(-0.13, -0.02, -0.1), parts(float("nan")), parts(-0.13, 0.1, -0.2)]
)
def test_a_sentence_keeps_its_words_where_the_mix_is_no_sure_cause(found):
    found = replace(found, high=np.full(3, np.nan)) if np.isnan(found.low[0]) else found
    said = with_mix(SAID, found, NAMED, "words")
    assert said.text == SAID.text
    assert said.detail.startswith("90 documents. Of -")


def test_nothing_is_added_where_labels_cannot_tell():
    assert with_mix(SAID, None, NAMED, "words") is SAID
    assert with_mix(SAID, parts(-0.13), None, "words") is SAID
