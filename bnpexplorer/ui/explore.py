"""What the pages that explore a run share: which moment they show, and the corpus folded in."""

from typing import Any

import streamlit as st

from ..explore.proportions import doc_topic
from ..kernels.jit import F32
from ..snapshot import Snapshot
from .session import Loaded, Shown

REFRESH = "explore-refresh"


def snapshot_of(shown: Shown) -> Snapshot | None:
    """The moment of a run that this tab explores: it stays until `hold` takes a later one.

    None before the run's first step.
    """
    kept: dict[str, Snapshot] = st.session_state.setdefault("explored", {})
    run_id, latest = shown.entry.run_id, shown.entry.background.latest
    if run_id not in kept and latest is not None:
        kept[run_id] = latest
    return kept.get(run_id)


def hold(shown: Shown) -> Snapshot | None:
    """From now on explore where the run stands now."""
    st.session_state.setdefault("explored", {}).pop(shown.entry.run_id, None)
    return snapshot_of(shown)


def proportions(shown: Shown) -> F32:
    """Topic proportions of the run's whole corpus at the explored moment: float32 (D, K).

    Folded in once for each (run, step) of this server; read-only. D are the documents of
    `shown.entry.source.corpus`, held-out ones included. Raises ValueError before the first step.
    """
    snapshot, source = snapshot_of(shown), shown.entry.source
    if snapshot is None or not isinstance(source, Loaded):
        raise ValueError("This run has no topics yet.")
    model = shown.entry.background.run.method.model
    return _folded_in(shown.entry.run_id, snapshot.step, model, snapshot, source)


@st.cache_resource(show_spinner="Reading every document with these topics ...", max_entries=8)
def _folded_in(run_id: str, step: int, _model: Any, _snapshot: Snapshot, _loaded: Loaded) -> F32:
    found = doc_topic(_model, _snapshot.topics, _loaded.corpus)
    found.flags.writeable = False
    return found
