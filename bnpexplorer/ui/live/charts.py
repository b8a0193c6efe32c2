"""The figures and the topic list of the live panel, with the numbers behind them."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from ...corpus.source import plural
from ...evaluate import PROTOCOLS, effective_topics, topics_covering
from ...plots import live as plots
from ...plots.style import slots_of
from ...runs.background import ENDED
from ...state.moment import Moment
from ..frame import server, session
from ..frame.look import is_dark, is_embedded, text_size
from ..frame.session import Shown
from ..frame.words import plain
from ..parts import html
from ..parts.figure import live_figure
from ..parts.run_choice import chosen_place, labels_of, run_field
from ..parts.tables import read_as_table

RESORT_SECONDS = 6.0
"""Topics keep their places this long before they are sorted again, so that rows can be read."""
TOPICS_OF = "view-run"
"""The field that asks whose topics are listed."""


def _series(runs: Sequence[Shown]) -> list[plots.Series]:
    found = []
    slots = slots_of([shown.entry.background.run.method.colour for shown in runs])
    for shown, label, (slot, dash) in zip(runs, labels_of(runs), slots, strict=True):
        moment = _drawn(shown)
        if moment is not None:
            found.append(plots.Series(label, slot, dash, moment))
    return found


def _drawn(shown: Shown) -> Moment | None:
    """The moment of a run that all tabs draw now; None before its first step."""
    snapshot = server.registry().shown(shown.entry)
    return None if snapshot is None else server.moment_of(shown.entry, snapshot)


def _same(series: Sequence[plots.Series], *choices: Any) -> tuple[Any, ...]:
    """What a figure of these runs depends on."""
    runs = [(s.moment.at, s.label, s.dash, str(s.moment.labels.to_json())) for s in series]
    return (runs, is_dark(), text_size(), *choices)


def main_charts(runs: Sequence[Shown]) -> plots.Axis:
    """The two main figures; returns the horizontal axis that the person chose."""
    series, dark, size = _series(runs), is_dark(), text_size()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("## Held-out log likelihood per word")
        axis = chosen_axis()
        protocol, scored = _one_protocol(runs)
        unigram = session.unigram_of(scored[0].entry.run_id, scored[0].entry.background.run)
        chosen = {s.entry.run_id for s in scored}
        comparable = [s for s in series if s.moment.run_id in chosen]
        live_figure(
            lambda: plots.heldout_figure(comparable, axis, dark, unigram, size),
            "heldout",
            plots.HEIGHT,
            "Held-out log likelihood per word of every run as it learns; numbers in the table.",
            same=_same(comparable, axis),
        )
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
                label_visibility="collapsed",
            )
            _table("heldout", comparable, ["documents", "seconds", "held-out"], _heldout_rows)
    with right:
        st.markdown("## Topics in use")
        live_figure(
            lambda: plots.topics_figure(series, axis, dark, size),
            "topics",
            plots.HEIGHT,
            "Number of topics in use of every run as it learns; numbers in the table.",
            same=_same(series, axis),
        )
        st.caption(
            "Truncation-free inference starts at none and opens topics when the texts ask for "
            "them; a truncated method starts with all it may have and lets them die. "
            "▲ born, ▽ gone. In use: holds at least one word (mixtures: one document)."
        )
        _table("topics", series, ["documents", "seconds", "topics in use"], _topic_rows)
    return axis


def chosen_axis() -> plots.Axis:
    """The horizontal axis of the curves."""
    axis: plots.Axis = _chosen("view-axis", list(plots.AXIS_TITLES))
    return axis


def chosen_run(runs: Sequence[Shown]) -> int:
    """The place of the run whose topics are listed."""
    return chosen_place(runs, TOPICS_OF)


def _chosen(key: str, options: Sequence[Any]) -> Any:
    """The option of a widget further down: this session's, else the address's, else the first."""
    wanted = st.session_state.get(key) or st.query_params.get(key)
    return wanted if wanted in options else options[0]


def _one_protocol(runs: Sequence[Shown]) -> tuple[str, list[Shown]]:
    """The protocol to draw and the runs scored by it: scores of two protocols do not compare."""
    protocols = list(dict.fromkeys(s.entry.background.run.protocol for s in runs))
    protocol = protocols[0]
    if len(protocols) > 1:
        protocol = st.segmented_control(
            "Scored by",
            protocols,
            default=protocol,
            required=True,
            key="view-protocol",
            bind="query-params",
            format_func=lambda p: PROTOCOLS[p].title if p in PROTOCOLS else plain(p),
            help="Scores of different protocols cannot be compared, so one is drawn at a time.",
        )
    return protocol, [s for s in runs if s.entry.background.run.protocol == protocol]


def _heldout_rows(moment: Moment) -> list[tuple[Any, ...]]:
    return [
        (p.docs_seen, round(p.seconds, 3), p.heldout)
        for p in moment.trace
        if p.heldout == p.heldout
    ]


def _topic_rows(moment: Moment) -> list[tuple[Any, ...]]:
    return [(p.docs_seen, round(p.seconds, 3), p.n_topics) for p in moment.trace]


def _table(name: str, series: Sequence[plots.Series], columns: list[str], rows: Any) -> None:
    """The numbers behind a figure, to read and to download."""

    def frame() -> pd.DataFrame:
        parts = [pd.DataFrame(rows(s.moment), columns=columns).assign(run=s.label) for s in series]
        return pd.concat(parts) if parts else pd.DataFrame(columns=[*columns, "run"])

    read_as_table(name, frame, last=True, lazy=True)


def _stable_order(moment: Moment, settled: bool) -> list[int]:
    """`Moment.ordered`, sorted anew only every few seconds; new ones join at the end until then."""
    now = moment.ordered()
    kept: dict[str, Any] = st.session_state.setdefault("topic-order", {})
    when, order = kept.get(moment.run_id, (0.0, []))
    if settled or time.monotonic() - when > RESORT_SECONDS:
        order = now
        kept[moment.run_id] = (time.monotonic(), order)
    there, before = set(now), set(order)
    steady = [i for i in order if i in there] + [i for i in now if i not in before]
    return sorted(steady, key=lambda i: i not in moment.labels.pinned)


def topic_list(runs: Sequence[Shown]) -> int:
    """The topics of one run as a table; returns the place of the run that the person chose."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("## Topics, largest first", width="stretch")
        place = run_field("Topics of", runs, TOPICS_OF)
        how_many = st.segmented_control(
            "Topics shown",
            ["10", "20", "all"],
            default="10",
            required=True,
            key="view-topics",
            bind="query-params",
            label_visibility="collapsed",
        )
    moment = _drawn(runs[place])
    if moment is None or not moment.in_use:
        st.caption("No topics yet: they appear here with the first mini-batch.")
        return place
    background = runs[place].entry.background
    order = _stable_order(moment, background.ended)
    n = len(order) if how_many == "all" else int(how_many)
    # Only of a run at rest: in a table that is drawn anew every second no button keeps its focus.
    leads = background.status in (*ENDED, "paused") and not is_embedded()
    st.html(html.topic_table(moment, order[:n], is_dark(), leads))
    n_hidden = len(moment.in_use) - len(order)
    left_off = f" {n_hidden:,} hidden on the Topics page." if n_hidden else ""
    evenness, since = effective_topics(moment.topics), html.new_since(moment)
    st.caption(
        f"{plain(labels_of(runs)[place])}: {plural(len(moment.in_use), 'topic')} in "
        f"use; 99 % of the {moment.unit} are in {topics_covering(moment.topics):,}, and all are as "
        f"diverse as {plural(round(evenness), 'topic')} of equal size. Slanted and underlined: a "
        f"word that entered the list since {since:,} documents had been seen. Rows keep their "
        f"places for {RESORT_SECONDS:.0f} seconds at a time; the number is the topic's "
        f"identity.{' A name leads to its topic.' if leads else ''}{left_off}"
    )
    return place


