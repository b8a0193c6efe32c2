"""Which lesson a tab reads, and which step of it.

`?lesson=NAME&step=N` in the address brings a reader back to the step, also after a reload; links
that are shared leave both out, so that who watches a run is not asked its questions.
"""

from pathlib import Path

import streamlit as st

from ...lessons import LESSON_FILES, Lesson, LessonError, read
from . import pages

IN_ADDRESS = ("lesson", "step")


def restore() -> None:
    """At the top of every script run: the lesson and step from the address, in a new session."""
    if "lesson" not in st.session_state:
        step = st.query_params.get("step", "1")
        number = int(step) if step.isascii() and step.isdigit() and len(step) < 4 else 1
        turn_to(st.query_params.get("lesson", ""), max(number, 1))


def in_address() -> dict[str, str]:
    """Lesson and step, as every page keeps them in the address."""
    lesson = st.session_state["lesson"]
    step = str(st.session_state["lesson_step"]) if lesson else ""
    return dict(zip(IN_ADDRESS, (lesson, step), strict=True))


def turn_to(name: str, step: int) -> None:
    """From now on this step is read."""
    st.session_state["lesson"], st.session_state["lesson_step"] = name, step


def leave() -> None:
    """As a callback: no lesson is read any more."""
    turn_to("", 1)


def current() -> tuple[Lesson, int] | None:
    """The lesson that is being read and its step, from 1; None for none. Raises LessonError."""
    name = st.session_state.get("lesson", "")
    path = LESSON_FILES / f"{name}.md"
    if not name or name not in [file.stem for file in lesson_files()]:
        return None
    lesson = of_this_app(read(path))
    return lesson, min(st.session_state["lesson_step"], len(lesson.steps))


def current_if_sound() -> tuple[Lesson, int] | None:
    """As `current`, but none of a file that cannot be read: the Lessons page says why."""
    try:
        return current()
    except LessonError:
        return None


def lesson_files() -> list[Path]:
    """Those that come with the package."""
    return sorted(path for path in LESSON_FILES.glob("*.md") if path.name != "README.md")


def of_this_app(lesson: Lesson) -> Lesson:
    """The lesson without steps on pages that this app has not got."""
    steps = tuple(
        step for step in lesson.steps if step.set_up is None or pages.is_there(step.set_up.page)
    )
    return Lesson(
        lesson.name, lesson.title, lesson.about, lesson.minutes, lesson.order, steps or lesson.steps
    )
