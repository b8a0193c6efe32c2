"""A topic over the pixels of a picture, as an image of a few hundred bytes: a page that is drawn
anew every second has fifty of them, which as a figure of Plotly's would be 60 kB."""

from urllib.parse import quote

import numpy as np

from ..core.arrays import F64
from ..core.html import render
from .style import GRID

LEVELS = 9
"""Shades between nothing and the ink."""
SIZE = 0.92
"""Of a pixel, so that a thin gap stays between two."""


def pixel_image(shades: F64, ink: str, dark: bool) -> str:
    """The picture `shades` (rows, columns), each from 0 to 1, as the `src` of an image."""
    rows, columns = shades.shape
    paths: dict[int, str] = {}
    for r, row in enumerate(np.rint(LEVELS * shades).astype(int).tolist()):
        for c, level in enumerate(row):
            paths[level] = f"{paths.get(level, '')}M{c} {r}h{SIZE}v{SIZE}h-{SIZE}z"
    levels = [
        {
            "path": path,
            "fill": ink if level else GRID[dark],
            "opacity": f"{level / LEVELS:.2f}" if 0 < level < LEVELS else "",
        }
        for level, path in paths.items()
    ]
    drawing = render("plots/pixels.html", "picture", rows=rows, columns=columns, levels=levels)
    # As an image: Streamlit's sanitiser removes drawings that stand in the page itself.
    return "data:image/svg+xml," + quote(drawing, safe=" '=/:;,.()")
