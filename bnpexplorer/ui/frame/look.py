"""The frame of every page: icon, spacing, large type for a projector."""

import contextlib
from typing import Any

import numpy as np
import streamlit as st
from PIL import Image

from . import keyboard

CSS = """<style>
[data-testid="stMainBlockContainer"] {
  padding-top: 4.2rem; padding-bottom: 3rem; max-width: 90rem;
}
[data-testid="stMainBlockContainer"] h1 { font-size: 2.1rem; padding-top: 0; }
[data-testid="stHeading"] h2 { font-size: 1.7rem; }
[data-testid="stMarkdown"] h2, [data-testid="stMarkdown"] h3 {
  font-size: 1.1rem; font-weight: 600; padding: .2rem 0 .1rem;
}
.st-key-headline h1 { font-size: 1.05rem; font-weight: 400; padding: 0 0 .3rem; }
[data-testid="stPopoverBody"] [data-testid="stElementToolbar"] { display: none; }
body [data-testid="stCaptionContainer"] { opacity: .75; }  /* 4.5:1; Streamlit's .6 is less */
body [data-testid="stMarkdown"] blockquote, body [data-testid="stMarkdown"] blockquote p {
  color: inherit; opacity: 1;  /* no aside; the grey is below 4.5:1 */
}
[data-testid="stLayoutWrapper"]:has(> .st-key-frame-keyboard) { display: none; }
.st-key-frame-large {
  position: fixed; top: .75rem; right: 1.2rem; left: auto; width: auto !important; z-index: 999991;
}
[data-testid="stHeader"] { padding-right: 9.5rem; }  /* the menu ends before the switch above */
[class*="st-key-pause-"] button { min-width: 6.9rem; }  /* as wide as Resume */
[class*="st-key-remove-"] button p {  /* an icon; its word stays for screen readers */
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
}
@media (max-width: 640px) {
  [class*="st-key-pause-"] button { min-width: 0; }
  .st-key-frame-large { display: none; }
  [data-testid="stHeader"] { padding-right: 0; }
  [data-testid="stMainBlockContainer"] { padding-left: 1rem; padding-right: 1rem; }
  /* On a phone heads and names have a line of their own, */
  [data-testid="stLayoutWrapper"]:has(> .st-key-headline) { flex-basis: 100%; }
  [class*="st-key-controls-"] > [data-testid="stElementContainer"]:first-child {
    flex-basis: 100%;
  }
  /* and run controls are icons; their words stay for screen readers. */
  [class*="st-key-controls-"] button p {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  }
}
@media (prefers-reduced-motion: reduce) {
  * { animation-duration: .01ms !important; transition-duration: .01ms !important; }
}
</style>"""

# Streamlit writes white on the primary colour; on the light blue of the dark theme that is 2.9:1.
DARK = """<style>
  :root { --bnp-ring: #8DBBFF; }
  body [data-testid="stBaseButton-primary"], body [data-testid="stMultiSelect"] [data-tag],
  body [data-testid="stMultiSelect"] [data-tag] * { color: #11151C; }
</style>"""
EMBEDDED = """<style>
[data-testid="stMainBlockContainer"] { padding-top: 1rem; padding-bottom: 1rem; }
[data-testid="stHeader"], [data-testid="stTopNav"] { display: none; }
</style>"""
LARGE = """<style>
html { font-size: 21px; }
/* Ten words fit beside each other on a projector's 1280 pixels, ten words with icons do not. */
[data-testid="stTopNavLink"] span:has(> [data-testid="stIconMaterial"]) { display: none; }
</style>"""


def icon() -> Image.Image:
    """Three rising steps, 32 x 32; drawn here, since named icons would be fetched from the net."""
    picture = np.zeros((32, 32, 4), np.uint8)
    for left, height, ink in (
        (3, 10, (86, 180, 233)),
        (12, 18, (0, 114, 178)),
        (21, 27, (0, 78, 124)),
    ):
        picture[32 - height - 2 : 30, left : left + 8] = (*ink, 255)
    return Image.fromarray(picture)


