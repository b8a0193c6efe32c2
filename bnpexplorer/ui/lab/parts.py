"""What the demonstrations share: sliders that a link can set, the numbers behind a figure."""

from collections.abc import Sequence

import streamlit as st

from ...lab.controls import CONCENTRATIONS, SMALL_PRIORS

__all__ = ["CONCENTRATIONS", "SMALL_PRIORS", "look_for", "seed_input", "setting", "whole"]


MOVED = "lab-moved"
"""In the session: the key of the slider that was moved last, until a step is made."""


def note_moved(key: str) -> None:
    """The slider of this key has been moved: formulas mark what it changes."""
    st.session_state[MOVED] = key


def moved() -> str:
    """The slider that was moved last, if nothing was done since."""
    key: str = st.session_state.get(MOVED, "")
    return key


def setting(
    label: str, options: Sequence[float], start: float, key: str, help: str | None = None
) -> float:
    """A slider over a few numbers; a link sets it, and other pages do not forget it."""
    value: float = st.select_slider(
        label,
        list(options),
        start,
        format_func=lambda x: f"{x:g}",
        key=key,
        help=help,
        on_change=note_moved,
        args=(key,),
        bind="query-params",
        persist_state="session",
    )
    return value


def whole(label: str, low: int, high: int, start: int, key: str, help: str | None = None) -> int:
    """A slider over whole numbers."""
    return st.slider(
        label,
        low,
        high,
        start,
        key=key,
        help=help,
        on_change=note_moved,
        args=(key,),
        bind="query-params",
        persist_state="session",
    )


def seed_input(key: str, start: int = 0) -> int:
    """The seed; the same seed gives the same chances under every setting."""
    return int(
        st.number_input(
            "Seed",
            0,
            9999,
            start,
            key=key,
            bind="query-params",
            persist_state="session",
            help="The same seed keeps the same chances when another setting is moved.",
        )
    )


def look_for(words: str) -> None:
    st.markdown(f"**What to look for.** {words}")
