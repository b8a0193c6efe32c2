"""The link of a tab in a class: what it starts has its share of the places and of the disk.

It is the one that the address names (`?link=NAME`, as the lecturer's does, which the start of the
class printed), else that of the first owner's secret in the address, else a new one. It gives no
control over anything: that is for the secrets that begin with it. Alone there are no links.
"""

from collections.abc import Iterable

import streamlit as st

from ...runs import limits, links
from ...runs.registry import Entry
from . import server

LINK = "link"
"""What it is called in the address, and in a tab's state."""


def begin() -> None:
    """At the top of a tab's first script run: take the link from the address."""
    if not limits.is_shared() or LINK in st.session_state:
        return
    asked, secrets = st.query_params.get(LINK, ""), st.query_params.get("own", "").split(",")
    st.session_state["link-named"] = asked if links.is_name(asked) else ""
    st.session_state[LINK] = _first((st.session_state["link-named"], *map(links.link_of, secrets)))


def _first(names: Iterable[str]) -> str:
    return next((name for name in names if links.is_name(name)), "") or links.new_name()


def in_address() -> dict[str, str]:
    """What pages keep in the address: the name that stood there."""
    return {LINK: st.session_state.get("link-named", "")}


def mine() -> str:
    """The name of this tab's link; empty alone."""
    name: str = st.session_state.get(LINK, "")
    return name


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


def take_over(entry: Entry) -> None:
    """What the lecturer's tab controls goes on in the lecturer's place, whoever started it."""
    if mine() and mine() == links.lecturer():
        entry.background.link = mine()
