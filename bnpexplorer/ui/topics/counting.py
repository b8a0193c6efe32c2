"""What counts the same in a mean share, every word or every document, and how that is said."""

import numpy as np
import streamlit as st

from ...core.arrays import F64
from ...corpus.source import plural
from ...explore.columns import lengths_of
from ...explore.periods import Column
from ...explore.sentences import Basis, Counted
from ...state.moment import Moment

KEY = "topics-counted"
EARLIER = ("topics-changed-counted", "topics-label-counted", "topics-word-counted")
"""What the views called it when each asked for itself: addresses of then say so."""
WORDS: dict[Counted, str] = {"words": "Every word counts", "documents": "Every document counts"}


def at_first(moment: Moment) -> Counted:
    """By words, since that is what most sentences say; clusters hold documents."""
    return "documents" if moment.mixture else "words"


def usual(moment: Moment) -> Counted:
    """As an address of earlier says, else as at first."""
    asked = {st.query_params.get(name) for name in EARLIER}
    found = next((counted for counted in WORDS if counted in asked), None)
    # Kept, since the address forgets it on another page.
    kept: Counted | None = st.session_state.setdefault("topics-counted-before", found)
    return kept or at_first(moment)


def counted_now(moment: Moment) -> Counted:
    """What was chosen, for views that do not ask."""
    counted: Counted = st.session_state.get(KEY) or usual(moment)
    return counted


def counted_field(moment: Moment) -> Counted:
    """Ask for it; all views of topics have the same answer, so that they show the same numbers."""
    counted: Counted = st.segmented_control(
        "What counts the same",
        list(WORDS),
        default=usual(moment),
        required=True,
        key=KEY,
        format_func=WORDS.__getitem__,
        bind="query-params",
        persist_state="session",
        help="By words a long text weighs more than a short one.",
    )
    return counted


def weights_of(moment: Moment, counted: str) -> F64 | None:
    """float64 (D,) the weights of documents; None where all are equal."""
    return lengths_of(moment.corpus).astype(float) if counted == "words" else None


def basis_of(moment: Moment, counted: Counted) -> Basis:
    return Basis(counted, moment.mixture, moment.noun)


def explained(moment: Moment, counted: Counted) -> str:
    """Which share it is, and what its interval is, in sentences."""
    what = {
        "words": "The share is of all words that count, so that long texts weigh more.",
        "documents": "The share is the mean over documents, long or short.",
    }[counted]
    return (
        f"{what} Intervals are for 95 %, each alone: {units_of_chance(moment)}, and they are wide "
        "where these are few."
    )


def units_of_chance(moment: Moment) -> str:
    """What is counted as independent, for the middle of a sentence."""
    units = moment.corpus.units
    if units is None:
        return "documents are the units of chance"
    return (
        f"the units of chance are {int(units.max()) + 1:,} different texts, since passages of a "
        "text and repeated texts count as one"
    )


def undated(dates: Column | None) -> str:
    """How many documents are left aside where dates are compared; a sentence to add, or nothing."""
    n = 0 if dates is None else int(np.isnat(dates).sum())
    return (
        f" {plural(n, 'document')} without a date {'is' if n == 1 else 'are'} left aside."
        if n
        else ""
    )
