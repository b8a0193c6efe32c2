"""The ways from other pages to the Topics page: to what a run found, and to one topic of it."""

from collections.abc import Sequence

import streamlit as st

from ...core.beside import text_beside
from ..frame import look, pages
from ..frame.session import Shown
from ..seam.set_widgets import set_widget
from .run_choice import EXPLORED, turn_to
from .topics_choice import choose_topic

VIEW, FIRST_VIEW, TREE_VIEW = "topics-view", "Topics", "Tree"
"""The field of the Topics page that asks for a view, and two of these."""

_rows = st.components.v2.component(
    "bnpexplorer_topic_rows",
    html="<span></span>",
    js=text_beside(__file__, "to_topics.js"),
    isolate_styles=False,
)


def lead_to_topics(runs: Sequence[Shown], place: int, topic: int | None = None) -> None:
    """Switch to the topics of one of the tab's `runs`, and to `topic` if one is given."""
    turn_to(runs, place, EXPLORED)
    turn_to_view(FIRST_VIEW)
    if topic is not None:
        choose_topic(runs[place].entry.run_id, topic)
    pages.go_to("topics")


def topics_button(runs: Sequence[Shown], place: int) -> None:
    """A button that leads to the topics of a run; none in a page that is shown inside another."""
    if look.is_embedded() or not pages.is_there("topics"):
        return
    pressed = st.button(
        "Look at the topics",
        icon=":material/bubble_chart:",
        type="primary" if len(runs) == 1 else "tertiary",
        key=f"look-at-topics-{runs[place].entry.run_id}",
    )
    if pressed:
        lead_to_topics(runs, place)


def duplicates_button(n: int) -> None:
    """On the Topics page: of so many near-duplicates, what to do with them."""
    words = f"{n} topics look like duplicates of one another: group them in the Tree"
    icon = ":material/account_tree:"
    if n:
        key = "topics-duplicates"
        st.button(words, icon=icon, type="tertiary", key=key, on_click=turn_to_view)


def turn_to_view(view: str = TREE_VIEW) -> None:
    """As a callback, on the Topics page or before it is opened."""
    set_widget(VIEW, view)


def rows_lead(runs: Sequence[Shown]) -> None:
    """Let the names in tables of `html.topic_table`, where they are buttons, lead to the topics.

    The tables are plain HTML, which tells nothing of a click; this component hears it. Its script
    comes up to seconds after the tables on a slow machine, so until then the names are no buttons
    (`html.css`). It stands outside what ticks, where a click that meets a tick is lost.
    """
    key = "live-rows"
    with st.container(key="frame-rows"):
        told = _rows(key=key, on_opened_change=lambda: None).get("opened")
    # As with a figure's click: one that is brought back when the page is shown again is old.
    if not told or told["time"] <= st.session_state.get(f"{key}-last", 0):
        return
    st.session_state[f"{key}-last"] = told["time"]
    for place, shown in enumerate(runs):
        latest = shown.entry.background.latest
        there = latest is not None and told["topic"] in latest.topics.topic_ids.tolist()
        if shown.entry.run_id == told["run"] and there:
            lead_to_topics(runs, place, told["topic"])
