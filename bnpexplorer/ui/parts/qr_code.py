"""An address as a QR code, for those who would have to type it from a wall.

It is drawn dark on light in both themes, with its quiet zone: many readers know no other (ISO/IEC
18004, 7.3).
"""

import ipaddress
from functools import partial
from urllib.parse import quote, urlsplit

import segno
import streamlit as st

from ...core.display import style_beside
from ...core.html import Markup, render

draw = partial(render, "ui/parts/share.html")

QUIET = 4
"""Modules of the quiet zone around the code, by the standard."""
MOST = 400
"""Letters of an address. Its code has 77 modules then, of three pixels each where it gets 260."""
ONLY_HERE = (
    "No QR code: this address is for this computer alone, others cannot reach it. Start a class "
    "with `python -m bnpexplorer class`, or open the app by a name or number of this computer."
)
TOO_LONG = "No QR code: this address is too long for one that a phone could read."


def show_code(address: str, pixels: int) -> None:
    """The code of an address that others may have, or why there is none; with its quiet zone it is
    so many pixels wide, or as its column allows."""
    if is_only_here(address):
        st.caption(ONLY_HERE)
    elif len(address) > MOST:
        st.caption(TOO_LONG)
    else:
        st.html(style_beside(__file__, "qr_code.css") + drawing(address, pixels))


def is_only_here(address: str) -> bool:
    """Whether the address leads to the computer of whoever opens it, or nowhere."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    if not host or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return False  # a name
    return number.is_loopback or number.is_unspecified


def drawing(address: str, pixels: int) -> Markup:
    """Draw the code of an address, which has `MOST` letters at most, as an image."""
    code = segno.make_qr(address, error="m")
    width = code.symbol_size(border=QUIET)[0]
    dark = "".join(
        f"M{x},{y}h1v1h-1z"
        for y, row in enumerate(code.matrix_iter(border=QUIET))
        for x, is_dark in enumerate(row)
        if is_dark
    )
    svg = draw("code", width=width, path=dark)
    return draw("code_image", quoted=quote(svg), pixels=pixels)


def present_code(address: str, pixels: int) -> None:
    """The code in the middle of a screen, and the address below it if others may follow it."""
    with st.container(horizontal_alignment="center", gap="xsmall"):
        show_code(address, pixels)
        if not is_only_here(address):
            st.markdown(f"To watch it on your own screen: **{address}**", width="content")
