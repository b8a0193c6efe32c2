"""Pictures of one document."""

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64
from ..state.moment import Moment
from .style import QUIET, base_figure, percent, topic_fills, with_alpha, written

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
