"""What the address says of the view beside the widgets that are bound to it.

A bound widget writes what stands in its field; a topic or a document goes by its number instead,
since its words change as the run goes on.
"""

from collections.abc import Mapping

import streamlit as st

from ..seam import history


def asked(name: str) -> str | None:
    """What the address asks for, at a tab's first look and when its Back button is used.

    "" asks for what is there without a choice; None asks for nothing: what was chosen stays.
    """
    looked: set[str] = st.session_state.setdefault("address-looked", set())
    went_back = history.went_back()
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
