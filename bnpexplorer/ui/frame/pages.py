"""The pages of the app by their names, which are their addresses, and the ways to them.

A page is a function and not a file, so that its name is the same wherever the package lies.

What the address says of the view beside the widgets that are bound to it.

A bound widget writes what stands in its field; a topic or a document goes by its number instead,
since its words change as the run goes on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from ..seam import address
from ..seam.address import declare_pages, switch_to

KEY = "pages"
"""Where a tab's state holds them: they are made anew by every script run, links refer to them."""


@dataclass(frozen=True)
class Page:
    """One entry of the menu, with its `title` or else its capitalised name."""

    name: str
    icon: str
    """A name of Google's Material Symbols."""
    section: str
    """The group of the menu that holds it; empty: it stands in the menu itself."""
    draw: Callable[[], None]
    of_study: bool = False
    """Whether the menu has it in Study alone."""
    title: str = ""

    @property
    def shown(self) -> str:
        """The name in the menu."""
        return self.title or self.name.capitalize()


def declare(pages: Sequence[Page], explores: bool) -> st.Page:
    """Draw the menu by its sections, the first page at the root; return the page asked for.

    In Explore (`explores`) the menu has no sections and no pages of Study; addresses and links
    still lead there.
    """
    made = {page.name: _made(page, page is pages[0], explores and page.of_study) for page in pages}
    st.session_state[KEY] = made
    sections: dict[str, list[st.Page]] = {}
    for page in pages:
        sections.setdefault("" if explores else page.section, []).append(made[page.name])
    asked: st.Page = declare_pages(sections)
    return asked


def _made(page: Page, default: bool, hidden: bool) -> st.Page:
    return st.Page(
        page.draw,
        title=page.shown,
        icon=f":material/{page.icon}:",
        url_path=page.name,
        default=default,
        visibility="hidden" if hidden else "visible",
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


def asked(name: str) -> str | None:
    """What the address asks for, at a tab's first look and when its Back button is used.

    "" asks for what is there without a choice; None asks for nothing: what was chosen stays.
    """
    looked: set[str] = st.session_state.setdefault("address-looked", set())
    went_back = address.went_back()
    if name in looked and not went_back:
        return None
    looked.add(name)
    return st.query_params.get(name, "" if went_back else None)


def number_of(text: str) -> int | None:
    """A number from 0; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def write(name: str, value: object = "") -> None:
    """Keep `value` in the address, or nothing if it is empty."""
    keep({name: str(value)})


def keep(values: Mapping[str, str]) -> None:
    """Keep these in the address, and take out those that are empty.

    With one word to the browser, which makes of each a step that its Back button takes back.
    """
    for name in [name for name, value in values.items() if not value]:
        st.query_params.pop(name, None)
    changed = {n: v for n, v in values.items() if v and st.query_params.get(n) != v}
    if changed:
        st.query_params.update(changed)
