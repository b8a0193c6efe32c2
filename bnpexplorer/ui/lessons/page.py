"""The tour and the lessons."""

import streamlit as st

from ...lessons import LessonError
from ..frame.words import plain
from ..lessons.steps import current, offer_lessons, show_step


def page() -> None:
    """The page, drawn from its top."""
    try:
        reading = current()
    except LessonError as problem:
        st.error(f"This lesson cannot be read. {plain(problem)}", icon=":material/error:")
        reading = None
    if reading is None:
        offer_lessons()
    else:
        show_step(*reading)
