"""The Compare page: runs side by side, live or saved, and their topics aligned."""

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from ..background import ENDED
from ..compare import Compared, Ground, compared, differing, why_apart
from ..compare.rows import coherence_of, protocol_title, sort_by_ground, table_of
from ..evaluate import PROTOCOLS
from ..index import Saved
from ..labels import Labels
from ..plots import compare as plots
from ..plots.live import Axis, Series
from ..plots.style import METHOD_SLOTS, colour, with_alpha
from ..registry import Entry
from ..run import Run
from ..snapshot import Snapshot
from ..store import StoreError
from . import session
from .figure import live_figure
from .look import is_dark, text_size
from .tables import csv_bytes

AXES: list[Axis] = ["documents", "passes", "seconds"]
FIRST_SAVED = 4
"""Saved runs that are laid side by side where the tab has none of its own."""
FORMATS = {
    "held-out": "%.3f", "documents": "localized", "passes": "%.1f", "seconds": "%.1f",
    "documents/s": "%.0f", "effective topics": "%.1f", "coherence": "%.3f", "memory, MB": "%.1f",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Chosen:
    """A run that was chosen for comparison, with what aligning its topics needs."""

    row: Compared
    vocab: tuple[str, ...]
    labels: Labels
    unit: str


# ---- which runs ----------------------------------------------------------------------------------


def choose_runs() -> list[str]:
    """Ask for runs, of this tab or saved; their identities."""
    live = {s.entry.run_id: s.entry for s in session.shown_runs()}
    saved = {s.run_id: s for s in session.library().saved() if s.facts.get("docs_seen")}
    names = {run_id: _live_name(entry) for run_id, entry in live.items()}
    names |= {run_id: _saved_name(s) for run_id, s in saved.items() if run_id not in names}
    if not names:
        return []
    usual = list(live) or _latest_alike(list(saved.values()))
    return st.multiselect(
        "Runs to compare", list(names), usual, format_func=lambda run_id: names[run_id],
        key=f"compare-runs-{','.join(live)}", persist_state="session",
        help="Those of this tab and all saved ones; type to search.",
    )  # fmt: skip


def _live_name(entry: Entry) -> str:
    run: Run = entry.background.run
    return f"{run.name} · {run.corpus.name} · on this page · {entry.run_id[:4]}"


def _saved_name(saved: Saved) -> str:
    when = time.strftime("%d %b %H:%M", time.localtime(saved.updated))
    return f"{saved.name} · {saved.facts.get('corpus', '')} · {when} · {saved.run_id[:4]}"


def _latest_alike(saved: Sequence[Saved]) -> list[str]:
    """The latest saved runs of the corpus that was learned last."""
    alike = [s.run_id for s in saved if s.corpus_key == saved[0].corpus_key]
    return alike[:FIRST_SAVED]


def read_runs(run_ids: Sequence[str]) -> list[Chosen]:
    """What is known of each run now; says on the page which cannot be read."""
    found = []
    for run_id in run_ids:
        entry = session.registry().get(run_id)
        try:
            chosen = _live(entry) if entry is not None else _saved(run_id)
        except StoreError as problem:
            st.error(f"{problem} The other runs are shown.")
            continue
        if chosen is not None:
            found.append(chosen)
    return [replace(c, row=replace(c.row, name=name)) for c, name in zip(
        found, _apart([c.row.name for c in found]), strict=True)]  # fmt: skip


def _apart(names: Sequence[str]) -> list[str]:
    """Equal names get a number."""
    return [
        f"{name} #{names[: i + 1].count(name)}" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]


def _live(entry: Entry) -> Chosen | None:
    """A run in the registry; None before its first numbers."""
    background = entry.background
    run, snapshot, status = background.run, background.latest, background.status
    if snapshot is None:
        return None
    resting = status in ENDED or status == "paused"
    coherence = _coherence(entry.run_id, snapshot.step, run, snapshot) if resting else float("nan")
    about = _about(entry.run_id, run)
    row = replace(about, status=status, snapshot=snapshot, coherence=coherence)
    return Chosen(row, run.corpus.vocab, entry.labels, _unit(run))


@st.cache_resource(show_spinner=False, max_entries=128)
def _coherence(run_id: str, step: int, _run: Run, _snapshot: Snapshot) -> float:
    return coherence_of(_run, _snapshot)


@st.cache_resource(show_spinner=False, max_entries=128)
def _about(run_id: str, _run: Run) -> Compared:
    """What never changes of a run: its ground takes a pass over the corpus."""
    empty: Any = None
    return compared(_run, run_id, _run.name, "", empty, float("nan"))


def _saved(run_id: str) -> Chosen | None:
    saved = session.library().get(run_id)
    if saved is None:
        return None
    with st.spinner(f"Reading {saved.name} ..."):
        chosen = _read_saved(run_id, saved.updated)
    return replace(chosen, row=replace(chosen.row, name=saved.name), labels=saved.labels)


@st.cache_resource(show_spinner=False, max_entries=64)
def _read_saved(run_id: str, updated: float) -> Chosen:
    """The run from the disk; only what is compared is kept in memory."""
    run = session.library().load(run_id, to_go_on=False)
    snapshot = run.snapshot()
    status = "finished" if run.done else "saved, unfinished"
    row = compared(run, run_id, run.name, status, snapshot, coherence_of(run, snapshot))
    return Chosen(row, run.corpus.vocab, Labels(), _unit(run))


def _unit(run: Run) -> str:
    return "documents" if run.method.model.name == "dpm" else "words"


# ---- runs side by side ---------------------------------------------------------------------------


def nothing_yet(words: str) -> None:
    """What to do where there is nothing to show."""
    st.info(words, icon=":material/info:")
    with st.container(horizontal=True):
        st.page_link("pages/live.py", label="Start runs on Live", icon=":material/monitoring:")
        st.page_link("pages/start.py", label="Start with a sample", icon=":material/play_circle:")


def runs_view() -> None:
    """Curves and the table of all runs that stand on one ground."""
    run_ids = choose_runs()
    if not run_ids:
        nothing_yet("Nothing to compare yet: start two runs, or choose saved ones above.")
        return
    entries = [e for e in map(session.registry().get, run_ids) if e is not None]
    busy = [e for e in entries if e.background.status not in (*ENDED, "paused", "ready")]
    tick = 2 * session.registry().tick_seconds() if busy else None

    @st.fragment(run_every=tick)
    def live() -> None:
        _side_by_side(read_runs(run_ids))
        if busy and all(e.background.status in (*ENDED, "paused") for e in busy):
            st.rerun()

    live()


def _side_by_side(chosen: Sequence[Chosen]) -> None:
    rows = [c.row for c in chosen]
    if not rows:
        st.caption("The first numbers come with the first mini-batch.")
        return
    ground = _choose_ground(rows)
    inside, outside = sort_by_ground(rows, ground)
    if outside:
        reasons = "\n".join(f"- **{plain(row.name)}**: {plain(why)}" for row, why in outside)
        st.info(
            f"Left out, since their scores say nothing about the others:\n{reasons}",
            icon=":material/filter_alt:",
        )
    series = series_of(inside)
    axis, logarithmic = _choose_axis()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("## Held-out log likelihood per word")
        live_figure(
            plots.curves(series, "held-out", axis, logarithmic, is_dark(), text_size()),
            "compare-heldout", plots.HEIGHT,
            "Held-out log likelihood per word of every run compared; last values in the table.",
        )  # fmt: skip
        protocol = PROTOCOLS.get(ground.protocol)
        st.caption(
            (protocol.sentence if protocol else "") + " Look for the line that ends highest, and "
            "for one that gets there with fewer documents or seconds."
        )
    with right:
        st.markdown("## Topics in use")
        live_figure(
            plots.curves(series, "topics", axis, logarithmic, is_dark(), text_size()),
            "compare-topics", plots.HEIGHT,
            "Topics in use of every run compared; last values in the table.",
        )  # fmt: skip
        st.caption("Look for lines that level off: more documents ask for no more topics.")
    _curves_as_table(series)
    _table(inside)


def plain(text: str) -> str:
    """A name inside Markdown, as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]#+.!|<>$:~" else c for c in text)


def _choose_ground(rows: Sequence[Compared]) -> Ground:
    """The split and protocol that most runs share, unless another is asked for."""
    grounds: list[Ground] = []
    for row in rows:
        if not any(why_apart(ground, row.ground) == "" for ground in grounds):
            grounds.append(row.ground)
    counts = [len(sort_by_ground(rows, ground)[0]) for ground in grounds]
    order = sorted(range(len(grounds)), key=lambda i: -counts[i])
    if len(grounds) == 1:
        return grounds[0]

    def words(i: int) -> str:
        g, n = grounds[i], counts[i]
        runs = f"{n} run{'s' if n > 1 else ''}"
        return (
            f"{g.corpus}, {g.n_heldout:,} held out, {protocol_title(g.protocol)}, split "
            f"{g.split[-4:]}: {runs}"
        )

    return grounds[
        st.selectbox("Compare on", order, format_func=words, key=f"compare-ground-{len(grounds)}")
    ]


def series_of(rows: Sequence[Compared]) -> list[Series]:
    """The runs as lines: a method's colour, and a dash of its own for each run of a method."""
    seen: dict[int, int] = {}
    found = []
    for row in rows:
        slot = METHOD_SLOTS[row.method]
        unit = "documents" if row.model == "dpm" else "words"
        found.append(
            Series(
                row.name,
                slot,
                seen.get(slot, 0),
                row.snapshot,
                row.n_docs,
                row.planned,
                row.run_id,
                unit,
            )
        )
        seen[slot] = seen.get(slot, 0) + 1
    return found


def _choose_axis() -> tuple[Axis, bool]:
    with st.container(horizontal=True, vertical_alignment="center"):
        axis: Axis = st.segmented_control(
            "Horizontal axis", AXES, default="documents", required=True,
            key="compare-axis", label_visibility="collapsed",
        )  # fmt: skip
        logarithmic = st.toggle(
            "Logarithmic", key="compare-log", help="Spreads out the start, where most happens."
        )
    return axis, logarithmic


def _curves_as_table(series: Sequence[Series]) -> None:
    def frame() -> pd.DataFrame:
        parts = [
            pd.DataFrame(
                [(s.label, p.docs_seen, p.docs_seen / s.n_docs, round(p.seconds, 3), p.heldout,
                  p.n_topics) for p in s.snapshot.trace],
                columns=["run", "documents", "passes", "seconds", "held-out", "topics in use"],
            )
            for s in series
        ]  # fmt: skip
        return pd.concat(parts) if parts else pd.DataFrame()

    with st.popover("Read as table", icon=":material/table:", type="tertiary"):
        st.dataframe(frame().tail(500), hide_index=True, height=280)
        st.download_button(
            "Download as CSV", lambda: csv_bytes(frame()),
            "bnpexplorer-curves.csv", "text/csv", on_click="ignore", key="compare-curves-csv",
        )  # fmt: skip


def _table(rows: Sequence[Compared]) -> None:
    """Facts and settings, sortable; what differs stands first, shaded and marked."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("## Numbers and settings", width="stretch")
        whole = st.toggle("All settings", key="compare-all-settings")
    frame = pd.DataFrame(table_of(rows, all_settings=True))
    shown = frame if whole else pd.DataFrame(table_of(rows))
    apart, equal = differing([row.settings for row in rows])
    shade = with_alpha(colour(4, is_dark()), 0.22)
    marked: list[Hashable] = [name for name in shown.columns if name.startswith("≠ ")]
    mixed = [name for name in shown.columns if shown[name].map(type).nunique() > 1]
    shown = shown.astype({name: str for name in mixed if name not in FORMATS})
    styled = shown.style.set_properties(subset=marked, **{"background-color": shade})
    config = {name: st.column_config.NumberColumn(format=form) for name, form in FORMATS.items()}
    config["run"] = st.column_config.TextColumn(pinned=True)
    for name in shown.select_dtypes("number").columns.difference(list(FORMATS)):
        config[name] = st.column_config.NumberColumn(format="%g")
    st.dataframe(
        styled, hide_index=True, column_config=config, key="compare-table", placeholder="–"
    )
    settings = rows[0].settings
    words = "Shaded and marked ≠: settings in which these runs differ. " if apart else ""
    same = plain(", ".join(f"{name} {settings[name]}" for name in equal))
    st.caption(
        f"{words}Equal in all: {same}. Seconds are those of learning alone; memory is what the "
        "method has to hold; effective topics are those of equal size that would be as diverse; "
        "coherence is the mean NPMI of the twenty largest topics, known when a run rests."
    )
    st.download_button(
        "Download as CSV", lambda: csv_bytes(frame),
        "bnpexplorer-runs.csv", "text/csv", icon=":material/download:", on_click="ignore",
    )  # fmt: skip
