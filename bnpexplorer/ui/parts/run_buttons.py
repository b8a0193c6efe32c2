"""Pause, Resume, Step and Stop of a run or a race."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from ...runs.background import ENDED, BackgroundRun, Status
from ..frame import link

HINTS = {
    "Resume": "Go on learning",
    "Pause": "Stop after this mini-batch",
    "Step": "One mini-batch more",
    "Stop": "End the run; what it learned stays",
}
"""What the buttons of a run say of themselves."""


def buttons(
    background: BackgroundRun[Any], key: str, status: Status, hints: Mapping[str, str] = HINTS
) -> None:
    """Pause or Resume, Step and Stop, for their owner."""

    def ask(action: Callable[[], None]) -> None:
        action()
        background.settle()

    def button(words: str, icon: str, action: Callable[[], None], name: str, off: bool) -> None:
        st.button(
            words,
            icon=f":material/{icon}:",
            on_click=ask,
            args=(action,),
            key=f"{name}-{key}",
            disabled=off,
            help=hints[words],
        )

    # Every button is always there, in one place: a click must not land on its neighbour because
    # another button came or grew. Pause and Resume are one button, so that it keeps the focus.
    ended, paused = status in ENDED, status in ("paused", "ready")  # ready: saved before a step
    if paused:
        button("Resume", "play_arrow", partial(link.go_on, background), "pause", False)
    else:
        button("Pause", "pause", background.pause, "pause", ended)
    step = partial(link.go_on, background, background.step_once)
    button("Step", "skip_next", step, "step", not paused)
    button("Stop", "stop", background.stop, "stop", ended)
