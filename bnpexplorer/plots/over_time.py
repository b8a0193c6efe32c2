"""Lines over periods of time, with what is uncertain of them, and the documents they rest on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from ..core.arrays import F64, I64, Bools
from ..explore.over_documents import FEW
from ..explore.periods import MONTHS
from .line_ends import End, label_ends
from .style import DASHES, DATES, PERCENT, QUIET, base_figure, with_alpha, written

SIGNS = {
    "circle": "●",
    "square": "■",
    "diamond": "◆",
    "triangle-up": "▲",
    "cross": "✚",
    "star": "★",
}
"""Markers of lines and the same signs before their names: far more topics than colours."""
SYMBOLS = tuple(SIGNS)
HEIGHT, SMALL = 420, 150
LEAST_TOP = 0.01
"""Where the axis of lines ends that are all 0."""
TICKS = 6
"""So few periods are named each; of more Plotly chooses some."""
OF_WORDS = ".3~p"
"""Shares of one word, with three digits that mean something: 0.0134 % and 1.34 %."""


@dataclass(frozen=True, eq=False)
class TimeLine:
    """One line over P periods: each float64 (P,), nan where there are no documents."""

    name: str
    ink: str
    mean: F64
    low: F64
    high: F64
    few: Bools | None = None
    """bool (P,): periods of so few texts that they are faint and do not set the axis."""

    @property
    def enough(self) -> Bools:
        """bool (P,): the others that have documents."""
        known = np.isfinite(self.mean)
        return np.asarray(known if self.few is None else known & ~self.few)


FAINT = (
    f" Faint points rest on fewer than {FEW} texts; they do not set the axis, which may cut them."
)


def faint_said(lines: Sequence[TimeLine]) -> str:
    """A sentence to add where some periods are faint, or nothing."""
    return FAINT if any(line.few is not None and line.few.any() for line in lines) else ""


def lines_over_time(
    starts: npt.NDArray[Any],
    n_docs: I64,
    lines: Sequence[TimeLine],
    title: str,
    dark: bool,
    size: int = 14,
    tickformat: str = PERCENT,
) -> go.Figure:
    """Lines with a band each, and bars of the documents below.

    `starts` datetime64[D] (P,) are the first days of the periods. Periods without documents are
    gaps: neither line nor band goes over them, and a period between two gaps has an upright line.
    """
    figure = base_figure(dark, y_title=title, size=size)
    x = starts.astype("datetime64[D]").astype(str).tolist()
    ends = []
    hover = f"%{{y:{'.1%' if tickformat == PERCENT else tickformat}}}"
    for number, line in enumerate(lines):
        there = np.flatnonzero(line.enough)
        _band(figure, x, line, there)
        symbol = SYMBOLS[number % len(SYMBOLS)]
        figure.add_scatter(
            x=x,
            y=np.where(line.enough, line.mean, np.nan),
            name=written(line.name),
            mode="lines+markers",
            connectgaps=False,
            line={"color": line.ink, "width": 2.5, "dash": DASHES[number % len(DASHES)]},
            marker={"size": 6, "symbol": symbol},
            error_y=_upright(line, _alone(there)),
            hovertemplate=hover,
        )
        _faint(figure, x, line, symbol, hover)
        if len(there):
            words = f"{SIGNS[symbol]} {written(line.name, 18)}"
            ends.append(End(x[there[-1]], float(line.mean[there[-1]]), words, line.ink))
    figure.add_bar(
        x=x,
        y=n_docs,
        yaxis="y2",
        name="documents",
        marker={"color": with_alpha("#8A949E", 0.5)},
        hovertemplate="documents: %{y:,}",
    )
    y_range = [0.0, _top(lines)]
    figure.update_layout(
        yaxis={"domain": [0.26, 1.0], "range": y_range, "tickformat": tickformat},
        yaxis2={
            "domain": [0.0, 0.16],
            "title": {"text": "documents", "font": {"size": size - 2}},
            "gridcolor": "rgba(0,0,0,0)",
            "tickfont": {"color": QUIET[dark], "size": size - 2},
            "nticks": 3,
            "anchor": "x",
            "zeroline": False,
            "automargin": True,
            "rangemode": "tozero",
        },
        xaxis={"anchor": "y2", **_axis(starts)},
    )
    label_ends(figure, ends, y_range, round(0.76 * HEIGHT), dark, size)
    return figure


def one_line(
    starts: npt.NDArray[Any], line: TimeLine, dark: bool, size: int = 14, height: int = SMALL
) -> go.Figure:
    """One line with its band, as small as it can be read; P periods as in `lines_over_time`."""
    figure = base_figure(dark, size=size - 2)
    x = starts.astype("datetime64[D]").astype(str).tolist()
    there = np.flatnonzero(line.enough)
    _band(figure, x, line, there)
    figure.add_scatter(
        x=x,
        y=np.where(line.enough, line.mean, np.nan),
        mode="lines+markers",
        connectgaps=False,
        line={"color": line.ink, "width": 2.5},
        marker={"size": 4, "color": line.ink},
        error_y=_upright(line, _alone(there)),
        hovertemplate="%{y:.1%}<extra></extra>",
    )
    _faint(figure, x, line, "circle", "%{y:.1%}<extra></extra>")
    figure.update_layout(
        yaxis={"range": [0.0, _top([line])], "tickformat": PERCENT, "nticks": 4},
        xaxis={"nticks": TICKS, **_axis(starts)},
        margin={"t": 8, "r": 8},
        height=height,
    )
    return figure


def _top(lines: Sequence[TimeLine]) -> float:
    """Where the axis ends: above all bands, unless one is so wide that it would press the lines
    flat, which leaves it cut at twice the highest line. Periods of few texts do not count."""

    def highest(values: Sequence[F64]) -> float:
        return max((float(v[np.isfinite(v)].max(initial=0.0)) for v in values), default=0.0)

    lines_end = highest([line.mean[line.enough] for line in lines]) or LEAST_TOP
    bands_end = 1.05 * highest([line.high[line.enough] for line in lines])
    return max(1.15 * lines_end, min(bands_end, 2.0 * lines_end))


def _stretches(there: I64) -> list[I64]:
    """Places that follow each other, together."""
    return np.split(there, np.flatnonzero(np.diff(there) > 1) + 1) if len(there) else []


def _band(figure: go.Figure, x: Sequence[str], line: TimeLine, there: I64) -> None:
    """The shade around a line: one piece for each stretch without a gap."""
    across: list[str | None] = []
    up: list[float | None] = []
    for part in _stretches(there):
        if across:
            across, up = [*across, None], [*up, None]
        back = part[::-1]
        across += [x[i] for i in (*part, *back)]
        up += [*line.high[part].tolist(), *line.low[back].tolist()]
    figure.add_scatter(
        x=across,
        y=up,
        fill="toself",
        fillcolor=with_alpha(line.ink, 0.14),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
    )


def _alone(there: I64) -> list[int]:
    """Periods between two gaps, where a band has no width to be seen."""
    return [int(part[0]) for part in _stretches(there) if len(part) == 1]


def _faint(figure: go.Figure, x: Sequence[str], line: TimeLine, symbol: str, hover: str) -> None:
    """Periods of few texts as points with upright intervals, outside the line."""
    if line.few is None or not line.few.any():
        return
    figure.add_scatter(
        x=x,
        y=np.where(line.few, line.mean, np.nan),
        name=written(line.name),
        mode="markers",
        opacity=0.4,
        marker={"size": 5, "symbol": symbol, "color": line.ink},
        error_y=_upright(line, np.flatnonzero(line.few).tolist()),
        hovertemplate=hover,
    )


def _upright(line: TimeLine, alone: Sequence[int]) -> dict[str, Any]:
    """Error bars for some periods."""
    up, down = (np.zeros(len(line.mean)) for _ in range(2))
    up[alone], down[alone] = (line.high - line.mean)[alone], (line.mean - line.low)[alone]
    return {
        "type": "data",
        "array": up.tolist(),
        "arrayminus": down.tolist(),
        "symmetric": False,
        "visible": bool(alone),
        "width": 0,
        "thickness": 1.5,
        "color": with_alpha(line.ink, 0.5),
    }


def _axis(starts: npt.NDArray[Any]) -> dict[str, Any]:
    """Dates from end to end. Between few periods Plotly would name days that begin none."""
    axis = {**DATES, "range": _whole(starts)}
    if not 0 < len(starts) <= TICKS:
        return axis
    days = starts.astype("datetime64[D]").astype(str).tolist()
    words = [
        (year, MONTHS[int(m) - 1][:3], int(d)) for year, m, d in (s.rsplit("-", 2) for s in days)
    ]
    if any(day > 1 for _, _, day in words):
        texts = [f"{day} {month} {year}" for year, month, day in words]
    elif any(month != "Jan" for _, month, _ in words):
        texts = [f"{month} {year}" for year, month, _ in words]
    else:
        texts = [year for year, _, _ in words]
    return axis | {"tickvals": days, "ticktext": texts}


def _whole(starts: npt.NDArray[Any]) -> list[str] | None:
    """From half a period before the first to half a period after the last; None without any."""
    days = starts.astype("datetime64[D]")
    half = np.median(np.diff(days).astype(int)) // 2 + 1 if len(days) > 1 else 180
    pad = np.timedelta64(int(half), "D")
    return [str(days[0] - pad), str(days[-1] + pad)] if len(days) else None
