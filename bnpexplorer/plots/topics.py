"""Topics as figures: the map, the words of a topic, the topics of a word.

Names beside points, placed without overlap on a phone as on a wide screen.

The tree of topics as a figure.
"""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..core.arrays import F64
from ..explore.kinship import Tree
from ..state.moment import Moment
from .style import (
    INK,
    PERCENT,
    QUIET,
    base_figure,
    escaped,
    shortened,
    topic_colour,
    topic_fills,
    topic_symbol,
    with_alpha,
    written,
)

SCREENS = 4
"""Sizes of the figure between the narrowest and the widest at which nothing may meet."""
BESIDE_POINT = 3.0
"""Pixels between a circle and its name."""


@dataclass(frozen=True)
class Box:
    """A name in rows beside its point, in pixels."""

    rows: tuple[str, ...]
    width: float
    height: float
    radius: float
    """Of the point's circle."""

    def spots(self) -> list[tuple[str, float, float]]:
        """Plotly's `textposition`, and the middle of the name right of and above the point."""
        up, right = (
            self.radius + BESIDE_POINT + self.height / 2,
            self.radius + BESIDE_POINT + self.width / 2,
        )
        spots = [
            ("top center", 0.0, up),
            ("bottom center", 0.0, -up),
            ("middle right", right, 0.0),
            ("middle left", -right, 0.0),
        ]
        inside = np.hypot(self.width, self.height) <= 2.0 * self.radius
        return [("middle center", 0.0, 0.0), *spots] if inside else spots


def placed(
    wanted: Sequence[tuple[int, Box]], places: F64, scales: tuple[float, float], rim: F64
) -> dict[int, tuple[Box, str]]:
    """Point -> which of its names stands where, of those that find room, the first of `wanted`
    first: points, by their places in (n, 2), with a name of each, or several, the best one first.
    No name lies on another, nor on another point's circle if it finds room elsewhere.

    `scales` are pixels a unit on the narrowest and the widest screen; `rim` (2, 2)
    the lowest and the highest place that is shown.
    """
    pixels = np.linspace(*scales, SCREENS)[:, None]
    low, high = rim[0] * pixels, rim[1] * pixels
    radii = {k: box.radius for k, box in wanted}
    found: dict[int, tuple[Box, str]] = {}
    middles: list[F64] = []
    halves: list[F64] = []
    for k, box in wanted:
        half = np.array([box.width, box.height]) / 2.0
        others = [other for other in radii if other != k]
        best: tuple[int, str, F64] | None = None
        for position, right, up in () if k in found else box.spots():
            middle = places[k] * pixels + np.array([right, up])
            if (middle - half < low).any() or (middle + half > high).any():
                continue
            if middles:
                apart = np.abs(np.array(middles) - middle) >= (np.array(halves) + half)[:, None]
                if not apart.any(axis=2).all():
                    continue
            gaps = (np.abs(places[others][:, None] * pixels - middle) - half).clip(0.0)
            reach = np.array([radii[other] for other in others])[:, None]
            covered = int((np.hypot(gaps[..., 0], gaps[..., 1]) < reach).any(axis=1).sum())
            if best is None or covered < best[0]:
                best = covered, position, middle
        if best is not None:
            found[k] = box, best[1]
            middles.append(best[2])
            halves.append(half)
    return found


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


WORDS = 8
"""Words of a topic in its hover on the map."""
NARROWEST, WIDEST = 330.0, 560.0
"""Pixels of the map's shorter side, on a phone and on a wide screen."""
LINE, LETTER = 1.2, 0.56
"""Height of a line and width of a letter, in sizes of the letters."""
ACROSS = 14
"""Letters in a line of a topic's name on the map."""


def map_figure(
    moment: Moment, at: Mapping[int, F64], chosen: int, dark: bool, size: int = 14
) -> go.Figure:
    """Topics in the plane, areas by share, with their names; the chosen one has a ring.

    No name lies on another: the chosen topic's is placed first, then those that a person gave, then
    the largest topics'; where there is no room for all of a name, its first word may find some, and
    the hover has all. `at`: topic -> its place, (2,).
    """
    figure = base_figure(dark, size=size)
    ids, given = list(at), moment.labels.names
    places = np.array([at[topic] for topic in ids]).reshape(len(ids), 2)
    share = np.array([moment.share(topic) for topic in ids])
    largest = float(share.max(initial=0.0)) or 1.0
    across = np.maximum(LARGEST_MARK * np.sqrt(share / largest), 7.0)
    order = np.argsort(-share, kind="stable")  # small ones are drawn over large ones
    first = sorted(order.tolist(), key=lambda k: (ids[k] != chosen, ids[k] not in given))
    names = [moment.name(topic) for topic in ids]
    wanted = [(k, _box(names[k], across[k], size)) for k in first]
    wanted += [(k, _box(names[k].split()[0], across[k], size)) for k in first if names[k].split()]
    ranges = [_padded(places[:, axis]) for axis in (0, 1)]
    longer = max(high - low for low, high in ranges)
    rim = np.array(ranges).T
    there = placed(wanted, places, (NARROWEST / longer, WIDEST / longer), rim)
    looks = [moment.look(ids[k]) for k in order]
    inks = [topic_colour(look, dark) for look in looks]
    figure.add_scatter(
        x=places[order, 0],
        y=places[order, 1],
        mode="markers+text",
        text=["<br>".join(map(escaped, there[k][0].rows)) if k in there else "" for k in order],
        textposition=[there[k][1] if k in there else "middle center" for k in order],
        textfont={"color": INK[dark], "size": size - 1},
        customdata=[int(ids[k]) for k in order],
        hovertext=[
            f"<b>{written(moment.head(ids[k]), 60)}</b>, {share[k]:.1%}<br>"
            f"{written(moment.words_line(ids[k], WORDS), 90)}"
            for k in order
        ],
        hoverinfo="text",
        cliponaxis=False,
        marker={
            "size": across[order],
            "symbol": [topic_symbol(look) for look in looks],
            "color": [with_alpha(ink, 0.55) for ink in inks],
            "line": {
                "width": [3.0 if ids[k] == chosen else 1.0 for k in order],
                "color": [
                    INK[dark] if ids[k] == chosen else ink
                    for k, ink in zip(order, inks, strict=True)
                ],
            },
            "opacity": 1.0,
        },
    )
    figure.update_layout(hovermode="closest", margin={"l": 12, "r": 12, "t": 12, "b": 12})
    figure.update_xaxes(visible=False, range=ranges[0])
    figure.update_yaxes(visible=False, range=ranges[1], scaleanchor="x")
    return figure


