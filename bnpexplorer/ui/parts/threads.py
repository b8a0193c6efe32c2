"""How many threads the runs of this server share: one field, the same for all that it starts."""

import streamlit as st

from ...core.environment import THREADS, usable_cores
from ...inference.cores import cores, too_many
from ...runs import limits
from ..frame import link
from ..seam.number_field import number_field

MOST = 1024


def threads_input(key: str, problems: list[str]) -> None:
    """Ask for the threads of this server; nothing in a class, but for who started it.

    Runs under way follow at once, and so does the field of every other tab when it is drawn again.
    """
    if limits.is_shared() and not link.is_lecturers():
        return
    now, there = cores().n, usable_cores()
    has = "1 core" if there == 1 else f"{there:,} cores"
    words = (
        f"Of this server, shared out between the runs under way; this machine has {has}. They "
        f"change how fast it learns, and no number. {THREADS} sets them at the start."
    )
    with st.columns(3)[0]:  # as wide as the other numbers
        asked = number_field(
            "Threads",
            1,
            MOST,
            now,
            problems,
            key=f"{key}-threads-{now}",  # another number elsewhere begins it anew
            help=words,
        )
    if 1 <= asked <= MOST:
        cores().use(asked)
        if said := too_many(asked):
            st.caption(said)
