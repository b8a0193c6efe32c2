"""Topics over something: over a run, over time, over documents."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64
from ..explore.over_documents import Prevalence
from ..explore.through import River
from ..state.moment import Moment
from .line_ends import End, label_ends
from .over_time import HEIGHT as PREVALENCE_HEIGHT
from .over_time import SIGNS, Line, lines_over_time
from .style import (
    INK,
    PAPER,
    QUIET,
    base_figure,
    colour,
    topic_band,
    topic_colour,
    topic_colours,
    with_alpha,
    written,
)
from .topics import Name

__all__ = ["PREVALENCE_HEIGHT", "SIGNS", "correlation_figure", "prevalence_figure", "river_figure"]

RIVER_HEIGHT = 380


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
    figure.update_yaxes(range=[0, 1], tickformat=".0%")
    figure.update_xaxes(range=[0, max(moment.planned_docs, 1)])
    return figure


def _mark(figure: go.Figure, river: River, name: Name, dark: bool, label: str) -> None:
    """Triangles on a topic's band, where it began or ended."""
    x, share, topics = river.docs_seen, river.share, river.topics
    place = {topic: k for k, topic in enumerate(topics)}
    middle = np.minimum(np.cumsum(share, axis=1) - 0.5 * share, 0.985)
    for born, symbol, word in ((True, "triangle-up", "born"), (False, "triangle-down", "gone")):
        found = [
            (mark.docs_seen, place[mark.topic], mark.event)
            for mark in river.marks
            if mark.born == born and mark.topic in place
        ]
        if not found or not len(x):
            continue
        rows = [min(int(np.searchsorted(x, docs)), len(x) - 1) for docs, _, _ in found]
        figure.add_scatter(
            x=[docs for docs, _, _ in found],
            y=[middle[r, k] for r, (_, k, _) in zip(rows, found, strict=True)],
            mode="markers",
            name=word,
            hoverinfo="text",
            hovertext=[f"{written(name(topics[k]))} {word}" for _, k, _ in found],
            customdata=[[label, event] for _, _, event in found],
            marker={
                "symbol": symbol,
                "size": 9,
                "color": PAPER[dark],
                "line": {"width": 1.5, "color": INK[dark]},
            },
        )


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
    inks = topic_colours([moment.look(topic) for topic in topics], dark)
    lines = [
        Line(moment.name(topic), ink, found.share[:, k], low[:, place], high[:, place])
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
            "tickformat": "+.1f",
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
