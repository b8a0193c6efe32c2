"""Topics over something: over a run, over time, over documents."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64
from ..explore.over_documents import Prevalence
from ..explore.through import River
from ..state.moment import Moment
from .line_ends import End, label_ends, spread
from .over_time import HEIGHT as PREVALENCE_HEIGHT
from .over_time import SIGNS, TimeLine, lines_over_time
from .style import (
    INK,
    PAPER,
    PERCENT,
    QUIET,
    base_figure,
    colour,
    topic_band,
    topic_colour,
    topic_colours,
    with_alpha,
    written,
)
from .topics import BUTTONS, Name

__all__ = ["PREVALENCE_HEIGHT", "SIGNS", "correlation_figure", "prevalence_figure", "river_figure"]

RIVER_HEIGHT = 380
APART = 0.04
"""Of the river's height, between two marks of one moment: both can be seen and clicked."""
BESIDE = 1.01
"""Of the way, to where the figure ends: half a mark more, or those at the end are cut in two."""


def river_figure(
    moment: Moment, river: River, now: int, dark: bool, size: int = 14, label: str = ""
) -> go.Figure:
    """Stacked shares of topics over documents seen; the rest is grey, a line shows `now`.

    Triangles mark on a topic's part of the river where it came or went; their `customdata` is the
    `label` of the run and the place of the event.
    """
    figure = base_figure(dark, "documents seen", f"share of all {moment.unit}", size)
    x, share = np.asarray(river.docs_seen, float), river.share
    for k, topic in enumerate(river.topics):
        figure.add_scatter(
            x=x,
            y=share[:, k],
            name=written(moment.name(topic)),
            mode="lines",
            stackgroup="all",
            line={"width": 0.8, "color": PAPER[dark]},
            hovertemplate="%{y:.1%}",
            **topic_band(moment.look(topic), dark),
        )
    figure.add_scatter(
        x=x,
        y=np.maximum(1.0 - share.sum(axis=1), 0.0),
        name="all others",
        mode="lines",
        stackgroup="all",
        line={"width": 0},
        fillcolor=with_alpha("#8A949E", 0.25),
        hovertemplate="%{y:.1%}",
    )
    _mark(figure, river, moment.name, dark, label)
    if len(x):
        figure.add_vline(x=now, line={"color": INK[dark], "width": 2, "dash": "dot"})
        _name_bands(figure, river, moment, dark, size)
    figure.update_yaxes(range=[0, 1], tickformat=PERCENT)
    figure.update_xaxes(range=[0, BESIDE * max(moment.planned_docs, 1)])
    figure.update_layout(margin_t=BUTTONS)  # which would lie over marks at the river's surface
    return figure


def _mark(figure: go.Figure, river: River, name: Name, dark: bool, label: str) -> None:
    """Triangles on a topic's band, where it began or ended; beside it where others are in the
    way."""
    topics = river.topics
    place = {topic: k for k, topic in enumerate(topics)}
    heights = _heights(river, place)
    for born, symbol, word in ((True, "triangle-up", "born"), (False, "triangle-down", "gone")):
        found = [
            (mark.docs_seen, place[mark.topic], mark.event, heights[i])
            for i, mark in enumerate(river.marks)
            if mark.born == born and i in heights
        ]
        if not found:
            continue
        figure.add_scatter(
            x=[docs for docs, _, _, _ in found],
            y=[height for _, _, _, height in found],
            mode="markers",
            name=word,
            hoverinfo="text",
            hovertext=[f"{written(name(topics[k]))} {word}" for _, k, _, _ in found],
            customdata=[[label, event] for _, _, event, _ in found],
            marker={
                "symbol": symbol,
                "size": 9,
                "color": PAPER[dark],
                "line": {"width": 1.5, "color": INK[dark]},
            },
        )


