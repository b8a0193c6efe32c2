"""Parts of a change: the mix of labels, and what happened within labels (Kitagawa 1955)."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import changed_words
from benchmarks.mixes import WORLDS, drawn, row, truth
from bnpexplorer.explore.mix import FEW, NONE, REST, Mix, decomposed, mixes, periods_as_labels
from bnpexplorer.explore.periods import labelled
from bnpexplorer.explore.sentences import WORDS_OF_1000, Sentence, Sides, with_mix


def slow(share, labels, before, after, weights):
    """Mix, within and total, label by label."""
    mix = within = total = 0.0
    for name in sorted(set(labels[before | after].tolist())):
        p, x, n = [], [], []
        for side in (before, after):
            own = side & (labels == name)
            p.append(weights[own].sum() / weights[side].sum())
            x.append((weights[own] * share[own]).sum() / max(weights[own].sum(), 1))
            n.append(own.sum())
        (a, b), moved = x, p[1] * x[1] - p[0] * x[0]
        if min(n) < FEW:
            mix += moved
        else:
            mix += (p[1] - p[0]) * (a + b) / 2.0
            within += (b - a) * (p[0] + p[1]) / 2.0
        total += moved
    return [mix, within, total]


@pytest.mark.parametrize("seed", range(4))
def test_the_parts_are_those_of_the_slow_twin_and_add_up(seed):
    rng = np.random.default_rng(seed)
    share, labels, weights = rng.random(300), rng.integers(-1, 3, 300), rng.integers(1, 50, 300)
    before = rng.random(300) < 0.4
    after = ~before & (rng.random(300) < 0.8)
    labels[after & (labels == 2)] = 1  # a label of the side before alone, or nearly
    labels[np.flatnonzero(after)[:seed]] = 2
    labels[~before & ~after] = 7
    found = decomposed(share, labels, before, after, weights.astype(np.float64))
    assert found.parts == pytest.approx(slow(share, labels, before, after, weights), abs=1e-12)
    assert found.parts[2] == pytest.approx(found.parts[0] + found.parts[1], abs=1e-12)
    in_both = labels != 2
    least = min(weights[side & in_both].sum() / weights[side].sum() for side in (before, after))
    assert found.shared == pytest.approx(least)


SOURCES = np.array([0.5, 0.1, 0.3])
"""What a topic holds of the texts of three sources."""


def world(rng, mix_before, mix_after, rise: float, n: int = 150):
    """Texts of two sides, by three sources whose share of the texts and whose topics may move."""
    side = np.repeat([False, True], n)
    labels = np.concatenate([rng.choice(3, n, p=p) for p in (mix_before, mix_after)])
    mean = SOURCES[labels] + np.where(side, rise, 0.0)
    return rng.beta(8.0 * mean, 8.0 * (1.0 - mean)), labels, ~side, side


def test_where_only_the_mix_moves_it_is_the_change_and_names_the_label():
    given = world(np.random.default_rng(1), [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], 0.0)
    found = decomposed(*given)
    assert (found.moved, found.larger, found.sure) == (True, "mix", True)
    assert found.high[0] < 0.0
    assert found.low[1] < 0.0 < found.high[1]
    assert found.label == 0, "it holds more of the topic than the one that took its place"
    assert found.before == pytest.approx(0.8, abs=0.1)
    assert found.after == pytest.approx(0.1, abs=0.1)
    assert found.shared == pytest.approx(1.0)
    share, labels, before, after = given
    two = labels < 2
    assert decomposed(share, labels, before & two, after & two).label == 0, "both moved as much"
    assert decomposed(share, labels, after & two, before & two).label == 0, "and back"


def test_where_only_the_topic_moves_the_mix_is_no_cause():
    found = decomposed(*world(np.random.default_rng(2), [0.3, 0.3, 0.4], [0.3, 0.3, 0.4], 0.2))
    assert (found.moved, found.larger, found.sure) == (False, "within", True)
    assert found.low[0] < 0.0 < found.high[0]
    assert found.low[1] > 0.0


def test_where_parts_are_as_large_neither_surely_is_the_larger():
    found = decomposed(*world(np.random.default_rng(8), [0.2, 0.5, 0.3], [0.5, 0.2, 0.3], 0.12))
    assert (found.moved, found.sure) == (True, False)
    assert found.low[0] > 0.0
    assert found.low[1] > 0.0


@pytest.mark.parametrize("seed", range(3))
def test_intervals_are_as_wide_as_those_of_texts_that_are_drawn_anew(seed):
    """400 draws know the width within a tenth. Texts have two passages; labels go with them."""
    rng = np.random.default_rng(seed)
    share, labels, before, after = world(rng, [0.5, 0.3, 0.2], [0.2, 0.5, 0.3], 0.1, 200)
    share = np.clip(np.concatenate([share, share + rng.normal(0, 0.1, 400)]), 0, 1)
    labels, before, after = (np.tile(each, 2) for each in (labels, before, after))
    units, weights = np.tile(np.arange(400), 2), rng.integers(1, 9, 800).astype(float)
    draws = []
    for _ in range(400):
        one, other = rng.integers(0, 200, 200), rng.integers(200, 400, 200)
        texts = np.concatenate([one, other])
        rows = np.concatenate([texts, texts + 400])
        draws.append(slow(share[rows], labels[rows], before[rows], after[rows], weights[rows]))
    found = decomposed(share, labels, before, after, weights, units)
    # Four statistics, each for 1 - 0.05 / 4 on two sides: 2.5 standard errors.
    assert (found.high - found.low) / 2.0 / 2.5 == pytest.approx(np.std(draws, axis=0), rel=0.2)


@pytest.mark.second
@pytest.mark.parametrize("name", WORLDS)
def test_all_three_intervals_hold_together_in_95_of_100_worlds(name):
    """Of 150 drawings 142 are expected, and fewer than 134 have a chance of one in a thousand."""
    rng, held, wrong = np.random.default_rng(3), 0, 0
    alone = {"the mix alone": "within", "the topic alone": "mix"}.get(name)
    for _ in range(150):
        found, true = drawn(WORLDS[name], rng)
        held += bool(((found.low <= true) & (true <= found.high)).all())
        wrong += found.sure and found.larger == alone
    assert (held >= 134, wrong) == (True, 0)


@pytest.mark.second
@pytest.mark.parametrize("name", changed_words.PARTS)
def test_intervals_of_a_word_hold_together_in_95_of_100_worlds(name):
    """As above; bursts of words in few texts, which no sample tells whole, cost up to 3 in 100."""
    held, *_, by_mix, within, _ = changed_words.parts_row(name, 150)
    wrong = {"the mix alone": within, "the word alone": by_mix}.get(name, 0.0)
    assert (held >= 100.0 * 130 / 150, wrong) == (True, 0.0)


def test_a_word_names_its_cause_by_counts_where_it_could_not_as_a_share():
    rows = [changed_words.parts_row("a source goes, 93 % to 2 %", 20, way) for way in (True, False)]
    (*_, by_mix, _, narrow), (*_, as_share, _, wide) = rows
    assert (by_mix > 70.0, as_share, narrow < 0.2 * wide) == (True, 0.0, True)


def test_many_words_are_divided_as_each_alone():
    rng = np.random.default_rng(2)
    lengths = rng.integers(50, 200, 400).astype(np.float64)
    shares = rng.poisson(0.02 * lengths, (2, 400)).T / lengths[:, None]
    before, codes = np.arange(400) < 200, rng.integers(0, 3, 400)
    sides = [(k, before, ~before) for k in (0, 1)]
    named = labelled(np.array(["a", "b", "c"], object)[codes], 400)
    for k, found in enumerate(mixes(shares, sides, named, lengths, None, 7, True)):
        alone = decomposed(shares[:, k], codes, before, ~before, lengths, None, 7, True)
        as_share = decomposed(shares[:, k], codes, before, ~before, lengths, None, 7)
        assert found.high == pytest.approx(alone.high)
        assert found.parts == pytest.approx(as_share.parts)
        assert (found.high - found.low < as_share.high - as_share.low).all()


def test_the_truth_of_a_world_counts_sources_with_few_texts_as_one():
    p, x = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]), np.array([[0.1, 0.3, 0.5]] * 2)
    many = np.full((2, 3), 100)
    assert truth(p, x, many) == pytest.approx([0.12, 0.0, 0.12])
    two_few = np.array([[100, 4, 5], [100, 5, 4]])
    # Together they hold 0.38 of the topic before and 0.425 after, in 0.5 and 0.8 of the texts.
    together = [-0.3 * 0.1 + 0.3 * (0.38 + 0.425) / 2.0, 0.65 * 0.045, 0.12]
    assert truth(p, x, two_few) == pytest.approx(together)
    x[1, 1] = 0.4
    assert truth(p, x, many) == pytest.approx([0.12, 0.03, 0.15])
    nearly_gone = np.array([[100, 100, 100], [100, 4, 100]])
    assert truth(p, x, nearly_gone) == pytest.approx([0.15, 0.0, 0.15])


def test_the_table_of_coverage_has_a_row_for_every_world(request):
    page = (request.config.rootpath / "benchmarks/README.md").read_text("utf-8")
    assert [name for name in WORLDS if f"\n| {name} |" not in page] == []
    assert row("nothing moves", WORLDS["nothing moves"], 2).count("|") == 9
    words = page.split("## Changes of words")[1].split("\n## ")[0]
    rows = [*changed_words.PARTS, *changed_words.WHOLE]
    assert [name for name in rows if f"\n| {name} |" not in words] == []


def test_a_mix_that_stays_is_said_to_move_in_few_of_100_worlds():
    rng, same = np.random.default_rng(9), [0.4, 0.3, 0.3]
    assert sum(decomposed(*world(rng, same, same, 0.1, 40)).moved for _ in range(200)) <= 18


def test_passages_of_one_text_are_drawn_together():
    """Ten passages each of sixty texts tell as much as these, not ten times as much."""
    rng = np.random.default_rng(4)
    share, labels, before, after = world(rng, [0.5, 0.3, 0.2], [0.4, 0.4, 0.2], 0.1, 30)
    alone = decomposed(share, labels, before, after)
    tens = [np.repeat(each, 10) for each in (share, labels, before, after)]
    together = decomposed(*tens, units=np.repeat(np.arange(60), 10))
    apart = decomposed(*tens)
    assert (together.high - together.low) == pytest.approx(alone.high - alone.low)
    assert (apart.high[2] - apart.low[2]) < 0.5 * (alone.high[2] - alone.low[2])
    assert (alone.moved, together.moved, apart.moved) == (False, False, True)


def test_more_comparisons_hold_together_by_wider_intervals():
    given = world(np.random.default_rng(5), [0.5, 0.3, 0.2], [0.3, 0.4, 0.3], 0.1)
    one, many = decomposed(*given), decomposed(*given, n_compared=1000)
    assert ((many.high - many.low) > 1.5 * (one.high - one.low)).all()
    assert (one.moved, many.moved) == (True, False)


def test_labels_with_few_texts_count_as_one_so_that_none_stands_on_one_side_by_chance():
    """Every text has an author of its own, or shares one with another."""
    rng = np.random.default_rng(6)
    share, sources, before, after = world(rng, [0.3, 0.3, 0.4], [0.3, 0.3, 0.4], 0.2)
    authors = 10 + rng.integers(0, 200, 300)
    assert decomposed(share, authors, before, after) is None
    found = decomposed(share, np.where(sources == 0, 0, authors), before, after)
    assert (found.larger, found.sure, found.shared) == ("within", True, pytest.approx(1.0))
    few_after = np.where((sources == 0) & (before | (rng.random(300) < 0.1)), NONE, authors)
    found = decomposed(share, few_after, before, after)
    assert found.moved
    assert found.label in (NONE, REST)


def test_labels_that_cannot_tell_and_sides_that_are_too_small():
    share, labels, before, after = world(
        np.random.default_rng(6), [0.5, 0.3, 0.2], [0.2, 0.5, 0.3], 0.1
    )
    assert decomposed(share, np.zeros_like(labels), before, after) is None
    assert decomposed(share, labels, before, np.zeros_like(after)) is None
    assert decomposed(share, labels, before & (np.arange(300) < 9), after) is None
    assert decomposed(share, labels, before & (np.arange(300) < 30), after) is not None
    alike = decomposed(np.full(300, 0.3), labels, before, after)
    assert not alike.sure
    assert alike.parts == pytest.approx(np.zeros(3), abs=1e-12)


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


def test_periods_are_labels_where_two_labels_are_compared():
    days = np.array(["2001-02-03", "NaT", "2003-05-06", "2001-12-31", "1950-01-01"], "M8[D]")
    rows = np.array([True, True, True, True, False])
    found = periods_as_labels(days, rows)
    assert found.names == (
        "the first quarter of 2001",
        "the fourth quarter of 2001",
        "the second quarter of 2003",
    )
    assert found.codes.tolist() == [0, NONE, 2, 1, NONE]
    assert found.n_docs.tolist() == [1, 1, 1]
    assert periods_as_labels(days, np.ones(5, bool)).names == ("1950–1954", "2000–2004")
    assert periods_as_labels(days[:1], rows[:1]) is None
    assert periods_as_labels(days, ~rows & (days != days[4])) is None
    assert periods_as_labels(None, rows) is None


SAID = Sentence("In May topic “tax” fell from 13 % to 1 % of the words.", "90 documents.")
NAMED = labelled(np.array(["Herald", "Herald", "Times", ""], object), 4)
FOUND = Mix(
    np.array([-0.1, -0.02, -0.12]),
    np.array([-0.13, -0.04, -0.15]),
    np.array([-0.07, 0.01, -0.09]),
    True,
    "mix",
    True,
    0.98,
    0,
    0.93,
    0.02,
)
BOTH = (
    "90 documents. Of -12.0 points -10.0 (-13.0 to -7.0) come from the mix of labels and -2.0 "
    "(-4.0 to +1.0) from texts of the same label, with the same certainty."
)


@pytest.mark.parametrize(
    ("label", "name"),
    [(0, "“Herald”"), (NONE, "texts without a label"), (REST, "labels with few texts")],
)
def test_a_sentence_leads_with_the_mix_where_it_is_the_larger_part_surely(label, name):
    said = with_mix(SAID, replace(FOUND, label=label), NAMED, "words")
    assert said.text == (
        f"In May topic “tax” fell from 13 % to 1 % of the words, mostly because {name} went from "
        "93\u00a0% to 2\u00a0% of the words."
    )
    assert said.detail == f"{BOTH} 98\u00a0% of the words have labels of both sides."


def test_a_sentence_leads_with_what_changed_within_where_that_is_larger_and_else_has_no_cause():
    within = with_mix(SAID, replace(FOUND, larger="within", shared=1.0), NAMED, "words")
    assert within.text.endswith(
        " of the words, mostly in texts of the same label, though the mix of labels changed, too."
    )
    assert within.detail == BOTH
    unsure = replace(FOUND, sure=False, shared=1.0)
    while_it_moved = with_mix(SAID, unsure, NAMED, "words")
    assert while_it_moved.text.endswith(
        " of the words, while “Herald” went from 93\u00a0% to 2\u00a0% of the words."
    )
    assert while_it_moved.detail == BOTH
    partly = with_mix(SAID, replace(unsure, larger="within"), NAMED, "words")
    assert partly.text.endswith(
        " of the words, partly because “Herald” went from 93\u00a0% to 2\u00a0% of the words."
    )
    neither = replace(unsure, larger="within", high=np.array([0.01, 0.01, -0.09]))
    alone = with_mix(SAID, neither, NAMED, "words")
    assert (alone.text, alone.detail) == (SAID.text, BOTH.replace("to -7.0", "to +1.0"))
    parts = replace(FOUND, parts=np.array([-0.001, -0.0002, -0.0012]))
    assert " Of -0.120 points -0.100 (" in with_mix(SAID, parts, NAMED, "words").detail


@pytest.mark.parametrize(
    ("sign", "low", "high", "said"),
    [
        (-1.0, 0.01, 0.05, "; in texts of the same label it rose."),
        (1.0, -0.05, -0.01, "; in texts of the same label it fell."),
        (-1.0, -0.01, 0.05, "2\u00a0% of the words."),
    ],
)
def test_what_went_the_other_way_within_labels_is_told(sign, low, high, said):
    parts = np.array([sign * 0.15, -sign * 0.03, sign * 0.12])
    ends = np.array([sign * 0.15, low, 0.0]), np.array([sign * 0.15, high, 0.0])
    found = replace(FOUND, parts=parts, low=ends[0], high=ends[1])
    assert with_mix(SAID, found, NAMED, "words").text.endswith(said)
    two = with_mix(SAID, found, NAMED, "words", Sides("a", "b", True)).text
    within = {"rose.": "more.", "fell.": "less."}.get(said[-5:])
    assert ("in texts of the same period it is" in two) == (within is not None)
    assert within is None or two.endswith(f"; in texts of the same period it is {within}")


def test_parts_of_words_are_told_in_words():
    said = with_mix(SAID, FOUND, NAMED, "words", scale=WORDS_OF_1000)
    assert " Of -120.0 times in 1,000 words -100.0 (-130.0 to -70.0) come from" in said.detail


@pytest.mark.parametrize(
    ("label", "when"),
    [(0, "are from 2014"), (NONE, "have no date"), (REST, "are from periods with few texts")],
)
def test_two_labels_differ_by_their_periods(label, when):
    periods = replace(NAMED, names=("2014", "2015"))
    sides, found = Sides("Herald", "Times", True), replace(FOUND, label=label)
    said = with_mix(SAID, found, periods, "documents", sides)
    assert said.text.endswith(
        f", mostly because 2\u00a0% of the documents of “Times” and 93\u00a0% of those of “Herald” "
        f"{when}."
    )
    assert "from the mix of periods" in said.detail
    assert "from texts of the same period" in said.detail
    within = with_mix(SAID, replace(found, larger="within"), periods, "documents", sides)
    assert within.text.endswith(
        ", mostly in texts of the same period, though the mix of periods differs, too."
    )


def test_nothing_is_added_where_labels_cannot_tell_or_their_mix_stays():
    assert with_mix(SAID, None, NAMED, "words") is SAID
    assert with_mix(SAID, FOUND, None, "words") is SAID
    assert with_mix(SAID, replace(FOUND, moved=False), NAMED, "words") is SAID
