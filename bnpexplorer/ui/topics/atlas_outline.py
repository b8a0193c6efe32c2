"""Beside the map of texts: what an outline holds, and the way to its documents.

Whoever uses no mouse, or a phone, picks out the region of a topic from a list instead of drawing
around it, and reads single texts from the list of the most typical ones.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F32, F64, I64, Bools
from ...core.display import plural
from ...explore.atlas import BLOCK, Region, inside
from ...explore.choosing import Filter, picked
from ...explore.documents import title_of
from ...plots.style import percent, shortened
from ...state.moment import Moment
from ..frame.words import plain
from ..parts.explore import Explored
from ..parts.to_topics import lead_to_documents
from ..parts.topics_choice import with_words

OUTLINE = "atlas-outline"
LISTED = 6
"""Topics and documents of an outline that are listed."""
Outline = dict[str, list[float]]


def keep(moment: Moment, outline: Outline) -> None:
    """From now on this is what the tab has drawn on the map of this very moment."""
    st.session_state[OUTLINE] = (moment.at, outline)


def forget() -> None:
    """Let go of it."""
    st.session_state.pop(OUTLINE, None)


def corners(moment: Moment) -> tuple[F64, F64] | None:
    """Of the outline; None where there is none.

    That of another moment is none: the texts lie differently there.
    """
    at, outline = st.session_state.get(OUTLINE, (None, None))
    if at != moment.at:
        return None
    return np.asarray(outline["x"], np.float64), np.asarray(outline["y"], np.float64)


def inside_it(moment: Moment, places: F32) -> Bools | None:
    """Which documents at `places` (D, 2) the outline holds: bool (D,); None without one."""
    around = corners(moment)
    return None if around is None else inside(places, *around)


def _asked(rows: I64, n_docs: int) -> Filter:
    return Filter(picked=picked(rows, n_docs))


def read(explored: Explored, places: F32, shares: F32, row: int) -> None:
    """A callback that leads to a document, beside those of the outline if it is one of them."""
    moment, chosen = explored.moment, inside_it(explored.moment, places)
    topic = int(moment.topics.topic_ids[shares[row].argmax()])
    asked = None
    if chosen is not None and chosen[row]:
        asked = _asked(np.flatnonzero(chosen), len(chosen))
    lead_to_documents(moment, topic, asked, row=row)


def beside(explored: Explored, places: F32, shares: F32, home: Mapping[int, Region]) -> None:
    """What the texts in the outline have in common, and the first of them; without one, how to
    draw it."""
    chosen = inside_it(explored.moment, places)
    if chosen is None:
        st.markdown("### Pick out a part")
        st.caption("Draw around it with the box or the lasso above the map, or take a region:")
        _region_field(explored.moment, home)
        return
    rows = np.flatnonzero(chosen)
    st.markdown(f"### {plural(len(rows), 'text')} in the outline")
    with st.container(horizontal=True, vertical_alignment="center"):
        if explored.readable and len(rows):
            _read_all(explored.moment, shares, rows)
        st.button(
            "Let go of it",
            icon=":material/close:",
            type="tertiary",
            key="atlas-forget",
            on_click=forget,
        )
    _region_field(explored.moment, home)
    if len(rows):
        st.dataframe(_shares_table(explored.moment, shares, rows), hide_index=True, width="stretch")
        if explored.readable:
            _first_of(explored, places, shares, rows)


def _region_field(moment: Moment, home: Mapping[int, Region]) -> None:
    """A list of regions, of which one becomes the outline."""
    there = {int(moment.topics.topic_ids[k]): region for k, region in home.items()}
    key = "atlas-region"
    st.session_state[key] = None  # the outline shows what was taken, and may be drawn over

    def take() -> None:
        region = there.get(st.session_state[key])
        if region is not None:
            (left, low), (right, high) = region.low, region.high
            keep(moment, {"x": [left, right, right, left], "y": [low, low, high, high]})

    st.selectbox(
        "The region of a topic",
        [topic for topic in moment.telling() if topic in there],
        index=None,
        key=key,
        placeholder="The region of a topic",
        label_visibility="collapsed",
        format_func=lambda topic: with_words(moment, topic),
        on_change=take,
    )


def _read_all(moment: Moment, shares: F32, rows: I64) -> None:
    topic = int(moment.topics.topic_ids[mean_of(shares, rows).argmax()])
    st.button(
        "Read this text" if len(rows) == 1 else f"Read these {len(rows):,} texts",
        icon=":material/article:",
        key="atlas-read",
        on_click=lead_to_documents,
        args=(moment, topic, _asked(rows, len(shares))),
        help="The Documents page lists, searches and exports only these until you let them go.",
    )


def mean_of(shares: F32, rows: I64) -> F32:
    """The mean shares of some documents: float32 (K,); an outline may hold nearly all."""
    parts = [rows[begin : begin + BLOCK] for begin in range(0, len(rows), BLOCK)]
    if len(parts) == 1:
        return np.asarray(shares[rows].mean(axis=0), np.float32)
    sums = sum(shares[part].sum(axis=0, dtype=np.float64) for part in parts)
    return np.asarray(sums / len(rows), np.float32)


def _shares_table(moment: Moment, shares: F32, rows: I64) -> pd.DataFrame:
    """The largest topics among the texts of an outline, beside their share in all texts."""
    here = mean_of(shares, rows)
    everywhere = moment.derived("mean shares", lambda: np.asarray(shares.mean(axis=0), np.float32))
    top = np.argsort(-here, kind="stable")[:LISTED]
    return pd.DataFrame(
        {
            "topic": [shortened(moment.head(int(moment.topics.topic_ids[k])), 22) for k in top],
            "share here": [percent(float(here[k]), 1) for k in top],
            "in all texts": [percent(float(everywhere[k]), 1) for k in top],
        }
    )


def _first_of(explored: Explored, places: F32, shares: F32, rows: I64) -> None:
    """The texts of an outline nearest to its mean, to open at a click."""
    mean = mean_of(shares, rows)
    like = np.concatenate(
        [np.sqrt(shares[rows[i : i + BLOCK]]) @ np.sqrt(mean) for i in range(0, len(rows), BLOCK)]
    )
    order = np.argsort(-like, kind="stable")
    st.caption("Most typical of them:")
    with st.container(gap=None):
        for row in rows[order[:LISTED]].tolist():
            st.button(
                plain(title_of(explored.loaded.corpus, row, 60)),
                key=f"atlas-open-{row}",
                type="tertiary",
                on_click=read,
                args=(explored, places, shares, row),
            )
