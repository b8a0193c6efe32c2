"""The map of texts as a figure: a point for every document, names over where topics are at home."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F32, F64, I64, Bools
from ..explore.periods import day_in_words
from ..state.looks import COLOURS
from .style import (
    IF_ROOM,
    INK,
    PAPER,
    QUIET,
    base_figure,
    colour,
    topic_colours,
    with_alpha,
    written,
)

HEIGHT = 620
TITLE = 60
"""Letters of a document's title in its hover."""
NAME_LETTERS = 24
TICKS, MONTHS, DAYS_A_YEAR = 6, 5.0, 365.2425
"""Marks of a colour bar, and years below which they name months."""


@dataclass(frozen=True, eq=False)
class Groups:
    """What the points are coloured by: D documents in G groups, the largest groups first."""

    of: I64
    """int64 (D,): the group of each document; -1 for one that is in none."""
    names: Sequence[str]
    """G names."""
    inks: Sequence[str]
    """The colours of the first groups; the others are grey."""


@dataclass(frozen=True)
class Name:
    """What is written over a region."""

    x: float
    y: float
    words: str
    ink: str = ""
    """The colour of its points; empty where they have several."""


def topic_groups(largest: I64, looks: Sequence[int], names: Sequence[str], dark: bool) -> Groups:
    """By their largest topic; `largest` int64 (D,) are places in `looks` and `names`."""
    return Groups(largest, names, topic_colours(looks[:COLOURS], dark))


def label_groups(of: I64, names: Sequence[str], dark: bool) -> Groups:
    """By a label; groups of one colour never follow each other."""
    return Groups(of, names, [colour(slot, dark) for slot in range(min(len(names), 7))])


def atlas_figure(
    places: F32,
    groups: Groups | None,
    years: F64 | None,
    names: Sequence[Name],
    dark: bool,
    size: int = 14,
    chosen: Bools | None = None,
    outline: tuple[F64, F64] | None = None,
    drawn: I64 | None = None,
) -> go.Figure:
    """Documents at `places` (D, 2), coloured by `groups`, or by `years` (D,), nan where unknown.

    `names`: the most important first; the browser writes as many as there is room for. `chosen`
    bool (D,): the others are faint; `outline`: the corners around them. `drawn`: only these
    documents, in order (None: all), in the frame and the colours of all. A point's `customdata` is
    its document.
    """
    figure = base_figure(dark, size=size)
    shown = np.ones(len(places), bool) if drawn is None else np.zeros(len(places), bool)
    shown[drawn] = True
    dot = _dot(int(shown.sum()))
    for rows, ink, name in _traces(groups, years, shown, dark):
        _points(figure, places, rows, ink, name, dot, dark, chosen)
    figure.update_layout(
        hovermode="closest",
        dragmode="pan",
        margin={"l": 8, "r": 8, "t": 30, "b": 8},
        annotations=[_written(name, dark, size) for name in names],
    )
    path = _path(*outline) if outline is not None else ""
    # Plotly's own selection goes as soon as the outline stands for it, and with the outline.
    figure.update_layout(selections=[], selectionrevision=path)
    if path:
        line = {"color": INK[dark], "width": 1.5, "dash": "dot"}
        figure.add_shape(type="path", path=path, line=line, layer="above")
    x_range, y_range = _range(places[:, 0]), _range(places[:, 1])
    figure.update_layout(uirevision=f"{x_range}")  # a zoom into another round's map means nothing
    figure.update_xaxes(visible=False, range=x_range)
    figure.update_yaxes(visible=False, range=y_range, scaleanchor="x")
    return figure


def _path(xs: F64, ys: F64) -> str:
    """Corners as SVG writes a closed line."""
    corners = (f"{x:.6g},{y:.6g}" for x, y in zip(xs.tolist(), ys.tolist(), strict=True))
    return f"M{'L'.join(corners)}Z"


