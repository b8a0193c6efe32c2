"""A menu with sections that a screen reader can read; `menu_sections.js` does it.

Symptom: On a phone, where the menu is a column, its sections stand between the list and the entries
    of the list, which are therefore in none. Without their roles they are what they are: links.
Seen in: Streamlit 1.67.
No longer needed when: tests/browser/test_every_page.py passes without it.
"""

import streamlit as st

from ...core.beside import text_beside

_component = st.components.v2.component(
    "bnpexplorer_menu_sections",
    html="<span></span>",
    js=text_beside(__file__, "menu_sections.js"),
    isolate_styles=False,
)


def mend_menu() -> None:
    """Once on every page; it draws nothing."""
    with st.container(key="frame-sections"):
        _component(key="menu-sections")
