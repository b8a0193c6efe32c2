"""A presentation: one figure a screen at 1280 by 720 pixels in large type, steered by keys."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from ...runs.background import BackgroundRun
from ...runs.keeping import ENDED, Status
from ..frame import look, present
from ..seam.styles import hear_keys
from . import lesson_panel
from .qr_code import present_code
from .run_buttons import Some, are_going, pause_all, step_all, turn_all

SCREEN = 720
"""Pixels of a projector, from top to bottom; the address bar is not there in full screen."""
AROUND, ROW = 226, 30
"""Pixels of what stands around a figure, and of the row of a run."""
CODE = 550
"""Pixels of a QR code, with the bar above and its address below."""
SMALLEST = 240
"""A figure of fewer pixels is not read from afar."""


def offer() -> None:
    """The button that begins; a page inside another one has none."""
    if look.is_embedded():
        return
    st.button(
        "Present",
        icon=":material/slideshow:",
        type="tertiary",
        key="present-enter",
        on_click=present.turn_to,
        args=(1,),
        help="One figure a screen, for a projector. Keys: Space pauses all runs, → makes one step, "
        "1, 2, 3 ... choose the figure, Escape leaves",
    )
    hear_keys(present.for_the_browser())


def leave() -> None:
    """Where there is nothing to present: draw the page as it is."""
    if present.view():
        present.turn_to(0)
        st.rerun()


def height_of(n_rows: int) -> int:
    """Pixels of a figure below the rows of so many runs."""
    return max(SCREEN - AROUND - ROW * n_rows, SMALLEST)


def presentation(
    views: Sequence[str], owned: Some, watching: str, draw: Callable[[int], None]
) -> None:
    """The view that was chosen, drawn by its place; `owned` are the runs that the tab controls.

    `watching`: the address for those who watch, which is projected; the last view is its QR code.
    """
    names = [*views, "QR code"]
    chosen = min(present.view(), len(names))
    with st.container(key="presentation", gap="xsmall"):
        _bar(names, chosen, [(run, status) for run, status in owned if status not in ENDED])
        if chosen == len(names):
            present_code(watching, CODE)
        else:
            draw(chosen - 1)
            st.caption(f"To watch it on your own screen: **{watching}**")
    runs = [run for run, _ in owned]
    hear_keys(present.for_the_browser(), lambda key: press(key, len(names), runs))


def press(key: str, n_views: int, runs: Sequence[BackgroundRun[Any]]) -> None:
    """What a key does: as its button, but with the runs as they are now, not as they were drawn;
    `runs` are those that the tab controls."""
    going = [(run, _soon(run)) for run in runs if run.status not in ENDED]
    if not present.view():
        return  # a key before it has left
    if key == "leave":
        present.turn_to(0)
    elif key == "pause":
        turn_all(going, are_going(going))
    elif key == "step":
        step_all(going)
    elif (number := int(key.removeprefix("view-"))) <= n_views:
        present.turn_to(number)


def _soon(run: BackgroundRun[Any]) -> Status:
    """Its status when the mini-batch at hand has ended: who presses Space twice lets it go on."""
    return "paused" if run.asked_for == "pause" else run.status


def _bar(views: Sequence[str], chosen: int, going: Some) -> None:
    """Buttons for those who use the mouse; keys do the same."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        for number, name in enumerate(views, start=1):
            words = f"{number} {name}"
            st.button(
                f"**{words}**" if number == chosen else words,  # another type loses the focus
                type="tertiary",
                key=f"present-view-{number}",
                on_click=present.turn_to,
                args=(number,),
                help=f"Key {number}",
            )
        lesson_panel.in_presentation()
        st.space("stretch")
        if going:
            pause_all(going, "present-pause", "Key: Space")
            st.button(
                "Step",
                icon=":material/skip_next:",
                type="tertiary",
                key="present-step",
                on_click=step_all,
                args=(going,),
                help="One mini-batch more of each. Key: →",
            )
        st.button(
            "Leave",
            icon=":material/close:",
            type="tertiary",
            key="present-leave",
            on_click=present.turn_to,
            args=(0,),
            help="Key: Escape",
        )