def _written(name: Name, dark: bool, size: int) -> dict[str, Any]:
    """A name on a plate of the page's colour: letters stay legible on points of any colour."""
    return {
        "name": IF_ROOM,
        "x": name.x,
        "y": name.y,
        "text": f"<b>{written(name.words, NAME_LETTERS)}</b>",
        "showarrow": False,
        "font": {"color": INK[dark], "size": size - 1},
        "bgcolor": with_alpha(PAPER[dark], 0.78),
        "bordercolor": name.ink or "rgba(0,0,0,0)",
        "borderwidth": 1,
        "borderpad": 2,
    }


def _traces(
    groups: Groups | None, years: F64 | None, shown: Bools, dark: bool
) -> list[tuple[I64, Any, str]]:
    """Rows, colour and name of every trace, of those `shown` bool (D,); what is grey lies below."""
    grey = with_alpha(QUIET[dark], 0.45)
    if groups is not None:
        n = len(groups.inks)
        own = [
            (np.flatnonzero(shown & (groups.of == g)), groups.inks[g], groups.names[g])
            for g in range(n)
        ]
        others = (groups.of < 0) | (groups.of >= n)
        return [(np.flatnonzero(shown & others), grey, ""), *own]
    assert years is not None
    known = shown & np.isfinite(years)
    ages = {
        "color": years[known],
        "colorscale": "Viridis",
        "showscale": True,
        "colorbar": {"thickness": 10, "outlinewidth": 0, **_dates(years[known])},
    }
    return [(np.flatnonzero(shown & ~known), grey, ""), (np.flatnonzero(known), ages, "")]


def _dates(years: F64) -> dict[str, Any]:
    """Marks of a colour bar: years where these are several, else months or days by name."""
    first, last = float(years.min(initial=np.inf)), float(years.max(initial=-np.inf))
    if not 0.0 <= last - first < MONTHS:
        return {"tickformat": "d", "nticks": TICKS}
    days = np.round((np.linspace(first, last, TICKS) - 1970.0) * DAYS_A_YEAR)
    # From half a year on no two of six marks are in the same month.
    by_month = last - first > TICKS / 12.0
    names = {}
    for day in days.astype(np.int64).astype("datetime64[D]"):
        number, month, year = day_in_words(day).split()
        names[f"{month[:3]} {year}" if by_month else f"{number} {month[:3]} {year}"] = day
    at = [1970.0 + float(day.astype(np.int64)) / DAYS_A_YEAR for day in names.values()]
    return {"tickmode": "array", "tickvals": at, "ticktext": [*names]}


def _points(
    figure: go.Figure,
    places: F32,
    rows: I64,
    ink: Any,
    name: str,
    dot: float,
    dark: bool,
    chosen: Bools | None,
) -> None:
    if not len(rows):
        return
    marker: dict[str, Any] = {"size": dot, "opacity": 0.75, "line": {"width": 0}}
    marker |= ink if isinstance(ink, dict) else {"color": ink}
    head = f"<b>{written(name, 40)}</b><br>" if name else ""
    figure.add_trace(
        go.Scattergl(
            x=places[rows, 0],
            y=places[rows, 1],
            mode="markers",
            customdata=rows.astype(np.int32),  # browsers have no typed arrays of int64
            hovertemplate=head.replace("%{", "%&#123;") + "%{text}<extra></extra>",  # a name's own
            marker=marker,
            selectedpoints=None
            if chosen is None
            else np.flatnonzero(chosen[rows]).astype(np.int32),
            unselected={"marker": {"opacity": 0.06}},
        )
    )


def _dot(n_docs: int) -> float:
    """Pixels of a point: fewer where there are many."""
    return float(np.clip(260.0 / np.sqrt(max(n_docs, 1)), 2.6, 9.0))


def _range(values: F32) -> list[float]:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    beside = 0.04 * (high - low) or 0.5
    return [low - beside, high + beside]
