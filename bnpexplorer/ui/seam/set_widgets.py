"""A value for a widget that is set by a script; `set_widgets.js` says when the browser has it.

Symptom: `st.session_state[key] = value` holds for one run of the script. A browser that hears of it
    late asks for the page with the value that it knew before, and that value wins: the race of a
    lesson opened on the view "Runs".
Seen in: Streamlit 1.67.
No longer needed when: tests/browser/test_set_late.py passes without `keep_set`.
"""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from ...core.beside import text_beside

_component = st.components.v2.component(
    "bnpexplorer_set_widgets",
    html="<span></span>",
    js=text_beside(__file__, "set_widgets.js"),
    isolate_styles=False,
)
KEY, SET, NUMBER, HEARD = "set-widgets", "widgets-set", "widgets-set-number", "widgets-heard"
"""The component's, and in a tab's state what was set, its last number, and the last answered."""


@dataclass(frozen=True)
class Set:
    """A value that a script gave a widget, and the one that the browser knew."""

    number: int
    value: Any
    before: Any


def set_widget(key: str, value: Any) -> None:
    """Give the widget of this key a value, before it is drawn; it stands until the browser has it,
    or a person has chosen a third."""
    before = st.session_state.get(key)
    st.session_state[key] = value
    if before in (None, value):  # the browser has no other value to ask with
        return
    number = st.session_state[NUMBER] = st.session_state.get(NUMBER, 0) + 1
    st.session_state.setdefault(SET, {})[key] = Set(number, value, before)


def keep_set() -> None:
    """At the top of every script run, before any widget: set again what the browser has not yet."""
    waiting: dict[str, Set] = st.session_state.get(SET, {})
    heard = st.session_state.get(HEARD, 0)
    for key, one in list(waiting.items()):
        if heard < one.number and st.session_state.get(key) in (one.before, one.value, None):
            st.session_state[key] = one.value
        else:
            del waiting[key]


def _heard() -> None:
    """The browser has answered with a number."""
    answer = st.session_state[KEY].get("heard") or 0
    st.session_state[HEARD] = max(st.session_state.get(HEARD, 0), answer)


def tell_set() -> None:
    """At the end of every page: ask the browser to say that it has what was set; draws nothing."""
    with st.container(key="frame-set-widgets"):
        state = st.session_state
        data = {"number": state.get(NUMBER, 0), "heard": state.get(HEARD, 0)}
        _component(key=KEY, data=data, on_heard_change=_heard)
