"""Presenting: one figure a screen, for a projector, on the pages that offer it.

The address bar may be projected too, so the address has no secret while a tab presents: they stay
in the tab's state. Its own reload would lose them there; `seam/presenting.py` brings them back.
"""

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from . import access
from .link import LINK
from .session import JOBS

IN_ADDRESS = "present"
KEPT = "presenting"
SINCE = "presenting-since"
"""When the tab began or ended to present, in seconds since 1970."""
SECRETS = ("own", LINK, access.TEXTS, *JOBS.values())
"""What the address says of who may do what."""
NAMED = ("run", *JOBS)


def begin(offers: bool) -> None:
    """At a tab's first look: what its address says; a page that `offers` nothing to present ends
    it, since its menu would be missing."""
    if KEPT not in st.session_state:
        asked = st.query_params.get(IN_ADDRESS, "")
        is_number = asked.isascii() and asked.isdigit() and len(asked) == 1
        st.session_state[KEPT] = int(asked) if is_number else 0
    st.session_state.setdefault(SINCE, time.time())
    if not offers:
        turn_to(0)


def view() -> int:
    """Which figure is presented, from 1; 0: the tab does not present."""
    number: int = st.session_state.get(KEPT, 0)
    return number


def turn_to(number: int) -> None:
    """As a callback: present this figure; 0: present no more."""
    if bool(number) != bool(view()):
        # Later than before, even where a clock was set back.
        st.session_state[SINCE] = max(time.time(), st.session_state.get(SINCE, 0.0) + 0.001)
    st.session_state[KEPT] = number


def in_address(where: Mapping[str, str]) -> dict[str, str]:
    """As every page keeps it in the address, which says `where` otherwise."""
    if not view():
        return {IN_ADDRESS: ""}
    st.session_state["unpresented"] = dict(where)
    return dict.fromkeys(SECRETS, "") | {IN_ADDRESS: str(view())}


def for_the_browser() -> dict[str, Any]:
    """Whether the tab presents and since when; for a reload, what, and its address with its
    secrets; without them if the tab has none."""
    where: dict[str, str] = st.session_state.get("unpresented", {})
    named = {name: where[name] for name in NAMED if where.get(name)}
    has_secrets = any(where.get(name) for name in SECRETS)
    whole = {**st.query_params, **{name: said for name, said in where.items() if said}}
    return {
        "presents": view() > 0,
        "since": st.session_state[SINCE],
        "what": urlencode(named),
        "whole": urlencode(whole) if has_secrets else "",
    }
