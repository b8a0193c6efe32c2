"""How axes are labelled, on every figure: formats whose labels never repeat, and no axis without
data.

A format with fixed digits repeats its labels as soon as Plotly's ticks, or a zoom, are closer than
its last digit. The formats here write as many digits as the ticks need; where a figure sets no
format, Plotly does so itself.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import plotly.graph_objects as go

PERCENT = "~%"
"""Shares in percent: up to six decimals, without trailing zeros."""
NOTHING_YET = "There is nothing to draw yet."
LOGARITHMIC: dict[str, Any] = {"type": "log", "tickformat": "~s"}
"""A logarithmic axis. Without a format Plotly writes only the first digit between powers of ten
(10, 2, 5, 100, 2, 5); with it 10, 20, 50, 100, 200, 500."""
DATES: dict[str, Any] = {
    "type": "date",
    "tickformatstops": [
        {"dtickrange": [None, 86_399_999], "value": "%H:%M:%S\n%-d %b %Y"},
        {"dtickrange": [86_400_000, "M1"], "value": "%-d %b %Y"},
        {"dtickrange": ["M1", "M12"], "value": "%b %Y"},
        {"dtickrange": ["M12", None], "value": "%Y"},
    ],
}
"""An axis of dates whose labels carry their year."""
POINTS = ("z", "y", "x", "values")
"""Where traces keep their numbers: of a heat map z decides, of a line y."""


def finished(figure: go.Figure, nothing: str = NOTHING_YET) -> go.Figure:
    """Return `figure` as it is drawn: without data, the sentence `nothing` stands in place of axes.

    Changes `figure`. Reference lines and notes count as no data: alone they say nothing.
    """
    if any(_has_numbers(trace) for trace in figure.data):
        return figure
    size, quiet = figure.layout.font.size, figure.layout.xaxis.tickfont.color
    figure.data, figure.layout.shapes = (), ()
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        axis.visible = False
    note = {"x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper", "showarrow": False}
    figure.layout.annotations = [{**note, "text": nothing, "font": {"size": size, "color": quiet}}]
    figure.update_layout(dragmode=False, margin={"l": 8, "r": 8})
    return figure


def _has_numbers(trace: Any) -> bool:
    """Whether a trace has anything to draw: a finite number, a name, or a table."""
    if trace.type == "table":
        return True
    found = next(
        (values for name in POINTS if (values := getattr(trace, name, None)) is not None), ()
    )
    return any(_is_there(value) for value in _flat(found))


def _flat(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if isinstance(value, (list, tuple, np.ndarray)):
            yield from _flat(value)
        else:
            yield value


def _is_there(value: Any) -> bool:
    return value is not None and (isinstance(value, str) or bool(np.isfinite(value)))
