"""Chains side by side: every quantity of all of them, one above the other on one axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64
from .level import draw_level
from .style import DASHES, QUIET, base_figure, colour, minus, written

PANEL, GAP = 150, 0.05
"""Pixels of one quantity, and the share of the figure between two."""
ROOM = 0.15
"""Of a panel above and below what it shows: the words at the line of word frequencies fit in."""
NOTHING = np.zeros(0)


@dataclass(frozen=True)
class ChainLine:
    """One chain: N draws so far."""

    label: str
    slot: int
    """Its place in the palette: that of its start."""
    dash: int
    docs_seen: F64
    """float64 (N,)."""
    values: Mapping[str, F64]
    """What is drawn -> float64 (N,)."""


def chains_figure(
    chains: Sequence[ChainLine],
    titles: Sequence[str],
    judged_from: float,
    dark: bool,
    size: int = 14,
    levels: Mapping[str, float] = MappingProxyType({}),
) -> go.Figure:
    """A panel for every title, all chains in each; draws left of the dotted line do not count.

    `judged_from`: documents seen at the first draw that counts; `levels`: title of a panel of
    scores -> the score of word frequencies.
    """
    figure = base_figure(dark, "documents seen", "", size)
    style = figure.layout.yaxis.to_plotly_json()
    height = (1.0 + GAP) / len(titles) - GAP
    for row, title in enumerate(titles):
        axis = "" if row == 0 else str(row + 1)
        bottom = 1.0 - height - row * (height + GAP)
        about = {"domain": [max(bottom, 0.0), bottom + height], "anchor": "x", "nticks": 4}
        figure.update_layout({f"yaxis{axis}": style | about})
        figure.update_layout({f"yaxis{axis}": {"title": {"text": title}}})
        for chain in chains:
            if title in chain.values:
                figure.add_scatter(
                    x=chain.docs_seen,
                    y=chain.values[title],
                    yaxis=f"y{axis}",
                    name=written(chain.label),
                    mode="lines",
                    line={
                        "color": colour(chain.slot, dark),
                        "width": 1.8,
                        "dash": DASHES[chain.dash % len(DASHES)],
                    },
                    hovertemplate="%{y:,.2f}",
                )
    figure.update_xaxes(anchor=f"y{len(titles)}" if len(titles) > 1 else "y", rangemode="tozero")
    line = {"color": QUIET[dark], "width": 1, "dash": "dot"}
    figure.add_shape(
        type="line", x0=judged_from, x1=judged_from, y0=0, y1=1, yref="paper", line=line
    )
    for row, title in enumerate(titles):
        if np.isfinite(levels.get(title, np.nan)):
            seen = np.concatenate([chain.values.get(title, NOTHING) for chain in chains])
            _with_level(figure, row, levels[title], seen, dark, size)
    return figure


def _with_level(
    figure: go.Figure, row: int, level: float, seen: F64, dark: bool, size: int
) -> None:
    """The line of word frequencies in a panel, which holds it and the scores `seen`."""
    axis = str(row + 1) if row else ""
    draw_level(figure, [level], 0.0, dark, f"y{axis}")
    known = [level, *seen[np.isfinite(seen)].tolist()]
    room = ROOM * (max(known) - min(known)) or ROOM
    about = {"range": [min(known) - room, max(known) + room]}
    figure.update_layout({f"yaxis{axis}": about})
    figure.add_annotation(
        text=f"word frequencies <b>{minus(level)}</b>",
        x=1.0,
        y=level,
        xref="x domain",
        yref=f"y{axis}",
        xanchor="right",
        yanchor="bottom",
        showarrow=False,
        font={"color": QUIET[dark], "size": size - 2},
    )


def chains_height(n_panels: int) -> int:
    """Pixels of the figure."""
    return PANEL * n_panels + 60
