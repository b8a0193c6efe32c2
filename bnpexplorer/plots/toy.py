"""The pictures of the toy example: log odds against the word count, and the two Dirichlets."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64, I64
from .line_ends import label_end
from .style import GRID, INK, QUIET, base_figure, colour, with_alpha

MARKERS = {0: "circle", 1: "triangle-up", 2: "triangle-down"}
"""The markers of a tie, of component 1 and of component 2: colour is never alone."""


ROOM = 0.14
"""Part of the height kept free at the top and at the bottom: two lines of text."""


def shared_range(*series: F64) -> tuple[float, float]:
    """One y range for several curves of log odds; it holds zero and leaves room for the words."""
    low = min(0.0, *(float(s.min()) for s in series))
    high = max(0.0, *(float(s.max()) for s in series))
    room = ROOM * max(high - low, 1.0) / (1 - 2 * ROOM)
    return low - room, high + room


def odds_figure(
    counts: I64,
    values: F64,
    likelier: I64,
    chosen: int,
    y_range: Sequence[float],
    name: str,
    slot: int,
    dark: bool,
    as_probability: bool = False,
    size: int = 14,
) -> go.Figure:
    """One way to update the assignment, against the number of copies of word 1.

    `counts`, `values` and `likelier` have shape (N,): word counts, log odds (or probabilities of
    component 1) and the likelier component, 1 or 2, or 0 for a tie. `chosen` is the count to mark,
    `y_range` the range shared with the figure beside, `slot` the line's place in the palette,
    `size` that of the letters in pixels.
    """
    ink, even = colour(slot, dark), 0.5 if as_probability else 0.0
    title = "probability of component 1" if as_probability else "log odds"
    number = "%{y:.2%}" if as_probability else "%{y:+.4f}"
    figure = base_figure(dark, "copies of word 1 in the document", title, size)
    figure.add_hrect(
        y_range[0], even, fillcolor=with_alpha(QUIET[dark], 0.10), line_width=0, layer="below"
    )
    figure.add_hline(even, line={"color": QUIET[dark], "width": 1.5})
    here = float(values[list(counts).index(chosen)])
    stem = {"color": QUIET[dark], "width": 1.5, "dash": "dot"}
    figure.add_shape(x0=chosen, x1=chosen, y0=even, y1=here, line=stem, layer="below")
    figure.add_trace(
        go.Scatter(
            x=counts,
            y=values,
            mode="lines+markers",
            name=name,
            line={"color": ink, "width": 2.5},
            marker={
                "symbol": [MARKERS[int(k)] for k in likelier],
                "size": [16 if w == chosen else 10 for w in counts],
                "color": ink,
                "opacity": 1,
                "line": {"color": INK[dark], "width": [2 if w == chosen else 0 for w in counts]},
            },
            hovertemplate=f"{name}: {number}<extra></extra>",
        )
    )
    _say_sides(figure, dark)
    label_end(
        figure, float(counts[-1]), float(values[-1]), name, ink, above=bool(values[-1] >= even)
    )
    figure.update_xaxes(
        range=[0.4, float(counts[-1]) + 0.6], tickmode="linear", tick0=0, dtick=_every(len(counts))
    )
    figure.update_yaxes(range=list(y_range))
    if as_probability:
        figure.update_yaxes(tickvals=[0, 0.5, 1], ticktext=["0 %", "50 %", "100 %"])
    figure.update_layout(uirevision=f"{counts[-1]} {y_range[0]:.6g} {y_range[1]:.6g}")
    return figure


def _say_sides(figure: go.Figure, dark: bool) -> None:
    """Name the two halves of the plane, each at its outer edge."""
    for component, y, anchor in ((1, 1.0, "top"), (2, 0.0, "bottom")):
        figure.add_annotation(
            xref="x domain",
            yref="y domain",
            x=0.02,
            y=y,
            xanchor="left",
            yanchor=anchor,
            text=f"more likely component {component}",
            showarrow=False,
            font={"color": QUIET[dark]},
        )


def _every(n: int) -> int:
    return 1 if n <= 12 else 2 if n <= 24 else 5


def words_figure(
    mean: F64, low: F64, high: F64, upper: float, dark: bool, size: int = 14
) -> go.Figure:
    """What a Dirichlet believes of its words: expected probabilities as bars, spread as whiskers.

    `mean`, `low` and `high` have shape (V,); `upper` is the end of the y axis, shared by the two
    components. Word 1, the only word of the document, stands out.
    """
    n_words = len(mean)
    figure = base_figure(dark, "word", "probability", size)
    words = np.arange(1, n_words + 1)
    first, other = colour(0, dark), with_alpha(QUIET[dark], 0.55)
    figure.add_trace(
        go.Bar(
            x=words,
            y=100 * mean,
            marker={"color": [first] + [other] * (n_words - 1), "line": {"width": 0}},
            error_y={
                "type": "data",
                "array": 100 * (high - mean),
                "arrayminus": 100 * (mean - low),
                "color": INK[dark],
                "thickness": 1.5 if n_words <= 20 else 1,
                "width": 4 if n_words <= 20 else 0,
            },
            customdata=100 * np.column_stack([low, high]),
            hovertemplate="word %{x}: expected %{y:.1f} %, between %{customdata[0]:.1f} % "
            "and %{customdata[1]:.1f} %<extra></extra>",
        )
    )
    every = _every(n_words)
    ticks = [1, *(w for w in range(every, n_words + 1, every) if w > 1)]
    figure.update_xaxes(range=[0.3, n_words + 0.7], tickvals=ticks)
    figure.update_yaxes(range=[0, 100 * upper], ticksuffix=" %", nticks=5, gridcolor=GRID[dark])
    figure.update_layout(bargap=0.35, hovermode="closest", uirevision=f"{n_words} {upper:.6g}")
    return figure
