"""Pictures of a corpus before anything is learned."""

import numpy as np
import plotly.graph_objects as go

from ..corpus.text import Report
from .style import base_figure, colour, with_alpha


def lengths_figure(report: Report, dark: bool, size: int = 14) -> go.Figure:
    """How long the documents are, in words that count, on a logarithmic axis."""
    figure = base_figure(dark, "words in a document", "documents", size)
    edges = np.unique(
        np.round(np.geomspace(1, max(int(report.lengths.max()), 2) + 1, 32)).astype(int)
    )
    heights, _ = np.histogram(report.lengths, edges)
    ink = colour(0, dark)
    figure.add_scatter(
        x=np.repeat(edges, 2)[1:-1],
        y=np.repeat(heights, 2),
        mode="lines",
        fill="tozeroy",
        line={"color": ink, "width": 1.5},
        fillcolor=with_alpha(ink, 0.25),
        hovertemplate="%{y:,} documents",
        name="",
    )
    figure.update_xaxes(type="log", dtick=1, tickformat="~s")
    few = heights.max(initial=0) < 6  # else the ticks are thousandths of a document
    figure.update_yaxes(rangemode="tozero", tickformat="~s", dtick=1 if few else None)
    return figure


def zipf_figure(report: Report, dark: bool, size: int = 14) -> go.Figure:
    """Frequency against rank of all words before any was left out, both logarithmic."""
    figure = base_figure(dark, "rank of the word", "times it occurs", size)
    ranks, frequencies = report.zipf
    figure.add_scatter(
        x=ranks,
        y=frequencies,
        mode="lines+markers",
        marker={"size": 4},
        line={"color": colour(0, dark), "width": 1.5},
        hovertemplate="%{y:,} times",
        name="",
    )
    figure.update_xaxes(type="log", dtick=1, tickformat="~s")
    figure.update_yaxes(type="log", dtick=1, tickformat="~s")
    return figure
