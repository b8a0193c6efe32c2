"""Topics as small images."""

import re
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np

from bnpexplorer.plots.pixels import LEVELS, SIZE, pixel_image

SVG = "{http://www.w3.org/2000/svg}"


def drawn(image):
    """(row, column) -> opacity of the ink there; 0 where there is none."""
    kind, _, body = image.partition(",")
    assert kind == "data:image/svg+xml"
    found = {}
    for path in ElementTree.fromstring(unquote(body)).iter(f"{SVG}path"):
        opacity = float(path.get("opacity", 1.0)) if path.get("fill") == "#123456" else 0.0
        for column, row in re.findall(rf"M(\d+) (\d+)h{SIZE}v{SIZE}", path.get("d")):
            found[int(row), int(column)] = opacity
    return found


def test_every_pixel_has_its_shade():
    shades = np.array([[0.0, 1.0, 0.5], [0.04, 0.25, 0.8]])
    found = drawn(pixel_image(shades, "#123456", False))
    assert sorted(found) == [(r, c) for r in range(2) for c in range(3)]
    for place, opacity in found.items():
        assert abs(opacity - shades[place]) <= 0.5 / LEVELS + 0.005
    assert found[0, 0] == 0.0
    assert found[0, 1] == 1.0


def test_a_bar_is_small_enough_to_be_sent_every_second():
    bar = np.zeros((5, 5))
    bar[2] = 1.0
    assert len(pixel_image(bar, "#123456", True)) < 1000
