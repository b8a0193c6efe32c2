"""Style sheets and scripts in the browser. Each workaround has its symptom below.

A style sheet has its symptom in its first comment.

A focus that is not lost, for those who use the keyboard; `keyboard.js` does it.

Symptom: What a popover opens is drawn at the end of the page and the focus stays on its button, so
    that Tab does not lead into it; and a button that is switched off by its own click loses the
    focus to the whole page.
Seen in: Streamlit 1.67.
No longer needed when: tests/browser/test_keyboard.py passes without it.

A menu with sections that a screen reader can read; `menu_sections.js` does it.

Symptom: On a phone, where the menu is a column, its sections stand between the list and the entries
    of the list, which are therefore in none. Without their roles they are what they are: links.
Seen in: Streamlit 1.67.
No longer needed when: tests/browser/test_every_page.py passes without it.

What follows is drawn from the top of the page.

Symptom: After quick clicks under load a page stays empty (2 of 7 sessions). Where a tab has one
    script thread (`messages.py`), Streamlit goes on inside the fragment that ran last if the
    thread had not ended yet, and the browser looks for a place that the new page does not have.
Seen in: Streamlit 1.67.
No longer needed when: a script begins with an empty `context_dg_stack` whatever its thread has
    drawn before; `begin_at_the_top` then changes nothing.

The keys of a presentation, and its full screen; `presenting.js` does it.

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

from ...core.display import style_beside, text_beside
from .private import PrivateName

ALWAYS = (
    "spacing",
    "headings",
    "popover_toolbar",
    "contrast",
    "keyboard",
    "header_switch",
    "phone",
    "wrapped_pills",
    "named_tags",
    "staying_map",
    "focus_ring",
)
ON_DARK = ("focus_ring_dark", "contrast_dark")


def sheet(name: str) -> str:
    """One of them as an element of HTML."""
    return style_beside(__file__, f"{name}.css")


def sheets_of_every_page(dark: bool, embedded: bool, large: bool, presents: bool) -> str:
    """Those that a page needs, in an order in which later ones may overrule."""
    names = [*ALWAYS, *(ON_DARK if dark else ())]
    asked = (("embedded", embedded), ("large_menu", large), ("presenting", presents))
    names += [name for name, on in asked if on]
    return "".join(map(sheet, names))


_component = st.components.v2.component(
    "bnpexplorer_keyboard",
    html="<span></span>",
    js=text_beside(__file__, "keyboard.js"),
    isolate_styles=False,
)


def help_focus() -> None:
    """Once on every page; it draws nothing."""
    with st.container(key="frame-keyboard"):
        _component(key="keyboard")


_sections_component = st.components.v2.component(
    "bnpexplorer_menu_sections",
    html="<span></span>",
    js=text_beside(__file__, "menu_sections.js"),
    isolate_styles=False,
)


def mend_menu() -> None:
    """Once on every page; it draws nothing."""
    with st.container(key="frame-sections"):
        _sections_component(key="menu-sections")


WITHOUT = "After quick clicks a page may stay empty until it is reloaded."
MODULE = "streamlit.delta_generator_singletons"
STACK = PrivateName(MODULE, "context_dg_stack", WITHOUT)
EMPTY = PrivateName(MODULE, "get_default_dg_stack_value", WITHOUT)


def begin_at_the_top() -> None:
    """Leave whatever a fragment was drawing; called before anything is drawn."""
    stack, empty = STACK.find(), EMPTY.find()
    if stack is not None and empty is not None:
        stack.set(empty())


_presenting_component = st.components.v2.component(
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
        heard = _presenting_component(key=KEY, data=data, on_keys_change=told)
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
