"""Lab: small demonstrations to turn by hand. Needs no corpus."""

import streamlit as st

from bnpexplorer.lab import DEMONSTRATIONS
from bnpexplorer.ui import look
from bnpexplorer.ui.lab.shown import SHOW

look.through_app()

st.title("Lab")
asked = st.query_params.get("lab_show", "")
st.session_state.setdefault("lab_show", asked if asked in DEMONSTRATIONS else "update")
name = st.pills(
    "Demonstration",
    list(DEMONSTRATIONS),
    format_func=DEMONSTRATIONS.get,
    required=True,
    key="lab_show",
    label_visibility="collapsed",
    persist_state="session",
)
st.query_params["lab_show"] = name
SHOW[name]()
