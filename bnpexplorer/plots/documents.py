"""Pictures of one document."""

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64
from ..state.moment import Moment
from .style import INK, QUIET, base_figure, percent, topic_colour, topic_fills, with_alpha, written

ROWS = 6
"""Topics with a bar of their own; the rest share one."""
LEAST = 0.005
"""Smaller shares have no bar."""
HEIGHT = 240


def proportions_figure(moment: Moment, theta: F64, dark: bool, size: int = 14) -> go.Figure:
    """The largest shares of one document as bars, the largest first; `ROWS` of them at most.

    `theta` (K,) float64: its proportions. What has no bar of its own follows as one, and what is
    missing to 1, the share of topics not yet seen, as another.
    """
    figure = base_figure(dark, "", "", size)
    order = np.argsort(-theta, kind="stable")
    top = [int(k) for k in order[:ROWS] if theta[k] >= LEAST]
    ids = moment.topics.topic_ids[top].tolist()
    total, shares = float(theta.sum()), theta[top].tolist()
    others = max(total - float(theta[top].sum()), 0.0)
    rest = [
        (name, share)
        for name, share in (("all others", others), ("not yet seen", max(1.0 - total, 0.0)))
        if share >= LEAST
    ]
    words = [written(moment.head(i)) for i in ids] + [name for name, _ in rest]
    values = [*shares, *(share for _, share in rest)]
    grey = with_alpha(QUIET[dark], 0.45)
    fills = topic_fills([moment.look(i) for i in ids], dark)
    fills["color"] += [grey] * len(rest)
    fills["pattern"]["shape"] += [""] * len(rest)
    figure.add_bar(
        x=[100 * value for value in values],
        y=list(range(len(values))),
        orientation="h",
        marker=fills | {"line": {"width": 0}},
        text=[percent(value) for value in values],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{text}<extra></extra>",
    )
    figure.update_xaxes(visible=False, range=[0, 118 * max([*values, 0.01])])
    figure.update_yaxes(
        tickvals=list(range(len(values))), ticktext=words, range=[ROWS + 1.6, -0.6], showgrid=False
    )
    figure.update_layout(bargap=0.35, hovermode="closest")
    return figure


LINE_HEIGHT = 46
"""Of all shares in one line."""
WIDE = 0.09
"""A smaller share has no room for its name."""


def shares_in_a_line(moment: Moment, theta: F64, dark: bool, size: int = 14) -> go.Figure:
    """The largest shares of one document one after the other, as parts of one bar.

    As in `proportions_figure`, the rest is grey. Wide parts hold their name; the others say it, as
    all do, when pointed at.
    """
    figure = base_figure(dark, "", "", size)
    order = np.argsort(-theta, kind="stable")
    top = [int(k) for k in order[:ROWS] if theta[k] >= LEAST]
    ids = moment.topics.topic_ids[top].tolist()
    parts = [
        (moment.name(i), float(theta[k]), topic_colour(moment.look(i), dark))
        for i, k in zip(ids, top, strict=True)
    ]
    rest = max(1.0 - sum(share for _, share, _ in parts), 0.0)
    parts.append(("all others", rest, with_alpha(QUIET[dark], 0.45)))
    for name, share, ink in parts:
        words = f"{written(name, 60)}  {percent(share)}"
        shown = f"{written(name, round(70 * share))} {percent(share)}" if share >= WIDE else ""
        figure.add_bar(
            x=[100 * share],
            y=[0],
            orientation="h",
            name=written(name),
            marker={"color": with_alpha(ink, 0.35) if ink[0] == "#" else ink, "line": {"width": 0}},
            text=[shown],
            textposition="inside",
            insidetextanchor="start",
            textangle=0,
            textfont={"size": size - 2, "color": INK[dark]},
            hovertext=[words],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    figure.update_xaxes(visible=False, range=[0, 100])
    figure.update_yaxes(visible=False, range=[-0.5, 0.5])
    figure.update_layout(
        barmode="stack", bargap=0, hovermode="closest", margin={"l": 0, "r": 0, "t": 8, "b": 8}
    )
    return figure
