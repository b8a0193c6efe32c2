"""Figures that lay runs side by side: curves on any axis, panels of a race, aligned topics."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64
from ..explore.likeness import FOUND_AGAIN
from ..state.snapshot import TracePoint
from .level import draw_level
from .line_ends import End, label_ends
from .live import AXIS_TITLES, Axis, Series, _thin, _x, draw_all_known, mark_events
from .style import (
    DASHES,
    INK,
    LOGARITHMIC,
    PAPER,
    QUIET,
    Drawing,
    base_figure,
    colour,
    end_name,
    minus,
    with_alpha,
    written,
)

Quantity = Literal["held-out", "topics", "found again"]
HEIGHT = 360
"""Of the two figures of several runs, in pixels."""
PANEL_HEIGHT = 250
TITLES: dict[Quantity, str] = {
    "held-out": "log likelihood per word",
    "topics": "topics in use",
    "found again": "true topics found again",
}
LETTERS = 22
"""Of a topic's words beside its row, so that a phone has room for the rest; the hover has all."""
SYMBOLS = {"matched": "circle", "split": "triangle-right", "merged": "triangle-down"}
CELL, MOST_LABELS = 19, 60
"""Pixels of a topic's row in the heat map, and how many rows still get their words."""


def _points(series: Series, quantity: Quantity) -> list[TracePoint]:
    """The rows of a run's curve, thinned."""
    trace = series.moment.counted if quantity == "topics" else series.moment.trace
    return _thin([p for p in trace if np.isfinite(_value(p, quantity))])


def points_of(series: Series, quantity: Quantity, axis: Axis) -> tuple[F64, F64]:
    """A run's curve, thinned: `(x, y)`, both float64; empty before its first number."""
    trace = _points(series, quantity)
    return _x(series, trace, axis), np.array([_value(p, quantity) for p in trace], float)


def _value(point: TracePoint, quantity: Quantity) -> float:
    """nan where it was not measured."""
    if quantity == "held-out":
        return point.heldout
    if quantity == "found again":
        return point.scalars.get(FOUND_AGAIN, math.nan)
    return float(point.n_topics)


def curves(
    series: Sequence[Series],
    quantity: Quantity,
    axis: Axis,
    logarithmic: bool,
    dark: bool,
    size: int = 14,
    others: Sequence[tuple[str, F64, F64]] = (),
    unigram: float = math.nan,
) -> go.Figure:
    """One quantity of every run against documents, passes or seconds, named at the lines' ends.

    `others`: name, x and y, both float64, of curves that are drawn in grey behind the runs'.
    `unigram`: the score of word frequencies, drawn beside scores (nan: not known).
    """
    figure = Drawing(dark, AXIS_TITLES[axis], TITLES[quantity], size)
    figure.update_layout(uirevision=f"{axis} {logarithmic}")
    ends, drawn = [], []
    for name, x, y in others:
        x, y = _from(x, y, logarithmic)
        drawn.append((x, y))
        grey = with_alpha(QUIET[dark], 0.7)
        figure.add_scatter(
            x=x,
            y=y,
            name=written(name),
            mode="lines",
            line={"color": grey, "width": 1.3},
            hovertemplate="%{y:.3f}",
        )
        end = float(np.log10(x[-1])) if logarithmic else float(x[-1])
        ends.append(End(end, float(y[-1]), f"{end_name(name)} {minus(y[-1])}", QUIET[dark]))
    for s in series:
        x, y = _from(*points_of(s, quantity, axis), logarithmic)
        if not len(x):
            continue
        drawn.append((x, y))
        _line(figure, s, x, y, quantity, colour(s.slot, dark), 2.5)
        end = float(np.log10(x[-1])) if logarithmic else float(x[-1])
        value = minus(y[-1]) if quantity == "held-out" else f"{y[-1]:.0f}"
        words = f"{end_name(s.label)} <b>{value}</b>"
        ends.append(End(end, float(y[-1]), words, colour(s.slot, dark)))
    if not drawn:
        return figure.figure()
    x_range = _x_range(drawn, logarithmic)
    levels = [unigram] if quantity == "held-out" else []
    ends += draw_level(figure, levels, x_range[1], dark)
    y_range = _y_range(drawn, quantity, levels)
    figure.update_yaxes(range=y_range)
    figure.update_xaxes(range=x_range, **(LOGARITHMIC if logarithmic else {}))
    label_ends(figure, ends, y_range, HEIGHT, dark, size)
    return figure.figure()