def _heights(river: River, place: Mapping[int, int]) -> dict[int, float]:
    """Mark, by its place among all, -> how high it stands; `place`: of each topic its band."""
    x, share = river.docs_seen, river.share
    middle = np.cumsum(share, axis=1) - 0.5 * share
    of_moment: dict[int, list[tuple[float, int]]] = {}
    for i, mark in enumerate(river.marks if len(x) else ()):
        if mark.topic in place:
            row = min(int(np.searchsorted(x, mark.docs_seen)), len(x) - 1)
            of_moment.setdefault(mark.docs_seen, []).append((middle[row, place[mark.topic]], i))
    heights: dict[int, float] = {}
    for marks in of_moment.values():
        marks.sort()
        apart = [min(APART, 1.0 / len(marks))] * len(marks)
        found = spread([height for height, _ in marks], apart, 1.0)
        heights |= {i: float(y) for (_, i), y in zip(marks, found, strict=True)}
    return heights


def _name_bands(figure: go.Figure, river: River, moment: Moment, dark: bool, size: int) -> None:
    """Names beside the bands that are wide enough at the end."""
    last = river.share[-1]
    middle = np.cumsum(last) - 0.5 * last
    ends = [
        End(
            1.0,
            float(middle[k]),
            written(moment.name(topic), 22),
            topic_colour(moment.look(topic), dark),
        )
        for k, topic in enumerate(river.topics)
        if last[k] > 0.03
    ]
    label_ends(figure, ends, (0.0, 1.0), RIVER_HEIGHT, dark, size)
    for note in figure.layout.annotations:
        note.update(xref="paper", bgcolor="rgba(0,0,0,0)")


def prevalence_figure(
    moment: Moment,
    found: Prevalence,
    topics: Sequence[int],
    dark: bool,
    size: int = 14,
    title: str = "mean share of a document",
) -> go.Figure:
    """Mean proportions over time with 95 % intervals, and below how many documents there were.

    Of some of the topics that the prevalence tells of.
    """
    columns = [moment.row[topic] for topic in topics]
    low, high = found.means.interval(columns=columns)
    inks, few = topic_colours([moment.look(topic) for topic in topics], dark), found.few
    lines = [
        TimeLine(moment.name(topic), ink, found.share[:, k], low[:, place], high[:, place], few)
        for place, (topic, ink, k) in enumerate(zip(topics, inks, columns, strict=True))
    ]
    return lines_over_time(found.starts, found.n_docs, lines, title, dark, size)


def correlation_figure(
    ids: Sequence[int], correlation: F64, name: Name, dark: bool, size: int = 14
) -> go.Figure:
    """A square of correlations between topics, in the order given; `customdata` is the row's."""
    figure = base_figure(dark, size=size)
    names = [written(name(i), 22) for i in ids]
    values = correlation.copy()
    np.fill_diagonal(values, np.nan)
    reach = max(float(np.nanmax(np.abs(values), initial=0.05)), 0.05) if len(ids) > 1 else 1.0
    figure.add_heatmap(
        z=values,
        x=list(range(len(ids))),
        y=list(range(len(ids))),
        zmin=-reach,
        zmax=reach,
        colorscale=[[0.0, colour(1, dark)], [0.5, PAPER[dark]], [1.0, colour(0, dark)]],
        customdata=[[int(i)] * len(ids) for i in ids],
        hoverongaps=False,
        xgap=1,
        ygap=1,
        hovertext=[
            [f"{a}<br>{b}<br>{v:+.2f}" for b, v in zip(names, row, strict=True)]
            for a, row in zip(names, values, strict=True)
        ],
        hoverinfo="text",
        colorbar={
            "orientation": "h",
            "thickness": 10,
            "len": 0.5,
            "x": 0.0,
            "xanchor": "left",
            "y": -0.01,
            "yanchor": "top",
            "tickformat": "+",
            "nticks": 5,
            "outlinewidth": 0,
            "tickfont": {"color": QUIET[dark], "size": size - 2},
        },
    )
    figure.update_layout(hovermode="closest")
    figure.update_xaxes(showticklabels=False)
    figure.update_yaxes(
        tickvals=list(range(len(ids))),
        ticktext=names,
        showgrid=False,
        autorange="reversed",
        tickfont={"size": size - 3},
    )
    return figure
