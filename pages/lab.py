"""Lab: small demonstrations to turn by hand. Needs no corpus."""

import streamlit as st

from bnpexplorer.lab import DEMONSTRATIONS
from bnpexplorer.ui import look
from bnpexplorer.ui.lab.shown import SHOW

look.through_app()

st.title("Lab")
name = st.pills(
    "Demonstration",
    list(DEMONSTRATIONS),
    format_func=DEMONSTRATIONS.get,
    default="update",
    required=True,
    key="lab_show",
    label_visibility="collapsed",
    bind="query-params",
    persist_state="session",
)
SHOW[name or "update"]()