def _box(name: str, across: float, size: int) -> Box:
    """A topic's name in rows, beside a circle `across` pixels wide."""
    rows = tuple(textwrap.wrap(shortened(name), ACROSS))
    width = LETTER * size * max(map(len, rows), default=1)
    return Box(rows, width, LINE * size * len(rows), float(across) / 2)


def _padded(values: F64) -> list[float]:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    beside = 0.22 * (high - low) or 0.5
    return [low - beside, high + beside]


def words_figure(
    bars: Mapping[str, tuple[float, float]], look: int, dark: bool, size: int = 14
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
        marker=topic_fills([look] * len(bars), dark),
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
    figure.update_xaxes(rangemode="tozero", tickformat=PERCENT, nticks=5, showgrid=True)
    return figure


def word_topics_figure(
    bars: Mapping[int, tuple[float, float]], moment: Moment, dark: bool, size: int = 14
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
        marker=topic_fills([moment.look(i) for i in ids], dark),
        width=0.62,
        text=[f"{s:.0%}" if s >= 0.095 else f"{s:.1%}" for s in share],
        textposition="outside",
        cliponaxis=False,
        hovertext=[
            f"<b>{written(moment.head(i), 60)}</b><br>{s:.1%} of the word<br>{p:.3%} of the topic"
            for i, s, p in zip(ids, share, inside, strict=True)
        ],
        hoverinfo="text",
    )
    _word_rows(figure, [written(moment.name(i), BESIDE) for i in ids])
    figure.update_xaxes(range=[0, 1.12 * max([*share, 0.01])], tickformat=PERCENT)
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


TREE_ROW = 22
"""Pixels of a topic's row."""
LETTERS = 34
"""Of a topic's name."""


def tree_height(n: int, size: int = 14) -> int:
    """Pixels of the tree of `n` topics."""
    return round(max(n, 2) * TREE_ROW * size / 14) + 6 * size


def tree_figure(moment: Moment, tree: Tree, cut: float, dark: bool, size: int = 14) -> go.Figure:
    """Topics as leaves, joined where they are alike; what hangs together left of `cut` is coloured.

    A click on a leaf gives its topic.
    """
    figure = base_figure(dark, "bits that each word loses if these become one", size=size)
    heights = [joint.heights[1] for joint in tree.joints] or [0.5]
    left = max(np.floor(10.0 * min(heights) - 1.0) / 10.0, 0.0)
    groups = {topic: group for group in tree.groups(cut) for topic in group}
    inks = {}
    for topic, group in groups.items():
        largest = max(group, key=moment.share)
        inks[topic] = topic_colour(moment.look(largest), dark)
    for joint in tree.joints:
        inside = joint.heights[1] <= cut
        leaf = tree.ids[round(joint.places[0])]
        figure.add_scatter(
            x=[max(height, left) for height in joint.heights],
            y=list(joint.places),
            mode="lines",
            line={"color": inks.get(leaf, QUIET[dark]) if inside else QUIET[dark], "width": 2},
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=[left] * len(tree.ids),
        y=list(range(len(tree.ids))),
        mode="markers",
        customdata=list(tree.ids),
        marker={"size": 9, "color": [topic_colour(moment.look(i), dark) for i in tree.ids]},
        hovertext=[written(moment.head(i), 60) for i in tree.ids],
        hoverinfo="text",
        cliponaxis=False,
    )
    figure.add_vline(x=cut, line={"color": QUIET[dark], "width": 1, "dash": "dot"})
    figure.update_layout(hovermode="closest", dragmode=False)
    figure.update_xaxes(range=[left, max(1.05 * max(heights), 1.0)])
    figure.update_yaxes(
        range=[len(tree.ids) - 0.4, -0.6],
        tickvals=list(range(len(tree.ids))),
        ticktext=[written(moment.head(i), LETTERS) for i in tree.ids],
        ticklabelstandoff=9,  # beside the marks, not below them
        showgrid=False,
    )
    return figure
