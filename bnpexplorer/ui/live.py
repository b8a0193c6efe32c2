"""The live panel: controls outside, everything that moves inside one polling fragment."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from ..background import BackgroundRun
from ..evaluate import PROTOCOLS
from ..plots import live as plots
from ..plots.style import METHOD_SLOTS, colour
from ..snapshot import Snapshot
from . import html, session
from .figure import live_figure
from .look import is_dark
from .session import Shown

RESORT_SECONDS = 6.0
"""Topics keep their places this long before they are sorted again, so that rows can be read."""

STATUS_WORDS = {
    "ready": "ready",
    "queued": "waiting in line",
    "compiling": "compiling kernels, first time only",
    "running": "learning",
    "paused": "paused",
    "finished": "finished",
    "stopped": "stopped",
    "failed": "failed",
}


def labels_of(runs: Sequence[Shown]) -> list[str]:
    """The methods' names; a second run of the same method gets a number."""
    names = [shown.entry.background.run.name for shown in runs]
    return [
        f"{name} #{names[: i + 1].count(name)}" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]


def controls(runs: Sequence[Shown]) -> None:
    """A group of buttons a run; outside the fragment, so that a tick cannot swallow a click."""
    for shown, label in zip(runs, labels_of(runs), strict=True):
        background, run_id = shown.entry.background, shown.entry.run_id
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", width="content"
        ):
            st.markdown(f"**{label}**", width="content", help=background.run.method.title)
            if shown.owned:
                _buttons(background, run_id)
            else:
                st.caption("watching only: the owner's address controls it", width="content")


def _buttons(background: BackgroundRun, run_id: str) -> None:
    def button(words: str, icon: str, action: Any, name: str, off: bool, hint: str) -> None:
        st.button(
            words, icon=f":material/{icon}:", on_click=action, key=f"{name}-{run_id}",
            disabled=off, help=hint,
        )  # fmt: skip

    ended = background.ended
    if background.status == "paused":
        button("Resume", "play_arrow", background.resume, "resume", False, "Go on learning")
    else:
        button("Pause", "pause", background.pause, "pause", ended, "Stop after this mini-batch")
    paused = background.status == "paused"
    button("Step", "skip_next", background.step_once, "step", not paused, "One mini-batch more")
    button("Stop", "stop", background.stop, "stop", ended, "End the run; what it learned stays")
    if ended:
        st.button(
            "Remove", icon=":material/close:", key=f"remove-{run_id}", on_click=session.leave,
            args=(run_id,), help="Take this run off the page",
        )  # fmt: skip


def panel(runs: Sequence[Shown]) -> None:
    """Everything that moves. Polls once a second while something computes, never afterwards."""
    busy = any(not s.entry.background.ended for s in runs)
    tick = session.registry().tick_seconds() if busy else None
    if busy and all(s.entry.background.latest is None for s in runs):
        tick = 0.5  # the first point should not wait for a whole tick
    statuses = [s.entry.background.status for s in runs]

    @st.fragment(run_every=tick)
    def live() -> None:
        _status_lines(runs)
        axis = _charts(runs)
        place = _topics(runs)
        _more_charts(runs, axis, place)
        now = [s.entry.background.status for s in runs]
        if now != statuses or (tick == 0.5 and runs[0].entry.background.latest is not None):
            st.rerun()  # buttons outside this fragment depend on the status

    live()


# ---- inside the fragment -----------------------------------------------------------------------


def _series(runs: Sequence[Shown]) -> list[plots.Series]:
    found = []
    seen: dict[int, int] = {}
    for shown, label in zip(runs, labels_of(runs), strict=True):
        background = shown.entry.background
        slot = METHOD_SLOTS[background.run.method.name]
        dash = seen.get(slot, 0)
        seen[slot] = dash + 1
        if background.latest is None:
            continue
        run = background.run
        found.append(
            plots.Series(label, slot, dash, background.latest, run.corpus.n_docs, run.planned_docs)
        )
    return found


