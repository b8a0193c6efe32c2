"""The pictures of a small topic that mean field lets die."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64
from .line_ends import End, label_ends
from .style import QUIET, base_figure, colour

HEIGHT = 320


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
    label_ends(figure, ends, (-0.04 * top, top), HEIGHT, dark, size)
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
    label_ends(figure, ends, (-0.04 * top, 1.05 * top), HEIGHT, dark, size)
    return figure
