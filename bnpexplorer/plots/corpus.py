"""Pictures of a corpus before anything is learned.

Pictures of one document.

The numbers that a figure draws, read back from it: for figures made where no table is.
"""

from dataclasses import dataclass
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64, I64
from ..corpus.text import Report
from ..state.moment import Moment
from .style import (
    INK,
    LOGARITHMIC,
    QUIET,
    base_figure,
    colour,
    percent,
    topic_colour,
    topic_fills,
    with_alpha,
    written,
)

PIECE = 1_000_000
"""Documents whose lengths are held at once."""


@dataclass(frozen=True, eq=False)
class Lengths:
    """How many documents there are of each length."""

    lengths: I64
    """int64 (L,), ascending: lengths that occur, in words that count."""
    documents: I64
    """int64 (L,): how many documents are so long."""

    @property
    def median(self) -> float:
        """Of all documents."""
        n, ends = int(self.documents.sum()), np.cumsum(self.documents)
        middle = np.searchsorted(ends, [(n - 1) // 2, n // 2], side="right")
        return float(self.lengths[middle].mean())


def lengths_of(lengths: I64) -> Lengths:
    """What `lengths`, int64 (D,) with D > 0, are; they may lie on the disk, of which a piece is
    read at a time."""
    known, documents = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for first in range(0, len(lengths), PIECE):
        own, counts = np.unique(lengths[first : first + PIECE], return_counts=True)
        known, places = np.unique(np.concatenate((known, own)), return_inverse=True)
        counts = np.concatenate((documents, counts))
        documents = np.zeros(len(known), np.int64)
        np.add.at(documents, places, counts)
    return Lengths(known, documents)


def lengths_figure(found: Lengths, dark: bool, size: int = 14) -> go.Figure:
    """How long the documents are, in words that count, on a logarithmic axis."""
    figure = base_figure(dark, "words in a document", "documents", size)
    longest = int(found.lengths[-1])
    edges = np.unique(np.round(np.geomspace(1, max(longest, 2) + 1, 32)).astype(int))
    heights, _ = np.histogram(found.lengths, edges, weights=found.documents)
    ink = colour(0, dark)
    figure.add_scatter(
        x=np.repeat(edges, 2)[1:-1],
        y=np.repeat(heights, 2),
        mode="lines",
        fill="tozeroy",
        line={"color": ink, "width": 1.5},
        fillcolor=with_alpha(ink, 0.25),
        hovertemplate="documents: %{y:,}",
        name="",
    )
    figure.update_xaxes(**LOGARITHMIC)
    few = heights.max(initial=0) < 6  # else there are ticks at half a document
    figure.update_yaxes(rangemode="tozero", dtick=1 if few else None)
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
    figure.update_xaxes(**LOGARITHMIC)
    figure.update_yaxes(**LOGARITHMIC)
    return figure


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
