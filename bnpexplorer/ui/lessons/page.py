"""The tour and the lessons.

The list of lessons, and one step over the whole width of the Lessons page.
"""

import streamlit as st

from ...lessons import Lesson, LessonError, read
from ...lessons.handout import handout
from ..frame import reading
from ..frame.words import plain
from ..parts import lesson_panel, setting_up


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


TOUR = "tour"


def offer_lessons() -> None:
    """The tour and the list of lessons; a file that cannot be read is named, the others stand."""
    st.title("Lessons")
    st.markdown(
        "Short lessons that set up the app, ask a question, and show the answer when you ask for "
        "it. Each goes with you: its question stands beside the page that it is about."
    )
    lessons, problems = [], []
    for path in reading.lesson_files():
        try:
            lessons.append(reading.of_this_app(read(path)))
        except LessonError as problem:
            problems.append(str(problem))
    for sentence in problems:
        st.error(f"A lesson cannot be read. {plain(sentence)}", icon=":material/error:")
    for lesson in sorted(lessons, key=lambda one: (one.order, one.title)):
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            facts = f"{lesson.minutes} minutes, {len(lesson.steps)} steps"
            st.markdown(f"## {lesson.title}\n\n{lesson.about} *{facts}*", width="stretch")
            _handout_button(lesson)
            begun = st.button(
                "Begin",
                key=f"begin-{lesson.name}",
                icon=":material/play_arrow:",
                type="primary" if lesson.name == TOUR else "secondary",
                help=f"Begin: {lesson.title}",
            )
        if begun:
            lesson_panel.travel(lesson, 1)


def _handout_button(lesson: Lesson) -> None:
    """The lesson on paper; made when it is asked for."""
    st.download_button(
        "Handout",
        lambda: handout(lesson),
        f"bnpexplorer-{lesson.name}.html",
        "text/html",
        icon=":material/print:",
        type="tertiary",
        on_click="ignore",
        key=f"handout-{lesson.name}",
        help=f"{lesson.title}, to print: exercises first, answers on pages of their own",
    )


def show_step(lesson: Lesson, number: int) -> None:
    """One step: text, set-up, question, answer, and the way on."""
    step = lesson.steps[number - 1]
    with st.container(width=820):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"{lesson.title} · step {number} of {len(lesson.steps)}", width="stretch")
            _handout_button(lesson)
            st.button(
                "All lessons",
                type="tertiary",
                icon=":material/list:",
                key="lesson-list",
                on_click=reading.leave,
            )
        st.title(step.title)
        st.markdown(step.text)
        lesson_panel.show_notes(step)
        if step.set_up is not None:
            setting_up.offer(step.set_up, f"{lesson.name}-{number}")
        if step.question:
            lesson_panel.ask(lesson, number)
        _ways(lesson, number)


def _ways(lesson: Lesson, number: int) -> None:
    """Here one reads on without leaving the page."""
    last = number == len(lesson.steps)
    with st.container(horizontal=True):
        st.button(
            "Previous",
            icon=":material/arrow_back:",
            key="lesson-previous",
            disabled=number == 1,
            on_click=reading.turn_to,
            args=(lesson.name, number - 1),
        )
        st.button(
            "Next",
            icon=":material/arrow_forward:",
            key="lesson-next",
            disabled=last,
            on_click=reading.turn_to,
            args=(lesson.name, number + 1),
        )
        if last:
            st.button(
                "Finish", icon=":material/check:", key="lesson-finish", on_click=reading.leave
            )
