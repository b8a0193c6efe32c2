"""The Compare page's first view: runs side by side, their curves and settings.

Curves of other programs behind those of one's runs, from a file that a benchmark wrote.
"""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ...compare import Compared, ScoreGround, differing, why_apart
from ...compare.references import read_references
from ...compare.rows import protocol_title, sort_by_ground, table_of
from ...core.arrays import F64
from ...evaluate import PROTOCOLS
from ...methods import METHODS
from ...plots import compare as plots
from ...plots.live import Axis, Series
from ...plots.style import colour, slots_of, with_alpha
from ...runs.keeping import ENDED
from ..frame import pages, server
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.figure import csv_bytes, live_figure, read_as_table
from ..seam.widgets import ticking
from .choice import choose_runs, read_runs

AXES: list[Axis] = ["documents", "passes", "seconds"]
FORMATS = {
    "held-out": "%.3f",
    "documents": "localized",
    "passes": "%.1f",
    "seconds": "%.1f",
    "documents/s": "%.0f",
    "effective topics": "%.1f",
    "coherence": "%.3f",
    "memory, MB": "%.1f",
}


def nothing_yet(words: str) -> None:
    """Say what to do if there is nothing to show."""
    st.info(words, icon=":material/info:")
    with st.container(horizontal=True):
        pages.link_to("live", label="Start runs on Live")
        pages.link_to("start", label="Start with a sample")


def runs_view() -> None:
    """Curves and the table of all runs that stand on one ground."""
    run_ids = choose_runs()
    if not run_ids:
        nothing_yet("Nothing to compare yet: start two runs, or choose saved ones above.")
        return
    entries = [e for e in map(server.registry().get, run_ids) if e is not None]
    busy = [e for e in entries if e.background.status not in (*ENDED, "paused", "ready")]
    tick = 2 * server.registry().tick_seconds() if busy else None

    @ticking(tick)
    def live() -> None:
        if busy and all(e.background.status in (*ENDED, "paused") for e in busy):
            st.rerun()
        _side_by_side(run_ids)

    live()


def _side_by_side(run_ids: Sequence[str]) -> None:
    rows = read_runs(run_ids)
    if not rows:
        entries = filter(None, (server.registry().get(run_id) for run_id in run_ids))
        if any(entry.background.status not in ENDED for entry in entries):
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
    others = other_programs(ground) if axis == "seconds" else []
    left, right = st.columns(2, gap="large")
    dark, size = is_dark(), text_size()
    with left:
        st.markdown("## Held-out log likelihood per word")
        live_figure(
            plots.curves(series, "held-out", axis, logarithmic, dark, size, others, ground.unigram),
            "compare-heldout",
            plots.HEIGHT,
            "Held-out log likelihood per word of every run compared; last values in the table.",
        )
        protocol = PROTOCOLS.get(ground.protocol)
        st.caption(
            (protocol.sentence if protocol else "") + " Look for the line that ends highest, and "
            "for one that gets there with fewer documents or seconds; what is not above the dotted "
            "line has learned nothing."
        )
    with right:
        st.markdown("## Topics in use")
        live_figure(
            plots.curves(series, "topics", axis, logarithmic, dark, size),
            "compare-topics",
            plots.HEIGHT,
            "Topics in use of every run compared; last values in the table.",
        )
        st.caption("Look for lines that level off: more documents ask for no more topics.")
    _curves_as_table(series)
    _table(inside)


