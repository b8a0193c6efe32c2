"""Topics as figures: the map, the words of a topic, the topics of a word."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64
from ..state.moment import Moment
from .style import INK, base_figure, topic_colour, with_alpha, written

Name = Callable[[int], str]
LARGEST_MARK = 74.0
"""Diameter of the largest topic of the map, in pixels."""
ROW, BESIDE = 23, 24
"""Pixels that a bar takes, and letters of a name beside it."""


BUTTONS = 32
"""Pixels above the bars, for the figure's buttons: they must not cover the first bar."""


def rows_height(n: int, size: int = 14) -> int:
    """Height of a figure of `n` horizontal bars."""
    return round(max(n, 1) * ROW * size / 14) + 5 * size + BUTTONS


NAMED, WORDS = 12, 8
"""Topics of the map that have a label whatever they are called, and words of each in its hover."""
NARROWEST, WIDEST = 330.0, 560.0
"""Pixels of the map's shorter side, on a phone and on a wide screen."""


def map_figure(
    moment: Moment, at: Mapping[int, F64], chosen: int, dark: bool, size: int = 14
) -> go.Figure:
    """Topics in the plane, areas by share; the chosen one has a ring, the largest have labels.

    A label that would lie on another is left out: the chosen topic's comes first, then those with a
    name, then the largest. It is the name that a person gave, or the identity. `at`: topic -> its
    place, (2,).
    """
    figure = base_figure(dark, size=size)
    ids, names = list(at), moment.labels.names
    places = np.array([at[topic] for topic in ids]).reshape(len(ids), 2)
    share = np.array([moment.share(topic) for topic in ids])
    words = [" · ".join(moment.top_words(topic, WORDS)) for topic in ids]
    largest = float(share.max(initial=0.0)) or 1.0
    order = np.argsort(-share, kind="stable")  # small ones are drawn over large ones
    labels = [names.get(i, str(i)) for i in ids]
    first = sorted(order.tolist(), key=lambda k: (ids[k] != chosen, ids[k] not in names))
    wanted = [k for k in first if ids[k] == chosen or ids[k] in names or k in order[:NAMED]]
    raised = [_raised(share[k] / largest, labels[k], size) for k in range(len(ids))]
    named = {ids[k] for k in _apart(wanted, places, labels, raised, size)}
    figure.add_scatter(
        x=places[order, 0],
        y=places[order, 1],
        mode="markers+text",
        text=[written(labels[k], 16) if ids[k] in named else "" for k in order],
        textposition=[_inside(share[k] / largest, labels[k]) for k in order],
        textfont={"color": INK[dark], "size": size - 1},
        customdata=[int(ids[k]) for k in order],
        hovertext=[
            f"<b>{written(moment.name(ids[k]), 40)}</b>, {share[k]:.1%}<br>{written(words[k], 90)}"
            for k in order
        ],
        hoverinfo="text",
        cliponaxis=False,
        marker={
            "size": [max(LARGEST_MARK * np.sqrt(share[k] / largest), 7.0) for k in order],
            "color": [with_alpha(topic_colour(ids[k], dark), 0.55) for k in order],
            "line": {
                "width": [3.0 if ids[k] == chosen else 1.0 for k in order],
                "color": [
                    INK[dark] if ids[k] == chosen else topic_colour(ids[k], dark) for k in order
                ],
            },
            "opacity": 1.0,
        },
    )
    figure.update_layout(hovermode="closest", margin={"l": 12, "r": 12, "t": 12, "b": 12})
    figure.update_xaxes(visible=False, range=_padded(places[:, 0]))
    figure.update_yaxes(visible=False, range=_padded(places[:, 1]), scaleanchor="x")
    return figure


def _apart(
    wanted: Sequence[int], places: F64, labels: Sequence[str], raised: Sequence[float], size: int
) -> list[int]:
    """Those of `wanted` whose labels do not lie on one before them, on a phone or a wide screen.

    `raised` says how many pixels above its circle's middle a label stands, on any screen.
    """
    spans = [float(np.diff(_padded(places[:, axis]))[0]) for axis in (0, 1)]
    narrow, wide = (min(side / spans[0], side / spans[1]) for side in (NARROWEST, WIDEST))

    def clear(k: int, j: int) -> bool:
        across, up = places[k] - places[j]
        width = 0.3 * size * (min(len(labels[k]), 16) + min(len(labels[j]), 16))
        low, high = (up * scale + raised[k] - raised[j] for scale in (narrow, wide))
        height = 0.0 if low * high < 0.0 else min(abs(low), abs(high))
        return bool(abs(across) * narrow > width or height > 1.2 * size)

    kept: list[int] = []
    for k in wanted:
        if all(clear(k, j) for j in kept):
            kept.append(k)
    return kept


