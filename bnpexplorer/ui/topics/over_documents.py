"""The Topics page's views over documents: over the years, and which topics go together."""

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F32, F64
from ...core.display import percent, style_beside
from ...evaluate import topics_covering
from ...explore.over_documents import Prevalence, correlations, prevalence, side_by_side
from ...explore.periods import PERIODS, Period, suitable_period
from ...explore.sentences import Counted
from ...explore.swing import swing
from ...plots import topics_over as plots
from ...plots.over_time import FAINT
from ...state.moment import Moment
from ..frame import explore_or_study, pages
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.explore import Explored, few_enough, labels_of, proportions, reading
from ..parts.figure import live_figure, read_as_table
from ..parts.in_background import worked_out
from ..parts.topics_choice import chosen_topic, with_words
from .grouping import basis_of, counted_field, explained, undated, weights_of

MOST_LINES, MOST_SQUARES = 6, 30
AT_ONCE = 4000
"""Cells of a table that is sent before somebody opens it."""
CHIPS = style_beside(__file__, "chips.css")


def _prevalence(period: Period, counted: Counted, moment: Moment, shares: F32) -> Prevalence:
    dates, weights = np.asarray(moment.corpus.docs.date), weights_of(moment, counted)
    return prevalence(shares, dates, period, weights, units=moment.corpus.units)


