"""The tour and the lessons: a list, one step at a time, and the way back from other pages.

`?lesson=NAME&step=N` in the address brings a reader back to the step, also after a reload.
"""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from ...compare import settings_of, told_apart
from ...core.beside import style_beside
from ...corpus import Corpus
from ...lessons import LESSON_FILES, Lesson, LessonError, SetUp, Step, read
from ...runs.limits import check_memory
from ...runs.plan import Plan
from ...runs.registry import Entry
from ...samples import SAMPLES, load_sample
from ..frame import access, pages, server, session
from ..frame.words import plain

TOUR = "tour"
CSS = style_beside(__file__, "steps.css")


# ---- where the reader is -----------------------------------------------------------------------


def restore() -> None:
    """At the top of every script run: the lesson and step from the address, in a new session."""
    if "lesson" not in st.session_state:
        step = st.query_params.get("step", "1")
        number = int(step) if step.isascii() and step.isdigit() and len(step) < 4 else 1
        _go_to(st.query_params.get("lesson", ""), max(number, 1))


def in_address() -> dict[str, str]:
    """Lesson and step, as every page keeps them in the address."""
    lesson = st.session_state["lesson"]
    return {"lesson": lesson, "step": str(st.session_state["lesson_step"]) if lesson else ""}


def _go_to(name: str, step: int) -> None:
    st.session_state["lesson"], st.session_state["lesson_step"] = name, step


def current() -> tuple[Lesson, int] | None:
    """The lesson that is being read and its step, from 1; None for none. Raises LessonError."""
    name = st.session_state["lesson"]
    path = LESSON_FILES / f"{name}.md"
    if name not in [file.stem for file in lesson_files()]:
        return None
    lesson = _of_this_app(read(path))
    return lesson, min(st.session_state["lesson_step"], len(lesson.steps))


def lesson_files() -> list[Path]:
    return sorted(path for path in LESSON_FILES.glob("*.md") if path.name != "README.md")


def _of_this_app(lesson: Lesson) -> Lesson:
    """The lesson without steps on pages that this app has not got."""
    steps = tuple(
        step for step in lesson.steps if step.set_up is None or pages.is_there(step.set_up.page)
    )
    return Lesson(
        lesson.name, lesson.title, lesson.about, lesson.minutes, lesson.order, steps or lesson.steps
    )


def bar(on_lessons_page: bool) -> None:
    """On other pages, one line: which step is being read, and the way back to it."""
    if on_lessons_page or not st.session_state["lesson"]:
        return
    try:
        found = current()
    except LessonError:  # the Lessons page says what is wrong with it
        found = None
    if found is None:
        return
    lesson, step = found
    st.html(CSS)
    with st.container(key="lesson-bar", horizontal=True, vertical_alignment="center", gap="small"):
        words = f"**{lesson.title}** · step {step} of {len(lesson.steps)}"
        st.markdown(words, width="content")
        pages.link_to("lessons", label="Back to the lesson")
        st.button(
            "Leave the lesson",
            type="tertiary",
            icon=":material/close:",
            key="lesson-leave",
            on_click=_go_to,
            args=("", 1),
        )
    set_up = lesson.steps[step - 1].set_up
    if set_up is not None and set_up.of_step and not session.shown_runs():
        st.markdown(f"This step looks at the runs of step {set_up.of_step}, and none is here.")
        _offer_set_up(set_up, "bar")


# ---- the page ----------------------------------------------------------------------------------


def offer_lessons() -> None:
    """The tour and the list of lessons; a file that cannot be read is named, the others stand."""
    st.title("Lessons")
    st.markdown(
        "Short lessons that set up the app, ask a question, and show the answer when you ask for "
        "it. Each goes on while you look at other pages."
    )
    lessons, problems = [], []
    for path in lesson_files():
        try:
            lessons.append(_of_this_app(read(path)))
        except LessonError as problem:
            problems.append(str(problem))
    for sentence in problems:
        st.error(f"A lesson cannot be read. {plain(sentence)}", icon=":material/error:")
    for lesson in sorted(lessons, key=lambda one: (one.order, one.title)):
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            facts = f"{lesson.minutes} minutes, {len(lesson.steps)} steps"
            st.markdown(f"## {lesson.title}\n\n{lesson.about} *{facts}*", width="stretch")
            st.button(
                "Begin",
                key=f"begin-{lesson.name}",
                icon=":material/play_arrow:",
                type="primary" if lesson.name == TOUR else "secondary",
                on_click=_go_to,
                args=(lesson.name, 1),
                help=f"Begin: {lesson.title}",
            )


