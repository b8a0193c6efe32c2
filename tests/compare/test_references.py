"""Curves of other programs: read line after line, medians over seeds, only those that compare."""

import json

import pytest

from bnpexplorer.compare import ScoreGround
from bnpexplorer.compare.references import median_curve, read_references

GROUND = ScoreGround("texts", 10, 2, "t", "a b c", "completion")


def line(program="one", seed=0, seconds=1.0, score=-7.0, **changed):
    found = {"program": program, "seed": seed, "split": "a b c", "protocol": "completion"}
    return json.dumps({**found, "seconds": seconds, "score": score, **changed})


def test_medians_over_seeds_of_what_each_had_reached_by_then():
    runs = [[(1.0, -9.0), (4.0, -7.0)], [(1.02, -8.0), (3.0, -6.5), (9.0, -1.0)], [(2.0, -8.5)]]
    curve = median_curve("one", runs)
    assert (curve.program, curve.seconds, curve.scores) == ("one", (1.0, 4.0), (-8.5, -7.0))


def test_lines_in_any_order_become_curves_the_one_that_ends_highest_first():
    lines = [line("b", seconds=2.0, score=-6.0), "", line("a"), line("b", score=-8.0)]
    lines += [line("b", 1, 2.0, -5.0), line("b", 1, 1.0, -9.0)]
    assert [(c.program, c.seconds, c.scores) for c in read_references(lines, GROUND)] == [
        ("b", (1.0, 2.0), (-8.5, -5.5)),
        ("a", (1.0,), (-7.0,)),
    ]
    falls = [line("b", score=-6.0), line("b", seconds=2.0, score=-7.5)]
    assert [c.program for c in read_references([*falls, line("a")], GROUND)] == ["a", "b"]


@pytest.mark.parametrize("apart", [{"split": "a b d"}, {"protocol": "tokens-90-10"}])
def test_curves_of_another_split_or_protocol_are_left_out(apart):
    assert read_references([line(**apart), line("a")], GROUND) == read_references(
        [line("a")], GROUND
    )


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("nonsense", "Line 2 is not JSON"),
        ("[1]", "Line 2 has no program that is words"),
        (line(score=None), "Line 2 has no score that is a number; got None"),
        (line(score=float("nan")), "Line 2 has no score that is a number"),
        (line(seconds=True), "Line 2 has no seconds that is a number; got True"),
        (line(seed="x"), "Line 2 has no seed that is a number; got 'x'"),
        (line(split=3), "Line 2 has no split that is words; got 3"),
    ],
)
def test_a_line_that_is_no_checkpoint_is_named(bad, words):
    with pytest.raises(ValueError, match=words.replace("[", "\\[")):
        read_references([line(), bad], GROUND)


def test_a_step_that_ends_five_percent_late_is_still_counted():
    first = [(100.0, -9.0)]
    late, too_late = [(1.0, -8.0), (104.9, -6.0)], [(1.0, -8.0), (105.1, -6.0)]
    assert median_curve("one", [first, late, late]).scores == (-6.0,)
    assert median_curve("one", [first, too_late, too_late]).scores == (-8.0,)
