"""The score of word frequencies in every picture of scores: below it nothing has been learned."""

import math
from collections.abc import Sequence
from statistics import median

import plotly.graph_objects as go

from .line_ends import End
from .style import QUIET, Drawing, minus, with_alpha

NAME = "word<br>frequencies"
BELOW = 0.4
"""So far below word frequencies a picture of scores over time begins; what is lower began lower."""


def draw_level(
    figure: go.Figure | Drawing, levels: Sequence[float], x: float, dark: bool, axis: str = "y"
) -> list[End]:
    """A dotted line across the figure, or across its panel with this axis, at the median of the
    scores given, one a split of the texts, with a band from the lowest to the highest where they
    differ.

    Returns its name, to be written at `x` (on a logarithmic axis a logarithm); empty where no score
    is known.
    """
    known = [level for level in levels if math.isfinite(level)]
    if not known:
        return []
    middle = float(median(known))
    if max(known) > min(known):
        band = {"y0": min(known), "y1": max(known), "fillcolor": with_alpha(QUIET[dark], 0.08)}
        figure.update_layout(shapes=[*_shapes(figure), {**BAND, **band, "yref": axis}])
    line = {"y0": middle, "y1": middle, "line": {"color": QUIET[dark], "width": 1, "dash": "dot"}}
    figure.update_layout(shapes=[*_shapes(figure), {**LINE, **line, "yref": axis}])
    return [End(x, middle, f"{NAME}<br><b>{minus(middle)}</b>", QUIET[dark])]


ACROSS = {"x0": 0, "x1": 1, "xref": "x domain"}
LINE = {"type": "line", "name": "word frequencies", **ACROSS}
BAND = {"type": "rect", "name": "word frequencies, all seeds", "line": {"width": 0}, **ACROSS}


def _shapes(figure: go.Figure | Drawing) -> list[object]:
    if isinstance(figure, Drawing):
        return list(figure.layout.get("shapes", ()))
    return list(figure.layout.shapes)
