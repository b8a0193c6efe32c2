"""Names on the map of topics stand at their own circles."""

import numpy as np

from bnpexplorer.plots.topics import Box, placed

RIM = np.array([[-100.0, -100.0], [100.0, 100.0]])


def positions(places):
    boxes = [Box((name,), 20.0, 12.0, 8.0) for name in "ab"]
    found = placed([*enumerate(boxes)], np.array(places, float), (1.0, 1.0), RIM)
    return {k: position for k, (_, position) in found.items()}


def test_a_name_lies_on_no_other_circle_where_there_is_room_beside_it():
    assert positions([[0, 0], [60, 0]]) == {0: "top center", 1: "top center"}
    assert positions([[0, 0], [0, 20]])[0] == "bottom center", "above it is the other circle"
    assert positions([[0, 0], [0, -20]])[0] == "top center"


def test_a_name_is_written_where_no_place_is_free_of_circles():
    assert len(positions([[0, 0], [0, 0]])) == 2
