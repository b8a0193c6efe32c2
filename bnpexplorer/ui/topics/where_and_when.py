"""Topics page, one topic on one screen: its line through time, and its share by label."""

import numpy as np
import streamlit as st

from ...core.arrays import F32
from ...explore.by_label import Labelled
from ...explore.means import Means, group_means
from ...explore.over_documents import Prevalence, prevalence
from ...explore.periods import Column, suitable_period
from ...explore.sentences import Counted
from ...plots import labels as dots
from ...plots.over_time import SMALL, Line, one_line
from ...plots.style import topic_colour
from ...state.moment import Moment
from ..frame.look import is_dark, text_size
from ..parts.explore import Explored
from ..parts.figure import live_figure
from ..parts.groupings import labels_at
from ..parts.in_background import worked_out
from ..parts.to_documents import lead_to_documents
from .counting import basis_of, counted_now, weights_of
from .labels import documents_of

LABELS, AROUND = 5, 56
"""Labels with a row of their own, and pixels around the rows."""


@st.cache_resource(show_spinner=False, max_entries=4)
def _through_time(
    at: tuple[str, int], counted: Counted, _moment: Moment, _shares: F32, _dates: Column
) -> Prevalence:
    """All topics."""
    weights = weights_of(_moment, counted)
    period = suitable_period(_dates)
    return prevalence(_shares, _dates, period, weights, units=_moment.corpus.units)


@st.cache_resource(show_spinner=False, max_entries=64)
def _by_label(
    at: tuple[str, int],
    counted: Counted,
    topic: int,
    _moment: Moment,
    _shares: F32,
    _drawn: Labelled,
) -> Means:
    """One topic."""
    column, weights = [_moment.row[topic]], weights_of(_moment, counted)
    n_labels, units = len(_drawn.names), _moment.corpus.units
    return group_means(_shares, _drawn.codes, n_labels, weights, units, column)


def time_line(found: Explored, topic: int, shares: F32) -> None:
    """The topic's share by period; nothing where texts have no dates, or all one period."""
    moment, dates = found.moment, found.moment.corpus.docs.date
    if dates is None or np.isnat(dates).all():
        return
    counted = counted_now(moment)
    known = worked_out(
        moment.corpus.n_docs,
        ("time line", moment.at, counted),
        lambda: _through_time(moment.at, counted, moment, shares, dates),
        "the share by period",
        SMALL,
    )
    if known is None or len(known.starts) < 2:
        return
    k, ink = moment.row[topic], topic_colour(moment.look(topic), is_dark())
    low, high = (end[:, 0] for end in known.means.interval(columns=[k]))
    line = Line(moment.name(topic), ink, known.share[:, k], low, high)
    st.caption(f"Share {basis_of(moment, counted).of} by {suitable_period(dates)}")
    shown = (known.starts, line, is_dark(), text_size())
    live_figure(
        lambda: one_line(*shown),
        "topics-about-time",
        SMALL,
        "The topic's share by period, with 95 % intervals; the view Over time has the numbers.",
        same=shown,
    )


def by_label(found: Explored, topic: int, shares: F32) -> None:
    """The topic's share in the largest labels; a dot leads to the documents behind it."""
    moment, corpus = found.moment, found.loaded.corpus
    labels = labels_at(moment.run_id, corpus.docs.label, corpus.n_docs) if found.readable else None
    if labels is None:
        return
    drawn = labels.folded(LABELS)
    counted = counted_now(moment)
    means = worked_out(
        moment.corpus.n_docs,
        ("by label", moment.at, counted, topic),
        lambda: _by_label(moment.at, counted, topic, moment, shares, drawn),
        "the share by label",
        dots.rows_height(len(drawn.names), AROUND),
    )
    if means is None:
        return
    low, high = (end[:, 0] for end in means.interval())
    shown = (
        drawn.names,
        drawn.n_docs.tolist(),
        means.mean[:, 0],
        low,
        high,
        f"share {basis_of(moment, counted).of}",
        topic_colour(moment.look(topic), is_dark()),
        is_dark(),
        text_size() - 2,
    )
    live_figure(
        lambda: dots.label_dots(*shown),
        "topics-about-label",
        dots.rows_height(len(drawn.names), AROUND),
        "The topic's share in the texts of the largest labels, with 95 % intervals; the view By "
        "label has the numbers.",
        on_click=lambda row: lead_to_documents(
            moment, topic, documents_of(labels, drawn, int(row))
        ),
        same=shown,
    )
