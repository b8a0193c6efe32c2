"""Names at the ends of lines, instead of a legend: none over another, each as near as can be."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import unescape

import numpy as np
import plotly.graph_objects as go

from .style import PAPER, Drawing, with_alpha, word_ink

AXIS_ROOM, LINE_HEIGHT, LETTER_WIDTH = 4.0, 1.3, 0.54
"""In sizes of the letters: what stands below and above a plot, a line of text, a letter."""


def label_end(figure: go.Figure, x: float, y: float, text: str, colour: str, above: bool) -> None:
    """Write the name of a figure's only line at its end, above or below the last point."""
    figure.add_annotation(
        x=x,
        y=y,
        text=text,
        showarrow=False,
        xanchor="right",
        yanchor="bottom" if above else "top",
        yshift=5 if above else -5,
        font={"color": colour},
    )


@dataclass(frozen=True)
class End:
    """The end of a line, and what to write there."""

    x: float
    """On a logarithmic axis the logarithm to base 10."""
    y: float
    words: str
    """May hold <br> between its lines."""
    ink: str


def label_ends(
    figure: go.Figure | Drawing,
    ends: Sequence[End],
    y_range: Sequence[float],
    height: int,
    dark: bool,
    size: int = 14,
) -> None:
    """Write every line's name right of its end, instead of in a legend, and none over another.

    Names that would meet are pushed apart, as little as possible; where there is no room for all,
    the last row of each, its number, stands beside the one before. `y_range` is the range that the
    figure shows and `height` the figure's in pixels, without which nothing is known of distances.
    Give the horizontal range, too: otherwise Plotly makes room for the names inside the plot.
    """
    if not ends:
        return
    low, high = y_range
    room = height - AXIS_ROOM * size
    ends = sorted(ends, key=lambda end: end.y)
    if sum(_tall(ends, size)) > room:
        ends = [replace(end, words=" ".join(end.words.rsplit("<br>", 1))) for end in ends]
    tall = _tall(ends, size)
    wanted = [room * (end.y - low) / (high - low) for end in ends]
    for end, place, moved in zip(ends, wanted, spread(wanted, tall, room), strict=True):
        figure.add_annotation(
            x=end.x,
            y=end.y,
            text=end.words,
            showarrow=False,
            align="left",
            xanchor="left",
            xshift=8,
            yanchor="middle",
            yshift=moved - place,
            font={"color": word_ink(end.ink, dark)},
            bgcolor=with_alpha(PAPER[dark], 0.75),
            borderpad=0,
        )
    rows = [unescape(re.sub("<.*?>", "", row)) for e in ends for row in e.words.split("<br>")]
    longest = max(map(len, rows))
    figure.update_layout(margin={"r": 14 + round(LETTER_WIDTH * size * longest)})


def _tall(ends: Sequence[End], size: int) -> list[float]:
    """Pixels of each name; Plotly draws a border of one around the words, unseen but there."""
    return [LINE_HEIGHT * size * (1 + end.words.count("<br>")) + 2 for end in ends]


def spread(wanted: Sequence[float], tall: Sequence[float], room: float) -> list[float]:
    """Centres of labels `tall` pixels high that do not meet, as near as can be to those `wanted`.

    Both in rising order. The labels stay between 0 and `room` as long as there is room for all:
    least squares under an order, by pooling neighbours that violate it.
    """
    stacked = np.cumsum(tall) - np.asarray(tall) / 2
    blocks: list[tuple[float, int]] = []
    for free in np.asarray(wanted) - stacked:  # where the stack's foot would be for this label
        mean, n = float(free), 1
        while blocks and blocks[-1][0] > mean:
            before, m = blocks.pop()
            mean, n = (before * m + mean * n) / (m + n), m + n
        blocks.append((mean, n))
    feet = np.concatenate([np.full(n, mean) for mean, n in blocks])
    return list(np.clip(feet, 0.0, max(room - float(np.sum(tall)), 0.0)) + stacked)