def _from(x: F64, y: F64, logarithmic: bool) -> tuple[F64, F64]:
    """What an axis has room for: a logarithmic one has no zero."""
    keep = x > 0.0 if logarithmic else x >= 0.0
    return x[keep], y[keep]


def _line(
    figure: Drawing, s: Series, x: F64, y: F64, quantity: Quantity, ink: str, width: float
) -> None:
    figure.add_scatter(
        x=x,
        y=y,
        name=written(s.label),
        mode="lines+markers" if len(x) < 3 else "lines",
        line={
            "color": ink,
            "width": width,
            "dash": DASHES[s.dash % len(DASHES)],
            "shape": "linear" if quantity == "held-out" else "hv",
        },
        hovertemplate="%{y:.3f}" if quantity == "held-out" else f"%{{y:.0f}} {quantity}",
    )


def _y_range(
    drawn: Sequence[tuple[F64, F64]], quantity: Quantity, levels: Sequence[float] = ()
) -> list[float]:
    """Grows in steps. Of scores the first tenth, where all fall from the sky, may be cut off; the
    levels are always in it."""
    if quantity != "held-out":
        top = max([*levels, *(float(y.max()) for _, y in drawn)])
        step = 10.0 if top > 20 else 5.0
        return [0.0, float(np.ceil((1.1 * top + 1.0) / step) * step)]
    known = [level for level in levels if math.isfinite(level)]
    top = max([*known, *(float(y.max()) for _, y in drawn)])
    low = min([*known, *(float(y[len(y) // 10 :].min()) for _, y in drawn)])
    return [float(np.floor((low - 0.03) * 10) / 10), float(np.ceil((top + 0.03) * 10) / 10)]


def _x_range(drawn: Sequence[tuple[F64, F64]], logarithmic: bool) -> list[float]:
    highest = max(float(x[-1]) for x, _ in drawn)
    if not logarithmic:
        return [0.0, 1.02 * highest]
    lowest = min(float(x[0]) for x, _ in drawn)
    return [float(np.log10(lowest)) - 0.05, float(np.log10(highest)) + 0.05]


def race_panels(
    series: Sequence[Series],
    quantity: Quantity,
    dark: bool,
    size: int = 14,
    unigram: float = math.nan,
    n_known: int = 0,
) -> list[go.Figure]:
    """A figure for each run of a race, all with the same axes; the others' lines in grey.

    `unigram`: the score of word frequencies, a dotted line in figures of scores; `n_known`: how
    many topics made the texts, likewise in figures of those that are found again.
    """
    levels = {"held-out": [unigram], "found again": [float(n_known)]}.get(quantity, [])
    curves_of = [points_of(s, quantity, "documents") for s in series]
    drawn = [(x, y) for x, y in curves_of if len(x)]
    figures = []
    for mine in range(len(series)):
        figure = Drawing(dark, "documents seen", "", size - 1)
        order = [i for i in range(len(series)) if i != mine] + [mine]  # its own line on top
        for i in order:
            s, (x, y) = series[i], curves_of[i]
            ink = colour(s.slot, dark) if i == mine else with_alpha(QUIET[dark], 0.45)
            if len(x):
                _line(figure, s, x, y, quantity, ink, 3.0 if i == mine else 1.3)
        if quantity == "topics" and len(curves_of[mine][0]):
            s, (x, _) = series[mine], curves_of[mine]
            mark_events(figure, s, _points(s, quantity), x, colour(s.slot, dark))
        figure.update_yaxes(nticks=5)
        figure.update_xaxes(range=[0, 1.02 * _so_far(series)], nticks=4)
        if quantity == "found again":
            draw_all_known(figure, n_known, 1.0, dark)
        else:
            draw_level(figure, levels, 1.0, dark)
        if drawn:
            y_range = _y_range(drawn, quantity, levels)
            figure.update_yaxes(range=y_range)
        figures.append(figure.figure())
    return figures


def _so_far(series: Sequence[Series]) -> float:
    """The end of a race's axis: all documents, or the half, quarter ... that holds what is seen."""
    end = float(max(s.moment.planned_docs for s in series))
    seen = max(s.moment.snapshot.docs_seen for s in series)
    while seen and end >= 2.0 * seen:
        end /= 2.0
    return end


def alignment_figure(
    distances: F64,
    rows: Sequence[str],
    columns: Sequence[str],
    marks: Sequence[tuple[int, int, str]],
    titles: tuple[str, str],
    dark: bool,
    size: int = 14,
) -> go.Figure:
    """A heat map of distances (K, L), already in order; darker (lighter in the dark) is nearer.

    `marks`: (row, column, sign) of what belongs together. `titles`: of the two sides.
    """
    figure = base_figure(dark, written(titles[1], 60), written(titles[0], 60), size)
    many = len(rows) > MOST_LABELS
    down, across = [written(row, 200) for row in rows], [written(column, 200) for column in columns]
    # A hover over many takes names from the axes; given for every cell they would be megabytes.
    both = None if many else [[f"{r}<br>{c}" for c in across] for r in down]
    names = "%{y}<br>%{x}" if many else "%{customdata}"
    scale = [
        [0.0, INK[dark]],
        [0.45, colour(0, dark)],
        [0.8, with_alpha(colour(0, dark), 0.25)],
        [1.0, PAPER[dark]],
    ]
    figure.add_heatmap(
        z=np.round(distances, 3),
        zmin=0.0,
        zmax=1.0,
        colorscale=scale,
        xgap=0 if many else 1,
        ygap=0 if many else 1,
        customdata=both,
        hovertemplate=names + "<br>distance %{z:.2f}<extra></extra>",
        colorbar={
            "title": {"text": "distance", "side": "right", "font": {"size": size - 2}},
            "orientation": "h",
            "thickness": 10,
            "len": 0.5,
            "x": 1.0,
            "xanchor": "right",
            "y": 0.0,
            "yanchor": "top",
            "outlinewidth": 0,
            "nticks": 3,
        },
    )
    for sign in dict.fromkeys(mark[2] for mark in marks):
        places = [(j, i) for i, j, s in marks if s == sign]
        figure.add_scatter(
            x=[j for j, _ in places],
            y=[i for _, i in places],
            mode="markers",
            name=sign,
            marker={
                "symbol": SYMBOLS[sign],
                "size": 6 if many else 8,
                "color": colour(1, False),
                "line": {"color": PAPER[dark], "width": 1},
            },
            hoverinfo="skip",
        )
    seen = down if many else [written(row, LETTERS) for row in rows]
    figure.update_yaxes(tickvals=list(range(len(seen))), ticktext=seen, showticklabels=not many)
    figure.update_xaxes(tickvals=list(range(len(across))), ticktext=across)
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], showgrid=False, tickfont={"size": size - 3})
    figure.update_xaxes(range=[-0.5, len(columns) - 0.5], showticklabels=False, side="top")
    figure.update_layout(hovermode="closest")
    return figure


def alignment_height(n_rows: int) -> int:
    """Pixels: a readable row for up to `MOST_LABELS` topics; beyond, what a window holds."""
    return int(np.clip(CELL * n_rows + 110, 300, 1150)) if n_rows <= MOST_LABELS else 720
