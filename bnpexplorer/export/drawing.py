"""Curves and a map as inline SVG: no script, nothing fetched, light and dark by the reader's theme.

`drawing.html` has the elements; here it is worked out where they stand.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..core.arrays import F64
from ..core.html import Markup, render
from ..plots.style import shortened

draw = partial(render, "export/drawing.html")
NOTHING = "Nothing to draw yet."

WIDTH, HEIGHT, LINE_HEIGHT = 480, 290, 130
LEFT, RIGHT, TOP, BOTTOM = 74, 112, 14, 44
MAP_WIDTH, MAP_HEIGHT = 720, 420
LETTER, LINE = 8.0, 18.0
"""Width of a letter and height of a line, in pixels."""
ROOM, NAME = 31.0, 14
"""Height of a line's name and value, in pixels, and letters of the name."""
MAX_POINTS = 400
LONGEST = 24
"""Letters of a name on the map; the tooltip has all of it."""
WIDEST = 34.0
"""Radius of the largest topic on the map, in pixels."""


Ink = tuple[str, str]
"""A colour in the light and in the dark theme."""


@dataclass(frozen=True)
class DrawnCurve:
    """One line of a figure, its name written at its end."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    ink: Ink
    steps: bool = False
    """Drawn as stairs: a count, with whole numbers on its axis."""
    marks: Sequence["Triangles"] = ()
    """Drawn beside it."""


@dataclass(frozen=True)
class Triangles:
    """What stands beside a curve at some points, each `words` when it is pointed at."""

    x: Sequence[float]
    y: Sequence[float]
    words: str
    up: bool
    """Full ones that point upwards, else hollow ones that point downwards."""


@dataclass(frozen=True)
class Level:
    """A dotted line across a figure, for comparison."""

    name: str
    y: float


def ticks(low: float, high: float, n: int = 6, whole: bool = False) -> list[float]:
    """Round numbers from `low` to `high`, some three to `n`; only whole ones if asked."""
    span = high - low
    if span <= 0:
        return [low]
    raw = span / n
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= raw * (1 - 1e-9))
    step = max(np.ceil(step), 1.0) if whole else step
    first = np.ceil(low / step - 1e-9)
    count = int(np.floor((high - first * step) / step + 1e-9)) + 1
    return [float((first + i) * step) for i in range(count)]


def numbers(values: Sequence[float]) -> list[str]:
    """Numbers of one axis, all with as many decimals as one of them needs; a real minus sign."""
    digits = next(
        (
            n
            for n in range(6)
            if all(abs(v - round(v, n)) < 1e-9 * max(abs(v), 1.0) for v in values)
        ),
        6,
    )
    return [f"{value:,.{digits}f}".replace("-", "−") for value in values]


def line_chart(
    curves: Sequence[DrawnCurve],
    x_title: str,
    y_title: str,
    alt: str,
    level: Level | None = None,
    x_end: float = 0.0,
) -> Markup:
    """Draw curves over a common axis, which begins at 0 and has room up to `x_end`.

    Where there is nothing to draw, a sentence says so.
    """
    drawn = [curve for curve in curves if len(curve.x)]
    if not drawn:
        return draw("nothing", words=NOTHING)
    x_high = max(x_end, *(max(c.x) for c in drawn)) or 1.0
    values = [y for c in drawn for y in (*c.y, *(y for m in c.marks for y in m.y))]
    values += [level.y] if level else []
    low, high = min(values), max(values)
    margin = 0.08 * (high - low) or 0.5
    low, high = low - margin, high + margin
    if min(values) >= 0:
        low = 0.0

    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (WIDTH - LEFT - RIGHT) * x / x_high
        return across, TOP + (HEIGHT - TOP - BOTTOM) * (high - y) / (high - low)

    parts = [_axes(x_high, low, high, x_title, y_title, all(c.steps for c in drawn))]
    if level:
        _, y = place(0, level.y)
        parts.append(draw("level", name=level.name, y=y, left=LEFT, right=WIDTH - RIGHT))
    ends = _apart([place(c.x[-1], c.y[-1])[1] for c in drawn])
    parts += [_curve(curve, place, y) for curve, y in zip(drawn, ends, strict=True)]
    return _picture(WIDTH, HEIGHT, alt, parts)


def _apart(heights: Sequence[float]) -> list[float]:
    """Where names stand whose lines end at these heights: each in its order, with room for two
    rows, and above the bottom as far as there is room."""
    found = list(heights)
    below = HEIGHT - BOTTOM + ROOM
    for i in sorted(range(len(found)), key=lambda i: -found[i]):
        below = found[i] = min(found[i], below - ROOM)
    above = TOP - ROOM if len(found) > 1 else -np.inf
    for i in sorted(range(len(found)), key=lambda i: found[i]):
        above = found[i] = max(found[i], above + ROOM)
    return found


def _picture(width: int, height: int, alt: str, parts: Sequence[Markup]) -> Markup:
    return draw("picture", width=width, height=height, alt=alt, parts=parts)


def _axes(
    x_high: float, low: float, high: float, x_title: str, y_title: str, whole: bool
) -> Markup:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    levels, across = ticks(low, high, whole=whole), ticks(0.0, x_high)
    heights = [TOP + (bottom - TOP) * (high - value) / (high - low) for value in levels]
    places = [LEFT + (right - LEFT) * value / x_high for value in across]
    return draw(
        "axes",
        levels=zip(heights, numbers(levels), strict=True),
        columns=zip(places, numbers(across), strict=True),
        left=LEFT,
        right=right,
        top=TOP,
        bottom=bottom,
        height=HEIGHT,
        x_title=x_title,
        y_title=y_title,
    )


def _curve(
    curve: DrawnCurve, place: Callable[[float, float], tuple[float, float]], name_at: float
) -> Markup:
    keep = np.unique(np.linspace(0, len(curve.x) - 1, MAX_POINTS).astype(int))
    points = [place(curve.x[i], curve.y[i]) for i in keep]
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for x, y in points[1:]:
        path += f"H{x:.1f}V{y:.1f}" if curve.steps else f"L{x:.1f} {y:.1f}"
    x, y = points[-1]
    return draw(
        "curve",
        style=_ink(curve.ink),
        path=path,
        marks=[
            {"up": marks.up, "words": marks.words, "path": _triangles(marks, place)}
            for marks in curve.marks
        ],
        x=x,
        y=y,
        name_at=name_at,
        name=shortened(curve.name, NAME),
        value=_value(curve.y[-1]),
    )


def _triangles(marks: Triangles, place: Callable[[float, float], tuple[float, float]]) -> str:
    """One path for all of them: as many as there may be, each would double the drawing."""
    towards = -1 if marks.up else 1
    shapes = []
    for x, y in map(place, marks.x, marks.y):
        shapes.append(f"M{x:.1f} {y + 4 * towards:.1f}l4 {-7 * towards}h-8z")
    return "".join(shapes)


def _value(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:.2f}".replace("-", "−")


def _ink(ink: Ink) -> str:
    return f"--l:{ink[0]};--d:{ink[1]}"


# ---- a line through time -------------------------------------------------------------------------


def time_line(values: F64, days: Sequence[str], ink: Ink, alt: str) -> Markup:
    """Draw shares (P,) of successive periods, nan for a gap, over `days`, the day each begins.

    The axis begins at 0; the first, the last and the highest are named.
    """
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return draw("nothing", words=NOTHING)
    high = max(float(values[known].max()), 1e-9)
    top, bottom, left, right = 26.0, LINE_HEIGHT - 22.0, 8.0, WIDTH - 8.0

    def place(i: int) -> tuple[float, float]:
        across = left + (right - left) * (i / max(len(values) - 1, 1))
        return across, bottom - (bottom - top) * float(values[i]) / high

    style = _ink(ink)
    parts = [draw("floor", left=left, right=right, y=bottom)]
    for piece in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
        points = [place(int(i)) for i in piece]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(draw("line", style=style, path=path))
        if len(points) == 1:
            x, y = points[0]
            parts.append(draw("dot", style=style, x=x, y=y, r=3))
    peak = int(known[values[known].argmax()])
    x, y = place(peak)
    parts.append(
        draw(
            "named_days",
            style=style,
            x=x,
            y=y,
            side="start" if x < WIDTH / 3 else "end" if x > 2 * WIDTH / 3 else "middle",
            share=f"{100 * values[peak]:.1f}",
            peak=days[peak],
            first=days[0],
            last=days[-1],
            left=left,
            right=right,
            below=LINE_HEIGHT - 4,
        )
    )
    return _picture(WIDTH, LINE_HEIGHT, alt, parts)


# ---- the map -----------------------------------------------------------------------------------


def topic_map(
    points: F64, shares: F64, words: Sequence[str], inks: Sequence[Ink], alt: str
) -> Markup:
    """Draw circles at `points` (K, 2), area by share, with `words` on the largest that have room.

    Larger circles lie below smaller ones; what a circle is, its tooltip says.
    """
    if not len(points):
        return draw("nothing", words="No topics yet.")
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high - low > 1e-12, high - low, 1.0)
    room = np.array([MAP_WIDTH, MAP_HEIGHT]) - 2 * (WIDEST + 12)
    at = WIDEST + 12 + room * (points - low) / span
    radius = WIDEST * np.sqrt(shares / max(float(shares.max()), 1e-12))
    parts = []
    for k in np.argsort(-radius, kind="stable"):
        x, y, r = at[k, 0], at[k, 1], max(float(radius[k]), 3.0)
        share = f"{100 * shares[k]:.1f}"
        parts.append(draw("topic", style=_ink(inks[k]), x=x, y=y, r=r, name=words[k], share=share))
    written: list[tuple[float, float, float]] = []
    for k in np.argsort(-radius, kind="stable"):
        words_here = shortened(words[k], LONGEST)
        half = LETTER * len(words_here) / 2
        x, y = float(np.clip(at[k, 0], half, MAP_WIDTH - half)), float(at[k, 1])
        if any(abs(x - a) < half + b and abs(y - c) < LINE for a, b, c in written):
            continue
        written.append((x, half, y))
        parts.append(draw("name", x=x, y=y, words=words_here))
    return _picture(MAP_WIDTH, MAP_HEIGHT, alt, parts)
