"""A step of the browser's Back for each act of a person; `one_step.js` does it.

Symptom: Every word that a script writes into the address is a step of its own. Who goes from one
    page to another has three behind them: the empty address, the runs, the choices; Back leads
    through all of these, and each but the last lacks something that the page then forgets.
Seen in: Streamlit 1.67.
No longer needed when: tests/browser/test_topics.py goes back to the view that a click has left
    without it.
"""

import streamlit as st

from ...core.beside import text_beside

_component = st.components.v2.component(
    "bnpexplorer_one_step",
    html="<span></span>",
    js=text_beside(__file__, "one_step.js"),
    isolate_styles=False,
)


def one_step_an_act() -> None:
    """Once on every page; it draws nothing."""
    with st.container(key="frame-one-step"):
        _component(key="one-step")
