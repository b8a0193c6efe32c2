"""The Topics page's map of the texts: every document a point, near those with the same topics."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F32, F64, I64
from ...corpus.corpus import Column
from ...explore.atlas import LANDMARKS, LayingOut, inside, regions
from ...explore.by_label import text_of
from ...explore.naming import title_of
from ...explore.working import Shared
from ...plots import atlas as plots
from ...plots.style import percent
from ...state.moment import Moment
from ..frame import pages
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.explore import SHORT, Explored, proportions, reading
from ..parts.figure import live_figure
from ..parts.tables import read_as_table
from ..parts.topics_choice import with_words
from ..seam.ticking import ticking

LAYOUTS = Shared[LayingOut](kept=4)
COLOURS = {"topic": "By topic", "label": "By label", "date": "By date"}
READ = 8
"""Documents of an outline that are listed."""
OUTLINE, OPENED = "atlas-outline", "documents-row"
Outline = dict[str, list[float]]


def atlas_view(explored: Explored) -> None:
    """The map, coloured by topic, label or date; what an outline holds below it."""
    moment = explored.moment
    st.markdown("## Every text, near those with the same topics")
    if moment.corpus.n_docs < 3:
        st.info("It takes three texts to draw a map.", icon=":material/info:")
        return
    shares = proportions(explored.shown)
    if shares is None:
        reading(explored.shown, plots.HEIGHT)
        return
    layout = LAYOUTS.get(moment.at, lambda: LayingOut(shares))
    # What is held here is not begun again, however many tabs look at other moments.
    st.session_state.setdefault("atlas-held", {})[moment.run_id] = layout
    layout.wait(SHORT)
    by = _colours(explored)
    if layout.found is not None:
        _draw(explored, layout.found, shares, by)
    if layout.found is None or not layout.ended:
        _under_way(layout)  # below the map, which stays where it is when this has gone
    if layout.found is not None:
        _outlined(explored, layout.found, shares)


def _colours(explored: Explored) -> str:
    dated = explored.moment.corpus.docs.date is not None
    known = {"topic": True, "label": _labels(explored) is not None, "date": dated}
    ways = [way for way in COLOURS if known[way]]
    if len(ways) < 2:
        return "topic"
    return st.segmented_control(
        "Coloured",
        ways,
        default="topic",
        required=True,
        key="atlas-colours",
        format_func=COLOURS.__getitem__,
        label_visibility="collapsed",
        bind="query-params",
        persist_state="session",
    )


def _under_way(layout: LayingOut) -> None:
    """How far the map is; the page is drawn anew with each round, and where it failed."""
    if layout.error:
        st.error(f"The map could not be drawn: {plain(layout.error)}", icon=":material/error:")
        return
    n_done = layout.n_done

    @ticking(0.7)
    def progress() -> None:
        if layout.n_done > n_done or layout.ended:
            st.rerun()
        st.progress(
            (layout.n_done + 0.5) / layout.n_rounds,
            f"Laying out the texts, round {layout.n_done + 1} of {layout.n_rounds}; "
            "you may leave the page meanwhile",
        )

    progress()


def _draw(explored: Explored, places: F32, shares: F32, by: str) -> None:
    moment = explored.moment
    home = regions(places, shares)
    ids = [int(topic) for topic in moment.topics.topic_ids.tolist()]
    largest_first = sorted(home, key=lambda k: -home[k].n_docs)
    shown = [k for k in largest_first if ids[k] not in moment.labels.unseen]
    names = {(home[k].x, home[k].y): moment.name(ids[k]) for k in shown}
    groups, years = None, None
    if by == "topic":
        groups = _by_topic(moment, shares, largest_first)
    elif by == "label":
        groups = _by_label(_labels(explored))
    else:
        years = _years(moment)
    outline = _outline(moment)
    chosen = None if outline is None else inside(places, *_corners(outline))
    live_figure(
        plots.atlas_figure(
            places, _hover(explored), groups, years, names, is_dark(), text_size(), chosen
        ),
        "topics-atlas",
        plots.HEIGHT,
        "Map of the texts: each is a point, near those with the same topics; the table has them.",
        on_click=_open if explored.readable else None,
        on_outline=partial(_keep_outline, moment.at),
    )
    few = f"{LANDMARKS:,} of the texts are laid out by t-SNE, the others lie beside them. "
    reads = "Click a point to read its text. " if explored.readable else ""
    st.caption(
        f"{reads}Choose the lasso or the box above the map to pick out a part. "
        f"{few if moment.corpus.n_docs > LANDMARKS else 'Laid out by t-SNE. '}"
        "Near points have much the same topics; how far apart two regions lie means little. "
        "Names stand where a topic's texts are densest."
    )
    read_as_table("topics-atlas", lambda: _table(explored, places, shares))


def _by_topic(moment: Moment, shares: F32, largest_first: Sequence[int]) -> plots.Groups:
    group = np.full(shares.shape[1], len(largest_first), np.int64)
    group[list(largest_first)] = np.arange(len(largest_first))
    topics = [int(moment.topics.topic_ids[k]) for k in largest_first]
    names, looks = [moment.name(i) for i in topics], [moment.look(i) for i in topics]
    return plots.topic_groups(group[shares.argmax(axis=1)], looks, names, is_dark())


def _labels(explored: Explored) -> Column | None:
    """The documents' labels where this tab may read them: object (D,)."""
    return explored.loaded.corpus.docs.label if explored.readable else None


