"""From one page to another.

Symptom: `st.switch_page` refuses to leave a page whose widgets are bound to the address, unless it
    is given the new page's own parameters.
Seen in: Streamlit 1.67.
No longer needed when: "Watch it learn" on the Start page works without `query_params`.
"""

import streamlit as st


def go_to(page: str) -> None:
    """Switch to a page, such as `pages/live.py`; the app writes the parameters that it needs."""
    st.switch_page(page, query_params={})
