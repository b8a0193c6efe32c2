"""The way from other pages, and from an address, to one claim of the Claims page."""

import streamlit as st

from ...claims import CLAIMS
from ..frame import address

IN_ADDRESS = "claim"
ASKED = "claim-asked"


def turn_to_claim(name: str) -> None:
    """Before the Claims page is drawn: it shows this claim."""
    st.session_state[ASKED] = name


def asked_claim() -> str:
    """The claim to turn to now: a step's, else that of the address; empty: as was chosen."""
    of_address = address.asked(IN_ADDRESS)
    name: str = st.session_state.pop(ASKED, "") or of_address or ""
    return name if name in CLAIMS else ""


def keep_in_address(name: str) -> None:
    """Keep the claim that is shown in the address."""
    address.write(IN_ADDRESS, name)