def _choose_ground(rows: Sequence[Compared]) -> ScoreGround:
    """The split and protocol that most runs share, unless another is asked for."""
    grounds: list[ScoreGround] = []
    for row in rows:
        if not any(why_apart(ground, row.ground) == "" for ground in grounds):
            grounds.append(row.ground)
    counts = [len(sort_by_ground(rows, ground)[0]) for ground in grounds]
    order = sorted(range(len(grounds)), key=lambda i: -counts[i])
    if len(grounds) == 1:
        return grounds[0]
    key = "compare-ground-" + "-".join(f"{g.split[-8:]}{g.protocol}" for g in grounds)

    def words(i: int) -> str:
        g, n = grounds[i], counts[i]
        runs = f"{n} run{'s' if n > 1 else ''}"
        return (
            f"{g.corpus}, {g.n_heldout:,} held out, {protocol_title(g.protocol)}, split "
            f"{g.split[-4:]}: {runs}"
        )

    return grounds[
        st.selectbox("Compare on", order, format_func=words, key=key, bind="query-params")
    ]


def series_of(rows: Sequence[Compared]) -> list[Series]:
    """The runs as lines."""
    slots = slots_of([METHODS[row.method].colour for row in rows])
    return [
        Series(row.name, slot, dash, row.moment)
        for row, (slot, dash) in zip(rows, slots, strict=True)
    ]


def _choose_axis() -> tuple[Axis, bool]:
    with st.container(horizontal=True, vertical_alignment="center"):
        axis: Axis = st.segmented_control(
            "Horizontal axis",
            AXES,
            default="documents",
            required=True,
            key="compare-axis",
            label_visibility="collapsed",
            bind="query-params",
            persist_state="session",
        )
        logarithmic = st.toggle(
            "Logarithmic",
            key="compare-log",
            help="Spreads out the start, where most happens.",
            bind="query-params",
            persist_state="session",
        )
    return axis, logarithmic


def _curves_as_table(series: Sequence[Series]) -> None:
    def frame() -> pd.DataFrame:
        parts = [
            pd.DataFrame(
                [
                    (
                        s.label,
                        p.docs_seen,
                        p.docs_seen / s.moment.docs_in_pass,
                        round(p.seconds, 3),
                        p.heldout,
                        p.n_topics,
                    )
                    for p in s.moment.trace
                ],
                columns=["run", "documents", "passes", "seconds", "held-out", "topics in use"],
            )
            for s in series
        ]
        return pd.concat(parts) if parts else pd.DataFrame()

    read_as_table("compare-curves", frame, last=True)


def _table(rows: Sequence[Compared]) -> None:
    """Facts and settings, sortable; what differs stands first, shaded and marked."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("## Numbers and settings", width="stretch")
        whole = st.toggle("All settings", key="compare-all-settings", bind="query-params")
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
        "Download as CSV",
        lambda: csv_bytes(frame),
        "bnpexplorer-runs.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


MOST = 5
"""Curves drawn, the best at the end first: more could not be told apart by their names."""


def other_programs(ground: ScoreGround) -> list[tuple[str, F64, F64]]:
    """Name, seconds and scores of the programs in the file chosen that can be compared."""
    with st.popover("Other programs", icon=":material/compare_arrows:"):
        st.caption(
            "How well other programs did on the same texts and the same held-out documents, in "
            "grey behind your runs: choose the **quality.jsonl** that "
            "`python -m benchmarks.quality FILE` wrote. Its seconds are the processor's."
        )
        file = st.file_uploader("quality.jsonl", type="jsonl", key="compare-other-programs")
    if file is None:
        return []
    try:
        found = read_references(file.getvalue().decode("utf-8").splitlines(), ground)
    except UnicodeDecodeError:
        st.error(f"{plain(file.name)} is not text; choose the file that the benchmark wrote.")
        return []
    except ValueError as problem:
        st.error(f"{plain(file.name)}: {plain(str(problem))}")
        return []
    if not found:
        st.warning(
            f"{plain(file.name)} has no curve of these texts with these documents held out. The "
            "benchmark reads the file as it is and holds out what a run with seed 0 does."
        )
    if len(found) > MOST:
        st.caption(f"Of {len(found)} other programs the {MOST} that end highest.")
    return [(f.program, np.array(f.seconds), np.array(f.scores)) for f in found[:MOST]]
