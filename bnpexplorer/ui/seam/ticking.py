"""What is drawn again every so often.

Symptom: A click on a widget inside a fragment that ticks is lost if it meets the tick. And what an
    earlier page drew goes on ticking, into a page that has no place for it, after a page that ended
    by `st.stop()`: Streamlit forgets it only where a script comes to its own end. A tick on its way
    during the click then ended the browser's page in "Bad delta path index"; so pages return.
Seen in: Streamlit 1.67.
No longer needed when: a button in a fragment that runs ten times a second answers to every click;
    and `tests/browser/test_late.py` passes with `st.stop()` after the study that Claims shows.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

F = TypeVar("F", bound=Callable[..., Any])


def ticking(seconds: float | None) -> Callable[[F], F]:
    """Draw a function again every `seconds` (None: not by itself).

    Buttons that matter stand outside; the function starts the page anew where they should change.
    """
    return st.fragment(run_every=seconds)
