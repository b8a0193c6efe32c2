"""Documents of a topic, one document word by word, and texts of one's own."""

import numpy as np
import streamlit as st

from ..frame import access, pages, session
from ..parts import explore
from ..parts.run_buttons import say_missing
from ..parts.share import share
from ..parts.to_topics import ROW
from .choosing import by_part, by_search, by_topic
from .document import own_text
from .filtering import filtered
from .listing import follow_address, listing, one, opened


def page() -> None:
    """The page, drawn from its top."""
    runs = session.shown_runs()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title("Documents", width="stretch")
        if runs:
            share(runs)
    say_missing()
    if not runs:
        st.markdown("This page shows what a run makes of each document; no run is open yet.")
        with st.container(horizontal=True):
            pages.link_to("start", label="Start with a sample")
            pages.link_to("live", label="Choose a method")
        return

    st.markdown("What are the topics made of, and where in a text do they stand?")
    found = opened(explore.choose_run(runs))
    if found is None:
        return
    if not found.readable:
        st.info(access.FOR_ITS_OWNER, icon=":material/lock:")
        own_text(found)
        return
    follow_address(found.moment)
    ways = {"topic": f"By {found.moment.noun}", "search": "Search", "own": "A text of your own"}
    way = st.segmented_control(
        "Documents",
        list(ways),
        default="topic",
        required=True,
        key="documents-way",
        format_func=ways.__getitem__,
        label_visibility="collapsed",
        bind="query-params",
        persist_state="session",
    )
    if way == "own":
        own_text(found)
        return

    shares = explore.proportions(found.shown)
    left, right = st.columns([4, 7], gap="large")
    with left:
        listed, says = by_topic(found.moment, shares) if way == "topic" else by_search(found)
        listed = None if listed is None else by_part(found, listed)
        rows = np.zeros(0, np.int64) if listed is None else filtered(found, listed, shares)
        row = st.session_state.get(ROW)
        if row is None or row >= found.moment.corpus.n_docs:
            row = int(rows[0]) if len(rows) else None
        if way == "topic" and shares is None:
            explore.reading(found.shown, 400)
        elif listed is not None:
            listing(found, shares, rows, says, f"list-{way}", row)
    with right:
        if row is not None and listed is not None:
            one(found, shares, rows, row)
