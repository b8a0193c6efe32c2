"""The topics of a run as a table whose rows keep their places for a while."""

import time
from collections.abc import Sequence
from typing import Any

import streamlit as st

from ...corpus.source import plural
from ...evaluate import effective_topics, topics_covering
from ...state.moment import Moment
from ..frame.look import is_dark, is_embedded
from ..frame.session import Shown
from ..frame.words import plain
from ..parts import html
from ..parts.explore import at_rest
from ..parts.run_choice import chosen_place, labels_of, run_field
from .charts import drawn_moment

RESORT_SECONDS = 6.0
"""Topics keep their places this long before they are sorted again, so that rows can be read."""
TOPICS_OF = "view-run"
"""The field that asks whose topics are listed."""


def chosen_run(runs: Sequence[Shown]) -> int:
    """The place of the run whose topics are listed."""
    return chosen_place(runs, TOPICS_OF)


def _stable_order(moment: Moment, settled: bool) -> list[int]:
    """`Moment.ordered`, sorted anew only every few seconds; new ones join at the end until then."""
    now = moment.ordered()
    kept: dict[str, Any] = st.session_state.setdefault("topic-order", {})
    when, order = kept.get(moment.run_id, (0.0, []))
    if settled or time.monotonic() - when > RESORT_SECONDS:
        order = now
        kept[moment.run_id] = (time.monotonic(), order)
    there, before = set(now), set(order)
    steady = [i for i in order if i in there] + [i for i in now if i not in before]
    return sorted(steady, key=lambda i: i not in moment.labels.pinned)


def largest_topics(shown: Shown, most: int) -> None:
    """The table alone, without ways to elsewhere."""
    moment = drawn_moment(shown)
    if moment is None or not moment.in_use:
        st.caption("No topics yet: they appear here with the first mini-batch.")
        return
    order = _stable_order(moment, shown.entry.background.ended)
    st.html(html.CSS + html.topic_table(moment, order[:most], is_dark()))


def topic_list(runs: Sequence[Shown]) -> int:
    """The topics of one run as a table; returns the place of the run that the person chose."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("## Topics, largest first", width="stretch")
        place = run_field("Topics of", runs, TOPICS_OF)
        how_many = st.segmented_control(
            "Topics shown",
            ["10", "20", "all"],
            default="10",
            required=True,
            key="view-topics",
            bind="query-params",
            label_visibility="collapsed",
        )
    moment = drawn_moment(runs[place])
    if moment is None or not moment.in_use:
        st.caption("No topics yet: they appear here with the first mini-batch.")
        return place
    order = _stable_order(moment, runs[place].entry.background.ended)
    # Only of a run at rest: in a table that is drawn anew every second no button keeps its focus.
    leads = at_rest(runs[place]) and not is_embedded()
    n = len(order) if how_many == "all" else int(how_many)
    st.html(html.topic_table(moment, order[:n], is_dark(), leads))
    n_hidden = len(moment.in_use) - len(order)
    left_off = f" {n_hidden:,} hidden on the Topics page." if n_hidden else ""
    evenness, since = effective_topics(moment.topics), html.new_since(moment)
    st.caption(
        f"{plain(labels_of(runs)[place])}: {plural(len(moment.in_use), 'topic')} in "
        f"use; 99 % of the {moment.unit} are in {topics_covering(moment.topics):,}, and all are as "
        f"diverse as {plural(round(evenness), 'topic')} of equal size. Slanted and underlined: a "
        f"word that entered the list since {since:,} documents had been seen. Rows keep their "
        f"places for {RESORT_SECONDS:.0f} seconds at a time; the number is the topic's "
        f"identity.{' A name leads to its topic.' if leads else ''}{left_off}"
    )
    return place
