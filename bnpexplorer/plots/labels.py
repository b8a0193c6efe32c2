"""Topics by label, and what changed between two sets of documents."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64
from ..core.display import plural, points
from ..explore.change import Changes
from ..explore.sentences import Sides, two_percents
from .style import (
    INK,
    PAPER,
    PERCENT,
    QUIET,
    base_figure,
    colour,
    percent,
    shortened,
    with_alpha,
    written,
)

ROW_HEIGHT = 26
"""Of a label or a topic, in pixels."""
AROUND = 90
"""Of a figure above and below its rows."""
NUMBERED = 0.4
"""Shares of at least this part of the largest one stand in their squares, in percent: two digits
fit on a phone; all in a hint."""
NAME, HEAD, WAY = 30, 22, 12
"""Letters of a name beside a row, above a column, and of a label above half a figure on a phone."""
STRONGEST = "#3762A4"
"""Colour of the strongest square on dark paper: bright numbers have a contrast of 5.3 on it, and of
2.6 on the series' own blue."""


def rows_height(n_rows: int, above: int = AROUND) -> int:
    return above + ROW_HEIGHT * max(n_rows, 2)


def label_heatmap(
    labels: Sequence[str],
    n_docs: Sequence[int],
    topics: Sequence[tuple[int, str]],
    mean: F64,
    low: F64,
    high: F64,
    dark: bool,
    size: int = 14,
) -> go.Figure:
    """A square for every label (row) and topic (column): the stronger its colour, the larger its
    share, on light paper and on dark.

    `topics`: identity and name of K topics; `mean`, `low` and `high` (L, K). The `customdata` of a
    square is its row and its topic's identity.
    """
    figure = base_figure(dark, size=size)
    rows, largest = range(len(labels)), max(float(np.nanmax(mean, initial=0.0)), 0.01)
    figure.add_heatmap(
        z=mean,
        x=list(range(len(topics))),
        y=list(rows),
        zmin=0.0,
        zmax=largest,
        colorscale=[[0.0, PAPER[dark]], [1.0, STRONGEST if dark else colour(0, dark)]],
        showscale=False,
        xgap=1,
        ygap=1,
        customdata=[[[row, topic] for topic, _ in topics] for row in rows],
        hovertext=[
            [
                f"<b>{written(labels[row], 40)}</b>, {plural(n_docs[row], 'document')}<br>"
                f"{written(name, 40)}<br>{percent(float(mean[row, k]), 1)}, between "
                f"{percent(float(low[row, k]), 1)} and {percent(float(high[row, k]), 1)}"
                for k, (_, name) in enumerate(topics)
            ]
            for row in rows
        ],
        hoverinfo="text",
        text=[[f"{100 * x:.0f}" if x >= NUMBERED * largest else "" for x in row] for row in mean],
        texttemplate="%{text}",
        textfont={"size": size - 3} | ({"color": INK[dark]} if dark else {}),
    )
    figure.update_layout(hovermode="closest", dragmode=False)
    figure.update_xaxes(
        side="top",
        tickvals=list(range(len(topics))),
        ticktext=[written(name, HEAD) for _, name in topics],
        autotickangles=[0, -90],  # upright where columns are narrow, as on a phone
        ticklabeloverflow="allow",  # else the last names are left off where they reach out
        tickfont={"size": size - 3},
    )
    figure.update_yaxes(
        tickvals=list(rows),
        ticktext=[written(name, NAME) for name in labels],
        autorange="reversed",
        showgrid=False,
        tickfont={"size": size - 2},
    )
    return figure


def label_dots(
    labels: Sequence[str],
    n_docs: Sequence[int],
    mean: F64,
    low: F64,
    high: F64,
    title: str,
    ink: str,
    dark: bool,
    size: int = 14,
) -> go.Figure:
    """One topic by label: a dot and its 95 % interval in a row; `customdata` is the row.

    `mean`, `low` and `high` (L,).
    """
    figure = base_figure(dark, title, size=size)
    rows = list(range(len(labels)))
    figure.add_scatter(
        x=mean,
        y=rows,
        mode="markers",
        customdata=rows,
        marker={"size": 11, "color": ink},
        error_x={
            "type": "data",
            "array": (high - mean).tolist(),
            "arrayminus": (mean - low).tolist(),
            "symmetric": False,
            "color": with_alpha(ink, 0.55),
            "thickness": 3,
            "width": 0,
        },
        hovertext=[
            f"<b>{written(name, 40)}</b><br>{percent(float(m), 1)}, between "
            f"{percent(float(a), 1)} and {percent(float(b), 1)}<br>{plural(n, 'document')}"
            for name, n, m, a, b in zip(labels, n_docs, mean, low, high, strict=True)
        ],
        hoverinfo="text",
    )
    names = [f"{written(name, NAME)}  ({n:,})" for name, n in zip(labels, n_docs, strict=True)]
    _rows(figure, names, size)
    reach = max(float(np.nanmax(high, initial=0.01)), 0.01)
    figure.update_xaxes(range=[0, 1.05 * reach], tickformat=PERCENT, showgrid=True, nticks=6)
    return figure


