"""The link of a tab in a class: what it starts has its share of the places and of the disk.

It is the one whose key is in the address (`?link=KEY`, as in the lecturer's, which the start of the
class printed), else that of the first owner's secret in the address, else a new one; the
lecturer's by its key alone, since secrets are passed on. It gives no control over anything: that is
for the secrets that begin with its name. Alone there are no links.
"""

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from ...runs import limits, links
from ...runs.background import BackgroundRun
from . import server
from .words import plain

LINK = "link"
"""What it is called in the address, and in a tab's state."""
REFUSED = "link-refused"
"""Why what was asked to go on did not, in a tab's state until it is said."""


def begin() -> None:
    """At the top of a tab's first script run: take the link from the address."""
    if not limits.is_shared() or LINK in st.session_state:
        return
    asked, secrets = st.query_params.get(LINK, ""), st.query_params.get("own", "").split(",")
    key = st.session_state["link-key"] = asked if links.is_name(asked) else ""
    st.session_state[LINK] = links.name_of(key) if key else _first(map(links.link_of, secrets))


def _first(names: Iterable[str]) -> str:
    guests = (name for name in names if links.is_name(name) and name != links.lecturer())
    return next(guests, "") or links.new_name()


def in_address() -> dict[str, str]:
    """What pages keep in the address: the key that stood there."""
    return {LINK: st.session_state.get("link-key", "")}


def mine() -> str:
    """The name of this tab's link; empty alone."""
    name: str = st.session_state.get(LINK, "")
    return name


def is_lecturers() -> bool:
    """Whether this tab is of who started the class."""
    return mine() != "" and mine() == links.lecturer()


def sees_addresses() -> bool:
    """Whether this tab may be told where machines and folders are: in a class its lecturer's."""
    return not limits.is_shared() or is_lecturers()


def check(wanted: int = 1) -> None:
    """Refuse what is more than this tab's share. Raises ValueError with what to do."""
    server.registry().check_going(mine(), wanted)


def new_secret() -> str:
    """A secret for what this tab makes; empty alone, where each makes its own."""
    return links.new_secret(mine()) if mine() else ""


def secret() -> str:
    """A secret for what this tab starts now. Raises ValueError if that is beyond its share."""
    check()
    return new_secret()


def take_over(background: BackgroundRun[Any]) -> None:
    """What the lecturer's tab controls goes on in the lecturer's place, whoever started it; and
    what is from before there were links, in the place of whoever controls it."""
    _take_over(background, mine())


def _take_over(background: BackgroundRun[Any], name: str) -> None:
    if name and (name == links.lecturer() or not background.link):
        background.link = name


def go_on(background: BackgroundRun[Any], ask: Callable[[], None] | None = None) -> None:
    """Let what this tab controls go on, or do what `ask` says, as `go_on_all`."""
    go_on_all([(background, ask or background.start)])


def go_on_all(asked: Iterable[tuple[BackgroundRun[Any], Callable[[], None]]]) -> None:
    """Let what this tab controls go on, each by its own word; what is more than its share rests,
    and the top of the page says why. Every button that makes something go on comes here.

    The tab's state is asked before anything goes on: there a click that follows takes the thread
    away, and what had been done in part would be done twice, or turned round.
    """
    name, refused = mine(), st.session_state.setdefault(REFUSED, [])
    for background, ask in asked:
        _take_over(background, name)
        try:
            server.registry().resume(background, ask)
        except ValueError as problem:
            refused[:] = [str(problem)]


def say_refused() -> None:
    """At the top of a page: why the last click did not let something go on."""
    for problem in st.session_state.pop(REFUSED, []):
        st.error(plain(problem), icon=":material/error:")
