"""A table whose rows are ticked: another one for every other content.

Symptom: A browser knows ticks by their places, and keeps them where another row stands now: after
    a deletion the next run was ticked, and could be deleted with it.
Seen in: Streamlit 1.67.
No longer needed when: `st.dataframe` with `on_select` keeps a selection by its index's labels.
"""

import pandas as pd
import streamlit as st


def key_of_content(name: str, frame: pd.DataFrame) -> str:
    """A widget's key that changes whenever what the table shows does."""
    drawn = frame.to_json(date_format="iso")
    before, number = st.session_state.get(f"{name}-drawn", ("", 0))
    if drawn != before:
        st.session_state[f"{name}-drawn"] = drawn, number + 1
    return f"{name}-table-{st.session_state[f'{name}-drawn'][1]}"
