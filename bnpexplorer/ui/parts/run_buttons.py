"""Pause, Resume, Step and Stop of a run or a race, and Pause of all runs of a page."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from ...runs.background import ENDED, BackgroundRun, Status
from ..frame import link

HINTS = {
    "Resume": "Go on learning",
    "Pause": "After this mini-batch",
    "Step": "One mini-batch more",
    "Stop": "End the run; what it learned stays",
}
"""What the buttons of a run say of themselves."""
AT_REST = ("paused", "ready")
"""Ready: it was saved before its first step."""

Some = Sequence[tuple[BackgroundRun[Any], Status]]
"""Runs, each with the status for which its buttons are drawn."""


def buttons(
    background: BackgroundRun[Any], key: str, status: Status, hints: Mapping[str, str] = HINTS
) -> None:
    """Pause or Resume, Step and Stop, for their owner; as icons, in a container "controls-...".

    Only those that do something are seen. The others are there all the same, switched off and out
    of sight (`look.css`): a click must not land on its neighbour because another button came or
    grew. Pause and Resume are one button, so that it keeps the focus.
    """

    def button(words: str, icon: str, action: Callable[[], None], name: str, off: bool) -> None:
        st.button(
            words,
            icon=f":material/{icon}:",
            type="tertiary",
            on_click=_ask,
            args=(action, background),
            key=f"{name}-{key}",
            disabled=off,
            help=f"{words}: {hints[words][0].lower()}{hints[words][1:]}",
        )

    ended, paused = status in ENDED, status in AT_REST
    if paused:
        button("Resume", "play_arrow", partial(link.go_on, background), "pause", False)
    else:
        button("Pause", "pause", background.pause, "pause", ended)
    button("Step", "skip_next", partial(_step, background), "step", not paused)
    button("Stop", "stop", background.stop, "stop", ended)


def pause_all(runs: Some, key: str, help: str = "Every run of this page") -> None:
    """One button for several runs that have not ended: pauses all, or lets all go on."""
    going = are_going(runs)
    st.button(
        "Pause all" if going else "Resume all",
        icon=":material/pause:" if going else ":material/play_arrow:",
        type="tertiary",
        key=key,
        on_click=turn_all,
        args=(runs, going),
        help=help,
    )


def are_going(runs: Some) -> bool:
    """Whether one of them learns, or is to."""
    return any(status not in (*ENDED, *AT_REST) for _, status in runs)


def turn_all(runs: Some, going: bool) -> None:
    """Pause those that are going, or let all go on that have not ended."""
    asked = [background for background, status in runs if status not in ENDED]
    if not going:
        link.go_on_all((background, background.start) for background in asked)
    for background in asked if going else ():
        background.pause()
    for background in asked:
        background.settle()


def step_all(runs: Some) -> None:
    """One mini-batch more for each that has not ended; those that are going pause after theirs."""
    asked = [background for background, status in runs if status not in ENDED]
    link.go_on_all((background, background.step_once) for background in asked)
    for background in asked:
        background.settle()


def _step(background: BackgroundRun[Any]) -> None:
    link.go_on(background, background.step_once)


def _ask(action: Callable[[], None], background: BackgroundRun[Any]) -> None:
    action()
    background.settle()
