"""The Topics page's view of groups of documents: labels, two of them, two times, or all periods."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F32
from ...explore.change import Changes, ChangeTurn, changes, turns
from ...explore.choosing import Filter, between
from ...explore.mix import Compared
from ...explore.periods import PERIODS, Column, Period, count, in_words, last_day, suitable_period
from ...explore.sentences import Counted, Sentence, Sides, change_sentence, turn_sentence, with_mix
from ...plots import labels as plots
from ...state.moment import Moment
from ..frame import access, pages
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.explore import (
    MOST_PERIODS,
    Explored,
    few_enough,
    labels_of,
    proportions,
    proportions_read,
    reading,
)
from ..parts.figure import live_figure, read_as_table
from ..parts.in_background import worked_out
from ..parts.shortage import say_too_little
from ..parts.to_topics import lead_to_documents
from .changed_words import changed_words_view
from .grouping import at_first, basis_of, counted_field, undated, units_of_chance, weights_of
from .labels import labels_view
from .mixed import labels_between, mixes_of
from .quoted import WAY, Side, evidence, nothing_turned, quoted
from .two_sides import TwoSides, two_labels, two_times

ROWS, SENTENCES, TURNS = 16, 4, 12
WAYS = {
    "every": "All labels",
    "labels": "Between two labels",
    "dates": "Between two times",
    "found": "Found by itself",
}


def _turns(
    asked: tuple[Period, Counted, tuple[int, ...]], moment: Moment, shares: F32, dates: Column
) -> list[ChangeTurn]:
    period, counted, ids = asked
    columns = [moment.row[topic] for topic in ids]
    weights = weights_of(moment, counted)
    return turns(shares, dates, period, columns, weights, units=moment.corpus.units)


def _changes(
    counted: Counted, ids: tuple[int, ...], moment: Moment, shares: F32, sides: TwoSides
) -> Changes:
    columns = [moment.row[topic] for topic in ids]
    weights = weights_of(moment, counted)
    units = moment.corpus.units
    return changes(shares, sides.before, sides.after, weights, units=units, columns=columns)


def turns_ahead(moment: Moment) -> None:
    """What changed as the view has it at first, for a thread: of 60,000 documents by day, with 100
    topics, it takes 0.3 s, and the documents are to be read before."""
    shares, dates, ids = proportions_read(moment), moment.corpus.docs.date, tuple(moment.telling())
    if shares is not None and ids and dates is not None and not np.isnat(dates).all():
        period = suitable_period(dates)
        if count(dates, period) <= MOST_PERIODS:
            asked = period, at_first(moment), ids
            moment.derived(("turns", *asked), lambda: _turns(asked, moment, shares, dates))


def groups_view(explored: Explored) -> None:
    """All labels, or what rose and fell, as a figure, as sentences and with paragraphs."""
    moment, dates = explored.moment, explored.moment.corpus.docs.date
    dated = dates is not None and not np.isnat(dates).all()
    ids = tuple(moment.telling())
    if not ids:
        st.info("Every topic in use is hidden.", icon=":material/visibility_off:")
        return
    labelled = explored.readable and labels_of(explored.loaded.corpus) is not None
    if explored.readable and not dated and not labelled:
        st.info(
            "These texts have neither dates nor labels that differ. Load them with a column of "
            "dates such as 2014-03-05, or of outlets, parties or sections as the label (Texts, "
            "“How the file is read”), and this view shows what changed.",
            icon=":material/event_busy:",
        )
        pages.link_to("corpus", label="To the Texts page")
        return
    ways = [way for way in WAYS if dated or way in ("every", "labels")]
    way = st.segmented_control(
        "Compare",
        ways,
        default="found" if dated and not labelled else "every",
        required=True,
        key=WAY,
        format_func=WAYS.__getitem__,
        label_visibility="collapsed",
        bind="query-params",
        persist_state="session",
    )
    if not dated:
        st.caption("Times are compared where texts have dates, written such as 2014-03-05.")
    if way == "every":
        labels_view(explored)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown("## What changed", width="stretch")
        counted = counted_field(moment)
    shares = proportions(explored.shown)
    if shares is None:
        reading(explored.shown, 400)
        return
    if way == "found" and dates is not None:
        _found_by_itself(explored, shares, dates, counted, ids)
        return
    sides = two_times(explored, dates) if way == "dates" and dates is not None else None
    sides = two_labels(explored) if way == "labels" else sides
    if sides is not None:
        _between(explored, shares, sides, counted, ids)


# ---- from one period to the next -----------------------------------------------------------------


def _found_by_itself(
    explored: Explored, shares: F32, dates: Column, counted: Counted, ids: tuple[int, ...]
) -> None:
    moment = explored.moment
    key = f"topics-changed-period-{moment.run_id}"
    period: Period = st.selectbox(
        "From one period to the next",
        PERIODS,
        PERIODS.index(suitable_period(dates)),
        key=key,
        bind="query-params",
        width=260,
    )
    if not few_enough(dates, period):
        return
    asked = period, counted, ids
    found = worked_out(
        moment,
        ("turns", *asked),
        lambda: _turns(asked, moment, shares, dates),
        "what changed from one period to the next",
        400,
    )
    if found is None:
        return
    if not found:
        nothing_turned(explored, dates, period, key)
        return
    basis = basis_of(moment, counted)
    told = [turn_sentence(moment.name(_id(moment, t)), t, period, basis) for t in found]
    labels = labels_of(explored.loaded.corpus) if explored.readable else None

    def compared() -> list[Compared]:
        rows = {
            day: _period_side(dates, day, period)[1] for t in found for day in (t.earlier, t.later)
        }
        return [(t.column, rows[t.earlier], rows[t.later]) for t in found]

    causes = mixes_of(moment, asked, counted, lambda: shares, compared, labels, found[0].n_compared)
    said = [
        (turn, with_mix(sentence, mix, labels, counted))
        for turn, sentence, mix in zip(found, told, causes or [None] * len(told), strict=True)
    ]
    for place, (turn, sentence) in enumerate(said[:TURNS]):
        quoted(sentence)
        both = [_period_side(dates, day, period) for day in (turn.earlier, turn.later)]
        evidence(explored, shares, _id(moment, turn), both, f"turn-{place}")
    st.caption(
        f"The surest changes from each period to the next one that has documents: of every "
        f"{moment.noun} the surest rise and the surest fall. {_how_sure(moment, counted)}"
        f"{undated(dates)}"
    )
    read_as_table("topics-turns", lambda: _turns_table(said))


def _id(moment: Moment, turn: ChangeTurn) -> int:
    """The identity of the topic in a column of the proportions."""
    return int(moment.topics.topic_ids[turn.column])


def _period_side(dates: Column, day: np.datetime64, period: Period) -> Side:
    since, until = str(day), str(last_day(day, period))
    name = in_words(day, period)
    return name, between(dates, len(dates), since, until), Filter(since=since, until=until)


def _how_sure(moment: Moment, counted: Counted, labels: bool = False) -> str:
    seems = "seems to differ" if labels else "seems to change"
    what = "every word counts the same" if counted == "words" else "every document counts the same"
    return (
        f"Shares are means in which {what}; {units_of_chance(moment)}, and all comparisons "
        f"hold together with 95 % certainty, so that of many topics none {seems} by luck. "
        f"All documents are read with the same {moment.noun}s, those of now, and intervals take "
        "these as given: another run finds others."
    )


def _turns_table(said: Sequence[tuple[ChangeTurn, Sentence]]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            (s.text, s.detail, str(t.earlier), str(t.later), t.before, t.after, t.sure)
            for t, s in said
        ],
        columns=["sentence", "detail", "from", "to", "before", "after", "at least"],
    )


# ---- between two sets of documents ---------------------------------------------------------------


def _between(
    explored: Explored, shares: F32, sides: TwoSides, counted: Counted, ids: tuple[int, ...]
) -> None:
    moment = explored.moment
    found = worked_out(
        moment,
        ("changes", explored.readable, sides.asked, counted, ids),
        lambda: _changes(counted, ids, moment, shares, sides),
        "what changed between the two",
        400,
    )
    if found is None:
        return
    shown, called = found.order[:ROWS].tolist(), sides.called
    live_figure(
        plots.change_figure(
            [moment.name(ids[k]) for k in shown],
            [ids[k] for k in shown],
            found,
            shown,
            called,
            is_dark(),
            text_size(),
        ),
        "topics-changes",
        plots.rows_height(len(shown)),
        "How much each topic rose or fell, with intervals, the surest first; numbers in the table.",
        on_click=lambda topic: lead_to_documents(
            moment, int(topic), sides.asked[_where_more(found, ids.index(int(topic)))]
        ),
    )
    n_sure = int((found.sure != 0.0).sum())
    did, what = ("differ", "difference") if called.labels else ("changed", "change")
    right = f"Dots on the right: {plain(called.ahead(True))}. " if called.labels else ""
    st.caption(
        f"{right}{n_sure} of {len(ids)} {moment.noun}s {did} surely (full dots), the surest on "
        f"top: ranked by the end of the interval that is nearest to no {what}. "
        f"{_how_sure(moment, counted, called.labels)}"
        + ("" if called.labels else undated(moment.corpus.docs.date))
    )
    read_as_table("topics-changes", lambda: _changes_table(moment, found, ids, called))
    st.markdown("## In sentences")
    basis = basis_of(moment, counted)
    both: list[Side] = [
        (called.before, sides.before, sides.asked[0]),
        (called.after, sides.after, sides.asked[1]),
    ]
    told = [k for k in found.order.tolist() if found.sure[k]][: 2 * SENTENCES]
    labels, two = labels_between(explored, sides), called if called.labels else None
    causes = mixes_of(
        moment,
        (sides.asked, ids, tuple(told)),
        counted,
        lambda: shares,
        lambda: [(moment.row[ids[k]], sides.before, sides.after) for k in told],
        labels,
        found.n_compared,
    )
    for k, mix in zip(told, causes or [None] * len(told), strict=True):
        sentence = change_sentence(moment.name(ids[k]), found, k, called, basis)
        quoted(with_mix(sentence, mix, labels, counted, two))
        evidence(explored, shares, ids[k], both, f"change-{ids[k]}")
    if not n_sure:
        none = "differs" if called.labels else did
        st.caption(f"No {moment.noun} {none} surely, so there is nothing to quote.")
        say_too_little(moment.corpus)
    st.markdown("## In words")
    if explored.readable:
        changed_words_view(explored, sides)
    else:
        st.info(access.WORDS_FOR_ITS_OWNER, icon=":material/lock:")


def _where_more(found: Changes, k: int) -> int:
    """On which side there is more of column k: 0 before, 1 after."""
    return int(found.after[k] >= found.before[k])


def _changes_table(
    moment: Moment, found: Changes, ids: Sequence[int], called: Sides
) -> pd.DataFrame:
    order, (before, after) = found.order, called.heads
    return pd.DataFrame(
        {
            "topic": [moment.head(ids[k]) for k in order],
            "words": [moment.name(ids[k]) for k in order],
            before: found.before[order],
            after: found.after[order],
            "difference" if called.labels else "change": found.change[order],
            "at least": found.low[order],
            "at most": found.high[order],
            "sure": found.sure[order] != 0.0,
        }
    )
