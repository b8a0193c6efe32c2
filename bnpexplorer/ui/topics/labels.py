"""The Topics page's view of labels: which topics are at home where, and when."""

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F32
from ...core.display import plural
from ...explore.choosing import Filter
from ...explore.means import Means, group_means
from ...explore.over_documents import Prevalence, prevalence
from ...explore.periods import PERIODS, Column, Labelled, Period, suitable_period
from ...explore.sentences import Counted
from ...plots import labels as plots
from ...plots.over_time import HEIGHT, TimeLine, faint_said, lines_over_time
from ...plots.style import colour, topic_colour
from ...state.moment import Moment
from ..frame import access, pages
from ..frame.look import is_dark, text_size
from ..parts.explore import Explored, few_enough, labels_of, proportions, reading
from ..parts.figure import live_figure, read_as_table
from ..parts.in_background import worked_out
from ..parts.to_topics import lead_to_documents
from ..parts.topics_choice import topic_field
from .grouping import basis_of, counted_field, explained, weights_of

COLUMNS, LINES = 14, 6
LEAST = 0.005
"""A topic with less than this share in every label has no column, which would be blank."""


def _means(counted: Counted, moment: Moment, shares: F32, labels: Labelled) -> Means:
    weights = weights_of(moment, counted)
    return group_means(shares, labels.codes, len(labels.names), weights, moment.corpus.units)


def _by_period(
    asked: tuple[Period, Counted, int, tuple[str, ...]],
    moment: Moment,
    shares: F32,
    labels: Labelled,
    dates: Column,
) -> list[Prevalence]:
    """Of one topic, and each of some labels: all over the same periods."""
    period, counted, topic, names = asked
    column, units = [moment.row[topic]], moment.corpus.units
    weights = weights_of(moment, counted)
    known = ~np.isnat(dates)
    found = []
    for name in names:
        mine = known & (labels.codes == labels.names.index(name))
        found.append(prevalence(shares, dates, period, weights, mine, units, column))
    return found


