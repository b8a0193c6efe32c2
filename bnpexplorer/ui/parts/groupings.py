"""What a page groups documents by: their labels, and periods that a figure has room for."""

import streamlit as st

from ...explore.by_label import Labelled, labelled
from ...explore.periods import Column, Period, count

MOST_PERIODS = 3000


@st.cache_resource(show_spinner=False, max_entries=8)
def labels_at(run_id: str, _label: Column | None, n_docs: int) -> Labelled | None:
    """The labels of a run's documents, for those who may read them."""
    return labelled(_label, n_docs)


def few_enough(dates: Column, period: Period) -> bool:
    """Whether there is room for so many periods; says so if not."""
    n_periods = count(dates, period)
    if n_periods > MOST_PERIODS:
        st.warning(f"{n_periods:,} periods are too many to show; choose longer ones.")
    return n_periods <= MOST_PERIODS
