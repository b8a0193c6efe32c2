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
from ..frame.words import plain
from ..parts.explore import Explored, labels_of

FIRST, LAST = np.datetime64(date.min), np.datetime64(date.max)
"""Days that a field for dates can hold; saved runs may have others."""


@dataclass(frozen=True, eq=False)
class TwoSides:
    """Two sets of documents, each with at least one and none in common."""

    asked: tuple[Filter, Filter]
    before: Bools
    """bool (D,)"""
    after: Bools
    called: Sides


def _known(dates: Column) -> Column:
    """The dates that a field can hold, in order."""
    known: Column = np.sort(dates[(dates >= FIRST) & (dates <= LAST)])
    return known


def half_way(known: Column) -> np.datetime64 | None:
    """The day from which on the later half of sorted dates is; None if all are one."""
    if not len(known):
        return None
    first, middle = known[0], known[len(known) // 2]
    later = known[known > first]
    cut: np.datetime64 | None = middle if middle > first else later[0] if len(later) else None
    return cut


def halves(explored: Explored, dates: Column) -> TwoSides | None:
    """The earlier half of the documents and the later; None if all have one date."""
    known = _known(dates)
    cut = half_way(known)
    if cut is None:
        return None
    day = np.timedelta64(1, "D")
    first, last, end = (str(d.astype("datetime64[D]")) for d in (known[0], known[-1], cut))
    asked = Filter(since=first, until=str(np.datetime64(end) - day)), Filter(since=end, until=last)
    return _sides(explored, asked, Sides(asked[0].period, asked[1].period))


def two_times(explored: Explored, dates: Column) -> TwoSides | None:
    """Ask for two ranges of dates: at first the earlier half of the documents, and the later."""
    known = _known(dates)
    cut = half_way(known)
    if cut is None:
        st.info(too_few_dates(dates), icon=":material/event_busy:")
        return None
    first, last = known[0], known[-1]
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
            persist_state="session",
        )
        days[name] = str(picked)
    asked = (
        Filter(since=days["before-from"], until=days["before-to"]),
        Filter(since=days["after-from"], until=days["after-to"]),
    )
    return _sides(explored, asked, Sides(asked[0].period, asked[1].period))


def too_few_dates(dates: Column) -> str:
    """Why there are no two times to compare, and what to do; nothing where there are."""
    known, n_docs = _known(dates), len(dates)
    if half_way(known) is not None:
        return ""
    todo = " Compare two labels, or load texts of other days."
    if len(known) < 2:
        words = "Only one" if len(known) else "None"
        return f"{words} of these {n_docs:,} texts has a date to compare.{todo}"
    if len(known) < n_docs:
        return f"All {len(known):,} texts that have a date have the same one.{todo}"
    return f"All these texts have the same date.{todo}"


def two_labels(explored: Explored) -> TwoSides | None:
    """Ask for two labels: at first the two with most documents."""
    if not explored.readable:
        st.info(access.FOR_ITS_OWNER, icon=":material/lock:")
        return None
    corpus = explored.loaded.corpus
    labels = labels_of(corpus)
    if labels is None:
        st.info(
            "These texts have no labels, or all the same one. Load them with a column of outlets, "
            "parties or sections as the label (Texts, “How the file is read”), or compare times.",
            icon=":material/label_off:",
        )
        return None
    left, right = st.columns(2)
    run_id = explored.moment.run_id
    one, other = (
        column.selectbox(
            words,
            labels.names,
            place,
            key=f"topics-{key}-{run_id}",
            bind="query-params",
            persist_state="session",
        )
        for place, (column, words, key) in enumerate(
            [(left, "One label", "one-label"), (right, "Another", "other-label")]
        )
    )
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
            st.warning(f"There is no document from {plain(name)}.", icon=":material/info:")
            return None
    return TwoSides(asked, before, after, called)
