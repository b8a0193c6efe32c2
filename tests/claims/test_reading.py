"""Test how findings are read: the order of seeds, leads, and the content of each picture."""

import pytest

from bnpexplorer.claims import Trial, TrialOutcome, reading
from bnpexplorer.claims.learned import curves, named
from bnpexplorer.claims.reading import CURVES, HIGHER, WHISKERS, at_the_end, leads, over_seconds


def ended(score, unigram=-9.0, **more):
    return TrialOutcome(
        (2, 20), (0.5, 2.0), (score - 1, score), (3, 5), unigram=(unigram,) * 2, **more
    )


def trial(line, x=0, seed=0):
    return Trial(line, x, "lda-svi", seed)


FINDINGS = {
    trial("ours", x, seed): ended(-7.0 - x / 100 - seed, -9.0 - seed, memory=(7, 8))
    for seed in (1, 0)
    for x in (10, 20, 40)
} | {trial("theirs", 10, 0): ended(-7.5, -9.5)}


def test_gains_stand_in_the_order_of_seeds():
    found = curves({t: o for t, o in FINDINGS.items() if t.line == "ours"})
    best = next(curve for curve in found if curve.x == 10)
    assert best.gains == pytest.approx([1.9, 1.9])
    swapped = {trial("a", 0, 1): ended(-6.0), trial("a", 0, 0): ended(-7.0)}
    assert curves(swapped)[0].gains == pytest.approx([2.0, 3.0])


def test_a_place_is_named_where_its_line_has_several():
    among = curves({t: o for t, o in FINDINGS.items() if t.seed == 0})
    found = {(curve.line, curve.x): curve for curve in among}
    assert named(found["ours", 20], among) == "ours at 20"
    assert named(found["theirs", 10], among) == "theirs"


def test_a_seed_that_one_of_the_others_lacks_has_no_lead():
    others = FINDINGS | {trial("third", 10, seed): ended(-8.0) for seed in (0, 1)}
    assert leads(others, "ours", ["theirs", "third"]) == pytest.approx([0.4])
    assert leads(others, "ours", ["third"]) == pytest.approx([0.9, -0.1])


@pytest.fixture
def drawn(monkeypatch):
    """Return the lines of a picture, each with its values by seed, and its levels."""
    asked = []

    def against(lines, x_title, y_title, dark, logarithmic=False, size=14, levels=(), over_time=0):
        asked.append(([(line.name, list(line.seeds)) for line in lines], levels))

    monkeypatch.setattr(reading, "against", against)

    def of(picture):
        picture.figure(False, 12)
        return asked[-1]

    return of


def test_word_frequencies_are_those_of_the_lines_that_are_drawn(drawn):
    assert drawn(at_the_end(FINDINGS, ["ours"], "t", "x"))[1] == [-10.0, -9.0]
    assert drawn(at_the_end(FINDINGS, ["theirs"], "t", "x"))[1] == [-9.5]
    assert drawn(over_seconds(FINDINGS, ["theirs"], "t"))[1] == [-9.5]


def test_only_pictures_of_scores_have_word_frequencies(drawn):
    taken = at_the_end(FINDINGS, ["ours"], "t", "x", "megabytes", lambda o: o.memory[-1])
    assert taken.look == WHISKERS
    assert drawn(taken) == ([("ours", [{10: 8, 20: 8, 40: 8}] * 2)], [])
    assert at_the_end(FINDINGS, ["ours"], "t", "x").look == WHISKERS + HIGHER
    topics = over_seconds(FINDINGS, ["ours"], "t", "topics", topics=True)
    assert (topics.look, drawn(topics)[1]) == (CURVES, [])
    assert over_seconds(FINDINGS, ["ours"], "t").look == CURVES + HIGHER


def test_of_several_places_the_one_in_the_middle_is_drawn_over_time(drawn):
    lines, _ = drawn(over_seconds(FINDINGS, ["ours", "theirs"], "t"))
    ends = [(name, curve[2.0]) for name, (curve,) in lines]
    assert ends == [("ours", -8.2), ("ours", -7.2), ("theirs", -7.5)]
    lines, _ = drawn(over_seconds(FINDINGS, ["ours"], "t", place=40))
    assert [curve[2.0] for _, (curve,) in lines] == [-8.4, -7.4]
