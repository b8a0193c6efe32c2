"""The Topics page's map of the texts: every document a point, near those with the same topics."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F32, F64, I64
from ...core.html import Markup, joined
from ...corpus import Corpus
from ...explore.atlas import LANDMARKS, LayingOut, Region, evenly, largest_topics, regions
from ...explore.documents import title_of
from ...explore.periods import Labelled
from ...plots import atlas as plots
from ...plots.style import shortened, written
from ...state.moment import Moment
from ..frame import explore_or_study
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.explore import SHORT, Explored, labels_of, proportions, reading
from ..parts.figure import HoverTexts, live_figure, read_as_table
from ..parts.in_background import worked_out
from ..seam.widgets import ticking
from . import atlas_outline as outline

MOST_POINTS = 20_000
"""Of a map: 500,000 points were 42 MB to send, and 15 s to draw in a browser."""
COLOURS = {"topic": "By topic", "label": "By label", "date": "By date"}


def atlas_view(explored: Explored) -> None:
    """The map, coloured by topic, label or date; beside it what an outline holds."""
    moment = explored.moment
    st.markdown("## Every text, near those with the same topics")
    if moment.corpus.n_docs < 3:
        st.info("It takes three texts to draw a map.", icon=":material/info:")
        return
    shares = proportions(explored.shown)
    if shares is None:
        reading(explored.shown, plots.HEIGHT)
        return
    layout = moment.derived("layout", lambda: LayingOut(shares))
    layout.wait(SHORT)
    places, n_done = layout.found, layout.n_done
    left, right = st.columns([7, 3], gap="large")
    with left:
        by = _colours(explored)
        home = None
        if places is not None:
            home = worked_out(
                moment,
                ("regions", n_done),
                lambda: regions(places, shares),
                "where each topic is at home, of the texts",
                plots.HEIGHT,
            )
        else:
            st.container(height=plots.HEIGHT, border=False)
        if places is not None and home is not None:
            _draw(explored, places, shares, home, by)
        if places is None or not layout.ended:
            _under_way(layout, n_done)  # below the map, which stays where it is when this has gone
    if places is not None and home is not None:
        with right:
            outline.beside(explored, places, shares, home)


def _largest(moment: Moment, shares: F32) -> I64:
    return moment.derived("largest topics", lambda: largest_topics(shares))


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


def _under_way(layout: LayingOut, n_done: int) -> None:
    """How far the map is; the page is drawn anew with each round, and where it failed."""
    if layout.error:
        st.error(f"The map could not be drawn: {plain(layout.error)}", icon=":material/error:")
        return

    @ticking(0.7)
    def progress() -> None:
        if layout.n_done > n_done or layout.ended:
            outline.forget()  # other texts lie there now
            st.rerun()
        st.progress(
            (layout.n_done + 0.5) / layout.n_rounds,
            f"Laying out the texts, round {layout.n_done + 1} of {layout.n_rounds}; "
            "you may leave the page meanwhile",
        )

    progress()


def _draw(
    explored: Explored, places: F32, shares: F32, home: Mapping[int, Region], by: str
) -> None:
    moment, dark = explored.moment, is_dark()
    largest_first = sorted(home, key=lambda k: -home[k].n_docs)
    groups, years = None, None
    if by == "topic":
        groups = _by_topic(moment, _largest(moment, shares), largest_first)
    elif by == "label":
        groups = _by_label(_labels(explored))
    else:
        years = _years(moment)
    inks = groups.inks if by == "topic" and groups is not None else ()
    drawn = evenly(len(places), MOST_POINTS)
    live_figure(
        plots.atlas_figure(
            places,
            groups,
            years,
            _names(moment, home, largest_first, inks),
            dark,
            text_size(),
            outline.inside_it(moment, places),
            outline.corners(moment),
            drawn,
        ),
        "topics-atlas",
        plots.HEIGHT,
        "Map of the texts: each is a point, near those with the same topics; the table has them.",
        on_click=(lambda row: outline.read(explored, places, shares, int(row)))
        if explored.readable
        else None,
        on_outline=lambda drawn: outline.keep(moment, drawn),
        texts=_hover(explored, drawn),
    )
    if by == "label" and groups is not None:
        _key(groups)
    by_tsne = "Laid out by t-SNE. "
    if moment.corpus.n_docs > LANDMARKS:
        by_tsne = f"{LANDMARKS:,} of the texts are laid out by t-SNE, the others lie beside them. "
    if explore_or_study.explores():
        by_tsne = ""
    thinned = ""
    if len(drawn) < len(places):
        thinned = (
            f"Drawn are {len(drawn):,} of the {len(places):,} texts, taken evenly; outlines and "
            "numbers count all. "
        )
    reads = "Click a point to read its text. " if explored.readable else ""
    st.caption(
        f"{reads}{thinned}Near points have much the same topics; how far apart two regions lie "
        f"means little. {by_tsne}"
        "Names stand where a topic's texts are densest, as many as there is room for."
    )
    read_as_table(
        "topics-atlas",
        lambda: _table(explored, places, shares, len(places)),
        lazy=True,
        rows=(len(places), lambda n: _table(explored, places, shares, n)),
    )


def _names(
    moment: Moment, home: Mapping[int, Region], largest_first: Sequence[int], inks: Sequence[str]
) -> list[plots.Name]:
    """Names of the topics that are shown, the largest first, with their colour if they have it."""
    found, telling = [], set(moment.telling())
    for place, k in enumerate(largest_first):
        topic = int(moment.topics.topic_ids[k])
        if topic in telling:
            ink = inks[place] if place < len(inks) else ""
            found.append(plots.Name(home[k].x, home[k].y, moment.name(topic), ink))
    return found


def _by_topic(moment: Moment, largest: I64, largest_first: Sequence[int]) -> plots.Groups:
    group = np.full(len(moment.topics), len(largest_first), np.int64)
    group[list(largest_first)] = np.arange(len(largest_first))
    topics = [int(moment.topics.topic_ids[k]) for k in largest_first]
    names, looks = [moment.name(i) for i in topics], [moment.look(i) for i in topics]
    return plots.topic_groups(group[largest], looks, names, is_dark())


def _labels(explored: Explored) -> Labelled | None:
    """The documents' labels where this tab may read them."""
    if not explored.readable:
        return None
    corpus = explored.loaded.corpus
    return labels_of(corpus)


