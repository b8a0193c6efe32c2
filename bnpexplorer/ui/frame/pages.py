"""The pages of the app by their names, which are their addresses, and the ways to them.

A page is a function and not a file, so that its name is the same wherever the package lies.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from ..seam.first_declared import declare_pages
from ..seam.switching import switch_to

KEY = "pages"
"""Where a tab's state holds them: they are made anew by every script run, links refer to them."""


@dataclass(frozen=True)
class Page:
    """One entry of the menu, called by its name with a capital letter."""

    name: str
    icon: str
    """A name of Google's Material Symbols."""
    section: str
    """The group of the menu that holds it; empty: it stands in the menu itself."""
    draw: Callable[[], None]


def declare(pages: Sequence[Page]) -> st.Page:
    """The menu by its sections, in this order, the first page at the root; returns the page that
    was asked for."""
    made = {page.name: _made(page, default=page is pages[0]) for page in pages}
    st.session_state[KEY] = made
    sections: dict[str, list[st.Page]] = {}
    for page in pages:
        sections.setdefault(page.section, []).append(made[page.name])
    asked: st.Page = declare_pages(sections)
    return asked


def _made(page: Page, default: bool) -> st.Page:
    return st.Page(
        page.draw,
        title=page.name.capitalize(),
        icon=f":material/{page.icon}:",
        url_path=page.name,
        default=default,
    )


def is_there(name: str) -> bool:
    """Whether the app has a page of this name."""
    return name in st.session_state[KEY]


def link_to(name: str, label: str, icon: str | None = None) -> None:
    """A link to a page, with the page's own icon if no other is given."""
    st.page_link(st.session_state[KEY][name], label=label, icon=icon)


def go_to(name: str) -> None:
    """Switch to a page."""
    switch_to(st.session_state[KEY][name])