def labels_view(explored: Explored) -> None:
    """Topics by label, and one topic by label, all the time and through time."""
    moment = explored.moment
    if not explored.readable:
        st.info(access.FOR_ITS_OWNER, icon=":material/lock:")
        return
    corpus = explored.loaded.corpus
    labels = labels_of(corpus)
    if labels is None:
        st.info(
            "These texts have no labels, or all the same one. Load them with a column of outlets, "
            "parties or sections as the label (Texts, “How the file is read”), and this view "
            "shows which topics are at home where.",
            icon=":material/label_off:",
        )
        pages.link_to("corpus", label="To the Texts page")
        return
    ids = moment.ordered()
    if not ids:
        st.info("Every topic in use is hidden.", icon=":material/visibility_off:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown("## Which topics are at home where", width="stretch")
        counted = counted_field(moment)
    shares = proportions(explored.shown)
    if shares is None:
        reading(explored.shown, 400)
        return
    drawn = labels.folded()
    key = ("shares by label", explored.readable, counted)
    found = worked_out(
        moment,
        (*key, len(drawn.names)),
        lambda: _means(counted, moment, shares, drawn),
        "the shares by label",
        400,
    )
    if found is None:
        return
    _all_topics(moment, labels, drawn, found, ids)
    st.caption(
        "Look for a square of strong colour in a faint row: the stronger, the larger the share of "
        f"the topic in the texts of the label, in percent. Click it to read them, best "
        f"first. {explained(moment, counted)}" + unlabelled(labels.n_unlabelled)
    )
    read_as_table(
        "topics-labels",
        lambda: _table(
            moment,
            labels,
            moment.derived(
                (*key, len(labels.names)), lambda: _means(counted, moment, shares, labels)
            ),
        ),
        lazy=True,
    )
    st.markdown("## One topic by label")
    topic = topic_field(moment, ids)
    _one_topic(moment, labels, drawn, found, topic, counted)
    dates = corpus.docs.date
    if dates is not None and not np.isnat(dates[labels.codes >= 0]).all():
        _through_time(explored, labels, shares, dates, topic, counted)


def unlabelled(n: int) -> str:
    """Return how many documents are left aside since they have no label; a sentence, or nothing."""
    left = f" {plural(n, 'document')} without a label {'is' if n == 1 else 'are'} left aside."
    return left if n else ""


def documents_of(labels: Labelled, drawn: Labelled, row: int) -> Filter:
    """The documents behind a row of a figure, of which the last may be all other labels."""
    name = drawn.names[row]
    if name in labels.names:
        return Filter((name,))
    return Filter(but=drawn.names[:-1])


def _all_topics(
    moment: Moment, labels: Labelled, drawn: Labelled, found: Means, ids: list[int]
) -> None:
    visible = [i for i in ids if np.nanmax(found.mean[:, moment.row[i]], initial=0.0) >= LEAST]
    shown = (visible or ids)[:COLUMNS]
    columns = [moment.row[topic] for topic in shown]
    low, high = (end[:, columns] for end in found.interval())

    def read(place: list[int]) -> None:
        lead_to_documents(moment, int(place[1]), documents_of(labels, drawn, int(place[0])))

    live_figure(
        plots.label_heatmap(
            drawn.names,
            drawn.n_docs.tolist(),
            [(topic, moment.name(topic)) for topic in shown],
            found.mean[:, columns],
            low,
            high,
            is_dark(),
            text_size(),
        ),
        "topics-labels",
        plots.rows_height(len(drawn.names), 170),
        "The share of the largest topics in the texts of each label; numbers in the table.",
        on_click=read,
    )


def _table(moment: Moment, labels: Labelled, found: Means) -> pd.DataFrame:
    """All labels and topics: share, interval, documents."""
    low, high = found.interval()
    ids = moment.ordered(True)
    columns = [moment.row[topic] for topic in ids]
    return pd.DataFrame(
        {
            "label": np.repeat(np.array(labels.names, object), len(ids)),
            "documents": np.repeat(labels.n_docs, len(ids)),
            "topic": [moment.head(topic) for topic in ids] * len(labels.names),
            "share": found.mean[:, columns].ravel(),
            "at least": low[:, columns].ravel(),
            "at most": high[:, columns].ravel(),
        }
    )


def _one_topic(
    moment: Moment, labels: Labelled, drawn: Labelled, found: Means, topic: int, counted: Counted
) -> None:
    """Its share in each label with intervals; and a way to the documents without a mouse."""
    k = moment.row[topic]
    low, high = (end[:, k] for end in found.interval())

    def read(row: int) -> None:
        lead_to_documents(moment, topic, documents_of(labels, drawn, int(row)))

    live_figure(
        plots.label_dots(
            drawn.names,
            drawn.n_docs.tolist(),
            found.mean[:, k],
            low,
            high,
            f"share {basis_of(moment, counted).of}",
            topic_colour(moment.look(topic), is_dark()),
            is_dark(),
            text_size(),
        ),
        "topics-label-one",
        plots.rows_height(len(drawn.names)),
        "The share of one topic in the texts of each label, with intervals.",
        on_click=read,
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Label", labels.names, key=f"topics-label-read-{moment.run_id}")
        st.button(
            "Read the documents",
            icon=":material/article:",
            key="topics-label-go",
            on_click=lead_to_documents,
            args=(moment, topic, Filter((name,))),
        )


def _through_time(
    explored: Explored, labels: Labelled, shares: F32, dates: Column, topic: int, counted: Counted
) -> None:
    moment = explored.moment
    st.markdown("## The same topic by label through time")
    left, right = st.columns([6, 1])
    names = left.multiselect(
        "Labels",
        labels.names,
        labels.names[: min(4, LINES)],
        max_selections=LINES,
        key=f"topics-label-lines-{moment.run_id}",
        bind="query-params",
        persist_state="session",
    )
    usual = suitable_period(dates)
    period: Period = right.selectbox(
        "Period",
        PERIODS,
        PERIODS.index(usual),
        key=f"topics-label-period-{moment.run_id}",
        bind="query-params",
    )
    if not names:
        st.caption("Choose at least one label.")
        return
    if not few_enough(dates, period):
        return
    asked = period, counted, topic, tuple(names)
    found = worked_out(
        moment,
        ("shares by label and period", explored.readable, *asked),
        lambda: _by_period(asked, moment, shares, labels, dates),
        "the share by label and period",
        HEIGHT,
    )
    if found is None:
        return
    lines = []
    for place, (name, one) in enumerate(zip(names, found, strict=True)):
        low, high = one.means.interval()
        ink = colour(place, is_dark())
        lines.append(TimeLine(name, ink, one.share[:, 0], low[:, 0], high[:, 0], one.few))
    live_figure(
        lines_over_time(
            found[0].starts,
            np.sum([one.n_docs for one in found], axis=0),
            lines,
            f"share {basis_of(moment, counted).of}",
            is_dark(),
            text_size(),
        ),
        "topics-label-time",
        HEIGHT,
        "The share of one topic by period, a line for each label; numbers in the table.",
    )
    st.caption(
        "A gap is a period in which a label has no document. The shade is a 95 % interval, wide "
        "where documents are few; bars count the documents of all labels shown." + faint_said(lines)
    )
    read_as_table(
        "topics-label-time",
        lambda: pd.concat(
            [
                pd.DataFrame(
                    {
                        "from": one.starts.astype(str),
                        "label": name,
                        "documents": one.n_docs,
                        "share": one.share[:, 0],
                    }
                )
                for name, one in zip(names, found, strict=True)
            ]
        ),
    )