def _by_label(labels: Labelled | None) -> plots.Groups:
    assert labels is not None
    return plots.label_groups(labels.codes, labels.names, is_dark())


def _key(groups: plots.Groups) -> None:
    """Which colour is whose: labels have no place of their own where a name could stand."""
    name_in_ink = Markup(
        '<span style="white-space:nowrap"><span style="color:{}">●</span> {}</span>'
    )
    lines: list[str] = [
        name_in_ink.format(ink, shortened(name))
        for ink, name in zip(groups.inks, groups.names, strict=False)
    ]
    others = len(groups.names) > len(groups.inks) or bool((groups.of < 0).any())
    st.html(joined([*lines, "grey: others" if others else ""], Markup(" &ensp; ")))


def _years(moment: Moment) -> F64:
    assert moment.corpus.docs.date is not None
    days = moment.corpus.docs.date.astype("datetime64[D]")
    years = 1970.0 + days.astype(np.int64) / 365.2425
    return np.where(np.isnat(days), np.nan, years)


def _hover(explored: Explored, drawn: I64) -> HoverTexts:
    """What every point says: its title where this tab may read it, else its number."""
    corpus, readable = explored.loaded.corpus, explored.readable
    return corpus.derived(
        ("hover texts", readable, len(drawn)), lambda: _lines(readable, corpus, drawn)
    )


def _lines(readable: bool, corpus: Corpus, drawn: I64) -> HoverTexts:
    """By the number of the document; those that are not drawn say nothing."""
    lines = [""] * corpus.n_docs
    for row in drawn.tolist():
        title = title_of(corpus, row, plots.TITLE) if readable else ""
        lines[row] = written(title, plots.TITLE) if readable else f"document {row + 1:,}"
    return HoverTexts.of(lines)


def _table(explored: Explored, places: F32, shares: F32, n: int) -> pd.DataFrame:
    """Of the first `n` documents."""
    moment, n_docs = explored.moment, min(n, len(places))
    places, largest = places[:n_docs], _largest(explored.moment, shares)[:n_docs]
    ids = moment.topics.topic_ids[largest].tolist()
    corpus = explored.loaded.corpus
    return pd.DataFrame(
        {
            "document": np.arange(1, n_docs + 1),
            "title": [title_of(corpus, row, plots.TITLE) for row in range(n_docs)],
            "largest topic": [moment.name(int(i)) for i in ids],
            "its share": shares[np.arange(n_docs), largest],
            "x": places[:, 0],
            "y": places[:, 1],
        }
    )
