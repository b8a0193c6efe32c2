"""Live page, texts whose true topics are known: pictures of the topics and how many are found."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from ...explore.known import FOUND_AGAIN
from ...plots import live as plots
from ...state.moment import Moment
from ..frame.look import is_dark, text_size
from ..frame.session import Shown
from ..frame.words import plain
from ..parts import known
from ..parts.figure import live_figure
from ..parts.run_choice import labels_of
from . import charts

ABOUT = (
    "How many of the topics that made these texts are found again, at each row of the history; "
    "dotted: all of them."
)


def n_known(runs: Sequence[Shown]) -> int:
    """How many topics made the texts of these runs; 0 where nobody knows."""
    topics = runs[0].entry.background.run.known
    return 0 if topics is None else len(topics)


def true_topics(runs: Sequence[Shown], axis: plots.Axis, place: int) -> None:
    """Of the run at `place` what each topic looks like, and of all runs how many are found again;
    nothing where no topics are known."""
    if not n_known(runs):
        return
    moment = charts.drawn_moment(runs[place])
    pictured = moment is not None and known.has_pictures(moment)
    if not pictured:
        _curves(runs, axis)
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        whose = f" of {plain(labels_of(runs)[place])}" if len(runs) > 1 else ""
        st.markdown(f"## Topics{whose} as pictures, beside the true ones")
        pictures(runs[place])
        st.caption(known.EXPLAINED)
    with right:
        _curves(runs, axis)


def _curves(runs: Sequence[Shown], axis: plots.Axis) -> None:
    st.markdown("## True topics found again")
    series = found_again_chart(runs, axis)
    st.caption(ABOUT)
    charts.table("found-again", series, ["documents", "seconds", FOUND_AGAIN], _rows)


def _rows(moment: Moment) -> list[tuple[Any, ...]]:
    return [
        (p.docs_seen, round(p.seconds, 3), int(p.scalars[FOUND_AGAIN]))
        for p in moment.trace
        if FOUND_AGAIN in p.scalars
    ]


def pictures(shown: Shown, others: bool = True) -> None:
    """The sheet of a run, with or without the topics that are no true one's partner."""
    moment = charts.drawn_moment(shown)
    if moment is not None:
        found = shown.entry.background.run.known
        st.html(known.CSS + known.sheet(moment, found, others=others))


def found_again_chart(
    runs: Sequence[Shown], axis: plots.Axis, height: int = plots.HEIGHT
) -> list[plots.Series]:
    """The curves of all runs; returns what is drawn."""
    series, dark, size = charts.series_of(runs), is_dark(), text_size()
    of = n_known(runs)
    live_figure(
        lambda: plots.found_again_figure(series, of, axis, dark, size, height),
        "found-again",
        height,
        "Number of true topics that every run has found again; dotted, how many there are.",
        same=charts.same(series, of, axis, height),
    )
    return series
