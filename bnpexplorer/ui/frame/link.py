"""The lecturer's link in a class, which gives a tab the lecturer's place; and how runs go on.

The key of the lecturer's link is in the tab's address (`?link=KEY`). It gives no control over
anything: that is for secrets.
"""

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from ...runs import lecturer, limits
from ...runs.background import BackgroundRun
from . import server
from .words import plain

LINK = "link"
"""The name of the key in the address, and in a tab's state."""
REFUSED = "link-refused"
"""Why what was asked to go on did not, in a tab's state until it is said."""


def begin() -> None:
    """At the top of a tab's first script run: take the lecturer's key from the address."""
    if LINK not in st.session_state:
        asked = st.query_params.get(LINK, "")
        st.session_state[LINK] = asked if lecturer.has_key(asked) else ""


def in_address() -> dict[str, str]:
    """Return what pages keep in the address: the lecturer's key, if it was there."""
    return {LINK: st.session_state.get(LINK, "")}


def is_lecturers() -> bool:
    """Whether this tab has the lecturer's link."""
    return bool(st.session_state.get(LINK))


def sees_addresses() -> bool:
    """Whether this tab may be told where machines and folders are: in a class its lecturer's."""
    return not limits.is_shared() or is_lecturers()


def check(wanted: int = 1) -> None:
    """Refuse guests of a class more than may go on at once. Raises ValueError with what to do."""
    if not is_lecturers():
        server.registry().check_going(wanted)


def new_secret() -> str:
    """Return a secret for runs of the lecturer's tab; empty in other tabs, which make their own."""
    return lecturer.new_secret() if is_lecturers() else ""


def secret() -> str:
    """A secret for what this tab starts now. Raises ValueError if too much goes on already."""
    check()
    return new_secret()


def take_over(background: BackgroundRun[Any]) -> None:
    """What the lecturer's tab controls goes on in the lecturer's place, whoever started it."""
    background.is_lecturers |= is_lecturers()


def go_on(background: BackgroundRun[Any], ask: Callable[[], None] | None = None) -> None:
    """Let what this tab controls go on, or do what `ask` says, as `go_on_all`."""
    go_on_all([(background, ask or background.start)])


def go_on_all(asked: Iterable[tuple[BackgroundRun[Any], Callable[[], None]]]) -> None:
    """Let what this tab controls go on, each by its own word; what is too much rests, and the top
    of the page says why. Every button that makes something go on comes here.

    The tab's state is asked before anything goes on: there a click that follows takes the thread
    away, and what had been done in part would be done twice, or turned round.
    """
    here, refused = is_lecturers(), st.session_state.setdefault(REFUSED, [])
    for background, ask in asked:
        background.is_lecturers |= here
        try:
            server.registry().resume(background, ask)
        except ValueError as problem:
            refused[:] = [str(problem)]


def say_refused() -> None:
    """At the top of a page: why the last click did not let something go on."""
    for problem in st.session_state.pop(REFUSED, []):
        st.error(plain(problem), icon=":material/error:")
