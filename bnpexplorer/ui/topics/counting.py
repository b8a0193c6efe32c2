"""What counts the same in a mean share, every word or every document, and how that is said."""

import streamlit as st

from ...core.arrays import F64
from ...explore.sentences import Basis, Counted
from ...state.moment import Moment

WORDS: dict[Counted, str] = {"words": "Every word counts", "documents": "Every document counts"}


def counted_field(key: str) -> Counted:
    """Ask for it; by words at first, since that is what most sentences say."""
    counted: Counted = st.segmented_control(
        "What counts the same",
        list(WORDS),
        default="words",
        required=True,
        key=key,
        format_func=WORDS.__getitem__,
        bind="query-params",
        persist_state="session",
        help="By words a long text weighs more than a short one.",
    )
    return counted


def weights_of(moment: Moment, counted: str) -> F64 | None:
    """float64 (D,) the weights of documents; None where all are equal."""
    return moment.corpus.doc_lengths.astype(float) if counted == "words" else None


def basis_of(moment: Moment, counted: Counted) -> Basis:
    return Basis(counted, moment.mixture, moment.noun)


def explained(moment: Moment, counted: Counted) -> str:
    """Which share it is, and what its interval is, in sentences."""
    what = {
        "words": "The share is of all words that count, so that long texts weigh more.",
        "documents": "The share is the mean over documents, long or short.",
    }[counted]
    return (
        f"{what} Intervals are for 95 %, each alone, with documents as units: they are wide where "
        "documents are few."
    )
