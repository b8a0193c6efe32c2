"""The numbers that a figure draws, read back from it: for figures made where no table is."""

from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go


def numbers_of(figure: go.Figure) -> dict[str, list[Any]]:
    """Columns by name: of lines their name, place, value and whiskers; of tables their own.

    A figure of lines has the columns `line`, the titles of its axes, and `lowest` and `highest`
    where it has whiskers. Raises ValueError for other kinds of traces.
    """
    x_title = figure.layout.xaxis.title.text or "x"
    y_title = figure.layout.yaxis.title.text or "y"
    columns: dict[str, list[Any]] = {name: [] for name in ("line", x_title, y_title)}
    for trace in figure.data:
        if trace.type == "table":
            heads = [str(head) for head in trace.header.values]
            words = [[unescape(word) for word in column] for column in trace.cells.values]
            return dict(zip(map(unescape, heads), words, strict=True))
        if trace.type != "scatter":
            raise ValueError(f"A trace of type {trace.type} has no table.")
        y = np.asarray(trace.y, float)
        columns["line"] += [trace.name or ""] * len(y)
        columns[x_title] += list(trace.x)
        columns[y_title] += y.tolist()
        whiskers = trace.error_y
        if whiskers.array is not None:
            lowest, highest = y - np.asarray(whiskers.arrayminus), y + np.asarray(whiskers.array)
            columns.setdefault("lowest", []).extend(lowest.tolist())
            columns.setdefault("highest", []).extend(highest.tolist())
    return columns
