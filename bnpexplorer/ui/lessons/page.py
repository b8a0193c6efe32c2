"""The tour and the lessons."""

import streamlit as st

from ...lessons import LessonError
from ..frame import reading
from ..frame.words import plain
from ..lessons.steps import offer_lessons, show_step


def page() -> None:
    """The page, drawn from its top."""
    try:
        found = reading.current()
    except LessonError as problem:
        st.error(f"This lesson cannot be read. {plain(problem)}", icon=":material/error:")
        found = None
    if found is None:
        offer_lessons()
    else:
        show_step(*found)
