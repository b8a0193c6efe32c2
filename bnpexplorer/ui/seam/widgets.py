"""Widgets that keep or take a value. Each workaround has its symptom below.

A switch, or a choice of a few words, that keeps its place from page to page.

Symptom: When a script goes to another page (`st.switch_page`), Streamlit forgets the value of a
    switch in the frame, and the browser shows it all the same: words are large and the page is not.
Seen in: Streamlit 1.67.
No longer needed when: large type, switched on, outlives "Watch it learn" with a plain `st.toggle`.

Number fields have no bounds of their own.

Symptom: A browser keeps a number outside the bounds of its field to itself: the field shows it in
    red, and the form starts with the number before it.
Seen in: Streamlit 1.67.
No longer needed when: a script is told of such a number, or a form with one cannot be sent.

A value for a widget that is set by a script; `set_widgets.js` says when the browser has it.

Symptom: `st.session_state[key] = value` holds for one run of the script. A browser that hears of it
    late asks for the page with the value that it knew before, and that value wins: the race of a
    lesson opened on the view "Runs".
Seen in: Streamlit 1.67.
No longer needed when: tests/browser/test_set_late.py passes without `keep_set`.

A table whose rows are ticked: another one for every other content.

Symptom: A browser knows ticks by their places, and keeps them where another row stands now: after
    a deletion the next run was ticked, and could be deleted with it.
Seen in: Streamlit 1.67.
No longer needed when: `st.dataframe` with `on_select` keeps a selection by its index's labels.

A place on the page that is drawn into later, such as `st.container()` returns.

Symptom: The type of a place has no public name, so that nothing can be declared to take one.
Seen in: Streamlit 1.67.
No longer needed when: `streamlit` itself exports the type.

What is drawn again every so often.

Symptom: A click on a widget inside a fragment that ticks is lost if it meets the tick. And what an
    earlier page drew goes on ticking, into a page that has no place for it, after a page that ended
    by `st.stop()`: Streamlit forgets it only where a script comes to its own end. A tick on its way
    during the click then ended the browser's page in "Bad delta path index"; so pages return.
Seen in: Streamlit 1.67.
No longer needed when: a button in a fragment that runs ten times a second answers to every click;
    and `tests/browser/test_late.py` passes with `st.stop()` after the study that Claims shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import pandas as pd
import streamlit as st

from ...core.display import text_beside

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    Place: TypeAlias = DeltaGenerator
else:  # only what checks types needs to know
    Place = Any
from collections.abc import Callable
from typing import Any


def kept_switch(label: str, kept: str, key: str, help: str) -> None:
    """A switch whose value stands in the session's `kept`, beside that of the widget `key`."""
    st.session_state[key] = bool(st.session_state.get(kept, False))
    st.toggle(label, key=key, on_change=_keep, args=(kept, key), help=help)


def kept_choice(label: str, options: Sequence[str], kept: str, key: str, help: str) -> None:
    """One of the `options`, which stands in the session's `kept` likewise."""
    st.session_state[key] = st.session_state[kept]
    st.segmented_control(
        label,
        options,
        required=True,
        key=key,
        on_change=_keep,
        args=(kept, key),
        help=help,
        label_visibility="collapsed",
    )


def _keep(kept: str, key: str) -> None:
    st.session_state[kept] = st.session_state[key]


N = TypeVar("N", int, float)


def number_field(
    label: str, low: int, high: int, value: N, problems: list[str], *, help: str = "", **more: Any
) -> N:
    """A number, whole if `value` is; `problems` gets a sentence for one outside `low` to `high`."""
    about = f"{help} From {low:,} to {high:,}.".strip()
    whole = isinstance(value, int)
    kind: dict[str, Any] = {"step": 1} if whole else {"step": 1.0, "format": "%g"}
    found = type(value)(st.number_input(label, value=value, help=about, **kind, **more))
    if not low <= found <= high:
        got = f"{found:,}" if whole else f"{found:,g}"
        problems.append(f"{label} must lie from {low:,} to {high:,}; got {got}.")
    return found


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


def key_of_content(name: str, frame: pd.DataFrame) -> str:
    """Return a widget key that changes with the content of its table."""
    drawn = frame.to_json(date_format="iso")
    before, number = st.session_state.get(f"{name}-drawn", ("", 0))
    if drawn != before:
        st.session_state[f"{name}-drawn"] = drawn, number + 1
    return f"{name}-table-{st.session_state[f'{name}-drawn'][1]}"


F = TypeVar("F", bound=Callable[..., Any])


def ticking(seconds: float | None) -> Callable[[F], F]:
    """Draw a function again every `seconds` (None: not by itself).

    Buttons that matter stand outside; the function starts the page anew where they should change.
    """
    return st.fragment(run_every=seconds)
