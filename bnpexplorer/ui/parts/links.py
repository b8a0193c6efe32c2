"""Links to what a page shows: to watch it, to control it, and to show it inside another page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

import streamlit as st

from ...runs import limits
from ..frame import access, present, reading
from ..frame.link import LINK
from ..frame.session import JOBS, Shown
from .qr_code import show_code
from .run_choice import labels_of

NOT_SHARED = ("run", "own", LINK, access.TEXTS, *JOBS, *JOBS.values(), "large", present.IN_ADDRESS)
NOT_SHARED += reading.IN_ADDRESS
"""What the address says of who may do what, of its owner's screen, and of the lesson that is read
there; the rest is the view."""
OF_DOCUMENTS = (
    "only-label",
    "only-but",
    "only-word",
    "documents-search",
    "topics-one-label",
    "topics-other-label",
    "topics-label-lines",
)
"""How words of the address begin that are taken from documents: not for who only watches."""
EMBED_HEIGHT, CODE = 900, 260
"""Pixels of a page inside another one, and of a QR code."""


@dataclass(frozen=True)
class Links:
    """What the links of a page lead to."""

    names: str
    """What people call it."""
    watch: Mapping[str, str]
    """What the address names it by."""
    control: Mapping[str, str]
    """What the address of its owner has besides; empty for who only watches."""
    secrets: Sequence[str]
    """Those that open its texts, if this tab has them."""
    is_open: bool
    """Whether everybody may have its texts."""


def link(page: str, *queries: Mapping[str, str]) -> str:
    """An address of `page` that says all of these."""
    query = {name: said for each in queries for name, said in each.items()}
    return f"{page}?{urlencode(query, safe=',')}"


def snippet(address: str, title: str) -> str:
    """HTML that shows an address inside another page."""
    return (
        f'<iframe src="{escape(address, quote=True)}" title="{escape(title, quote=True)}" '
        f'width="100%" height="{EMBED_HEIGHT}" style="border:0"></iframe>'
    )


def view_of_address() -> dict[str, str]:
    """What the address says of the view: axis, series, run and topics shown."""
    return {name: st.query_params[name] for name in st.query_params if name not in NOT_SHARED}


def links_of(runs: Sequence[Shown]) -> Links:
    """Of the runs on a page."""
    owned = {s.entry.run_id: s.entry.secret if s.owned else "" for s in runs}
    return Links(
        ", ".join(labels_of(runs)),
        {"run": ",".join(owned)},
        {"own": ",".join(owned.values())} if any(owned.values()) else {},
        [*owned.values()],
        all(map(access.is_open, owned)),
    )


def watching_address(watch: Mapping[str, str]) -> str:
    """Where others watch what is named so; short, since it is read from a wall and typed."""
    return link(st.context.url or "", watch)


def show_links(links: Links) -> None:
    """To watch, to control for its owner, and inside another page."""
    page, view = st.context.url or "", view_of_address()
    seen = view
    st.markdown("### Link to watch")
    keys = _keys_to_read(links.secrets)
    if not keys and not links.is_open:
        seen = {n: said for n, said in view.items() if not n.startswith(OF_DOCUMENTS)}
    watch = {**links.watch, **({access.TEXTS: ",".join(keys)} if keys else {})}
    watching = link(page, watch, seen)
    st.code(watching, language=None, wrap_lines=True)
    st.caption("Whoever has it sees this page as it is now, and cannot pause or change anything.")
    with st.expander("QR code of this link", icon=":material/qr_code_2:"):
        show_code(watching, CODE)
    if links.control:
        with st.expander("Link to control, for yourself", icon=":material/key:"):
            own = link(page, links.watch, links.control, view)
            st.code(own, language=None, wrap_lines=True)
            st.caption("Whoever has this one can pause and stop the runs and rename topics.")
    with st.expander("Show it inside another page", icon=":material/code:"):
        address = link(page, watch, seen, {"embed": "true"})
        st.code(snippet(address, f"bnpexplorer: {links.names}"), language="html", wrap_lines=True)
        st.caption(
            "The page without its menu and its controls. The other page must be able to reach "
            "this server; an address with localhost works on this computer only."
        )


def _keys_to_read(secrets: Iterable[str]) -> list[str]:
    """For the link to watch, if their owner wants it to share the texts, on a shared server.

    Alone at a machine whoever opens the app reads them anyway.
    """
    held = dict.fromkeys(filter(None, secrets))
    if not limits.is_shared() or not held:
        return []
    wanted = st.toggle(
        "With the texts",
        key="share-texts",
        help="Off: who watches sees figures and topics, never documents. On: whoever has the link "
        "also reads the documents, may learn from them and download them, as long as the run is "
        "there.",
    )
    return [access.key_to_read(secret) for secret in held] if wanted else []
