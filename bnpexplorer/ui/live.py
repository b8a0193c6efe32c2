"""The live panel: controls outside, everything that moves inside one polling fragment."""

import time
from collections.abc import Sequence
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


def is_dark() -> bool:
    """Whether the page is shown in the dark theme."""
    return bool(st.context.theme.type == "dark")


def labels_of(runs: Sequence[Shown]) -> list[str]:
    """The methods' names; a second run of the same method gets a number."""
    names = [shown.entry.background.run.name for shown in runs]
    return [
        f"{name} #{names[: i + 1].count(name)}" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]


def controls(runs: Sequence[Shown]) -> None:
    """A row of buttons a run; outside the fragment, so that a tick cannot swallow a click."""
    for shown, label in zip(runs, labels_of(runs), strict=True):
        background, run_id = shown.entry.background, shown.entry.run_id
        row = st.container(horizontal=True, vertical_alignment="center", key=f"controls-{run_id}")
        with row:
            st.markdown(f"**{label}**  \n:small[{background.run.method.title}]", width=230)
            if not shown.owned:
                st.caption("You are watching; only the owner's address controls this run.")
                continue
            _buttons(background, run_id)


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
    view = _view_controls(runs)
    tick = session.registry().tick_seconds() if busy else None
    if busy and all(s.entry.background.latest is None for s in runs):
        tick = 0.5  # the first point should not wait for a whole tick
    statuses = [s.entry.background.status for s in runs]

    @st.fragment(run_every=tick)
    def live() -> None:
        _status_lines(runs)
        _charts(runs, view)
        _topics(runs, view)
        _more_charts(runs, view)
        now = [s.entry.background.status for s in runs]
        if now != statuses or (tick == 0.5 and runs[0].entry.background.latest is not None):
            st.rerun()  # buttons outside this fragment depend on the status

    live()


def _view_controls(runs: Sequence[Shown]) -> dict[str, Any]:
    labels = labels_of(runs)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        axis = st.segmented_control(
            "Against", ["documents", "seconds", "passes"], default="documents", required=True,
            key="view-axis",
        )  # fmt: skip
        n_topics = st.segmented_control(
            "Topics shown", [10, 20, "all"], default=10, required=True, key="view-topics"
        )
        chosen = labels[0]
        if len(labels) > 1:
            chosen = st.segmented_control(
                "Topics of", labels, default=labels[0], required=True, key="view-run"
            )
    place = labels.index(chosen) if chosen in labels else 0
    return {"axis": axis, "n_topics": n_topics, "run": place}


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


def _charts(runs: Sequence[Shown], view: dict[str, Any]) -> None:
    series, dark = _series(runs), is_dark()
    left, right = st.columns(2, gap="large")
    run = runs[0].entry.background.run
    with left:
        st.markdown("##### Held-out log likelihood per word")
        unigram = session.unigram_of(runs[0].entry.run_id, run)
        figure = plots.heldout_figure(series, view["axis"], dark, unigram)
        live_figure(
            figure, "heldout", 330,
            "Held-out log likelihood per word of every run as it learns; numbers in the table.",
        )  # fmt: skip
        protocol = PROTOCOLS.get(run.protocol)
        if protocol:
            st.caption(
                f"Higher is better; 0.1 more means each word is predicted "
                f"{100 * (2.718281828**0.1 - 1):.0f} % better. {protocol.sentence}"
            )
        _table("heldout", series, ["documents", "seconds", "held-out"], _heldout_rows)
    with right:
        st.markdown("##### Topics in use")
        live_figure(
            plots.topics_figure(series, view["axis"], dark), "topics", 330,
            "Number of topics in use of every run as it learns; numbers in the table.",
        )  # fmt: skip
        st.caption(
            "Truncation-free inference starts at none and opens topics when the texts ask for "
            "them; a truncated method starts with all it may have and lets them die. "
            "▲ born, ▽ gone. In use: holds at least one word (mixtures: one document)."
        )
        _table("topics", series, ["documents", "seconds", "topics in use"], _topic_rows)


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


def _topics(runs: Sequence[Shown], view: dict[str, Any]) -> None:
    shown = runs[view["run"]]
    background = shown.entry.background
    snapshot, run = background.latest, background.run
    st.markdown("##### Topics, largest first")
    if snapshot is None or not len(snapshot.topics):
        st.caption("No topics yet: they appear here with the first mini-batch.")
        return
    order = _stable_order(shown.entry.run_id, snapshot, background.ended)
    n = len(order) if view["n_topics"] == "all" else int(view["n_topics"])
    unit = "documents" if run.method.model.name == "dpm" else "words"
    since = int(0.75 * snapshot.docs_seen)
    ink = colour(METHOD_SLOTS[run.method.name], is_dark())
    st.html(html.topic_table(snapshot, run.corpus.vocab, order[:n], ink, 8, since, unit))
    st.caption(
        f"{len(order):,} topics of {labels_of(runs)[view['run']]}. Slanted and underlined: a word "
        f"that entered the list since {since:,} documents had been seen. Rows keep their places "
        f"for {RESORT_SECONDS:.0f} seconds at a time; the number is the topic's identity."
    )


def _more_charts(runs: Sequence[Shown], view: dict[str, Any]) -> None:
    series, dark = _series(runs), is_dark()
    if not series:
        return
    names = sorted({name for s in series for p in s.snapshot.trace for name in p.scalars})
    if any(p.bound == p.bound for s in series for p in s.snapshot.trace):
        names.insert(0, "bound")
    left, right = st.columns(2, gap="large")
    label = labels_of(runs)[view["run"]]
    chosen = [s for s in series if s.label == label]
    with left:
        st.markdown("##### Share of the largest topics")
        if chosen:
            live_figure(
                plots.weights_figure(chosen[0], dark), "weights", 280,
                "Share of the largest topics over the run, stacked.",
            )  # fmt: skip
        st.caption(f"{label}: the twelve largest topics now, back to when each was born.")
    with right:
        name = "bound" if "bound" in names else (names[0] if names else "")
        if name:
            st.markdown(f"##### {name.capitalize()}")
            live_figure(
                plots.scalar_figure(series, name, view["axis"], dark), "scalar", 280,
                f"The series '{name}' of every run as it learns.",
            )  # fmt: skip
