"""The Topics page's views over documents: over the years, and which topics go together."""

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F32, F64
from ...core.beside import style_beside
from ...explore.over_documents import Prevalence, correlations, prevalence, side_by_side
from ...explore.periods import PERIODS, Period, count, suitable_period
from ...plots import topics_over as plots
from ...state.moment import Moment
from ..frame import pages
from ..frame.look import is_dark, text_size
from ..parts.explore import Explored, proportions, reading
from ..parts.figure import live_figure
from ..parts.tables import read_as_table
from ..parts.topics_choice import chosen_topic, with_words

MOST_LINES, MOST_SQUARES, MOST_PERIODS = 6, 30, 3000
CHIPS = style_beside(__file__, "chips.css")


@st.cache_resource(show_spinner=False, max_entries=16)
def _prevalence_at(at: tuple[str, int], period: Period, _shares: F32, _dates: object) -> Prevalence:
    return prevalence(_shares, np.asarray(_dates), period)


@st.cache_resource(show_spinner=False, max_entries=8)
def _correlations_at(at: tuple[str, int], _shares: F32) -> F64:
    return correlations(_shares)


def dates_view(explored: Explored) -> None:
    """How common topics are in each period, with how many documents that rests on."""
    moment = explored.moment
    dates = moment.corpus.docs.date
    if dates is None or np.isnat(dates).all():
        st.info(
            "These texts have no dates. Load them with a date column (Corpus, “How the file is "
            "read”), and this view shows which topics come and go over the years.",
            icon=":material/event_busy:",
        )
        pages.link_to("corpus", label="To the Corpus page")
        return
    ids = moment.ordered()
    if not ids:
        st.info("Every topic in use is hidden.", icon=":material/visibility_off:")
        return
    st.markdown("## How common topics are over time")
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
    if (n_periods := count(dates, period)) > MOST_PERIODS:
        st.warning(f"{n_periods:,} periods are too many to draw; choose longer ones.")
        return
    found = _prevalence_at(moment.at, period, shares, dates)
    live_figure(
        plots.prevalence_figure(moment, found, topics, is_dark(), text_size()),
        "topics-prevalence",
        plots.PREVALENCE_HEIGHT,
        "Mean share of the chosen topics in documents by period, and documents by period below; "
        "numbers in the table.",
    )
    undated = f" {found.n_undated:,} without a date are left aside." if found.n_undated else ""
    st.caption(
        "Look for topics that rise or fade together, or at a date you know. "
        f"Every document counts the same, long or short; the shade is a 95 % interval, wide where "
        f"documents are few (grey bars), and a period without any is a gap.{undated} All documents "
        f"are read with the topics as they stood at {moment.snapshot.docs_seen:,} documents seen, "
        "held-out ones too."
    )
    read_as_table("topics-prevalence", lambda: _prevalence_table(moment, found))


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
    ids = moment.ordered()[:MOST_SQUARES]
    if len(ids) < 2:
        st.info("It takes two topics to go together.", icon=":material/info:")
        return
    shares = proportions(explored.shown)
    if shares is None:
        st.markdown("## Which topics share documents")
        reading(explored.shown, 190 + 14 * len(ids))
        return
    every = _correlations_at(moment.at, shares)
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