def show_step(lesson: Lesson, number: int) -> None:
    """One step: text, set-up, question, answer, and the way on."""
    step = lesson.steps[number - 1]
    with st.container(width=820):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"{lesson.title} · step {number} of {len(lesson.steps)}", width="stretch")
            st.button(
                "All lessons",
                type="tertiary",
                icon=":material/list:",
                key="lesson-list",
                on_click=_go_to,
                args=("", 1),
            )
        st.title(step.title)
        st.markdown(step.text)
        if step.set_up is not None:
            _offer_set_up(step.set_up, f"{lesson.name}-{number}")
        if step.question:
            _ask(step, f"answer-{lesson.name}-{number}")
        _ways(lesson, number)


def _ask(step: Step, key: str) -> None:
    with st.container(border=True):
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
            placeholder="What do you expect? Nobody else sees it",
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


def _ways(lesson: Lesson, number: int) -> None:
    last = number == len(lesson.steps)
    with st.container(horizontal=True):
        st.button(
            "Previous",
            icon=":material/arrow_back:",
            key="lesson-previous",
            disabled=number == 1,
            on_click=_go_to,
            args=(lesson.name, number - 1),
        )
        st.button(
            "Next",
            icon=":material/arrow_forward:",
            key="lesson-next",
            disabled=last,
            on_click=_go_to,
            args=(lesson.name, number + 1),
        )
        if last:
            st.button(
                "Finish",
                icon=":material/check:",
                key="lesson-finish",
                on_click=_go_to,
                args=("", 1),
            )


# ---- setting it up -----------------------------------------------------------------------------


def _offer_set_up(set_up: SetUp, key: str) -> None:
    try:
        words, facts = _what_it_does(set_up)
    except ValueError as problem:  # a corpus that is not installed
        st.error(plain(problem))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            words, type="primary", icon=":material/play_circle:", key=f"set-up-{key}"
        )
        st.caption(facts, width="stretch")
    if not pressed:
        return
    try:
        with st.spinner("Setting it up ..."):
            _do(set_up)
    except ValueError as problem:  # a corpus that is not installed, or too large a run
        st.error(plain(problem))
        return
    pages.go_to(set_up.page)


def _only_opens(set_up: SetUp) -> bool:
    """Whether there is nothing to load or start: an earlier step's runs may be there already."""
    return not set_up.sample or bool(set_up.of_step and session.shown_runs())


def _what_it_does(set_up: SetUp) -> tuple[str, str]:
    """Words for the button, and a sentence beside it. Raises ValueError as `_do` does."""
    page = f"the {set_up.page.capitalize()} page"
    if _only_opens(set_up):
        return f"Open {page}", "The way back stands on top of it."
    *others, last = ["", *_names(_settled(set_up, load_sample(set_up.sample).corpus))]
    names = f"{', '.join(others[1:])} and {last}" if others[1:] else last
    runs = f", starts {names}" if names else ""
    return "Set it up", f"Loads “{SAMPLES[set_up.sample].title}”{runs}, and opens {page}."


def _settled(set_up: SetUp, corpus: Corpus) -> list[Plan]:
    """The plans of a step with the numbers that their runs will have."""
    return [plan.settled(corpus) for plan in set_up.runs]


def _names(plans: Sequence[Plan]) -> list[str]:
    """What the runs of settled plans are called."""
    return told_apart([plan.method.name for plan in plans], [settings_of(plan) for plan in plans])


def _do(set_up: SetUp) -> None:
    """Load and start; nothing starts if one of the runs would not fit. Raises ValueError.

    The page then shows the runs of the step and no others; one that is there already stays.
    """
    if set_up.show:
        st.session_state["lab_show"] = set_up.show
    if _only_opens(set_up):
        return
    loaded = session.use_sample(set_up.sample)
    plans = _settled(set_up, loaded.corpus)
    for plan in plans:
        check_memory(plan.method, loaded.corpus)
    shown = session.shown_runs() if plans else []
    there = {id(s): next((p for p in plans if _is_of(s.entry, p, loaded)), None) for s in shown}
    for one in shown:
        if there[id(one)] is None:
            session.leave(one.entry.run_id)
            if one.owned and not one.entry.tabs:
                one.entry.background.pause()  # the step's runs need its place
    for plan, name in zip(plans, _names(plans), strict=True):
        if plan not in there.values():
            session.launch(plan, loaded, name)


def _is_of(entry: Entry, plan: Plan, loaded: server.Loaded) -> bool:
    """Whether a run on the page is what the settled plan of a step would start."""
    return (
        access.learns(entry, loaded)
        and Plan.of_run(entry.background.run) == plan
        and entry.background.status not in ("stopped", "failed")
    )
