"""The keys of a presentation, and its full screen; `presenting.js` does it.

Symptom: The shortcut of a button counts where another button or a slider has the focus: Space then
    pauses and does not press, an arrow steps and moves; it goes on while a key is held down, and
    Escape counts in fields. Of buttons that are pressed faster than a script ends the server hears
    at once, in no order and of each but once: what was shown was not the last digit's. A page
    cannot ask for the full screen, where no address is projected.
    While a page goes over to another, scripts of both are there for a while, and either may be
    begun anew: that of the page before, begun last, ended the full screen of a presentation that
    had just begun.
    And a reload begins a new session, which has what the address says: while it is projected that
    is no secret, so that the lecturer could not pause any more.
Seen in: Streamlit 1.67.
No longer needed when: tests/browser/test_presenting.py passes with `shortcut=`, and there are words
    for the full screen and for what one tab alone keeps over a reload.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from ...core.beside import text_beside

_component = st.components.v2.component(
    "bnpexplorer_presenting",
    html="<span></span>",
    js=text_beside(__file__, "presenting.js"),
    isolate_styles=False,
)


KEY, DONE = "presenting-keys", "presenting-done"


def hear_keys(data: Mapping[str, Any], press: Callable[[str], None] | None = None) -> None:
    """Once on a page that presents, or offers it; it draws nothing.

    `data`: whether the tab `presents` and `since` when, in seconds; `what` is presented, and the
    `whole` address of it with its secrets, if the tab has them, which the tab keeps for its own
    reload as long as it presents.
    `press`: called, before the page is drawn anew, with every key that was pressed since, in their
    order: "pause", "step", "leave", or "view-" and a digit.
    """

    def told() -> None:
        answer(st.session_state[KEY].get("keys") or [], press)

    with st.container(key="frame-presenting"):
        heard = _component(key=KEY, data=data, on_keys_change=told)
    # Whatever else draws the page anew may have taken the thread away before all were answered.
    if answer(heard.get("keys") or [], press):
        st.rerun()


def answer(keys: Sequence[Mapping[str, Any]], press: Callable[[str], None] | None) -> int:
    """Press those of the `keys` that were not yet, each with its time; returns how many.

    Which was the last stands in a list, since a word to the tab's state is where the thread may be
    taken away: a key counts as answered when it was pressed, and then at once.
    """
    last: list[float] = st.session_state.setdefault(DONE, [0])
    fresh = [key for key in keys if key["time"] > last[0]]
    for key in fresh:
        if press is not None:
            press(key["name"])
        last[0] = key["time"]
    return len(fresh)
