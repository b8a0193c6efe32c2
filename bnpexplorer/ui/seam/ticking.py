"""What is drawn again every so often.

Symptom: A click on a widget inside a fragment that ticks is lost if it meets the tick.
Seen in: Streamlit 1.67.
No longer needed when: a button in a fragment that runs ten times a second answers to every click.
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
