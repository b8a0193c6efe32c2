"""The live figures of one or more runs: held-out score, topics in use, weights, series.

Where births and ends of topics stand beside a curve of the topics in use, in every figure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64, I64
from ..explore.likeness import FOUND_AGAIN
from ..state.moment import Moment
from ..state.snapshot import Event, TracePoint
from .level import BELOW, draw_level
from .line_ends import End, label_ends
from .style import (
    DASHES,
    LOGARITHMIC,
    PERCENT,
    QUIET,
    Drawing,
    colour,
    end_name,
    minus,
    topic_band,
    topic_colour,
    with_alpha,
    written,
)

Axis = Literal["documents", "seconds", "passes"]
MAX_POINTS = 500
"""Points a curve may send to the page at each update."""
HEIGHT = 330
"""Of the two main figures, in pixels."""


@dataclass(frozen=True)
class Series:
    """One run in a figure of several."""

    label: str
    slot: int
    """Its place in the palette."""
    dash: int
    moment: Moment


def _x(series: Series, points: Sequence[TracePoint], axis: Axis) -> F64:
    if axis == "seconds":
        return np.array([p.seconds for p in points], float)
    docs = np.array([p.docs_seen for p in points], float)
    return docs / series.moment.docs_in_pass if axis == "passes" else docs


def _thin(points: list[TracePoint]) -> list[TracePoint]:
    """At most MAX_POINTS points, evenly, with the last one always among them."""
    if len(points) <= MAX_POINTS:
        return points
    keep = np.unique(np.linspace(0, len(points) - 1, MAX_POINTS).astype(int))
    return [points[i] for i in keep]


AXIS_TITLES = {"documents": "documents seen", "seconds": "seconds of learning", "passes": "passes"}


def _x_range(series: Sequence[Series], axis: Axis) -> list[float] | None:
    """The whole way from the start, so that the line grows into its place; seconds so far."""
    if not series:
        return None
    if axis == "seconds":
        return [0.0, 1.02 * max(s.moment.snapshot.seconds for s in series) or 1.0]
    moments = [s.moment for s in series]
    ends = [m.planned_docs / (m.docs_in_pass if axis == "passes" else 1) for m in moments]
    return [0.0, 1.02 * max(ends)]


def _logarithms(x_range: list[float] | None, drawn: Sequence[F64]) -> list[float] | None:
    """The range of a logarithmic axis: from the first place that is drawn."""
    first = min((float(x[0]) for x in drawn), default=0.0)
    if x_range is None or not first:
        return None
    return [float(np.log10(first)), float(np.log10(max(x_range[1], first)))]


def _stepped(low: float, high: float, step: float) -> list[float]:
    """A range that grows in steps of `step` and so does not twitch."""
    return [float(np.floor(low / step) * step), float(np.ceil(high / step) * step)]


def heldout_figure(
    series: Sequence[Series],
    axis: Axis,
    dark: bool,
    unigram: float | None = None,
    size: int = 14,
    height: int = HEIGHT,
) -> go.Figure:
    """Held-out log likelihood per word of every run, with the unigram model as a reference line."""
    figure = Drawing(dark, AXIS_TITLES[axis], "log likelihood per word", size)
    ends: list[End] = []
    values: list[float] = []
    for s in series:
        points = _thin([p for p in s.moment.trace if np.isfinite(p.heldout)])
        if not points:
            continue
        x, y = _x(s, points, axis), [p.heldout for p in points]
        ink = colour(s.slot, dark)
        figure.add_scatter(
            x=x,
            y=y,
            name=written(s.label),
            mode="lines+markers" if len(points) < 3 else "lines",
            line={"color": ink, "width": 2.5, "dash": DASHES[s.dash % len(DASHES)]},
            hovertemplate="%{y:.3f}",
        )
        ends.append(End(float(x[-1]), y[-1], f"{end_name(s.label)}<br><b>{minus(y[-1])}</b>", ink))
        values += y
    scores = list(values)
    if unigram is not None and np.isfinite(unigram):
        x_range = _x_range(series, axis) or [0.0, 1.0]
        ends += draw_level(figure, [unigram], x_range[1], dark)
        values.append(unigram)
    if scores:
        top = max(values)
        floor = min(values) if unigram is None else max(min(values), unigram - BELOW)
        floor = min(floor, max(scores))  # the first score may lie far below the level
        y_range = _stepped(floor - 0.05, top + 0.08, 0.1)
        figure.update_yaxes(range=y_range)
        label_ends(figure, ends, y_range, height, dark, size)
    figure.update_yaxes(nticks=6)
    figure.update_xaxes(range=_x_range(series, axis), rangemode="tozero")
    return figure.figure()


def topics_figure(
    series: Sequence[Series],
    axis: Axis,
    dark: bool,
    size: int = 14,
    height: int = HEIGHT,
    logarithmic: bool = False,
) -> go.Figure:
    """Topics in use over time; triangles mark births (up) and disappearances (down).

    `logarithmic`: every tenfold of the horizontal axis has the same room, since most topics are
    born of the first hundred documents, which are a hair of a linear axis.
    """
    figure = Drawing(dark, AXIS_TITLES[axis], "topics in use", size)
    figure.update_layout(uirevision=f"{axis} {logarithmic}")
    ends: list[End] = []
    drawn: list[F64] = []
    highest = 1
    for s in series:
        points = _thin(list(s.moment.counted))
        x = _x(s, points, axis)
        if logarithmic:  # such an axis has no zero
            points = [p for p, place in zip(points, x, strict=True) if place > 0.0]
            x = x[x > 0.0]
        if not points:
            continue
        drawn.append(x)
        y = np.array([p.n_topics for p in points], float)
        ink = colour(s.slot, dark)
        figure.add_scatter(
            x=x,
            y=y,
            name=written(s.label),
            mode="lines",
            line={"color": ink, "width": 2.5, "shape": "hv", "dash": DASHES[s.dash % len(DASHES)]},
            hovertemplate="%{y:.0f} topics",
        )
        mark_events(figure, s, points, x, ink)
        end = float(np.log10(x[-1]) if logarithmic else x[-1])
        ends.append(End(end, float(y[-1]), f"{end_name(s.label)}<br><b>{y[-1]:.0f}</b>", ink))
        highest = max(highest, int(y.max()))
    step = 10 if highest > 20 else 5
    y_range = _stepped(0, 1.18 * highest + 1, step)
    figure.update_yaxes(range=y_range)
    label_ends(figure, ends, y_range, height, dark, size)
    x_range = _x_range(series, axis)
    if logarithmic:
        figure.update_xaxes(range=_logarithms(x_range, drawn), **LOGARITHMIC)
    else:
        figure.update_xaxes(range=x_range, rangemode="tozero")
    return figure.figure()


def found_again_figure(
    series: Sequence[Series],
    n_known: int,
    axis: Axis,
    dark: bool,
    size: int = 14,
    height: int = HEIGHT,
) -> go.Figure:
    """How many of `n_known` topics that made the texts are found again; dotted: all of them."""
    figure = Drawing(dark, AXIS_TITLES[axis], "true topics found again", size)
    x_range, y_range = _x_range(series, axis), [0.0, 1.12 * n_known]
    ends = draw_all_known(figure, n_known, (x_range or [0.0, 1.0])[1], dark)
    for s in series:
        points = _thin([p for p in s.moment.trace if FOUND_AGAIN in p.scalars])
        if not points:
            continue
        x, y = _x(s, points, axis), [p.scalars[FOUND_AGAIN] for p in points]
        ink = colour(s.slot, dark)
        figure.add_scatter(
            x=x,
            y=y,
            name=written(s.label),
            mode="lines",
            line={"color": ink, "width": 2.5, "shape": "hv", "dash": DASHES[s.dash % len(DASHES)]},
            hovertemplate=f"%{{y:.0f}} of {n_known}",
        )
        ends.append(End(float(x[-1]), y[-1], f"{end_name(s.label)}<br><b>{y[-1]:.0f}</b>", ink))
    figure.update_yaxes(range=y_range, nticks=6)
    label_ends(figure, ends, y_range, height, dark, size)
    figure.update_xaxes(range=x_range, rangemode="tozero")
    return figure.figure()


def draw_all_known(figure: Drawing, n_known: int, x: float, dark: bool) -> list[End]:
    """A dotted line at the number of true topics; returns its name, to be written at `x`."""
    figure.add_hline(n_known, line={"color": QUIET[dark], "width": 1, "dash": "dot"})
    return [End(x, n_known, f"true<br><b>{n_known}</b>", QUIET[dark])]


def mark_events(figure: Drawing, s: Series, points: list[TracePoint], x: F64, ink: str) -> None:
    """Births and disappearances along the curve of topics in use."""
    symbols = {"born": "triangle-up", "gone": "triangle-down-open"}
    for marks in marks_along(s.moment, points):
        told = zip(marks.counts.tolist(), marks.newest, strict=True)
        figure.add_scatter(
            x=x[marks.places],
            y=marks.heights,
            customdata=[[n, s.label, newest] for n, newest in told],
            name=f"{written(s.label)}, {marks.word}",
            mode="markers",
            marker={"symbol": symbols[marks.word], "color": ink, "size": 7, "opacity": 0.75},
            hovertemplate=f"%{{customdata[0]}} {marks.word}",
        )


def weights_figure(s: Series, dark: bool, size: int = 14, n_largest: int = 12) -> go.Figure:
    """The share of the largest topics over the run, stacked; the rest is grey."""
    figure = Drawing(dark, "documents seen", f"share of all {s.moment.unit}", size)
    frames = s.moment.frames
    if not frames:
        return figure.figure()
    x = [frame.docs_seen for frame in frames]
    last = frames[-1]
    largest = last.topic_ids[np.argsort(-last.weight, kind="stable")[:n_largest]]
    rest = np.ones(len(frames))
    for topic in largest:
        share = np.array([_share(f.topic_ids, f.weight, int(topic)) for f in frames])
        rest -= share
        look = s.moment.look(int(topic))
        name = written(s.moment.name(int(topic)))
        figure.add_scatter(
            x=x,
            y=share,
            name=name,
            mode="lines",
            stackgroup="all",
            line={"width": 0.5, "color": topic_colour(look, dark)},
            hovertemplate="%{y:.1%}",
            **topic_band(look, dark),
        )
    figure.add_scatter(
        x=x,
        y=np.maximum(rest, 0.0),
        name="all others",
        mode="lines",
        stackgroup="all",
        line={"width": 0},
        fillcolor=with_alpha("#8A949E", 0.25),
        hovertemplate="%{y:.1%}",
    )
    figure.update_yaxes(range=[0, 1], tickformat=PERCENT)
    figure.update_xaxes(range=[0, 1.02 * s.moment.planned_docs])
    return figure.figure()


def _share(ids: np.ndarray, weight: np.ndarray, topic: int) -> float:
    where = np.flatnonzero(ids == topic)
    return float(weight[where[0]]) if len(where) else 0.0


def scalar_figure(
    series: Sequence[Series], name: str, axis: Axis, dark: bool, size: int = 14
) -> go.Figure:
    """Any named series of the runs: the bound, the step size, learned concentrations."""
    figure = Drawing(dark, AXIS_TITLES[axis], written(name), size)
    for s in series:
        if name == "bound":
            points = [p for p in s.moment.trace if np.isfinite(p.bound)]
            y = [p.bound for p in points]
        else:
            points = [p for p in s.moment.trace if name in p.scalars]
            y = [p.scalars[name] for p in points]
        if not points:
            continue
        ink = colour(s.slot, dark)
        x = _x(s, points, axis)
        figure.add_scatter(
            x=x,
            y=y,
            name=written(s.label),
            mode="lines" if len(points) > 2 else "lines+markers",
            line={"color": ink, "width": 2, "dash": DASHES[s.dash % len(DASHES)]},
            hovertemplate="%{y:.4g}",
        )
    figure.update_xaxes(range=_x_range(series, axis), rangemode="tozero")
    return figure.figure()


MOST = 41
"""Places along a curve, of which the last is its end."""
BESIDE = 0.035
"""How far above or below it they stand, as a share of its highest."""
KINDS = (("born", ("birth", "split")), ("gone", ("death", "prune", "merge")))


@dataclass(frozen=True)
class Marks:
    """All births or all ends of a run, gathered at P of the points of its curve."""

    word: str
    """`born` or `gone`."""
    places: I64
    """int64 (P,): which points; each stands for what happened since the place before."""
    heights: F64
    """float64 (P,): above the curve for births, below it for ends, never below 0."""
    counts: I64
    """int64 (P,): how many, at least 1."""
    newest: list[int]
    """P events by their places in the snapshot: of each gathered, the one to be told."""


def marks_along(moment: Moment, points: Sequence[TracePoint]) -> Iterator[Marks]:
    """Births and then ends of a run along the points of its curve, where there are any."""
    y = np.array([p.n_topics for p in points], float)
    places = np.unique(np.linspace(0, len(points) - 1, MOST).astype(int))
    edges = [points[i].docs_seen for i in places]
    events = moment.snapshot.events
    for word, names in KINDS:
        of_kind = [i for i, event in enumerate(events) if event.kind in names]
        if not of_kind:
            continue
        seen = [events[i].docs_seen for i in of_kind]
        where = np.minimum(np.searchsorted(edges, seen), len(places) - 1)
        counts = np.bincount(where, minlength=len(places))
        used = np.flatnonzero(counts)
        newest = [_told_best(events, np.array(of_kind)[where == place]) for place in used]
        beside = BESIDE * max(float(y.max()), 10.0) * (1.0 if word == "born" else -1.0)
        heights = np.maximum(y[places[used]] + beside, 0.0)
        yield Marks(word, places[used], heights, counts[used], newest)


def _told_best(events: Sequence[Event], places: I64) -> int:
    """The newest of the events at these places, of those that tell most of their moment."""
    return int(max(places, key=lambda i: (events[i].details is not None, i)))