def more_charts(runs: Sequence[Shown], axis: plots.Axis, place: int) -> None:
    series, dark, size = _series(runs), is_dark(), text_size()
    if not series:
        return
    names = sorted({name for s in series for p in s.moment.trace for name in p.scalars})
    if "step size" in names:
        names.insert(0, names.pop(names.index("step size")))
    if any(p.bound == p.bound for s in series for p in s.moment.trace):
        names.insert(0, "bound")
    left, right = st.columns(2, gap="large")
    label = labels_of(runs)[place]
    chosen = [s for s in series if s.label == label]
    with left:
        st.markdown("## Share of the largest topics")
        if chosen:
            live_figure(
                lambda: plots.weights_figure(chosen[0], dark, size),
                "weights",
                280,
                "Share of the largest topics over the run, stacked.",
                same=_same(chosen),
            )
        st.caption(f"{plain(label)}: the twelve largest topics now, back to when each was born.")
        if chosen:
            _table("weights", chosen, ["documents", "topic", "share"], _weight_rows)
    with right:
        if names:
            name = _chosen("view-series", names)
            st.markdown(f"## {plain(name.capitalize())}")
            live_figure(
                lambda: plots.scalar_figure(series, name, axis, dark, size),
                "scalar",
                280,
                "A named series of every run as it learns; numbers in the table.",
                same=_same(series, name, axis),
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
                _table("series", series, ["documents", "seconds", name], _series_rows(name))


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