def _by_label(labels: Column | None) -> plots.Groups:
    found = np.array([*map(text_of, () if labels is None else labels)], object)
    codes, values = pd.factorize(found)
    order = np.argsort(-np.bincount(codes), kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    names = [str(values[k]) or "no label" for k in order]
    return plots.label_groups(place[codes], names, is_dark())


def _years(moment: Moment) -> F64:
    assert moment.corpus.docs.date is not None
    days = moment.corpus.docs.date.astype("datetime64[D]")
    years = 1970.0 + days.astype(np.int64) / 365.2425
    return np.where(np.isnat(days), np.nan, years)


def _hover(explored: Explored) -> list[str]:
    """A line for every document: its title where this tab may read it, else its number."""
    n_docs = explored.moment.corpus.n_docs
    if not explored.readable:
        return [f"document {row + 1:,}" for row in range(n_docs)]
    return _titles(explored.moment.run_id, explored.loaded.corpus)


@st.cache_resource(show_spinner=False, max_entries=4)
def _titles(run_id: str, _corpus: Any) -> list[str]:
    return [title_of(_corpus, row, plots.TITLE) for row in range(_corpus.n_docs)]


def _open(row: int) -> None:
    """The next script run turns to the document."""
    st.session_state[OPENED] = int(row)
    st.session_state["atlas-go"] = True


def _outline(moment: Moment) -> Outline | None:
    """What this tab has drawn on the map of this very moment: another one lies differently."""
    at, outline = st.session_state.get(OUTLINE, (None, None))
    return outline if at == moment.at else None


def _keep_outline(at: tuple[str, int], outline: Outline) -> None:
    st.session_state[OUTLINE] = (at, outline)


def _forget_outline() -> None:
    st.session_state.pop(OUTLINE, None)


def _corners(outline: Outline) -> tuple[F64, F64]:
    return np.asarray(outline["x"], np.float64), np.asarray(outline["y"], np.float64)


def _outlined(explored: Explored, places: F32, shares: F32) -> None:
    """What the texts in the outline have in common, and the first of them."""
    if st.session_state.pop("atlas-go", False):
        pages.go_to("documents")
    moment, outline = explored.moment, _outline(explored.moment)
    if outline is None:
        return
    rows = np.flatnonzero(inside(places, *_corners(outline)))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"### {len(rows):,} texts in the outline", width="stretch")
        st.button(
            "Let go of the outline",
            icon=":material/close:",
            type="tertiary",
            key="atlas-forget",
            on_click=_forget_outline,
        )
    if not len(rows):
        return
    left, right = st.columns(2, gap="large")
    with left:
        st.dataframe(_shares_table(moment, shares, rows), hide_index=True, width="stretch")
    with right:
        if explored.readable:
            _first_of(explored, shares, rows)


def _shares_table(moment: Moment, shares: F32, rows: I64) -> pd.DataFrame:
    """The largest topics among the texts of an outline, beside their share in all texts."""
    here, everywhere = shares[rows].mean(axis=0), shares.mean(axis=0)
    top = np.argsort(-here, kind="stable")[:READ]
    return pd.DataFrame(
        {
            "topic": [with_words(moment, int(moment.topics.topic_ids[k])) for k in top],
            "share here": [percent(float(here[k]), 1) for k in top],
            "in all texts": [percent(float(everywhere[k]), 1) for k in top],
        }
    )


def _first_of(explored: Explored, shares: F32, rows: I64) -> None:
    """The texts of an outline nearest to its mean, to open at a click."""
    mean = shares[rows].mean(axis=0)
    order = np.argsort(-(np.sqrt(shares[rows]) @ np.sqrt(mean)), kind="stable")
    st.caption("Most typical of them:")
    for row in rows[order[:READ]].tolist():
        st.button(
            plain(title_of(explored.loaded.corpus, row, 80)),
            key=f"atlas-open-{row}",
            type="tertiary",
            on_click=_open,
            args=(row,),
        )


def _table(explored: Explored, places: F32, shares: F32) -> pd.DataFrame:
    moment, largest = explored.moment, shares.argmax(axis=1)
    ids = moment.topics.topic_ids[largest].tolist()
    return pd.DataFrame(
        {
            "document": np.arange(1, len(places) + 1),
            "title": _hover(explored),
            "largest topic": [moment.name(int(i)) for i in ids],
            "its share": shares[np.arange(len(shares)), largest],
            "x": places[:, 0],
            "y": places[:, 1],
        }
    )
