"""Step, back, play and pause: a demonstration that is replayed up to step n.

A browser that asks for less motion is offered no Play, only the single steps.
"""

from collections.abc import Callable

import streamlit as st

from ...core.display import style_beside
from ..seam.styles import sheet
from ..seam.widgets import ticking
from .parts import MOVED

PACES = {"Slow": 1.5, "Medium": 0.6, "Fast": 0.25}
"""Seconds from one step to the next."""
CSS = style_beside(__file__, "stepper.css") + sheet("level_buttons")


def _go_to(key: str, n: int) -> None:
    st.session_state[f"{key}_n"] = n
    st.session_state.pop(MOVED, None)


def _play(key: str, on: bool) -> None:
    st.session_state[f"{key}_playing"] = on


def pace_of(key: str) -> float:
    """Seconds from one step to the next, as chosen."""
    return PACES[st.session_state.get(f"{key}-pace") or "Medium"]


def walk_of(key: str) -> float:
    """Seconds that a customer walks: there before the next one comes."""
    return min(0.8 * pace_of(key), 0.9)


def stepper(key: str, most: int, unit: str, draw: Callable[[int], None]) -> None:
    """The buttons, and below them `draw(n)` for the step n at hand, from 0 to `most`.

    The buttons stand outside the fragment that ticks, so that a tick cannot swallow a click.
    """
    n = min(int(st.session_state.setdefault(f"{key}_n", 0)), most)
    playing = bool(st.session_state.get(f"{key}_playing")) and n < most
    seconds = _buttons(key, n, most, playing)
    drawn_by_script = [True]

    @ticking(seconds if playing else None)
    def moving() -> None:
        at = min(int(st.session_state[f"{key}_n"]), most)
        if drawn_by_script:
            drawn_by_script.clear()  # the page was drawn anew: that is no tick
        elif playing:
            at = min(at + 1, most)
            _go_to(key, at)
        st.caption(f"{unit} {at} of {most}")
        draw(at)
        if playing and at == most:
            _play(key, False)
            st.rerun()

    moving()


def _buttons(key: str, n: int, most: int, playing: bool) -> float:
    """Returns the seconds from one step to the next."""

    def button(words: str, icon: str, to: int, off: bool) -> None:
        st.button(
            words,
            icon=f":material/{icon}:",
            key=f"{key}-{icon}",
            on_click=_go_to,
            args=(key, to),
            disabled=off or playing,
        )

    st.html(CSS)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        button("Step", "skip_next", min(n + 1, most), n == most)
        button("Back", "skip_previous", max(n - 1, 0), n == 0)
        button("10 steps", "fast_forward", min(n + 10, most), n == most)
        button("Start over", "restart_alt", 0, n == 0)
        with st.container(
            horizontal=True,
            vertical_alignment="center",
            width="content",
            gap="small",
            key=f"lab-moving-{key}",
        ):
            words, icon = ("Pause", "pause") if playing else ("Play", "play_arrow")
            st.button(
                words,
                icon=f":material/{icon}:",
                key=f"{key}-play",
                type="primary",
                on_click=_play,
                args=(key, not playing),
                disabled=n == most,
            )
            pace = st.segmented_control(
                "Pace",
                list(PACES),
                default="Medium",
                required=True,
                key=f"{key}-pace",
                label_visibility="collapsed",
            )
        st.html('<div class="lab-still">This browser asks for less motion: go by steps.</div>')
    return PACES[pace or "Medium"]
