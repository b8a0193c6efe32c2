"""The pictures of the papers' figures: lines against a setting, with the spread over seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from .level import BELOW, draw_level
from .line_ends import End, label_ends
from .style import (
    DASHES,
    GRID,
    INK,
    PAPER,
    QUIET,
    base_figure,
    colour,
    escaped,
    in_rows,
    with_alpha,
)

HEIGHT = 400
"""Of every figure of a claim, in pixels: the names of nine lines find room."""


@dataclass(frozen=True)
class ClaimLine:
    """One line of a picture: for every seed a mapping from the axis to a value."""

    name: str
    slot: int
    """Its place in the palette."""
    seeds: Sequence[Mapping[float, float]]


def against(
    lines: Sequence[ClaimLine],
    x_title: str,
    y_title: str,
    dark: bool,
    logarithmic: bool = False,
    size: int = 14,
    levels: Sequence[float] = (),
    over_time: bool = False,
) -> go.Figure:
    """The median over seeds of every line, and its extremes as whiskers.

    `levels`: in a picture of scores that of word frequencies, one a seed. Of scores `over_time`
    those of first mini-batches may lie below the picture, as on Live: they stand up to 1.4 below
    all ends, and nine lines that end within 0.3 of each other were one.
    """
    figure = base_figure(dark, x_title, y_title, size)
    ends: dict[str, End] = {}
    seen: list[float] = []
    for line in lines:
        places = sorted({x for seed in line.seeds for x in seed})
        if not places:
            continue
        values = [[seed[x] for seed in line.seeds if x in seed] for x in places]
        middle = np.array([float(np.median(v)) for v in values])
        seen += [extreme for v in values for extreme in (min(v), max(v))]
        ink = colour(line.slot, dark)
        figure.add_scatter(
            x=places,
            y=middle,
            name=line.name,
            mode="lines+markers",
            line={"color": ink, "width": 2.5, "dash": DASHES[line.slot % len(DASHES)]},
            marker={"size": 8, "symbol": line.slot},
            error_y={
                "array": np.array([max(v) for v in values]) - middle,
                "arrayminus": middle - np.array([min(v) for v in values]),
                "color": with_alpha(ink, 0.6),
                "thickness": 1.5,
                "width": 4 + 4 * (line.slot % 4),  # whiskers at one place stay apart
            },
            hovertemplate="%{y:.4g}",
        )
        end = float(np.log10(places[-1])) if logarithmic else float(places[-1])
        ends.setdefault(line.name, End(end, float(middle[-1]), in_rows(line.name), ink))
    ticks = sorted({x for line in lines for seed in line.seeds for x in seed})
    if logarithmic:
        figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{x:g}" for x in ticks])
    if ticks:
        edges = [float(np.log10(x)) if logarithmic else x for x in (ticks[0], ticks[-1])]
        x_range = _around(edges, 0.03)
        figure.update_xaxes(range=x_range)
        level = draw_level(figure, levels, x_range[1], dark)
        ends |= {end.words: end for end in level}
        seen += [end.y for end in level]
    if over_time and levels:
        last = [seed[max(seed)] for line in lines for seed in line.seeds if seed]
        floor = min(*last, *(level - BELOW for level in levels))
        seen = [max(value, floor) for value in seen]
    _name_lines(figure, list(ends.values()), seen, dark, size)
    return figure


ROOMY = 5
"""Columns of a table of words for which the usual letters have room."""


def words_figure(
    heads: Sequence[str], columns: Sequence[Sequence[str]], dark: bool, size: int = 14
) -> go.Figure:
    """A table of words, one column a moment; many columns in smaller letters, so that in half the
    width of a page "government" is not cut."""
    figure, size = base_figure(dark, size=size), size - (len(heads) > ROOMY)
    paper = PAPER[dark]
    figure.add_table(
        header={
            "values": [escaped(head) for head in heads],
            "align": "left",
            "fill": {"color": paper},
            "font": {"color": INK[dark], "size": size - 1},
            "line": {"color": GRID[dark]},
        },
        cells={
            "values": [[escaped(word) for word in column] for column in columns],
            "align": "left",
            "fill": {"color": paper},
            "font": {"color": INK[dark], "size": size - 2},
            "line": {"color": GRID[dark]},
        },
    )
    return figure


def signs_figure(
    copies: Sequence[int],
    odds: Mapping[tuple[str, str], Sequence[float]],
    dark: bool,
    size: int = 14,
) -> go.Figure:
    """Wang & Blei 2012, figure 2: log odds of component 1, for every (method, case)."""
    figure = base_figure(dark, "copies of word 1 in the document", "log odds of component 1", size)
    methods = list(dict.fromkeys(method for method, _ in odds))
    ends = []
    for (method, case), values in odds.items():
        slot = 1 - methods.index(method)
        ink = colour(slot, dark)
        figure.add_scatter(
            x=list(copies),
            y=list(values),
            name=f"{method}, case {case}",
            mode="lines+markers",
            line={"color": ink, "width": 2.5, "dash": "solid" if case == "A" else "dash"},
            marker={"symbol": slot, "size": 7},
            hovertemplate="%{y:.2f}",
        )
        words = in_rows(f"{method}, case {case}")
        ends.append(End(float(copies[-1]), float(values[-1]), words, ink))
    _name_lines(figure, ends, [value for line in odds.values() for value in line], dark, size)
    figure.update_xaxes(range=_around([copies[0], copies[-1]], 0.03))
    figure.add_hline(y=0.0, line={"color": QUIET[dark], "width": 1})
    return figure


def _around(values: Sequence[float], room: float) -> list[float]:
    """The range of the values with `room` on both sides, as a share of it."""
    low, high = min(values), max(values)
    beside = room * (high - low) or room * abs(low) or 1.0
    return [low - beside, high + beside]


def _name_lines(
    figure: go.Figure, ends: Sequence[End], seen: Sequence[float], dark: bool, size: int = 14
) -> None:
    """Set the vertical range around the numbers seen and write the names at the lines' ends."""
    finite = [value for value in seen if np.isfinite(value)]
    if finite:
        y_range = _around(finite, 0.06)
        figure.update_yaxes(range=y_range)
        label_ends(figure, ends, y_range, HEIGHT, dark, size)
