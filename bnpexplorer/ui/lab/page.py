"""Lab: small demonstrations to turn by hand. Needs no corpus.

Which function shows which demonstration.

A demonstration for elsewhere: as a file that needs no server, and as a frame for slides.
"""

from collections.abc import Callable

import streamlit as st

from ...lab import DEMONSTRATIONS
from ..frame import look, pages
from ..parts.share import link, snippet, view_of_address
from . import corpora, document, franchise, ordered, restaurant, shrinking, sticks, update


def page() -> None:
    """The page, drawn from its top."""
    asked = pages.asked("lab_show")
    if asked in DEMONSTRATIONS or asked == "":
        st.session_state["lab_show"] = asked or "update"
    st.session_state.setdefault("lab_show", "update")
    if look.is_embedded():  # a frame of somebody's slides shows one demonstration
        SHOW[st.session_state["lab_show"]]()
        return
    head, choice = st.columns([1, 9], gap="small", vertical_alignment="center")
    head.title("Lab")
    with choice:
        name = st.pills(
            "Demonstration",
            list(DEMONSTRATIONS),
            format_func=DEMONSTRATIONS.__getitem__,
            required=True,
            key="lab_show",
            label_visibility="collapsed",
            persist_state="session",
        )
    pages.write("lab_show", name)
    file = SHOW[name or "update"]()
    take_along(name or "update", DEMONSTRATIONS[name or "update"], file)


File = Callable[[], str]

SHOW: dict[str, Callable[[], File | None]] = {
    "update": update.show,
    "shrinking": shrinking.show,
    "sticks": sticks.show,
    "restaurant": restaurant.show,
    "franchise": franchise.show,
    "ordered": ordered.show,
    "corpora": corpora.show,
    "document": document.show,
}
"""By the names of `lab.DEMONSTRATIONS`; each returns what makes it a file, if anything does."""


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
