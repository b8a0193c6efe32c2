"""Keys that press the buttons of a presentation, and its full screen; `presenting.js` does it.

Symptom: The shortcut of a button counts where another button or a slider has the focus: Space then
    pauses and does not press, an arrow steps and moves; it goes on while a key is held down, and
    Escape counts in fields. A page cannot ask for the full screen, where no address is projected.
    And a reload begins a new session, which has what the address says: while it is projected that
    is no secret, so that the lecturer could not pause any more.
Seen in: Streamlit 1.67.
No longer needed when: tests/browser/test_presenting.py passes with `shortcut=`, and there are words
    for the full screen and for what one tab alone keeps over a reload.
"""

from collections.abc import Mapping

import streamlit as st

from ...core.beside import text_beside

_component = st.components.v2.component(
    "bnpexplorer_presenting",
    html="<span></span>",
    js=text_beside(__file__, "presenting.js"),
    isolate_styles=False,
)


def hear_keys(presents: bool, kept: Mapping[str, str]) -> None:
    """Once on a page that presents, or offers it; it draws nothing.

    `kept`: `what` is presented, and the `whole` address of it with its secrets, if the tab has
    them, which the tab keeps for its own reload as long as it presents.
    """
    with st.container(key="frame-presenting"):
        _component(key="presenting-keys", data={"presents": presents, **kept})
