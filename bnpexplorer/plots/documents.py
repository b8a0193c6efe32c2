"""Pictures of one document."""

from collections.abc import Sequence

import plotly.graph_objects as go

from .style import QUIET, base_figure, percent, topic_colour, with_alpha, written

ROWS = 6
"""Topics with a bar of their own; the rest share one."""
HEIGHT = 240


def proportions_figure(
    ids: Sequence[int],
    names: Sequence[str],
    shares: Sequence[float],
    others: float,
    unseen: float,
    dark: bool,
    size: int = 14,
) -> go.Figure:
    """The largest shares of one document as bars, the largest first; `ROWS` of them at most.

    `ids` are the topics' identities, which give the colours, `names` what stands beside the bars.
    `others` is the sum of what has no bar and `unseen` the share of topics not yet seen.
    """
    figure = base_figure(dark, "", "", size)
    rest = [
        (name, share)
        for name, share in (("all others", others), ("not yet seen", unseen))
        if share >= 0.005
    ]
    words = [written(name) for name in names] + [name for name, _ in rest]
    values = [*shares, *(share for _, share in rest)]
    grey = with_alpha(QUIET[dark], 0.45)
    inks = [topic_colour(i, dark) for i in ids] + [grey] * len(rest)
    figure.add_bar(
        x=[100 * value for value in values],
        y=list(range(len(values))),
        orientation="h",
        marker={"color": inks, "line": {"width": 0}},
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
