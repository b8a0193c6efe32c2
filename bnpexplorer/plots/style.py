"""One look for every figure: colours that the colour-blind can tell apart, quiet axes, no legend.

Seven hues after Okabe & Ito, moved until each stands 3:1 or better against its theme's background
and apart from the others in every common kind of sight (the same as `chartCategoricalColors` in the
app's settings), and a grey. A dash or a marker goes with every colour: colour is never alone.

How axes are labelled, on every figure: formats whose labels never repeat, and no axis without
data.

A format with fixed digits repeats its labels as soon as Plotly's ticks, or a zoom, are closer than
its last digit. The formats here write as many digits as the ticks need; where a figure sets no
format, Plotly does so itself.

A figure that is drawn again every second, put together without a look at each property.

Colours as numbers: transparent ones, and inks that words can be read in.
"""

import textwrap
from collections.abc import Iterable, Sequence
from copy import deepcopy
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..core.display import percent as percent
from ..state.looks import COLOURS

LIGHT = ("#1F5296", "#BA3C09", "#128073", "#D6499F", "#B88300", "#4092F5", "#411150", "#5F6B76")
DARK = ("#5096FF", "#E4602A", "#45CC80", "#C4A5E4", "#F5DF4D", "#98F0F2", "#857C93", "#AEB9C4")
TOPICS_LIGHT = (
    "#259804",
    "#0C18A0",
    "#805E93",
    "#F34F29",
    "#00685D",
    "#ED5AB7",
    "#5F016D",
    "#0B9CD6",
    "#AD8E75",
    "#915302",
    "#005DD9",
    "#760000",
    "#BE0057",
    "#9570FF",
)
TOPICS_DARK = (
    "#EDB1AE",
    "#436E5E",
    "#9399FF",
    "#FF6210",
    "#E96BC3",
    "#A133A5",
    "#FFF607",
    "#096DE4",
    "#B8C541",
    "#00AF44",
    "#ADFFDC",
    "#1CD5FF",
    "#B83700",
    "#A28888",
)
"""Fourteen colours of topics: no two nearer than 16 hundredths of OKLab, nor than 7 in the sight
of the colour-blind, as a search by simulated annealing found them under 3:1 against the page."""
PATTERNS = ("", "/", "\\", "x")
SYMBOLS = ("circle", "square", "diamond", "hexagon")
"""Beyond the fourteen largest, a pattern or another mark: plain first."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def slots_of(colours: Sequence[int]) -> list[tuple[int, int]]:
    """Colour and dash of every run, of the colours of their methods: each run of a colour gets a
    dash of its own."""
    return [(slot, list(colours[:i]).count(slot)) for i, slot in enumerate(colours)]


FONT = "'Source Sans', 'Source Sans 3', system-ui, sans-serif"
INK = {False: "#1C232B", True: "#ECF0F4"}
QUIET = {False: "#5A6672", True: "#A5B0BB"}
PAPER = {False: "#FFFFFF", True: "#11151C"}
ROW, LONGEST = 16, 30
"""Letters in a row of a line's name, and of a name in a figure: the margins stay in bounds."""
IF_ROOM = "if room"
"""The `name` of annotations that are left out where they would lie on one before them; the browser
knows the room that there is (`ui/parts/names.js`)."""
GRID = {False: "rgba(28,35,43,0.09)", True: "rgba(236,240,244,0.12)"}


def colour(slot: int, dark: bool) -> str:
    """The colour of a method, at `slot` in the light or dark theme."""
    palette = DARK if dark else LIGHT
    return palette[slot % len(palette)]


def topic_colour(look: int, dark: bool) -> str:
    """The colour of a topic by its look (`state.looks`): the same in every figure of a run."""
    return (TOPICS_DARK if dark else TOPICS_LIGHT)[look % COLOURS]


