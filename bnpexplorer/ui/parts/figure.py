"""A Plotly figure that keeps its node, zoom and hover while its data change.

In Streamlit 1.67 `st.plotly_chart` replaces the chart at every data change and loses the zoom, even
with `key` and `uirevision` (measured). This component calls `Plotly.react` on one lasting node:
zoom kept, at half the browser's work. plotly.js is the file that ships inside the plotly wheel; it
lies in `static/`, which Streamlit serves, so that everything works offline.

The numbers behind a figure: to read, and to download as CSV.
"""

import zlib
from base64 import b64encode
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2s
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from ...core.display import text_beside
from ...export.tables import csv
from ...plots.style import NOTHING_YET, finished
from ..seam.server import PLOTLY_FILE, serve_plotly

HTML = '<div class="bnp-figure" role="group"></div>'

LOAD = text_beside(__file__, "load_plotly.js")
TEXTS = text_beside(__file__, "hover_texts.js")
DRAW = ("play.js", "names.js", "figure.js")

_component = st.components.v2.component(
    "bnpexplorer_figure",
    html=HTML,
    css=text_beside(__file__, "figure.css"),
    js=LOAD + TEXTS + "".join(text_beside(__file__, name) for name in DRAW),
    isolate_styles=False,
)
_texts_ahead = st.components.v2.component(
    "bnpexplorer_hover_texts",
    html="<span></span>",
    js=TEXTS + text_beside(__file__, "texts_ahead.js"),
    isolate_styles=False,
)
_loader = st.components.v2.component(
    "bnpexplorer_figure_loader",
    html="<span></span>",
    js=LOAD + text_beside(__file__, "load_ahead.js"),
    isolate_styles=False,
)


@st.cache_resource
def _plotly_url() -> str:
    """The address of plotly.js; empty where it cannot be served."""
    if not serve_plotly():
        return ""
    prefix = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{prefix}/app/static/{PLOTLY_FILE}" if prefix else f"/app/static/{PLOTLY_FILE}"


def load_ahead() -> None:
    """Let the browser fetch plotly.js while a page without figures is read (a second of work)."""
    url = _plotly_url()
    if url:
        _loader(key="load-ahead", data={"url": url})


@st.cache_resource(show_spinner=False, max_entries=256)
def _drawn(
    same: Hashable, key: str, height: int, nothing: str, _make: Callable[[], go.Figure]
) -> str:
    """The JSON of a figure, made once for all tabs that show the same."""
    return _json(finished(_make(), nothing), height)


def _json(figure: go.Figure, height: int) -> str:
    figure.update_layout(height=height, autosize=True)
    return str(figure.to_json(validate=False))


@dataclass(frozen=True)
class HoverTexts:
    """What the points of a figure say, by their `customdata`, ready to be sent."""

    name: str
    packed: str
    lines: Sequence[str]

    @classmethod
    def of(cls, lines: Sequence[str]) -> "HoverTexts":
        """Of lines without a line break: their HTML counts, as in all texts of a figure."""
        packed = zlib.compress("\n".join(lines).encode())
        return cls(blake2s(packed, digest_size=8).hexdigest(), b64encode(packed).decode(), lines)


