"""A focus that is not lost, for those who use the keyboard; `keyboard.js` does it.

Symptom: What a popover opens is drawn at the end of the page and the focus stays on its button, so
    that Tab does not lead into it; and a button that is switched off by its own click loses the
    focus to the whole page.
Seen in: Streamlit 1.67.
No longer needed when: tests/browser/test_keyboard.py passes without it.
"""

import streamlit as st

from ...core.beside import text_beside

_component = st.components.v2.component(
    "bnpexplorer_keyboard",
    html="<span></span>",
    js=text_beside(__file__, "keyboard.js"),
    isolate_styles=False,
)


def help_focus() -> None:
    """Once on every page; it draws nothing."""
    with st.container(key="frame-keyboard"):
        _component(key="keyboard")