def topic_pattern(look: int) -> str:
    """Plotly's pattern for the areas of a topic by its look; empty for a plain colour."""
    return PATTERNS[look // COLOURS % len(PATTERNS)]


def topic_colours(looks: Sequence[int], dark: bool) -> list[str]:
    """The colours of a figure's few topics: each its own, or, where one before it has the same, one
    that none of them has, as long as there is any."""
    slots = [look % COLOURS for look in looks]
    free = [slot for slot in range(COLOURS) if slot not in slots]
    taken: set[int] = set()
    found = []
    for slot in slots:
        mine = free.pop(0) if slot in taken and free else slot
        taken.add(mine)
        found.append(topic_colour(mine, dark))
    return found


def topic_band(look: int, dark: bool) -> dict[str, Any]:
    """Plotly's fill of a topic's band in a river, with its pattern where it has one."""
    ink = with_alpha(topic_colour(look, dark), 0.7)
    pattern = {"shape": topic_pattern(look), "bgcolor": ink, "fgcolor": PAPER[dark], "size": 7}
    return {"fillcolor": ink, "fillpattern": pattern | {"solidity": 0.25}}


def topic_symbol(look: int) -> str:
    """Plotly's marker of a topic by its look."""
    return SYMBOLS[look // COLOURS % len(SYMBOLS)]


def topic_fills(looks: Sequence[int], dark: bool, alpha: float = 1.0) -> dict[str, Any]:
    """Plotly's `marker` of bars of topics: their colours, and patterns where they have one."""
    inks = [topic_colour(look, dark) for look in looks]
    return {
        "color": inks if alpha == 1.0 else [with_alpha(ink, alpha) for ink in inks],
        "pattern": {
            "shape": [topic_pattern(look) for look in looks],
            "fgcolor": PAPER[dark],
            "fillmode": "overlay",
            "size": 6,
            "solidity": 0.35,
        },
    }


def topic_paint(look: int, dark: bool) -> str:
    """A topic's colour as CSS paints it, with stripes where its look has a pattern."""
    ink, pattern = topic_colour(look, dark), topic_pattern(look)
    if not pattern:
        return ink
    angle = {"/": 135, "\\": 45, "x": 90}[pattern]
    return f"repeating-linear-gradient({angle}deg,{ink} 0 3px,{with_alpha(ink, 0.35)} 3px 5px)"


def word_ink(ink: str, dark: bool) -> str:
    """The colour of words that name what is drawn in `ink`: as near to it as can be read."""
    return legible(ink, PAPER[dark], INK[dark])


def base_figure(dark: bool, x_title: str = "", y_title: str = "", size: int = 14) -> go.Figure:
    """An empty figure in the house style; zoom survives updates, until another axis is chosen."""
    return deepcopy(_house_style(dark, x_title, y_title, size))  # 1 ms; making it takes 17


def base_layout(dark: bool, x_title: str, y_title: str, size: int) -> dict[str, Any]:
    """The layout of `base_figure`, for who puts a figure together from dictionaries."""
    return deepcopy(_house_layout(dark, x_title, y_title, size))


@lru_cache(maxsize=256)
def _house_layout(dark: bool, x_title: str, y_title: str, size: int) -> dict[str, Any]:
    return dict(_house_style(dark, x_title, y_title, size).to_dict()["layout"])


@lru_cache(maxsize=256)
def _house_style(dark: bool, x_title: str, y_title: str, size: int) -> go.Figure:
    figure = go.Figure()
    axis: dict[str, Any] = {
        "gridcolor": GRID[dark],
        "linecolor": GRID[dark],
        "zeroline": False,
        "ticks": "",
        "tickfont": {"color": QUIET[dark], "size": size - 1},
        "title": {"font": {"color": QUIET[dark], "size": size}, "standoff": 8},
        "automargin": True,
        "separatethousands": True,
    }
    figure.update_layout(
        template="none",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": FONT, "size": size, "color": INK[dark]},
        margin={"l": 8, "r": 16, "t": 12, "b": 8},
        showlegend=False,
        hovermode="x unified",
        # Ink on paper: by itself a box for all lines has the picture's ground, which is none, and
        # the lines shone through its numbers.
        hoverlabel={
            "bgcolor": PAPER[dark],
            "bordercolor": QUIET[dark],
            "font": {"family": FONT, "size": size, "color": INK[dark]},
        },
        uirevision=f"{x_title}, {y_title}",
        dragmode="zoom",
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": QUIET[dark], "activecolor": INK[dark]},
        separators=".,",
    )
    figure.update_xaxes(**axis, title_text=x_title, showgrid=False)
    figure.update_yaxes(**axis, title_text=y_title)
    return figure


# ---- names ---------------------------------------------------------------------------------------


def shortened(name: str, letters: int = LONGEST) -> str:
    """At most `letters` letters."""
    return name if len(name) <= letters else name[: letters - 1].rstrip() + "…"


def written(name: str, letters: int = LONGEST) -> str:
    """A name as figures write it: cut where it is long, and escaped, since they read some HTML."""
    return escaped(shortened(name, letters))


def escaped(text: str) -> str:
    """Text as figures write it.

    Plotly reads a few elements in its labels and has its own parser for them, which does not know
    `&quot;` and `&#39;`: templates would write these.
    """
    return escape(text, quote=False)


def in_rows(name: str) -> str:
    """A line's name, broken evenly where it would take half of a phone's width."""
    n_rows = len(textwrap.wrap(name, ROW))
    widths = range(max(map(len, name.split()), default=1), ROW + 1)
    rows = next((r for w in widths if len(r := textwrap.wrap(name, w)) <= n_rows), [name])
    return "<br>".join(rows)


def end_name(name: str) -> str:
    """A person's name for a line's end: cut, in rows of `ROW` letters, and escaped."""
    rows = in_rows(shortened(name)).split("<br>")
    return "<br>".join(written(part) for row in rows for part in textwrap.wrap(row, ROW))


def minus(value: float) -> str:
    """Two decimals with a real minus sign."""
    return f"{value:.2f}".replace("-", "−")


PERCENT = "~%"
"""Shares in percent: up to six decimals, without trailing zeros."""
NOTHING_YET = "There is nothing to draw yet."
LOGARITHMIC: dict[str, Any] = {"type": "log", "tickformat": "~s", "nticks": 4}
"""A logarithmic axis. Without a format Plotly writes only the first digit between powers of ten
(10, 2, 5, 100, 2, 5); with it 10, 20, 50, 100, 200, 500. With more ticks it writes every digit over
1.7 powers of ten, and 600, 700, 800 and 900 overlap."""
DATES: dict[str, Any] = {
    "type": "date",
    "tickformatstops": [
        {"dtickrange": [None, 86_399_999], "value": "%H:%M:%S\n%-d %b %Y"},
        {"dtickrange": [86_400_000, "M1"], "value": "%-d %b %Y"},
        {"dtickrange": ["M1", "M12"], "value": "%b %Y"},
        {"dtickrange": ["M12", None], "value": "%Y"},
    ],
}
"""An axis of dates whose labels carry their year."""
POINTS = ("z", "y", "x", "values")
"""Where traces keep their numbers: of a heat map z decides, of a line y."""


def finished(figure: go.Figure, nothing: str = NOTHING_YET) -> go.Figure:
    """Return `figure` as it is drawn: without data, the sentence `nothing` stands in place of axes.

    Changes `figure`. Reference lines and notes count as no data: alone they say nothing.
    """
    if any(_has_numbers(trace) for trace in figure.data):
        return figure
    size, quiet = figure.layout.font.size, figure.layout.xaxis.tickfont.color
    figure.data, figure.layout.shapes = (), ()
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        axis.visible = False
    note = {"x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper", "showarrow": False}
    figure.layout.annotations = [{**note, "text": nothing, "font": {"size": size, "color": quiet}}]
    figure.update_layout(dragmode=False, margin={"l": 8, "r": 8})
    return figure


def _has_numbers(trace: Any) -> bool:
    """Whether a trace has anything to draw: a finite number, a name, or a table."""
    if trace.type == "table":
        return True
    found = next(
        (values for name in POINTS if (values := getattr(trace, name, None)) is not None), ()
    )
    return any(_is_there(value) for value in _flat(found))


def _flat(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if isinstance(value, (list, tuple, np.ndarray)):
            yield from _flat(value)
        else:
            yield value


def _is_there(value: Any) -> bool:
    return value is not None and (isinstance(value, str) or bool(np.isfinite(value)))


class Drawing:
    """What figures of lines need of `go.Figure`, in plain dictionaries.

    Plotly's own classes look at every property, and copy it several times: 4 to 19 ms for a live
    figure, which a click waits for. Of dictionaries a figure is made in 1 to 3 ms; a test holds
    every kind of figure against Plotly's own look.
    """

    def __init__(self, dark: bool, x_title: str = "", y_title: str = "", size: int = 14) -> None:
        self.data: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = base_layout(dark, x_title, y_title, size)

    def add_scatter(self, **properties: Any) -> None:
        self.data.append({"type": "scatter", **properties})

    def add_annotation(self, **properties: Any) -> None:
        self.layout.setdefault("annotations", []).append(properties)

    def add_hline(self, y: float, **properties: Any) -> None:
        """A line from the left to the right edge, wherever the horizontal axis begins and ends."""
        ends = {"x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y"}
        self.layout.setdefault("shapes", []).append({"type": "line", **ends, **properties})

    def update_xaxes(self, **properties: Any) -> None:
        self.layout["xaxis"] |= properties

    def update_yaxes(self, **properties: Any) -> None:
        self.layout["yaxis"] |= properties

    def update_layout(self, **parts: Any) -> None:
        for name, value in parts.items():
            self.layout[name] = self.layout[name] | value if isinstance(value, dict) else value

    def figure(self) -> go.Figure:
        """As a figure of Plotly's, which others can go on with."""
        return go.Figure(self.data, self.layout, _validate=False)


READABLE = 4.5
"""Contrast of words with what they stand on, at least (WCAG 2.1, success criterion 1.4.3)."""
STEPS = 20
"""From an ink to that of plain words."""


def with_alpha(hex_colour: str, alpha: float) -> str:
    """The same colour, partly transparent."""
    red, green, blue = rgb(hex_colour)
    return f"rgba({red},{green},{blue},{alpha:g})"


def rgb(hex_colour: str) -> tuple[int, int, int]:
    """Red, green and blue of `#rrggbb`, 0 to 255."""
    red, green, blue = (int(hex_colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue


@lru_cache(maxsize=256)
def legible(ink: str, paper: str, plain: str) -> str:
    """`ink`, moved towards that of `plain` words until it can be read on `paper`; all `#rrggbb`.

    Lines and circles need 3:1 against the page, words 4.5:1: beside a line its name is a little
    nearer to the plain words.
    """
    mixed = ink
    for step in range(1, STEPS + 1):
        if _contrast(mixed, paper) >= READABLE:
            break
        part = step / STEPS
        channels = zip(rgb(ink), rgb(plain), strict=True)
        mixed = "#" + "".join(f"{round((1 - part) * a + part * b):02X}" for a, b in channels)
    return mixed


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(hex_colour: str) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    parts = [channel / 255.0 for channel in rgb(hex_colour)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
