"""Births and ends along a curve: what counts as which, where they stand, and which one is told."""

from dataclasses import replace

import pytest

from bnpexplorer.plots.live import marks_along
from bnpexplorer.state.snapshot import Details, Event, TracePoint
from tests.tools.moments import made


def curve(counts):
    """A point after every ten documents."""
    return [TracePoint(i, 10 * i, 0.0, n, float("nan"), -7.0) for i, n in enumerate(counts)]


POINTS = curve((3, 5, 4, 0))


def along(events, points=POINTS):
    moment = made({0: 3.0, 1: 2.0})
    moment = replace(moment, snapshot=replace(moment.snapshot, events=tuple(events)))
    return {marks.word: marks for marks in marks_along(moment, points)}


def event(kind, docs, details=None):
    return Event(kind, (1,), (), docs // 10, docs, details)


def test_every_kind_of_event_is_a_birth_or_an_end():
    """It stands at the first point that had read its document."""
    kinds = [("birth", 0), ("split", 11), ("birth", 20), ("death", 5), ("prune", 20), ("merge", 30)]
    found = along(event(kind, docs) for kind, docs in kinds)
    born, gone = found["born"], found["gone"]
    assert born.places.tolist() == [0, 2]
    assert born.counts.tolist() == [1, 2]
    assert gone.places.tolist() == [1, 2, 3]
    assert gone.counts.tolist() == [1, 1, 1]


def test_births_stand_above_the_curve_and_ends_below_it_but_never_below_nothing():
    found = along([event("birth", 10), event("death", 10), event("merge", 30)])
    assert found["born"].heights == pytest.approx([5 + 0.35])
    assert found["gone"].heights == pytest.approx([5 - 0.35, 0.0])


def test_of_several_at_one_place_the_newest_that_tells_something_is_told():
    told = Details()
    events = [event("birth", 5, told), event("birth", 7, told), event("birth", 9)]
    assert along(events)["born"].newest == [1]
    assert along([event("death", 9), event("death", 10)])["gone"].newest == [1]


def test_a_long_run_has_a_bounded_number_of_marks_and_loses_no_event():
    points = curve([9] * 1000)
    events = [event("birth", docs) for docs in range(0, 9990, 30)]
    born = along(events, points)["born"]
    assert len(born.places) <= 41
    assert born.counts.sum() == len(events)
    assert along([event("birth", 20_000)])["born"].places.tolist() == [3], "beyond the last point"


def test_without_events_there_are_no_marks():
    assert along([]) == {}