def change_figure(
    names: Sequence[str],
    topics: Sequence[int],
    found: Changes,
    columns: Sequence[int],
    sides: Sides,
    dark: bool,
    size: int = 14,
) -> go.Figure:
    """How much topics rose or fell, with intervals that hold for all together, surest on top.

    A full dot is a sure change, a hollow one may be chance. `columns`: where each topic stands in
    `found`; a dot's `customdata` is its topic's identity.
    """
    what = "difference" if sides.labels else "change"
    figure = base_figure(dark, f"{what} of the share, in points", size=size)
    columns, rows = list(columns), list(range(len(columns)))
    change = 100.0 * found.change[columns]
    low, high = 100.0 * found.low[columns], 100.0 * found.high[columns]
    sure = found.sure[columns] != 0.0
    inks = [
        colour(0 if c > 0 else 1, dark) if s else QUIET[dark]
        for c, s in zip(change, sure, strict=True)
    ]
    before, after = sides.heads
    figure.add_vline(x=0.0, line={"color": INK[dark], "width": 1})
    for row, ink in zip(rows, inks, strict=True):
        figure.add_scatter(
            x=[low[row], high[row]],
            y=[row, row],
            mode="lines",
            line={"color": with_alpha(ink, 0.55), "width": 3},
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=change,
        y=rows,
        mode="markers",
        customdata=[int(topic) for topic in topics],
        marker={
            "size": 11,
            "color": inks,
            "symbol": ["circle" if s else "circle-open" for s in sure],
            "line": {"width": 2, "color": inks},
        },
        hovertext=[
            _change_hint(written(name, 40), found, k, (written(before, 40), written(after, 40)))
            for name, k in zip(names, columns, strict=True)
        ],
        hoverinfo="text",
    )
    _rows(figure, [written(shortened(name, NAME), NAME) for name in names], size)
    _ways(figure, sides, dark, size)
    ends = np.concatenate([low, high, [-1.0, 1.0]])
    reach = 0.04 * float(np.nanmax(ends) - np.nanmin(ends))  # so that no interval seems cut
    figure.update_xaxes(
        range=[float(np.nanmin(ends)) - reach, float(np.nanmax(ends)) + reach],
        showgrid=True,
        tickformat="+",
        nticks=7,
    )
    return figure


def _change_hint(name: str, found: Changes, k: int, heads: tuple[str, str]) -> str:
    """What is known of the change of column k, rounded so that nothing sure looks like none."""
    before, after = two_percents(float(found.before[k]), float(found.after[k]))
    change, low, high = points([float(x[k]) for x in (found.change, found.low, found.high)])
    return (
        f"<b>{name}</b><br>{before} {heads[0]}, {after} {heads[1]}<br>{change} points, between "
        f"{low} and {high}"
    )


def _ways(figure: go.Figure, sides: Sides, dark: bool, size: int) -> None:
    """Above the two halves of a figure: which way is more of what."""
    left, right = ("fell", "rose")
    if sides.labels:
        left, right = written(sides.before, WAY), written(sides.after, WAY)
    for x, slot, words in ((0.0, 1, f"← {left}"), (1.0, 0, f"{right} →")):
        figure.add_annotation(
            text=words,
            x=x,
            xref="paper",
            xanchor="right" if x else "left",
            y=1.0,
            yref="paper",
            yanchor="bottom",
            showarrow=False,
            font={"size": size - 2, "color": colour(slot, dark)},
        )


def _rows(figure: go.Figure, names: Sequence[str], size: int) -> None:
    figure.update_layout(hovermode="closest", dragmode=False, margin_t=24)
    figure.update_yaxes(
        range=[len(names) - 0.4, -0.6],
        tickvals=list(range(len(names))),
        ticktext=list(names),
        showgrid=False,
        tickfont={"size": size - 2},
    )
