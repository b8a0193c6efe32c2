"""The pictures of the Lab's demonstrations beside the toy example's.

The pictures of a small topic that mean field lets die.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64, I64
from .line_ends import End, label_ends
from .style import GRID, INK, PAPER, PERCENT, QUIET, base_figure, colour, topic_colour, with_alpha

HEIGHT = 320
MARKER = {"symbol": "diamond-open", "size": 11}
"""What is expected, beside bars of what was drawn."""


def strips_figure(
    strips: Sequence[tuple[str, F64, Sequence[int] | None]], dark: bool, size: int = 14
) -> go.Figure:
    """Sticks of length 1, broken into parts: (name, weights (n,), which sticks the parts are).

    Where the parts are no one's (None) they are drawn in grey; what is left stays open.
    """
    figure = base_figure(dark, "", "", size)
    edge = {"color": PAPER[dark], "width": 1.5}
    for name, weights, ids in strips:
        numbers = range(len(weights)) if ids is None else ids
        for weight, k in zip(weights, numbers, strict=True):
            ink = with_alpha(QUIET[dark], 0.45) if ids is None else topic_colour(int(k), dark)
            figure.add_bar(
                x=[float(weight)],
                y=[name],
                orientation="h",
                marker={"color": ink, "line": edge},
                text=str(k + 1) if weight > 0.03 else "",
                textposition="inside",
                textangle=0,
                insidetextanchor="middle",
                hovertemplate=f"{k + 1}: %{{x:.3f}}<extra></extra>",
                textfont={"color": INK[dark]} if ids is None else None,
            )
    figure.update_layout(barmode="stack", bargap=0.35, hovermode="closest")
    figure.update_xaxes(range=[0, 1], tickformat=PERCENT, showline=True)
    figure.update_yaxes(
        autorange=False,
        range=[len(strips) - 0.4, -0.6],
        tickfont={"color": INK[dark]},
        showgrid=False,
    )
    return figure


def beside_expected(
    drawn: F64, expected: F64, ids: Sequence[int], x_title: str, dark: bool, size: int = 14
) -> go.Figure:
    """Bars of one draw, and diamonds where the average of all draws lies; both float64 (n,)."""
    figure = base_figure(dark, x_title, "weight", size)
    places = np.arange(1, len(drawn) + 1)
    figure.add_bar(
        x=places,
        y=drawn,
        text=[str(k + 1) for k in ids] if len(ids) <= 20 else None,
        textposition="outside",
        cliponaxis=False,
        marker={"color": [topic_colour(int(k), dark) for k in ids]},
        hovertemplate="this draw %{y:.3f}<extra></extra>",
    )
    figure.add_scatter(
        x=places,
        y=expected,
        mode="markers",
        marker={**MARKER, "color": INK[dark]},
        hovertemplate="expected %{y:.3f}<extra></extra>",
    )
    top = 1.15 * max(float(drawn.max()), float(expected.max()))
    figure.update_xaxes(range=[0.3, len(drawn) + 0.7], nticks=min(len(drawn), 12))
    figure.update_yaxes(range=[0, top], tickformat=PERCENT, nticks=5)
    figure.update_layout(bargap=0.3)
    return figure


@dataclass(frozen=True, eq=False)
class Growth:
    """One number while customers come: float64 or int64, each at 0, 1, ... customers."""

    name: str
    slot: int
    actual: F64 | I64
    """(n+1,): up to now."""
    expected: F64
    """(N+1,)."""
    low: F64 | I64 | None = None
    """(N+1,): below lie 5 % of all draws."""
    high: F64 | I64 | None = None


def growth_figure(lines: Sequence[Growth], top: float, dark: bool, size: int = 14) -> go.Figure:
    """How numbers grow with the customers, beside what is expected; `top` ends the axis."""
    figure = base_figure(dark, "customers", "", size)
    ends = []
    for line in lines:
        ink, every = colour(line.slot, dark), np.arange(len(line.expected))
        if line.low is not None and line.high is not None:
            figure.add_scatter(
                x=np.concatenate([every, every[::-1]]),
                y=np.concatenate([line.high, line.low[::-1]]),
                fill="toself",
                fillcolor=with_alpha(ink, 0.13),
                mode="none",
                hoverinfo="skip",
            )
        figure.add_scatter(
            x=every,
            y=line.expected,
            mode="lines",
            line={"color": ink, "width": 2, "dash": "dash"},
            hovertemplate=f"{line.name} expected %{{y:.2f}}<extra></extra>",
        )
        figure.add_scatter(
            x=np.arange(len(line.actual)),
            y=line.actual,
            mode="lines",
            line={"color": ink, "width": 3, "shape": "hv"},
            hovertemplate=f"{line.name} %{{y}}<extra></extra>",
        )
        words = f"{line.name}<br>expected"
        ends.append(End(float(every[-1]), float(line.expected[-1]), words, ink))
        figure.update_xaxes(range=[0, float(every[-1])])
    figure.update_yaxes(range=[0, top], nticks=6)
    label_ends(figure, ends, (0.0, top), HEIGHT, dark, size)
    return figure


def bound_figure(
    lines: Sequence[tuple[str, F64, int, str]], lowest: float, dark: bool, size: int = 14
) -> go.Figure:
    """Probabilities against n = 1, 2, ... on a logarithmic axis: (name, values, slot, dash)."""
    figure = base_figure(dark, "sticks n", "share of draws", size)
    ends = []
    for name, values, slot, dash in lines:
        ink = colour(slot, dark)
        shown = np.where(values >= lowest, values, np.nan)
        places = np.arange(1, len(values) + 1)
        figure.add_scatter(
            x=places,
            y=shown,
            mode="lines+markers",
            line={"color": ink, "dash": dash, "width": 2.5},
            marker={"symbol": slot, "size": 8},
            hovertemplate=f"{name}: %{{y:.3g}}<extra></extra>",
        )
        last = np.flatnonzero(np.isfinite(shown))
        if len(last):
            y = float(np.log10(shown[last[-1]]))
            ends.append(End(float(places[last[-1]]), y, name, ink))
    y_range = [float(np.log10(lowest)), 0.1]
    n_atoms = len(lines[0][1])
    figure.update_xaxes(range=[0.5, n_atoms + 0.5])
    ticks = [10.0**-k for k in range(int(-y_range[0]) + 1)]
    figure.update_yaxes(
        type="log", range=y_range, tickvals=ticks, ticktext=[f"{100 * t:g}%" for t in ticks]
    )
    label_ends(figure, ends, y_range, HEIGHT, dark, size)
    return figure


def pictures_figure(
    pictures: F64, names: Sequence[str], per_row: int, dark: bool, size: int = 14
) -> go.Figure:
    """Square pictures side by side: float64 (N, side * side), each scaled by its own largest."""
    side = _side(pictures)
    n_rows, cell_wide = -(-len(pictures) // per_row), side + 1
    figure = base_figure(dark, "", "", size)
    for i, name in enumerate(names):
        top, left = _corner(i, side, per_row)
        figure.add_annotation(
            x=left + (side - 1) / 2,
            y=top - 1.15,
            text=name,
            showarrow=False,
            font={"color": INK[dark], "size": size - 1},
            yanchor="middle",
        )
    figure.add_heatmap(
        z=pictures_canvas(pictures, per_row),
        zmin=0,
        zmax=1,
        showscale=False,
        hoverinfo="skip",
        xgap=1,
        ygap=1,
        colorscale=[[0, GRID[dark]], [1, colour(0, dark)]],
    )
    figure.update_layout(hovermode=False, dragmode=False, margin={"l": 0, "r": 0, "t": 0, "b": 0})
    figure.update_xaxes(visible=False, range=[-0.6, per_row * cell_wide - 1.4], title_text="")
    figure.update_yaxes(
        visible=False, range=[n_rows * (side + 2) - 1.4, -0.8], scaleanchor="x", title_text=""
    )
    return figure


def pictures_canvas(pictures: F64, per_row: int) -> F64:
    """The pixels of `pictures_figure`: float64 (rows, columns), nan between the pictures."""
    side = _side(pictures)
    canvas = np.full((-(-len(pictures) // per_row) * (side + 2), per_row * (side + 1)), np.nan)
    for i, picture in enumerate(pictures):
        top, left = _corner(i, side, per_row)
        canvas[top : top + side, left : left + side] = picture.reshape(side, side) / picture.max()
    return canvas


def _side(pictures: F64) -> int:
    return round(float(np.sqrt(pictures.shape[1])))


def _corner(i: int, side: int, per_row: int) -> tuple[int, int]:
    """Row and column of the first pixel of a picture, below its name."""
    return (i // per_row) * (side + 2) + 1, (i % per_row) * (side + 1)


def mixtures_figure(doc_topic: F64, dark: bool, size: int = 14) -> go.Figure:
    """What every document is made of, float64 (D, K), stacked; large parts carry their topic."""
    figure = base_figure(dark, "document", "share of the document", size)
    docs = np.arange(1, len(doc_topic) + 1)
    for k, share in enumerate(doc_topic.T):
        figure.add_bar(
            x=docs,
            y=share,
            marker={"color": topic_colour(k, dark), "line": {"color": PAPER[dark], "width": 1}},
            text=[str(k + 1) if s > 0.08 else "" for s in share],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            hovertemplate=f"topic {k + 1}: %{{y:.0%}}<extra></extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.15, hovermode="closest")
    figure.update_xaxes(tickmode="linear", dtick=1, range=[0.4, len(docs) + 0.6])
    figure.update_yaxes(range=[0, 1], tickformat=PERCENT, nticks=5)
    return figure


SHRINKING_HEIGHT = 320


def contest_figure(
    lines: Sequence[tuple[str, int, F64]], what: str, dark: bool, size: int = 14
) -> go.Figure:
    """How many tokens the small topic holds at each step: (name, slot, float64 (n,)).

    `what`: what the tokens are, as "violins".
    """
    top = 1.1 * max(float(values.max()) for _, _, values in lines)
    figure, ends = base_figure(dark, "step", f"{what} of the small topic", size), []
    for name, slot, values in lines:
        ink = colour(slot, dark)
        figure.add_scatter(
            x=np.arange(len(values)),
            y=values,
            mode="lines+markers",
            line={"color": ink, "width": 2.5},
            marker={"symbol": slot, "size": 8},
            hovertemplate=f"{name}: %{{y:.2f}} {what} at step %{{x}}<extra></extra>",
        )
        ends.append(End(len(values) - 1.0, float(values[-1]), name, ink))
    figure.update_xaxes(range=[-0.3, len(lines[0][2]) - 0.7], dtick=max(1, len(lines[0][2]) // 8))
    figure.update_yaxes(range=[-0.04 * top, top], nticks=6)
    label_ends(figure, ends, (-0.04 * top, top), SHRINKING_HEIGHT, dark, size)
    return figure


def counted_figure(
    at: F64,
    counted: F64,
    steps: tuple[F64, F64],
    slots: tuple[int, int],
    dark: bool,
    size: int = 14,
) -> go.Figure:
    """What mean field counts for a pseudo-count lambda, beside lambda itself.

    `at`, `counted` float64 (n,): lambda and exp psi(lambda). `steps` float64 (m,) each: lambda of
    the small topic at every step, and what is counted for it. `slots`: of mean field and of the
    average.
    """
    figure, top = base_figure(dark, "λ of the word", "what counts for it", size), float(at[-1])
    ends = []
    for name, slot, values in (("λ itself", slots[1], at), ("exp ψ(λ)", slots[0], counted)):
        ink = colour(slot, dark)
        figure.add_scatter(
            x=at,
            y=values,
            mode="lines",
            line={"color": ink, "width": 2.5},
            hovertemplate=f"{name}: %{{y:.3f}} at λ = %{{x:.2f}}<extra></extra>",
        )
        ends.append(End(top, float(values[-1]), name, ink))
    figure.add_scatter(
        x=steps[0],
        y=steps[1],
        mode="markers+text",
        text=[str(i) if i in (0, len(steps[0]) - 1) else "" for i in range(len(steps[0]))],
        textposition=["top left", *["top right"] * (len(steps[0]) - 1)],
        textfont={"color": QUIET[dark]},
        marker={"color": colour(slots[0], dark), "size": 9, "symbol": slots[0]},
        hovertemplate="λ = %{x:.2f} counts %{y:.3f}<extra></extra>",
    )
    figure.update_xaxes(range=[0, top])
    figure.update_yaxes(range=[-0.04 * top, 1.05 * top], nticks=6)
    label_ends(figure, ends, (-0.04 * top, 1.05 * top), SHRINKING_HEIGHT, dark, size)
    return figure