def configure() -> None:
    """Title and icon of the browser's tab, and the full width."""
    st.set_page_config(page_title="bnpexplorer", page_icon=icon(), layout="wide")


def navigation() -> Any:
    """The pages and their order; returns the one that was asked for."""
    return st.navigation(
        [
            st.Page("pages/start.py", title="Start", icon=":material/play_circle:", default=True),
            st.Page("pages/corpus.py", title="Corpus", icon=":material/library_books:"),
            st.Page("pages/live.py", title="Live", icon=":material/monitoring:"),
            st.Page("pages/compare.py", title="Compare", icon=":material/compare_arrows:"),
            st.Page("pages/topics.py", title="Topics", icon=":material/bubble_chart:"),
            st.Page("pages/documents.py", title="Documents", icon=":material/article:"),
            st.Page("pages/runs.py", title="Runs", icon=":material/folder_open:"),
            st.Page("pages/claims.py", title="Claims", icon=":material/fact_check:"),
            st.Page("pages/lab.py", title="Lab", icon=":material/science:"),
            st.Page("pages/lessons.py", title="Lessons", icon=":material/school:"),
        ],
        position="top",
    )


def begin_at_the_top() -> None:
    """The first line of `app.py`: what follows is drawn from the top of the page.

    Where a tab has one script thread (`runner.fastReruns`), Streamlit 1.67 goes on inside the
    fragment that ran last, if the thread had not ended yet: the browser then looks for a place that
    the new page does not have and stays empty (in 2 of 7 sessions of quick clicks under load).
    """
    # There is no public word for it; a version without these names has changed this place.
    with contextlib.suppress(ImportError):
        from streamlit.delta_generator_singletons import (
            context_dg_stack,
            get_default_dg_stack_value,
        )

        context_dg_stack.set(get_default_dg_stack_value())


def go_to(page: str) -> None:
    """Switch to a page, such as `pages/live.py`.

    Streamlit refuses to leave a page whose widgets are bound to the address, unless it is given
    the new page's own parameters; the app writes those it needs.
    """
    st.switch_page(page, query_params={})


def through_app() -> None:
    """The first line of every page: make sure that `app.py` has set the frame around it.

    A fresh server that is first asked for a page's own address runs the file in `pages/` by itself,
    without `app.py`. Calling `st.navigation` ends that mode for good; the page then starts again.
    """
    if not st.session_state.get("framed"):
        configure()
        navigation()
        st.rerun()


def frame() -> None:
    """Spacing for all pages, and large type where it was asked for."""
    st.session_state["framed"] = True
    if not is_embedded() and "large_type" not in st.session_state:  # a first look, or a reload
        st.session_state["large_type"] = st.query_params.get("large") == "on"
    st.html(_styles())
    keyboard.help_focus()
    if not is_embedded():
        # Streamlit forgets the switch when a script goes to another page, and shows it all the same
        st.session_state["large"] = large_type()
        with st.container(key="frame-large", width="content"):
            st.toggle(
                "Large type",
                key="large",
                on_change=_switch_type,
                help="For a projector: larger words and figures",
            )


def _styles() -> str:
    """All in one element, so that none comes later than the others."""
    parts = [CSS, keyboard.RING, DARK if is_dark() else ""]
    parts += [EMBEDDED if is_embedded() else "", LARGE if large_type() else ""]
    return "".join(parts)


def _switch_type() -> None:
    st.session_state["large_type"] = st.session_state["large"]


def in_address() -> dict[str, str]:
    """Large type, as every page keeps it in the address for a reload and one's own links."""
    return {"large": "on" if large_type() else ""}


def is_embedded() -> bool:
    """Whether the page is shown inside another one (`?embed=true`): no menu, nothing to start."""
    return bool(st.context.is_embedded)


def large_type() -> bool:
    """Whether figures and words are drawn large, for a projector."""
    return bool(st.session_state.get("large_type", False))


def text_size() -> int:
    """Font size in figures, in pixels."""
    return 19 if large_type() else 14


def is_dark() -> bool:
    """Whether the page is shown in the dark theme."""
    return bool(st.context.theme.type == "dark")
