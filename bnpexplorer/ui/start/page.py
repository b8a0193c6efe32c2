"""The first screen: topics being born, and two doors.

The recorded run that plays on the Start page: topics being born, and what becomes of them.
"""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from ...methods import METHODS
from ...plots.lab import pictures_canvas, pictures_figure
from ...plots.live import Series, topics_figure
from ...runs.demonstration import SEEN, TENFOLD_SECONDS, plans
from ...runs.recording import LEVELS, Recording, recording
from ..frame import explore_or_study, pages, session
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.figure import live_figure, load_ahead
from ..parts.setting_up import choose_sample
from ..parts.shortage import say_shortage


def page() -> None:
    """The page, drawn from its top."""
    load_ahead()
    st.title("Watch topics being born")
    st.markdown(
        "bnpexplorer reads texts and draws what it learns while it learns: which topics there are, "
        "how many it needs, and how well it predicts words it has not seen."
    )
    say_shortage()
    above = st.container(key="recorded")  # of a height that is known before it is drawn
    mine, show = st.columns([2, 3], gap="large")
    with mine:
        _my_texts()
    with show:
        _show_me()
    with above:  # last, since it takes the server longest
        recorded()


def _my_texts() -> None:
    with st.container(border=True, key="door-mine", height="stretch"):
        st.markdown("## My texts")
        st.markdown(
            "1. Load a table, a folder of files, pasted lines or word counts. They stay on this "
            "machine.\n"
            "2. Press *Find the topics*: the method that suits your texts best is chosen for you.\n"
            "3. Read each topic's words, and the documents that it is strongest in."
        )
        if st.button(
            "Load my texts", type="primary", icon=":material/upload_file:", key="my-texts"
        ):
            pages.go_to("corpus")


def _show_me() -> None:
    with st.container(border=True, key="door-show", height="stretch"):
        st.markdown("## Show me")
        name = choose_sample("Texts to start with", "start-sample")
        if st.button("Watch it learn", type="primary", icon=":material/play_arrow:", key="watch"):
            _watch(name)
        st.caption(SEEN[name].caption)
        with st.container(horizontal=True):
            pages.link_to("lessons", label="Take the tour")
            pages.link_to("lab", label="Open the Lab: why do the two differ?")


def _watch(name: str) -> None:
    """Start two methods on a sample and turn to their curves."""
    try:
        with st.spinner("Reading the texts ..."):
            loaded = session.use_sample(name)
        session.launch_all(plans(name, loaded.corpus), loaded, TENFOLD_SECONDS)
    except ValueError as problem:  # not installed, or too large for this machine
        st.error(plain(problem))
        return
    explore_or_study.study()
    pages.go_to("live")


HEIGHT = 240
PER_ROW = 5
SECONDS = 7.0
"""From its first topics to the end."""


def recorded() -> None:
    """Pictures of the topics beside their number, both from the file; nothing is computed."""
    found, dark, size = recording(), is_dark(), text_size()
    milliseconds = 1000.0 * SECONDS / len(found.moments)
    pictures, curve = st.columns(2, gap="large")
    with pictures:
        st.markdown("## Ten topics, each a picture of its words")
        live_figure(
            lambda: _pictures(found, len(found.moments) - 1, dark, size),
            "recorded-pictures",
            HEIGHT,
            "Recorded: ten topics as pictures of 25 pixels turn from mixtures into bars.",
            same=(dark, size),
            play={"until": found.moments, "milliseconds": milliseconds, "pictures": _all(found)},
        )
    with curve:
        st.markdown("## Topics in use")
        live_figure(
            lambda: _curve(found, dark, size),
            "recorded-topics",
            HEIGHT,
            "Recorded: the number of topics in use; triangles mark births and ends of topics.",
            same=(dark, size),
            play={"until": found.moments, "milliseconds": milliseconds},
        )
    st.caption(
        f"A recording: {found.method} reads {found.docs_in_pass:,} pictures made of ten bars, "
        f"{found.planned_docs / found.docs_in_pass:.0f} times over. It knows neither the bars nor "
        "how many there are. Runs of your own look like this, live."
    )


def _pictures(found: Recording, moment: int, dark: bool, size: int) -> go.Figure:
    """The topics at a moment; those that are not born yet are blank."""
    shades, names = np.nan_to_num(found.shades(moment)), [str(topic) for topic in found.topics]
    with np.errstate(invalid="ignore"):  # of a topic that is not born yet nothing is to be scaled
        figure = pictures_figure(shades, names, PER_ROW, dark, size)
    return figure.update_traces(z=_canvas(found, moment), zmax=LEVELS)


@st.cache_resource(show_spinner=False)
def _all(_found: Recording) -> list[Any]:
    """The canvas of every moment, whatever the theme."""
    return [_canvas(_found, moment) for moment in range(len(_found.moments))]


def _canvas(found: Recording, moment: int) -> list[list[int | None]]:
    """The pixels of a moment in whole shades, which are short to send; None between pictures."""
    with np.errstate(invalid="ignore"):  # as above
        canvas = pictures_canvas(np.nan_to_num(found.shades(moment)), PER_ROW)
    return [[None if v != v else round(LEVELS * v) for v in row] for row in canvas.tolist()]


def _curve(found: Recording, dark: bool, size: int) -> go.Figure:
    """The live page's own figure, whose coordinates a browser plays as lists or float64."""
    series = Series(found.method, METHODS[found.method].colour, 0, found.moment())
    figure = topics_figure([series], "documents", dark, size, HEIGHT, logarithmic=True)
    for trace in figure.data:
        trace.update(x=np.asarray(trace.x, float), y=np.asarray(trace.y, float))
    return figure
