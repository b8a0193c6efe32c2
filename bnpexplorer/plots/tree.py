"""The tree of topics as a figure."""

import numpy as np
import plotly.graph_objects as go

from ..explore.tree import Tree
from ..state.moment import Moment
from .style import QUIET, base_figure, topic_colour, written

ROW = 22
"""Pixels of a topic's row."""
LETTERS = 34
"""Of a topic's name."""


def tree_height(n: int, size: int = 14) -> int:
    """Pixels of the tree of `n` topics."""
    return round(max(n, 2) * ROW * size / 14) + 6 * size


def tree_figure(moment: Moment, tree: Tree, cut: float, dark: bool, size: int = 14) -> go.Figure:
    """Topics as leaves, joined where they are alike; what hangs together left of `cut` is coloured.

    A click on a leaf gives its topic.
    """
    figure = base_figure(dark, "mean distance of their words", size=size)
    lowest = min((joint.heights[1] for joint in tree.joints), default=0.5)
    left = max(np.floor(10.0 * lowest - 1.0) / 10.0, 0.0)
    groups = {topic: group for group in tree.groups(cut) for topic in group}
    inks = {}
    for topic, group in groups.items():
        largest = max(group, key=moment.share)
        inks[topic] = topic_colour(moment.look(largest), dark)
    for joint in tree.joints:
        inside = joint.heights[1] <= cut
        leaf = tree.ids[round(joint.places[0])]
        figure.add_scatter(
            x=[max(height, left) for height in joint.heights],
            y=list(joint.places),
            mode="lines",
            line={"color": inks.get(leaf, QUIET[dark]) if inside else QUIET[dark], "width": 2},
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=[left] * len(tree.ids),
        y=list(range(len(tree.ids))),
        mode="markers",
        customdata=list(tree.ids),
        marker={"size": 9, "color": [topic_colour(moment.look(i), dark) for i in tree.ids]},
        hovertext=[written(moment.head(i), 60) for i in tree.ids],
        hoverinfo="text",
        cliponaxis=False,
    )
    figure.add_vline(x=cut, line={"color": QUIET[dark], "width": 1, "dash": "dot"})
    figure.update_layout(hovermode="closest", dragmode=False)
    figure.update_xaxes(range=[left, 1.0])
    figure.update_yaxes(
        range=[len(tree.ids) - 0.4, -0.6],
        tickvals=list(range(len(tree.ids))),
        ticktext=[written(moment.head(i), LETTERS) for i in tree.ids],
        ticklabelstandoff=9,  # beside the marks, not below them
        showgrid=False,
    )
    return figure