def dates_view(explored: Explored) -> None:
    """How common topics are in each period, with how many documents that rests on."""
    moment = explored.moment
    dates = moment.corpus.docs.date
    if dates is None or np.isnat(dates).all():
        st.info(
            "These texts have no dates. Load them with a date column (Texts, “How the file is "
            "read”), and this view shows which topics come and go over the years.",
            icon=":material/event_busy:",
        )
        pages.link_to("corpus", label="To the Texts page")
        return
    ids = moment.ordered()
    if not ids:
        st.info("Every topic in use is hidden.", icon=":material/visibility_off:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown("## How common topics are over time", width="stretch")
        counted = counted_field(moment)
    st.html(CHIPS)
    usual = suitable_period(dates)
    left, right = st.columns([6, 1])
    start = list(dict.fromkeys([chosen_topic(moment.run_id, ids), *ids]))[:4]
    topics = left.multiselect(
        "Topics",
        ids,
        start,
        max_selections=MOST_LINES,
        format_func=lambda i: with_words(moment, i),
        key=f"topics-lines-{moment.run_id}-{moment.snapshot.step}",
        bind="query-params",
    )
    period: Period = right.selectbox(
        "Period",
        PERIODS,
        PERIODS.index(usual),
        key=f"topics-period-{moment.run_id}",
        bind="query-params",
    )
    if not topics:
        st.caption("Choose at least one topic.")
        return
    shares = proportions(explored.shown)
    if shares is None:
        reading(explored.shown, plots.PREVALENCE_HEIGHT)
        return
    if not few_enough(dates, period):
        return
    found = worked_out(
        moment,
        ("prevalence", period, counted),
        lambda: _prevalence(period, counted, moment, shares),
        "the shares by period",
        plots.PREVALENCE_HEIGHT,
    )
    if found is None:
        return
    _mix_of_labels(explored, period)
    live_figure(
        plots.prevalence_figure(
            moment, found, topics, is_dark(), text_size(), f"share {basis_of(moment, counted).of}"
        ),
        "topics-prevalence",
        plots.PREVALENCE_HEIGHT,
        "The share of the chosen topics by period, and documents by period below; "
        "numbers in the table.",
    )
    read_with = (
        " All documents, held-out ones too, are read with the topics of "
        f"{explored.shown.entry.background.run.passes_said(moment.snapshot.docs_seen)}."
    )
    st.caption(
        "Look for topics that rise or fade together, or at a date you know. "
        f"{explained(moment, counted)} Grey bars count documents, and a period without any is a "
        f"gap.{undated(dates)}{'' if explore_or_study.explores() else read_with}"
        + (FAINT if found.few.any() else "")
    )
    large = len(found.starts) * len(moment.ordered(True)) > AT_ONCE
    read_as_table("topics-prevalence", lambda: _prevalence_table(moment, found), lazy=large)


def _mix_of_labels(explored: Explored, period: Period) -> None:
    """Warn readers where the mix of labels swings, which a topic's share follows."""
    corpus = explored.loaded.corpus
    if not explored.readable or labels_of(corpus) is None:
        return
    found = worked_out(
        explored.moment,
        ("swing", period),
        lambda: (swing(labels_of(corpus), np.asarray(corpus.docs.date), period, corpus.units),),
        "the mix of labels",
    )
    if found and found[0]:
        said = found[0]
        st.warning(
            f"The mix of labels changes: “{plain(said.label)}” has {percent(said.high)} of the "
            f"texts {said.at_high} and {percent(said.low)} {said.at_low}. A topic may rise and "
            "fall with it; *Compare groups* shows how much of a change is the mix.",
            icon=":material/balance:",
        )


def _prevalence_table(moment: Moment, found: Prevalence) -> pd.DataFrame:
    columns = {"from": found.starts.astype(str), "documents": found.n_docs}
    for topic in moment.ordered(True):
        columns[moment.head(topic)] = found.share[:, moment.row[topic]]
    low, high = found.means.interval()
    for topic in moment.ordered(True):
        columns[f"{moment.head(topic)}, at least"] = low[:, moment.row[topic]]
        columns[f"{moment.head(topic)}, at most"] = high[:, moment.row[topic]]
    return pd.DataFrame(columns)


def together_view(explored: Explored) -> None:
    """Which topics share documents, and which avoid each other."""
    moment = explored.moment
    ids = _largest(moment)
    if len(ids) < 2:
        st.info("It takes two topics to go together.", icon=":material/info:")
        return
    shares = proportions(explored.shown)
    if shares is None:
        st.markdown("## Which topics share documents")
        reading(explored.shown, 190 + 14 * len(ids))
        return
    every = worked_out(
        moment,
        ("together",),
        lambda: correlations(shares),
        "which topics go together",
        190 + 14 * len(ids),
    )
    if every is None:
        return
    rows = [moment.row[topic] for topic in ids]
    part = every[np.ix_(rows, rows)]
    order = side_by_side(part)
    ids = [ids[k] for k in order]
    part = part[np.ix_(order, order)]
    left, right = st.columns([10, 10], gap="large")
    with left:
        st.markdown("## Which topics share documents")
        size = text_size()
        live_figure(
            plots.correlation_figure(ids, part, moment.name, is_dark(), size),
            "topics-together",
            190 + 14 * len(ids),
            "Correlations between the largest topics over documents, as a coloured square; the "
            "strongest are in the list beside it and all in the table.",
        )
        st.caption(
            f"Pearson's correlation of the proportions of the {len(ids)} largest topics over "
            f"{moment.corpus.n_docs:,} documents. Topics that go together stand side by "
            "side; columns are in the order of the rows. Blue: together; orange: apart. Shares of "
            "a document sum to 1, so slightly negative ones mean nothing."
        )
        read_as_table("topics-together", lambda: _pairs(moment, ids, part))
    with right:
        pairs = _pairs(moment, ids, part)
        config = {"correlation": st.column_config.NumberColumn(format="%+.2f", width="small")}
        st.markdown("## Most often together")
        st.dataframe(pairs.head(8), hide_index=True, column_config=config)
        st.markdown("## Seldom together")
        st.dataframe(pairs.tail(5)[::-1], hide_index=True, column_config=config)


def _largest(moment: Moment) -> list[int]:
    """Of the topics that together hold 99 %: all shares of smaller ones move as one, by the prior
    alone, and would head the list of those that go together."""
    topics = moment.topics
    large = set(topics.topic_ids[topics.by_size[: topics_covering(topics)]].tolist())
    return [topic for topic in moment.telling() if topic in large][:MOST_SQUARES]


def _pairs(moment: Moment, ids: list[int], part: F64) -> pd.DataFrame:
    first, second = np.triu_indices(len(ids), 1)
    table = pd.DataFrame(
        {
            "correlation": part[first, second],
            "one": [moment.head(ids[k]) for k in first],
            "other": [moment.head(ids[k]) for k in second],
        }
    )
    return table.sort_values("correlation", ascending=False, kind="stable")