def status_of(background: BackgroundRun, label: str, dash: int) -> html.StatusLine:
    """The words and numbers of a run's status line."""
    run, latest = background.run, background.latest
    words = STATUS_WORDS[background.status]
    if background.status == "queued" and background.place_in_queue:
        words = f"waiting in line, number {background.place_in_queue}"
    ink = colour(METHOD_SLOTS[run.method.name], is_dark())
    if latest is None:
        return html.StatusLine(label, ink, dash, words, 0.0, ())
    fraction = 1.0 if background.status == "finished" else latest.docs_seen / run.planned_docs
    pace = latest.docs_seen / latest.seconds if latest.seconds > 0 else 0.0
    n_pass = min(latest.docs_seen // run.corpus.n_docs + 1, run.passes)
    facts = [
        f"pass {n_pass} of {run.passes}",
        f"{latest.docs_seen:,} documents",
        f"{pace:,.0f} documents/s",
    ]
    if background.status == "running" and pace > 0:
        left = int((run.planned_docs - latest.docs_seen) / pace)
        facts.append(f"about {left // 60}:{left % 60:02d} left")
    return html.StatusLine(label, ink, dash, words, fraction, tuple(facts))


def _status_lines(runs: Sequence[Shown]) -> None:
    lines = []
    seen: dict[int, int] = {}
    for shown, label in zip(runs, labels_of(runs), strict=True):
        background = shown.entry.background
        slot = METHOD_SLOTS[background.run.method.name]
        lines.append(html.status_line(status_of(background, label, seen.get(slot, 0))))
        seen[slot] = seen.get(slot, 0) + 1
    st.html(html.CSS + '<div aria-live="off">' + "".join(lines) + "</div>")
    for shown, label in zip(runs, labels_of(runs), strict=True):
        background = shown.entry.background
        if background.status == "failed":
            st.error(
                f"{label} stopped with an error: {background.error} The other runs go on; start "
                "it again with other settings, or report this sentence.",
                icon=":material/error:",
            )
            with st.expander("Details for a report"):
                st.code(background.error_details)


def _charts(runs: Sequence[Shown]) -> plots.Axis:
    """The two main figures; returns the horizontal axis that the person chose."""
    series, run = _series(runs), runs[0].entry.background.run
    left, right = st.columns(2, gap="large")
    with left:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("##### Held-out log likelihood per word", width="stretch")
            axis: plots.Axis = st.segmented_control(
                "Against", ["documents", "seconds", "passes"], default="documents",
                required=True, key="view-axis", label_visibility="collapsed",
            )  # fmt: skip
        unigram = session.unigram_of(runs[0].entry.run_id, run)
        live_figure(
            plots.heldout_figure(series, axis, is_dark(), unigram), "heldout", 330,
            "Held-out log likelihood per word of every run as it learns; numbers in the table.",
        )  # fmt: skip
        protocol = PROTOCOLS.get(run.protocol)
        if protocol:
            st.caption(
                "Higher is better; 0.1 more means that every word is predicted 11 % better. "
                + protocol.sentence
            )
        _table("heldout", series, ["documents", "seconds", "held-out"], _heldout_rows)
    with right:
        with st.container(horizontal=True, vertical_alignment="center", height=40, border=False):
            st.markdown("##### Topics in use")
        live_figure(
            plots.topics_figure(series, axis, is_dark()), "topics", 330,
            "Number of topics in use of every run as it learns; numbers in the table.",
        )  # fmt: skip
        st.caption(
            "Truncation-free inference starts at none and opens topics when the texts ask for "
            "them; a truncated method starts with all it may have and lets them die. "
            "▲ born, ▽ gone. In use: holds at least one word (mixtures: one document)."
        )
        _table("topics", series, ["documents", "seconds", "topics in use"], _topic_rows)
    return axis


def _heldout_rows(snapshot: Snapshot) -> list[tuple[Any, ...]]:
    return [
        (p.docs_seen, round(p.seconds, 3), p.heldout)
        for p in snapshot.trace
        if p.heldout == p.heldout
    ]


def _topic_rows(snapshot: Snapshot) -> list[tuple[Any, ...]]:
    return [(p.docs_seen, round(p.seconds, 3), p.n_topics) for p in snapshot.trace]


def _table(name: str, series: Sequence[plots.Series], columns: list[str], rows: Any) -> None:
    """The numbers behind a figure, to read and to download."""

    def frame() -> pd.DataFrame:
        parts = [
            pd.DataFrame(rows(s.snapshot), columns=columns).assign(run=s.label) for s in series
        ]
        return pd.concat(parts) if parts else pd.DataFrame(columns=[*columns, "run"])

    with st.popover("Read as table", icon=":material/table:", key=f"popover-{name}"):
        st.dataframe(frame().tail(500), hide_index=True, height=280)
        st.download_button(
            "Download as CSV",
            lambda: frame().to_csv(index=False).encode(),
            file_name=f"bnpexplorer-{name}.csv",
            mime="text/csv",
            on_click="ignore",
            key=f"download-{name}",
        )


def _stable_order(run_id: str, snapshot: Snapshot, settled: bool) -> list[int]:
    """Topics by size, sorted anew only every few seconds; new ones join at the end until then."""
    sizes = {
        int(i): float(s)
        for i, s in zip(snapshot.topics.topic_ids, snapshot.topics.size, strict=True)
    }
    kept: dict[str, Any] = st.session_state.setdefault("topic-order", {})
    when, order = kept.get(run_id, (0.0, []))
    if settled or time.monotonic() - when > RESORT_SECONDS:
        order = sorted(sizes, key=lambda i: -sizes[i])
        kept[run_id] = (time.monotonic(), order)
    alive = [i for i in order if i in sizes]
    return alive + [i for i in sizes if i not in set(alive)]


def _topics(runs: Sequence[Shown]) -> int:
    """The topics of one run as a table; returns the place of the run that the person chose."""
    labels = labels_of(runs)
    place = 0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("##### Topics, largest first", width="stretch")
        if len(labels) > 1:
            chosen = st.segmented_control(
                "Topics of", labels, default=labels[0], required=True,
                key=f"view-run-{len(labels)}", label_visibility="collapsed",
            )  # fmt: skip
            place = labels.index(chosen)
        how_many = st.segmented_control(
            "Topics shown", ["10", "20", "all"], default="10", required=True,
            key="view-topics", label_visibility="collapsed",
        )  # fmt: skip
    background = runs[place].entry.background
    snapshot, run = background.latest, background.run
    if snapshot is None or not len(snapshot.topics):
        st.caption("No topics yet: they appear here with the first mini-batch.")
        return place
    order = _stable_order(runs[place].entry.run_id, snapshot, background.ended)
    n = len(order) if how_many == "all" else int(how_many)
    unit = "documents" if run.method.model.name == "dpm" else "words"
    since = int(0.75 * snapshot.docs_seen)
    ink = colour(METHOD_SLOTS[run.method.name], is_dark())
    st.html(html.topic_table(snapshot, run.corpus.vocab, order[:n], ink, 8, since, unit))
    st.caption(
        f"{len(order):,} topics of {labels[place]}. Slanted and underlined: a word "
        f"that entered the list since {since:,} documents had been seen. Rows keep their places "
        f"for {RESORT_SECONDS:.0f} seconds at a time; the number is the topic's identity."
    )
    return place


def _more_charts(runs: Sequence[Shown], axis: plots.Axis, place: int) -> None:
    series, dark = _series(runs), is_dark()
    if not series:
        return
    names = sorted({name for s in series for p in s.snapshot.trace for name in p.scalars})
    if any(p.bound == p.bound for s in series for p in s.snapshot.trace):
        names.insert(0, "bound")
    left, right = st.columns(2, gap="large")
    label = labels_of(runs)[place]
    chosen = [s for s in series if s.label == label]
    with left:
        st.markdown("##### Share of the largest topics")
        if chosen:
            live_figure(
                plots.weights_figure(chosen[0], dark), "weights", 280,
                "Share of the largest topics over the run, stacked.",
            )  # fmt: skip
            _table("weights", chosen, ["documents", "topic", "share"], _weight_rows)
        st.caption(f"{label}: the twelve largest topics now, back to when each was born.")
    with right:
        if names:
            name = names[0]
            if len(names) > 1:
                name = st.selectbox(
                    "Series", names, key="view-series", label_visibility="collapsed"
                )
            st.markdown(f"##### {name.capitalize()}")
            live_figure(
                plots.scalar_figure(series, name, axis, dark), "scalar", 280,
                "A named series of every run as it learns; numbers in the table.",
            )  # fmt: skip
            _table("series", series, ["documents", "seconds", name], _series_rows(name))


def _weight_rows(snapshot: Snapshot) -> list[tuple[Any, ...]]:
    return [
        (frame.docs_seen, int(topic), float(share))
        for frame in snapshot.frames
        for topic, share in zip(frame.topic_ids, frame.weight, strict=True)
    ]


def _series_rows(name: str) -> Callable[[Snapshot], list[tuple[Any, ...]]]:
    def rows(snapshot: Snapshot) -> list[tuple[Any, ...]]:
        return [
            (p.docs_seen, round(p.seconds, 3), p.bound if name == "bound" else p.scalars[name])
            for p in snapshot.trace
            if (p.bound == p.bound if name == "bound" else name in p.scalars)
        ]

    return rows
