"""What is to be known of the workers of a cluster, where these compute."""

from typing import Any

import streamlit as st

from ...cluster import ClusterPool
from ...inference.cores import usual_pool
from ...runs.background import BackgroundRun
from ..frame import link
from ..frame.words import plain


def say_cluster(background: BackgroundRun[Any]) -> None:
    """That its cluster was lost, and what to do; and what its workers are to be known for."""
    if background.status == "paused" and background.lost:
        problem = plain(background.error.rstrip("."))
        st.error(f"Paused: {problem}. Resume goes on once that is mended.", icon=":material/error:")
    pool = usual_pool()
    for note in pool.notes if isinstance(pool, ClusterPool) and link.sees_addresses() else ():
        st.caption(plain(note))
