"""Asking for two sets of documents to compare: before and after, or two labels."""

from dataclasses import dataclass
from datetime import date

import numpy as np
import streamlit as st

from ...core.arrays import Bools
from ...explore.choosing import Filter, chosen
from ...explore.periods import Column
from ...explore.sentences import Sides
from ..frame import access
from ..parts.explore import Explored
from .labels import labels_at


@dataclass(frozen=True, eq=False)
class TwoSides:
    """Two sets of documents, each with at least one and none in common."""

    asked: tuple[Filter, Filter]
    before: Bools
    """bool (D,)"""
    after: Bools
    called: Sides


def half_way(dates: Column) -> np.datetime64 | None:
    """The day from which on the later half of the documents is; None if all have one date."""
    known = np.sort(dates[~np.isnat(dates)])
    first, middle = known[0], known[len(known) // 2]
    later = known[known > first]
    cut: np.datetime64 | None = middle if middle > first else later[0] if len(later) else None
    return cut


def halves(explored: Explored, dates: Column) -> TwoSides | None:
    """The earlier half of the documents and the later; None if all have one date."""
    cut = half_way(dates)
    if cut is None:
        return None
    known = dates[~np.isnat(dates)]
    day = np.timedelta64(1, "D")
    first, last, end = (str(d.astype("datetime64[D]")) for d in (known.min(), known.max(), cut))
    asked = Filter(since=first, until=str(np.datetime64(end) - day)), Filter(since=end, until=last)
    return _sides(explored, asked, Sides(asked[0].period, asked[1].period))


def two_times(explored: Explored, dates: Column) -> TwoSides | None:
    """Ask for two ranges of dates: at first the earlier half of the documents, and the later."""
    known = dates[~np.isnat(dates)]
    first, last, cut = known.min(), known.max(), half_way(dates)
    if cut is None:
        st.info("All these texts have the same date.", icon=":material/event_busy:")
        return None
    starts = {
        "before-from": first,
        "before-to": cut - np.timedelta64(1, "D"),
        "after-from": cut,
        "after-to": last,
    }
    run_id = explored.moment.run_id
    days = {}
    for column, (name, day) in zip(st.columns(4), starts.items(), strict=True):
        side, end = name.split("-")
        picked = column.date_input(
            f"{side.capitalize()}: {end}",
            date.fromisoformat(str(day)),
            min_value=date.fromisoformat(str(first)),
            max_value=date.fromisoformat(str(last)),
            key=f"topics-{name}-{run_id}",
            bind="query-params",
        )
        days[name] = str(picked)
    asked = (
        Filter(since=days["before-from"], until=days["before-to"]),
        Filter(since=days["after-from"], until=days["after-to"]),
    )
    return _sides(explored, asked, Sides(asked[0].period, asked[1].period))


def two_labels(explored: Explored) -> TwoSides | None:
    """Ask for two labels: at first the two with most documents."""
    if not explored.readable:
        st.info(access.FOR_ITS_OWNER, icon=":material/lock:")
        return None
    corpus = explored.loaded.corpus
    labels = labels_at(explored.moment.run_id, corpus.docs.label, corpus.n_docs)
    if labels is None:
        st.info("These texts have no labels, or all the same one.", icon=":material/label_off:")
        return None
    left, right = st.columns(2)
    run_id = explored.moment.run_id
    one = left.selectbox("One label", labels.names, 0, key=f"topics-one-label-{run_id}")
    other = right.selectbox("Another", labels.names, 1, key=f"topics-other-label-{run_id}")
    if one == other:
        st.caption("Choose two different labels.")
        return None
    return _sides(explored, (Filter((one,)), Filter((other,))), Sides(one, other, True))


def _sides(explored: Explored, asked: tuple[Filter, Filter], called: Sides) -> TwoSides | None:
    """Both sides, unless one has no document or one document stands on both: then it says so."""
    corpus = explored.loaded.corpus
    before, after = (chosen(corpus, side, None, ()) for side in asked)
    if np.any(before & after):
        st.warning(
            "The two ranges share documents; let the first end before the second begins.",
            icon=":material/info:",
        )
        return None
    for rows, name in ((before, called.before), (after, called.after)):
        if not rows.any():
            st.warning(f"There is no document from {name}.", icon=":material/info:")
            return None
    return TwoSides(asked, before, after, called)
