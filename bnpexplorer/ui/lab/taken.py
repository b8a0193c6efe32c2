"""A demonstration for elsewhere: as a file that needs no server, and as a frame for slides."""

from collections.abc import Callable

import streamlit as st

from ..frame import look
from ..parts.links import link, snippet, view_of_address


def take_along(name: str, title: str, file: Callable[[], str] | None = None) -> None:
    """Both, in a popover. `name`: the demonstration's in addresses; `file`: the HTML, made when it
    is asked for."""
    if look.is_embedded():
        return
    with st.popover("For slides", icon=":material/slideshow:", key=f"lab-taken-{name}"):
        if file is not None:
            st.download_button(
                "One HTML file, 5 to 6 MB, that needs no server",
                file,
                f"bnpexplorer-{name}.html",
                "text/html",
                icon=":material/download:",
                on_click="ignore",
                key=f"lab-file-{name}",
            )
            st.caption("With these settings, one of which moves; it opens in any browser.")
        address = link(st.context.url or "", view_of_address(), {"lab_show": name, "embed": "true"})
        st.code(snippet(address, f"bnpexplorer: {title}"), language="html", wrap_lines=True)
        st.caption("Or as a frame, while this server runs, with its controls.")
