"""A switch, or a choice of a few words, that keeps its place from page to page.

Symptom: When a script goes to another page (`st.switch_page`), Streamlit forgets the value of a
    switch in the frame, and the browser shows it all the same: words are large and the page is not.
Seen in: Streamlit 1.67.
No longer needed when: large type, switched on, outlives "Watch it learn" with a plain `st.toggle`.
"""

from collections.abc import Sequence

import streamlit as st


def kept_switch(label: str, kept: str, key: str, help: str) -> None:
    """A switch whose value stands in the session's `kept`, beside that of the widget `key`."""
    st.session_state[key] = bool(st.session_state.get(kept, False))
    st.toggle(label, key=key, on_change=_keep, args=(kept, key), help=help)


def kept_choice(label: str, options: Sequence[str], kept: str, key: str, help: str) -> None:
    """One of the `options`, which stands in the session's `kept` likewise."""
    st.session_state[key] = st.session_state[kept]
    st.segmented_control(
        label,
        options,
        required=True,
        key=key,
        on_change=_keep,
        args=(kept, key),
        help=help,
        label_visibility="collapsed",
    )


def _keep(kept: str, key: str) -> None:
    st.session_state[kept] = st.session_state[key]
