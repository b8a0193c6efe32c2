"""The tour and the lessons."""

import streamlit as st

from bnpexplorer.lessons import LessonError
from bnpexplorer.ui.frame import look
from bnpexplorer.ui.frame.words import plain
from bnpexplorer.ui.lessons.steps import current, offer_lessons, show_step

look.through_app()

try:
    reading = current()
except LessonError as problem:
    st.error(f"This lesson cannot be read. {plain(problem)}", icon=":material/error:")
    reading = None
if reading is None:
    offer_lessons()
else:
    show_step(*reading)
