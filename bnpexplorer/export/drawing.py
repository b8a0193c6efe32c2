"""Curves and a map as inline SVG: no script, nothing fetched, light and dark by the reader's theme.

Every function returns text whose words are escaped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from ..core.arrays import F64
from ..plots.style import shortened

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
) -> str:
    """Curves over a common axis that begins at 0 and has room up to `x_end`; a sentence where there
    is nothing to draw."""
    drawn = [curve for curve in curves if len(curve.x)]
    if not drawn:
        return '<p class="quiet">Nothing to draw yet.</p>'
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
        parts.append(
            f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" x="{WIDTH - RIGHT + 6}" y="{y + 4:.1f}">'
            + "".join(
                f'<tspan x="{WIDTH - RIGHT + 8}" dy="{0 if i == 0 else -15}">{escape(word)}</tspan>'
                for i, word in enumerate(reversed(level.name.split()))
            )
            + "</text>"
        )
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


def _picture(width: float, height: float, alt: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(alt, quote=True)}">{"".join(parts)}</svg>'
    )


def _axes(x_high: float, low: float, high: float, x_title: str, y_title: str, whole: bool) -> str:
    parts = []
    bottom = HEIGHT - BOTTOM
    levels = ticks(low, high, whole=whole)
    for value, words in zip(levels, numbers(levels), strict=True):
        y = TOP + (bottom - TOP) * (high - value) / (high - low)
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">'
            f"{words}</text>"
        )
    across = ticks(0.0, x_high)
    for value, words in zip(across, numbers(across), strict=True):
        x = LEFT + (WIDTH - LEFT - RIGHT) * value / x_high
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{words}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text class="tick" x="{middle:.0f}" y="{HEIGHT - 6}" text-anchor="middle">'
        f"{escape(x_title)}</text>"
        f'<text class="tick" transform="translate(12 {(TOP + bottom) / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(y_title)}</text>'
    )
    return "".join(parts)


def _curve(
    curve: DrawnCurve, place: Callable[[float, float], tuple[float, float]], name_at: float
) -> str:
    keep = np.unique(np.linspace(0, len(curve.x) - 1, MAX_POINTS).astype(int))
    points = [place(curve.x[i], curve.y[i]) for i in keep]
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for x, y in points[1:]:
        path += f"H{x:.1f}V{y:.1f}" if curve.steps else f"L{x:.1f} {y:.1f}"
    x, y = points[-1]
    style = _ink(curve.ink)
    return (
        f'<path class="curve" style="{style}" d="{path}"/>'
        f"{''.join(_triangles(marks, style, place) for marks in curve.marks)}"
        f'<circle class="ink" style="{style}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
        f'<text class="end ink" style="{style}" x="{x + 8:.1f}" y="{name_at - 3:.1f}">'
        f'{escape(shortened(curve.name, NAME))}<tspan x="{x + 8:.1f}" dy="15" font-weight="600">'
        f"{_value(curve.y[-1])}</tspan></text>"
    )


def _triangles(
    marks: Triangles, style: str, place: Callable[[float, float], tuple[float, float]]
) -> str:
    """One element for all of them: as many as there may be, each would double the drawing."""
    look, towards = ("ink", -1) if marks.up else ("curve thin", 1)
    shapes = []
    for x, y in map(place, marks.x, marks.y):
        shapes.append(f"M{x:.1f} {y + 4 * towards:.1f}l4 {-7 * towards}h-8z")
    return (
        f'<path class="{look}" style="{style}" d="{"".join(shapes)}">'
        f"<title>{escape(marks.words)}</title></path>"
    )


def _value(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:.2f}".replace("-", "−")


def _ink(ink: Ink) -> str:
    return f"--l:{ink[0]};--d:{ink[1]}"


# ---- a line through time -------------------------------------------------------------------------


def time_line(values: F64, days: Sequence[str], ink: Ink, alt: str) -> str:
    """Shares (P,) of periods one after the other, nan for a gap, over `days`, when each begins.

    The axis begins at 0; the first, the last and the highest are named.
    """
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return '<p class="quiet">Nothing to draw yet.</p>'
    high = max(float(values[known].max()), 1e-9)
    top, bottom, left, right = 26.0, LINE_HEIGHT - 22.0, 8.0, WIDTH - 8.0

    def place(i: int) -> tuple[float, float]:
        across = left + (right - left) * (i / max(len(values) - 1, 1))
        return across, bottom - (bottom - top) * float(values[i]) / high

    style = _ink(ink)
    parts = [f'<line class="grid" x1="{left}" x2="{right}" y1="{bottom}" y2="{bottom}"/>']
    for piece in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
        points = [place(int(i)) for i in piece]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path class="curve" style="{style}" d="{path}"/>')
        if len(points) == 1:
            x, y = points[0]
            parts.append(f'<circle class="ink" style="{style}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>')
    peak = int(known[values[known].argmax()])
    x, y = place(peak)
    side = "start" if x < WIDTH / 3 else "end" if x > 2 * WIDTH / 3 else "middle"
    parts.append(
        f'<circle class="ink" style="{style}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'
        f'<text class="tick" x="{x:.1f}" y="{y - 9:.1f}" text-anchor="{side}">'
        f"{100 * values[peak]:.1f} % {escape(days[peak])}</text>"
        f'<text class="tick" x="{left}" y="{LINE_HEIGHT - 4}">{escape(days[0])}</text>'
        f'<text class="tick" x="{right}" y="{LINE_HEIGHT - 4}" text-anchor="end">'
        f"{escape(days[-1])}</text>"
    )
    return _picture(WIDTH, LINE_HEIGHT, alt, parts)


# ---- the map -----------------------------------------------------------------------------------


def topic_map(points: F64, shares: F64, words: Sequence[str], inks: Sequence[Ink], alt: str) -> str:
    """Circles at `points` (K, 2), area by share, with `words` on the largest that have room.

    Larger circles lie below smaller ones; what a circle is, its tooltip says.
    """
    if not len(points):
        return '<p class="quiet">No topics yet.</p>'
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high - low > 1e-12, high - low, 1.0)
    room = np.array([MAP_WIDTH, MAP_HEIGHT]) - 2 * (WIDEST + 12)
    at = WIDEST + 12 + room * (points - low) / span
    radius = WIDEST * np.sqrt(shares / max(float(shares.max()), 1e-12))
    parts = []
    for k in np.argsort(-radius, kind="stable"):
        x, y, r = at[k, 0], at[k, 1], max(float(radius[k]), 3.0)
        name = escape(words[k])
        parts.append(
            f'<circle class="topic" style="{_ink(inks[k])}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}">'
            f"<title>{name}, {100 * shares[k]:.1f} %</title></circle>"
        )
    written: list[tuple[float, float, float]] = []
    for k in np.argsort(-radius, kind="stable"):
        words_here = shortened(words[k], LONGEST)
        half = LETTER * len(words_here) / 2
        x, y = float(np.clip(at[k, 0], half, MAP_WIDTH - half)), float(at[k, 1])
        if any(abs(x - a) < half + b and abs(y - c) < LINE for a, b, c in written):
            continue
        written.append((x, half, y))
        parts.append(
            f'<text class="name" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">'
            f"{escape(words_here)}</text>"
        )
    return _picture(MAP_WIDTH, MAP_HEIGHT, alt, parts)