def _raised(share_of_largest: float, name: str, size: int) -> float:
    if _inside(share_of_largest, name) == "middle center":
        return 0.0
    return float(max(LARGEST_MARK * np.sqrt(share_of_largest), 7.0) / 2 + 0.7 * size)


def _inside(share_of_largest: float, name: str) -> str:
    fits = LARGEST_MARK * np.sqrt(share_of_largest) > 7.5 * min(len(name), 16)
    return "middle center" if fits else "top center"


def _padded(values: F64) -> list[float]:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    beside = 0.14 * (high - low) or 0.5
    return [low - beside, high + beside]


def words_figure(
    bars: Mapping[str, tuple[float, float]], topic: int, dark: bool, size: int = 14
) -> go.Figure:
    """Bars of the words' probabilities in a topic, a line for their share in all texts.

    `bars`: word -> both. The first word stands on top; a bar's `customdata` is its word.
    """
    figure = base_figure(dark, "probability", size=size)
    words, inside, outside = list(bars), *_columns(bars)
    rows = np.arange(len(words))
    figure.add_bar(
        x=inside,
        y=rows,
        orientation="h",
        customdata=list(words),
        marker={"color": topic_colour(topic, dark)},
        width=0.62,
        hovertext=[
            f"<b>{written(word, 60)}</b><br>{p:.2%} in this topic<br>{q:.2%} in all texts"
            for word, p, q in zip(words, inside, outside, strict=True)
        ],
        hoverinfo="text",
    )
    figure.add_scatter(
        x=outside,
        y=rows,
        mode="markers",
        customdata=list(words),
        hoverinfo="skip",
        marker={"symbol": "line-ns", "size": 15, "line": {"width": 3, "color": INK[dark]}},
    )
    _word_rows(figure, [written(word, BESIDE) for word in words])
    figure.update_xaxes(rangemode="tozero", tickformat=".1%", nticks=5, showgrid=True)
    return figure


def word_topics_figure(
    bars: Mapping[int, tuple[float, float]], name: Name, dark: bool, size: int = 14
) -> go.Figure:
    """Bars of the share of each topic in one word; `customdata` is the topic.

    `bars`: topic -> its share of the word, and the word's probability in it.
    """
    figure = base_figure(dark, "share of the word's occurrences", size=size)
    ids, share, inside = list(bars), *_columns(bars)
    figure.add_bar(
        x=share,
        y=np.arange(len(ids)),
        orientation="h",
        customdata=[int(i) for i in ids],
        marker={"color": [topic_colour(i, dark) for i in ids]},
        width=0.62,
        text=[f"{s:.0%}" if s >= 0.095 else f"{s:.1%}" for s in share],
        textposition="outside",
        cliponaxis=False,
        hovertext=[
            f"<b>{written(name(i), 40)}</b><br>{s:.1%} of the word<br>{p:.3%} of the topic"
            for i, s, p in zip(ids, share, inside, strict=True)
        ],
        hoverinfo="text",
    )
    _word_rows(figure, [written(name(i), BESIDE) for i in ids])
    figure.update_xaxes(range=[0, 1.12 * max([*share, 0.01])], tickformat=".0%")
    return figure


def _columns(bars: Mapping[Any, tuple[float, float]]) -> tuple[list[float], list[float]]:
    """The first and the second numbers of all bars."""
    return [first for first, _ in bars.values()], [second for _, second in bars.values()]


def _word_rows(figure: go.Figure, labels: Sequence[str]) -> None:
    n = len(labels)
    figure.update_layout(hovermode="closest", bargap=0.3, dragmode=False, margin_t=BUTTONS)
    figure.update_yaxes(
        range=[n - 0.4, -0.6], tickvals=list(range(n)), ticktext=list(labels), showgrid=False
    )
