"""The step of a lesson beside the page that it talks about, and the way back to it elsewhere.

On a wide screen a column that stays while the page is scrolled; on a narrow one a line above the
page, which unfolds (`lesson_panel.css`). No other page knows of it: the app draws it around them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from ...core.display import style_beside
from ...lessons import Lesson, LessonStep
from ..frame import look, pages, present, reading
from ..frame.words import plain
from ..seam.styles import sheet
from . import setting_up

CSS = style_beside(__file__, "lesson_panel.css") + sheet("beside")
UNFOLDED = "lesson-unfolded"
"""Whether the panel is open where it is folded at first; in a tab's state."""
LOOKED = "lesson-looked"
"""Whether the tab has shown a step beside its page before."""
PAGE = "lessons"
"""Where lessons are chosen, and a step can be read over the whole width."""


@contextmanager
def beside(page: str) -> Iterator[None]:
    """What is drawn within stands beside the step that is read, if it is about this page."""
    alone = page == PAGE or present.view() or look.is_embedded()
    found = None if alone else reading.current_if_sound()
    if found is None:
        yield
        return
    lesson, number = found
    st.html(CSS)
    if lesson.page_of(number) != page:
        _line(lesson, number)
        yield
        return
    set_up = lesson.steps[number - 1].set_up
    if LOOKED not in st.session_state and set_up is not None:
        setting_up.at_first_look(set_up)
    st.session_state[LOOKED] = True
    with st.container(key="lesson-beside"):
        panel, rest = st.columns([1, 3], gap="medium")
    with panel.container(key="lesson-panel", gap="small"):
        _panel(lesson, number)
    with rest:
        yield


# ---- the panel ---------------------------------------------------------------------------------


def _panel(lesson: Lesson, number: int) -> None:
    unfolded = bool(st.session_state.get(UNFOLDED, False))
    _head(lesson, number, unfolded)
    with st.container(key="lesson-open" if unfolded else "lesson-folded", gap="small"):
        step = lesson.steps[number - 1]
        st.markdown(f"## {step.title}")
        st.markdown(step.text)
        show_notes(step)
        if step.set_up is not None:
            if setting_up.misses_runs(step.set_up):
                st.markdown(_missing(step.set_up.of_step))
            setting_up.offer_beside(step.set_up)
        if step.question:
            ask(lesson, number)
        _ways(lesson, number)


def _head(lesson: Lesson, number: int, unfolded: bool) -> None:
    """Which step it is; unfold it where it is narrow, and leave."""
    with st.container(key="lesson-head", horizontal=True, vertical_alignment="center", gap="small"):
        words = f"**{plain(lesson.title)}** · step {number} of {len(lesson.steps)}"
        st.markdown(words, width="stretch")
        st.button(
            "Fold" if unfolded else "Unfold",
            type="tertiary",
            icon=f":material/{'expand_less' if unfolded else 'expand_more'}:",
            key="lesson-fold",
            on_click=_fold,
            args=(not unfolded,),
        )
        _leave_button()


def _leave_button() -> None:
    with st.container(key="controls-lesson", width="content"):  # an icon, its words for its hint
        st.button(
            "Leave the lesson",
            type="tertiary",
            icon=":material/close:",
            key="lesson-leave",
            on_click=reading.leave,
            help="Leave the lesson",
        )


def _fold(unfolded: bool) -> None:
    st.session_state[UNFOLDED] = unfolded


def show_notes(step: LessonStep) -> None:
    """What is for whoever teaches, folded: the class sees the screen, too."""
    if step.notes:
        with st.expander("For the lecturer", icon=":material/co_present:"):
            st.markdown(step.notes)


def _missing(number: int) -> str:
    return f"This step looks at the runs of step {number}, and none is here."


# ---- question and answer -----------------------------------------------------------------------


@st.fragment
def ask(lesson: Lesson, number: int) -> None:
    """The question, a field for one's guess, and the answer once it is asked for.

    A fragment: a guess and an answer do not draw the page beside them anew.
    """
    step, key = lesson.steps[number - 1], f"answer-{lesson.name}-{number}"
    with st.container(border=True, key="lesson-question"):
        st.markdown(f"**Question.** {step.question}")
        if st.session_state.get(f"{key}-shown"):
            if guess := st.session_state.get(f"{key}-guessed"):
                st.markdown(f"**Your guess.** {plain(guess)}")
            st.markdown(f"**Answer.** {step.answer}")
            return
        st.text_input(
            "Your guess",
            key=f"{key}-guess",
            max_chars=200,
            placeholder="Nobody else sees it",
            persist_state="session",
        )
        st.button(
            "Show the answer",
            icon=":material/visibility:",
            key=key,
            on_click=_open_answer,
            args=(key,),
        )


def _open_answer(key: str) -> None:
    """A guess is kept beside the answer: its own field is not drawn any more."""
    st.session_state[f"{key}-guessed"] = str(st.session_state.get(f"{key}-guess") or "").strip()
    st.session_state[f"{key}-shown"] = True


# ---- from step to step -------------------------------------------------------------------------


def _ways(lesson: Lesson, number: int) -> None:
    last = number == len(lesson.steps)
    with st.container(horizontal=True, gap="small"):
        back = st.button(
            "Previous", icon=":material/arrow_back:", key="lesson-previous", disabled=number == 1
        )
        if last:
            on = False
            if st.button("Finish", icon=":material/check:", key="lesson-finish"):
                reading.leave()
                pages.go_to(PAGE)
        else:
            on = st.button(
                "Next",
                icon=":material/arrow_forward:",
                key="lesson-next",
                type="secondary" if lesson.steps[number - 1].question else "primary",
            )
    if back or on:
        travel(lesson, number + (1 if on else -1))


def travel(lesson: Lesson, number: int) -> None:
    """To a step, and to the page that it talks about; what only opens a page is set up at once."""
    reading.turn_to(lesson.name, number)
    st.session_state[UNFOLDED] = False
    set_up = lesson.steps[number - 1].set_up
    if set_up is not None and setting_up.only_opens(set_up):
        setting_up.do(set_up)
    pages.go_to(lesson.page_of(number) or PAGE)


# ---- elsewhere ---------------------------------------------------------------------------------


def _line(lesson: Lesson, number: int) -> None:
    """On a page that the step is not about: which step is being read, and the way back to it."""
    with st.container(key="lesson-bar", horizontal=True, vertical_alignment="center", gap="small"):
        words = f"**{plain(lesson.title)}** · step {number} of {len(lesson.steps)}"
        st.markdown(words, width="content")
        pages.link_to(lesson.page_of(number) or PAGE, label="Back to the lesson")
        st.button(
            "Leave the lesson",
            type="tertiary",
            icon=":material/close:",
            key="lesson-leave",
            on_click=reading.leave,
        )
    set_up = lesson.steps[number - 1].set_up
    if set_up is not None and setting_up.misses_runs(set_up):
        st.markdown(_missing(set_up.of_step))
        setting_up.offer(set_up, "bar")


def in_presentation() -> None:
    """A button that shows the question over what is presented; nothing where no lesson is read."""
    found = reading.current_if_sound()
    if found is None:
        return
    lesson, number = found
    if not lesson.steps[number - 1].question:
        return
    with st.popover("Question", icon=":material/school:", type="tertiary", key="present-lesson"):
        ask(lesson, number)
