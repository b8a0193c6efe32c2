"""The frame of every page: icon, spacing, large type for a projector."""

import numpy as np
import streamlit as st
from PIL import Image

from ...core.display import style_beside
from ..seam import address, styles
from ..seam.styles import sheets_of_every_page
from ..seam.widgets import kept_switch
from . import explore_or_study, present


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


def frame() -> None:
    """Spacing for all pages, large type where it was asked for, and the two switches."""
    if not is_embedded() and "large_type" not in st.session_state:  # a first look, or a reload
        st.session_state["large_type"] = st.query_params.get("large") == "on"
    st.html(_styles())
    styles.help_focus()
    address.one_step_an_act()
    if not is_embedded():
        styles.mend_menu()
    if not is_embedded():
        with st.container(
            key="frame-large", width="content", horizontal=True, vertical_alignment="center"
        ):
            explore_or_study.switch()
            about = "For a projector: larger words and figures"
            kept_switch("Large type", "large_type", "large", about)


def _styles() -> str:
    """All in one element, so that none comes later than the others."""
    own = ["look.css", *(["large.css"] if large_type() else [])]
    sheets = sheets_of_every_page(is_dark(), is_embedded(), large_type(), present.view() > 0)
    return sheets + "".join(style_beside(__file__, name) for name in own)


def in_address() -> dict[str, str]:
    """Large type, as every page keeps it in the address for a reload and one's own links."""
    return {"large": "on" if st.session_state.get("large_type", False) else ""}


def is_embedded() -> bool:
    """Whether the page is shown inside another one (`?embed=true`): no menu, nothing to start."""
    return bool(st.context.is_embedded)


def large_type() -> bool:
    """Whether figures and words are drawn large, for a projector."""
    return present.view() > 0 or bool(st.session_state.get("large_type", False))


def text_size() -> int:
    """Font size in figures, in pixels."""
    return 19 if large_type() else 14


def is_dark() -> bool:
    """Whether the page is shown in the dark theme."""
    return bool(st.context.theme.type == "dark")
