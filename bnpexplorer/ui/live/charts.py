"""The figures and the topic list of the live panel, with the numbers behind them.

What stands where a figure will be, as long as no run has learned anything to draw.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from ...core.display import plural
from ...core.html import Markup, joined
from ...evaluate import PROTOCOLS
from ...explore.likeness import FOUND_AGAIN
from ...plots import live as plots
from ...plots.style import slots_of
from ...runs.warming import compiled
from ...state.moment import Moment
from ..frame import server, session
from ..frame.look import is_dark, text_size
from ..frame.session import RunOnPage
from ..frame.words import plain, status_words
from ..parts import html, why
from ..parts.figure import live_figure, read_as_table
from ..parts.run_buttons import labels_of

WHY = "live"
"""Which event was chosen on this page, by the name that `parts.why` keeps it under."""


def series_of(runs: Sequence[RunOnPage], among: Sequence[RunOnPage] = ()) -> list[plots.Series]:
    """Those of the `runs` that have begun, in the names and colours that they have `among` all."""
    found = []
    among = among or runs
    slots = slots_of([shown.entry.background.run.method.colour for shown in among])
    wanted = {shown.entry.run_id for shown in runs}
    for shown, label, (slot, dash) in zip(among, labels_of(among), slots, strict=True):
        moment = drawn_moment(shown) if shown.entry.run_id in wanted else None
        if moment is not None:
            found.append(plots.Series(label, slot, dash, moment))
    return found


def drawn_moment(shown: RunOnPage) -> Moment | None:
    """The moment of a run that all tabs draw now; None before its first step."""
    snapshot = server.registry().shown(shown.entry)
    return None if snapshot is None else server.moment_of(shown.entry, snapshot)


def same(series: Sequence[plots.Series], *choices: Any) -> tuple[Any, ...]:
    """What a figure of these runs depends on."""
    runs = [(s.moment.at, s.label, s.dash, str(s.moment.labels.to_json())) for s in series]
    return (runs, is_dark(), text_size(), *choices)


def main_charts(runs: Sequence[RunOnPage]) -> plots.Axis:
    """The two main figures; returns the horizontal axis that the person chose."""
    axis = chosen_axis()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("## Held-out log likelihood per word")
        protocol = _ask_protocol(runs)
        comparable = heldout_chart(runs, axis)
        if protocol in PROTOCOLS:
            st.caption(
                PROTOCOLS[protocol].sentence
                + " Higher by 0.1 means each word is predicted 11 % better."
            )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.segmented_control(
                "Horizontal axis",
                list(plots.AXIS_TITLES),
                default="documents",
                required=True,
                key="view-axis",
                bind="query-params",
                persist_state="session",
                label_visibility="collapsed",
            )
            table("heldout", comparable, ["documents", "seconds", "held-out"], _heldout_rows)
    with right:
        st.markdown("## Topics in use")
        series = topics_chart(runs, axis)
        st.caption(
            "Truncation-free inference starts at none and opens topics when the texts ask for "
            "them; a truncated method starts with all it may have and lets them die. "
            "▲ born, ▽ gone: click one to see why. In use: holds at least one word (mixtures: one "
            "document)."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.toggle(
                "Logarithmic",
                value=True,
                key="view-log",
                help="Spreads out the start, where most topics are born.",
                bind="query-params",
                persist_state="session",
            )
            table("topics", series, ["documents", "seconds", "topics in use"], _topic_rows)
    return axis


def heldout_chart(
    runs: Sequence[RunOnPage], axis: plots.Axis, height: int = plots.HEIGHT
) -> list[plots.Series]:
    """The runs that are scored by the protocol that was chosen; returns those that are drawn."""
    dark, size = is_dark(), text_size()
    protocol = _chosen("view-protocol", _protocols(runs))
    scored = [s for s in runs if s.entry.background.run.protocol == protocol]
    unigram = session.unigram_of(scored[0].entry.run_id, scored[0].entry.background.run)
    comparable = series_of(scored, runs)
    if not comparable:
        say_how_far(scored, height)
        return comparable
    live_figure(
        lambda: plots.heldout_figure(comparable, axis, dark, unigram, size, height),
        "heldout",
        height,
        "Held-out log likelihood per word of every run as it learns; numbers in the table.",
        same=same(comparable, axis, height),
    )
    return comparable


def topics_chart(
    runs: Sequence[RunOnPage], axis: plots.Axis, height: int = plots.HEIGHT
) -> list[plots.Series]:
    """How many topics every run uses; returns what is drawn."""
    series, dark, size = series_of(runs), is_dark(), text_size()
    if not series:
        say_when(height)
        return series
    logarithmic = _is_logarithmic()
    live_figure(
        lambda: plots.topics_figure(series, axis, dark, size, height, logarithmic),
        "topics",
        height,
        "Number of topics in use of every run as it learns; numbers in the table.",
        on_click=why.clicked(WHY),
        same=same(series, axis, height, logarithmic),
    )
    return series


def weights_chart(runs: Sequence[RunOnPage], place: int, height: int = 280) -> list[plots.Series]:
    """The largest topics of one of the runs; returns it, or nothing before its first step."""
    chosen, dark, size = series_of([runs[place]], runs), is_dark(), text_size()
    if chosen:
        live_figure(
            lambda: plots.weights_figure(chosen[0], dark, size),
            "weights",
            height,
            "Share of the largest topics over the run, stacked.",
            same=same(chosen),
        )
    return chosen


def chosen_axis() -> plots.Axis:
    """The horizontal axis of the curves."""
    axis: plots.Axis = _chosen("view-axis", list(plots.AXIS_TITLES))
    return axis


def _is_logarithmic() -> bool:
    """Whether the axis of the topics in use is logarithmic: most are born of the first hundred
    documents, which are a hair of a linear axis."""
    wanted = st.session_state.get("view-log")
    return st.query_params.get("view-log") != "false" if wanted is None else bool(wanted)


def _chosen(key: str, options: Sequence[Any]) -> Any:
    """The option of a widget further down: this session's, else the address's, else the first."""
    wanted = st.session_state.get(key) or st.query_params.get(key)
    return wanted if wanted in options else options[0]


def _protocols(runs: Sequence[RunOnPage]) -> list[str]:
    return list(dict.fromkeys(s.entry.background.run.protocol for s in runs))


def _ask_protocol(runs: Sequence[RunOnPage]) -> str:
    """The protocol to draw; asks where there are several: their scores do not compare."""
    protocols = _protocols(runs)
    if len(protocols) == 1:
        return protocols[0]
    protocol: str = st.segmented_control(
        "Scored by",
        protocols,
        default=protocols[0],
        required=True,
        key="view-protocol",
        bind="query-params",
        format_func=lambda p: PROTOCOLS[p].title if p in PROTOCOLS else plain(p),
        help="Scores of different protocols cannot be compared, so one is drawn at a time.",
    )
    return protocol


def _heldout_rows(moment: Moment) -> list[tuple[Any, ...]]:
    return [
        (p.docs_seen, round(p.seconds, 3), p.heldout)
        for p in moment.trace
        if p.heldout == p.heldout
    ]


def _topic_rows(moment: Moment) -> list[tuple[Any, ...]]:
    return [(p.docs_seen, round(p.seconds, 3), p.n_topics) for p in moment.counted]


def table(name: str, series: Sequence[plots.Series], columns: list[str], rows: Any) -> None:
    """The numbers behind a figure, to read and to download."""

    def frame() -> pd.DataFrame:
        parts = [pd.DataFrame(rows(s.moment), columns=columns).assign(run=s.label) for s in series]
        return pd.concat(parts) if parts else pd.DataFrame(columns=[*columns, "run"])

    read_as_table(name, frame, last=True)


def more_charts(runs: Sequence[RunOnPage], axis: plots.Axis, place: int) -> None:
    series, dark, size = series_of(runs), is_dark(), text_size()
    if not series:
        return
    names = sorted({name for s in series for p in s.moment.trace for name in p.scalars})
    names = [name for name in names if name != FOUND_AGAIN]  # has a figure of its own
    if "step size" in names:
        names.insert(0, names.pop(names.index("step size")))
    if any(p.bound == p.bound for s in series for p in s.moment.trace):
        names.insert(0, "bound")
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("## Share of the largest topics")
        chosen = weights_chart(runs, place)
        label = plain(labels_of(runs)[place])
        st.caption(f"{label}: the twelve largest topics now, back to when each was born.")
        if chosen:
            table("weights", chosen, ["documents", "topic", "share"], _weight_rows)
    with right:
        if names:
            name = _chosen("view-series", names)
            st.markdown(f"## {plain(name.capitalize())}")
            live_figure(
                lambda: plots.scalar_figure(series, name, axis, dark, size),
                "scalar",
                280,
                "A named series of every run as it learns; numbers in the table.",
                same=same(series, name, axis),
            )
            with st.container(horizontal=True, vertical_alignment="center"):
                st.selectbox(
                    "Series",
                    names,
                    key="view-series",
                    bind="query-params",
                    label_visibility="collapsed",
                    width=220,
                )
                table("series", series, ["documents", "seconds", name], _series_rows(name))


def _weight_rows(moment: Moment) -> list[tuple[Any, ...]]:
    return [
        (frame.docs_seen, moment.head(int(topic)), float(share))
        for frame in moment.frames
        for topic, share in zip(frame.topic_ids, frame.weight, strict=True)
    ]


def _series_rows(name: str) -> Callable[[Moment], list[tuple[Any, ...]]]:
    def rows(moment: Moment) -> list[tuple[Any, ...]]:
        return [
            (p.docs_seen, round(p.seconds, 3), p.bound if name == "bound" else p.scalars[name])
            for p in moment.trace
            if (p.bound == p.bound if name == "bound" else name in p.scalars)
        ]

    return rows


TOPICS = "Topics are counted as soon as the first documents are read."


def say_how_far(runs: Sequence[RunOnPage], height: int) -> None:
    """Say of every run how far it is, in a place of so many pixels."""
    said = []
    for shown, label in zip(runs, labels_of(runs), strict=True):
        background = shown.entry.background
        words, done, needed = status_words(background), 0, 0
        if background.status == "compiling":
            done, needed = compiled(background.run.method)
        if needed:
            words = f"{done:,} of {plural(needed, 'kernel')} compiled, the first time only"
        said.append(html.progress_line(f"{label}: {words}", done, needed))
    _write(joined(said), height)


def say_when(height: int) -> None:
    """Say when topics are counted, in a place of so many pixels."""
    _write(Markup("<p>{}</p>").format(TOPICS), height)


def _write(inside: Markup, height: int) -> None:
    place = Markup('<div class="bnp bnp-wait" style="min-height:{}px">{}</div>')
    st.html(html.CSS + place.format(height, inside))
