"""bnpexplorer: run with `streamlit run app.py`."""

import streamlit as st

from bnpexplorer.ui import look, session

st.set_page_config(page_title="bnpexplorer", page_icon=look.icon(), layout="wide")
look.frame()
session.prepare_first_page()
session.restore()
page = st.navigation(
    [
        st.Page("pages/start.py", title="Start", icon=":material/play_circle:", default=True),
        st.Page("pages/corpus.py", title="Corpus", icon=":material/library_books:"),
        st.Page("pages/live.py", title="Live", icon=":material/monitoring:"),
        st.Page("pages/lab.py", title="Lab", icon=":material/science:"),
    ],
    position="top",
)
session.write_address()
page.run()
