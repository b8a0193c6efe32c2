"""Topics aligned between two runs, or between two moments of one run."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from ...compare import Alignment, Compared, Side, align, side_of_frame, side_of_topics
from ...compare.alignment import NEAR
from ...plots import compare as plots
from ...state.moment import Moment
from ...state.snapshot import Frame
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.figure import csv_bytes, live_figure, read_as_table
from .choice import choose_runs, read_runs
from .side_by_side import nothing_yet

RULE = (
    "Topics are matched one to one so that their Jensen-Shannon distances (0 equal, 1 no word in "
    "common) have the smallest sum; a pair counts as matched if it is nearer than the limit. A "
    "topic is split if two or more topics of the other side have it as their nearest and their "
    "mixture is nearer to it, by 0.03 for each part, than the best of them alone, or if they are "
    "near and equally so; merged is the same the other way round. All others are unmatched. Of two "
    "runs, the largest topics that hold 99 % are compared, by the words learned, without the "
    "prior; of two moments, the 30 heaviest words of each topic."
)


@dataclass(frozen=True, eq=False)
class Named:
    """A side with words for its topics."""

    side: Side
    title: str
    names: tuple[str, ...]
    """Identity or given name, and the heaviest words."""


Sides = tuple[Moment, Named, Named, Hashable]
"""The moment that keeps how two sides are aligned, the sides, and what tells them from others."""


def aligned_view() -> None:
    """Choose two sides, then the heat map, and who became what."""
    chosen = [row for row in read_runs(choose_runs()) if len(row.moment.topics)]
    if not chosen:
        nothing_yet("No topics to align yet: start a run, or choose saved ones above.")
        return
    ways = ["Two runs", "Two moments of one run"] if len(chosen) > 1 else ["Two moments of one run"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = st.segmented_control(
            "Align",
            ways,
            default=ways[0],
            required=True,
            key="align-way",
            bind="query-params",
            persist_state="session",
        )
        near = st.slider(
            "A match is nearer than",
            0.1,
            0.9,
            NEAR,
            0.05,
            key="align-near",
            width=260,
            bind="query-params",
            persist_state="session",
            help="Jensen-Shannon distance. Two runs on the same texts with different seeds often "
            "have their pairs between 0.4 and 0.7.",
        )
    sides = _two_runs(chosen) if way == "Two runs" else _two_moments(chosen)
    if sides is None:
        return
    moment, first, second, key = sides

    def work() -> Alignment:
        with st.spinner("Aligning topics ..."):
            return align(first.side, second.side, near)

    try:
        found = moment.derived(("aligned", key, near), work)
    except ValueError as problem:
        st.error(plain(problem))
        return
    _show(found, first, second)


def _two_runs(chosen: Sequence[Compared]) -> Sides | None:
    left, right = st.columns(2)
    places = range(len(chosen))

    def words(i: int) -> str:
        return chosen[i].name

    key = ",".join(row.run_id for row in chosen)
    i = left.selectbox(
        "First run", places, 0, format_func=words, key=f"align-a-{key}", bind="query-params"
    )
    j = right.selectbox(
        "Second run", places, 1, format_func=words, key=f"align-b-{key}", bind="query-params"
    )
    one, other = chosen[i], chosen[j]
    if i == j:
        st.info("Choose two different runs, or two moments of one.", icon=":material/info:")
        return None
    if one.moment.vocab != other.moment.vocab:
        st.error(
            f"{plain(one.name)} and {plain(other.name)} learned texts with different "
            "words, so their topics cannot be aligned. Choose two runs of one corpus."
        )
        return None
    return one.moment, _of_run(one), _of_run(other), other.moment.at


def _of_run(row: Compared) -> Named:
    side = side_of_topics(row.moment.topics)
    words = [row.moment.heaviest(int(topic), 5).tolist() for topic in side.topic_ids]
    return Named(side, row.name, _names(row.moment, side, words))


def _names(moment: Moment, side: Side, shown: Sequence[Sequence[int]]) -> tuple[str, ...]:
    names = []
    for topic, words in zip(side.topic_ids, shown, strict=True):
        own = set(moment.name(int(topic)).split())
        others = " ".join(moment.vocab[w] for w in words if moment.vocab[w] not in own)
        names.append(f"{moment.head(int(topic))}{f' ({others})' if others else ''}")
    return tuple(names)


def _two_moments(chosen: Sequence[Compared]) -> Sides | None:
    key = ",".join(row.run_id for row in chosen)
    one = chosen[
        st.selectbox(
            "Run",
            range(len(chosen)),
            format_func=lambda i: chosen[i].name,
            key=f"align-run-{key}",
            disabled=len(chosen) == 1,
            bind="query-params",
        )
    ]
    frames = [frame for frame in one.moment.frames if len(frame.topic_ids)]
    if len(frames) < 2:
        st.info("This run has one moment only so far; come back in a while.")
        return None
    moments = {frame.docs_seen: frame for frame in frames}
    early, late = st.select_slider(
        "Moments, by documents seen",
        list(moments),
        (frames[len(frames) // 4].docs_seen, frames[-1].docs_seen),
        format_func=lambda n: f"{n:,}",
        key=f"align-moments-{one.run_id}-{len(frames)}",
        bind="query-params",
    )
    if early == late:
        st.info("Choose two different moments.", icon=":material/info:")
        return None
    words = np.unique(np.concatenate([moments[n].word_ids.ravel() for n in (early, late)]))
    first, second = (_of_frame(one, moments[n], words) for n in (early, late))
    st.caption(
        "Of past moments the 30 heaviest words of a topic are kept; they alone are compared."
    )
    return one.moment, first, second, (early, late)


def _of_frame(row: Compared, frame: Frame, words: np.ndarray) -> Named:
    side = side_of_frame(frame, words)
    place = {int(topic): k for k, topic in enumerate(frame.topic_ids)}
    shown = [frame.words(place[int(topic)], 5) for topic in side.topic_ids]
    title = f"{row.name} at {frame.docs_seen:,} documents"
    return Named(side, title, _names(row.moment, side, shown))


# ---- what was found ------------------------------------------------------------------------------


def _show(found: Alignment, first: Named, second: Named) -> None:
    counts = [len(found.matched), len(found.splits), len(found.merges)]
    st.markdown(
        f"**{counts[0]} matched**, **{counts[1]} split**, **{counts[2]} merged**; "
        f"{len(found.only_first)} only in {plain(first.title)}, "
        f"{len(found.only_second)} only in {plain(second.title)}."
    )
    rows, columns = found.order()
    at_row = {int(i): place for place, i in enumerate(rows)}
    at_column = {int(j): place for place, j in enumerate(columns)}
    marks = [(at_row[i], at_column[j], "matched") for i, j in found.matched]
    marks += [(at_row[g.one], at_column[j], "split") for g in found.splits for j in g.parts]
    marks += [(at_row[i], at_column[g.one], "merged") for g in found.merges for i in g.parts]
    live_figure(
        plots.alignment_figure(
            found.distances[np.ix_(rows, columns)],
            [first.names[i] for i in rows],
            [second.names[j] for j in columns],
            marks,
            (first.title, second.title),
            is_dark(),
            text_size(),
        ),
        "alignment",
        plots.alignment_height(len(rows)),
        "Distances between the topics of both sides, those that belong together along the "
        "diagonal; all distances are in the table.",
    )
    st.caption(
        "Strong colour: nearly the same words. ● matched, ▶ parts of a split topic, ▼ parts that "
        "merged. Look for a clean diagonal (the runs agree), and for what hangs below or beside "
        "its end: topics that one side alone has."
    )
    frame = table(found, first, second)
    st.dataframe(
        frame,
        hide_index=True,
        key="align-table",
        placeholder="–",
        column_config={"distance": st.column_config.NumberColumn(format="%.2f")},
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download as CSV",
            lambda: csv_bytes(frame),
            "bnpexplorer-aligned.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
        read_as_table(
            "alignment",
            lambda: distance_table(found, first, second),
            label="Distances as table",
            lazy=True,
        )
        with st.popover("How this is decided", icon=":material/help:", type="tertiary"):
            st.markdown(RULE)


def distance_table(found: Alignment, first: Named, second: Named) -> pd.DataFrame:
    """The numbers of the heat map, in its order: a row for each topic of the first side."""
    rows, columns = found.order()
    distances = found.distances[np.ix_(rows, columns)].round(4)
    ids, names = second.side.topic_ids, second.names
    heads = [names[j] if names.count(names[j]) == 1 else f"{names[j]} ({ids[j]})" for j in columns]
    frame = pd.DataFrame(distances, columns=pd.Index(heads, dtype=object))
    frame.insert(0, f"{first.title} by {second.title}", [first.names[i] for i in rows])
    return frame


def table(found: Alignment, first: Named, second: Named) -> pd.DataFrame:
    """A row for every relation, splits and merges first."""
    a, b = first.names, second.names
    rows = [
        ("split", a[g.one], " + ".join(b[j] for j in g.parts), g.distance) for g in found.splits
    ]
    rows += [
        ("merged", " + ".join(a[i] for i in g.parts), b[g.one], g.distance) for g in found.merges
    ]
    rows += [("matched", a[i], b[j], float(found.distances[i, j])) for i, j in found.matched]
    nowhere = float("nan")
    rows += [("only in the first", a[i], "", nowhere) for i in found.only_first]
    rows += [("only in the second", "", b[j], nowhere) for j in found.only_second]
    heads = ["relation", f"first: {first.title}", f"second: {second.title}", "distance"]
    return pd.DataFrame(rows, columns=heads)