def live_figure(
    figure: go.Figure | Callable[[], go.Figure],
    key: str,
    height: int,
    alt: str,
    on_click: Callable[[Any], None] | None = None,
    same: Hashable = None,
    play: Mapping[str, Any] | None = None,
    on_outline: Callable[[Any], None] | None = None,
    texts: HoverTexts | None = None,
    nothing: str = NOTHING_YET,
) -> None:
    """Draw `figure` in place, keeping zoom over updates.

    Where many tabs watch, or a page is drawn again and again, give a function that makes the figure
    (plotly takes 10 to 50 ms for one), and in `same` everything that it depends on, such as its
    arguments: it is called once, and tabs with an equal `same` share what it made.

    `on_click` is given the `customdata` of a point that was clicked, before the page runs again;
    offer the same by a field as well, for those who use no mouse. `on_outline` is given the corners
    of an outline drawn around points, as {"x": [...], "y": [...]}.

    `play`: a recording, which plays by itself before the figure stands as it is: `until`, places on
    the horizontal axis, rising; `milliseconds` for each; and of a heat map `pictures`, its z at
    each. The coordinates of such a curve must be lists or float64.

    `texts`: what points say when the pointer is on them, for a figure of so many points that their
    texts are most of it; they are sent once, however often its colours change.

    `nothing`: the sentence that stands in place of the axes as long as the figure has no data.

    `alt` describes the picture to those who cannot see it; keep it constant (numbers that change
    belong in text beside the figure). Falls back to `st.plotly_chart` where plotly.js cannot be
    served from the static folder.
    """
    url = _plotly_url()
    if not url:
        figure = finished(figure() if callable(figure) else figure, nothing)
        figure.update_layout(height=height)
        if texts is not None:
            for trace in figure.data:
                trace.text = [texts.lines[row] for row in trace.customdata]
        config = {"showSendToCloud": False, "plotlyServerURL": "", "displaylogo": False}
        st.plotly_chart(figure, key=key, alt=alt, width="stretch", theme=None, config=config)
        return
    if callable(figure):
        drawn = _drawn(same, key, height, nothing, figure)
    else:
        drawn = _json(finished(figure, nothing), height)

    # Told as a state, not as a trigger: a trigger's callback was seen to come once more when the
    # figure had gone and session state held nothing under its key. A state that a figure brings
    # back when it is shown again is an old click: its time tells.
    def told(event: str, what: str, answer: Callable[[Any], None] | None) -> None:
        value = st.session_state[key].get(event)
        latest = st.session_state.get(f"{key}-{event}", 0)
        if answer is not None and value is not None and value["time"] > latest:
            st.session_state[f"{key}-{event}"] = value["time"]
            answer(value[what])

    if texts is not None:  # Streamlit sends what is large and has not changed by its hash alone
        _texts_ahead(key=f"{key}-texts", data={"name": texts.name, "packed": texts.packed})
    _component(
        key=key,
        on_clicked_change=partial(told, "clicked", "point", on_click),
        on_outlined_change=partial(told, "outlined", "outline", on_outline),
        data={
            "figure": drawn,
            "height": height,
            "alt": alt,
            "url": url,
            "file": f"bnpexplorer-{key}",
            "clicks": on_click is not None,
            "play": play,
            "selects": on_outline is not None,
            "texts": texts.name if texts is not None else "",
        },
    )


SHOWN_ROWS = 500


def read_as_table(
    name: str,
    frame: Callable[[], pd.DataFrame],
    last: bool = False,
    note: str = "",
    label: str = "Read as table",
    lazy: bool = False,
    rows: tuple[int, Callable[[int], pd.DataFrame]] | None = None,
) -> None:
    """A button below a figure that opens its numbers, with a download of all of them.

    `name` is the figure's key on its page and part of the file's name. A long table shows its first
    500 rows; the file has all. A `lazy` one is made when it is opened. Of a curve that grows, its
    `last` rows are shown, and it stays as it was opened: every tick would replace the file, and
    Streamlit forgets the one that a click is on its way to. `rows`: of a table of all documents how
    many rows there are, and what makes the first so many of them, so that what is shown does not
    cost what is not; `frame` is then for the file alone.
    """
    lazy = lazy or last
    popover = st.popover(
        label,
        icon=":material/table:",
        type="tertiary",
        key=f"popover-{name}",
        on_change="rerun" if lazy else "ignore",
    )
    opened = f"table-{name}"
    if lazy and not popover.open:
        st.session_state.pop(opened, None)
        return
    with popover:
        if rows is None:
            table = now = frame()
            if last:
                table = st.session_state.setdefault(opened, now)
            if not table.equals(now):
                note = f"As it stood when it was opened. {note}"
            n_rows, part = len(table), table.tail(SHOWN_ROWS) if last else table.head(SHOWN_ROWS)
        else:
            n_rows, part = rows[0], rows[1](SHOWN_ROWS)
        data = csv_bytes(table) if lazy and rows is None else lambda: csv_bytes(frame())
        # Above the table: by keyboard, a table is left only past its last cell.
        st.download_button(
            "Download as CSV",
            data,
            file_name=f"bnpexplorer-{name}.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            key=f"download-{name}",
        )
        # A gap is a blank; of the usual width some columns would be hidden.
        st.dataframe(part, hide_index=True, height=280, width="content", placeholder="")
        if n_rows > SHOWN_ROWS:
            which = "last" if last else "first"
            note = f"The {which} {SHOWN_ROWS} of {n_rows:,} rows; the file has all. {note}"
        if note:
            st.caption(note)


def csv_bytes(table: pd.DataFrame) -> bytes:
    """Return the table as a file of CSV, with all digits of its numbers."""
    return csv(table, number=str)
