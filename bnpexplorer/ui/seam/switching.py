"""From one page to another.

Symptom: `st.switch_page` refuses to leave a page whose widgets are bound to the address, unless it
    is given the new page's own parameters.
Seen in: Streamlit 1.67.
No longer needed when: "Watch it learn" on the Start page works without `query_params`.
"""

from typing import Any

import streamlit as st


def switch_to(page: Any) -> None:
    """Switch to a page, by its file or as it was declared; the app writes its parameters anew."""
    st.switch_page(page, query_params={})
