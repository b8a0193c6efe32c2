"""Pictures of a corpus before anything is learned."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import I64
from ..corpus.text import Report
from .style import base_figure, colour, with_alpha
from .ticks import LOGARITHMIC

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
        hovertemplate="%{y:,} documents",
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
