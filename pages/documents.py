"""Documents of a topic, one document word by word, and texts of one's own."""

import streamlit as st

from bnpexplorer.ui import explore, look, session
from bnpexplorer.ui.document import own_text
from bnpexplorer.ui.documents import ROW, by_search, by_topic, choose_run, listing, moment, one

look.through_app()

st.title("Documents")
runs = session.shown_runs()
if not runs:
    st.markdown("This page shows what a run makes of each document; no run is open yet.")
    with st.container(horizontal=True):
        st.page_link("pages/start.py", label="Start with a sample", icon=":material/play_circle:")
        st.page_link("pages/live.py", label="Choose a method", icon=":material/monitoring:")
    st.stop()

st.markdown("What are the topics made of, and where in a text do they stand?")
view = moment(choose_run(runs))
if view is None:
    st.stop()
ways = {"topic": f"By {view.unit}", "search": "Search", "own": "A text of your own"}
way = st.segmented_control(
    "Documents", list(ways), default="topic", required=True, key="documents-way",
    format_func=ways.__getitem__, label_visibility="collapsed", persist_state="session",
)  # fmt: skip
if way == "own":
    own_text(view)
    st.stop()

share = explore.proportions(view.shown)
left, right = st.columns([4, 7], gap="large")
with left:
    rows, says = by_topic(view, share) if way == "topic" else by_search(view)
    row = st.session_state.get(ROW)
    if row is None or row >= view.loaded.corpus.n_docs:
        row = int(rows[0]) if len(rows) else None
    listing(view, rows, says, f"list-{way}", row)
with right:
    if row is not None:
        one(view, share, rows, row)
