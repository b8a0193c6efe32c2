"""What the pages that explore a run share: which moment they show, and the corpus folded in."""

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from ...core.arrays import F32, F64
from ...core.store import StoreError
from ...explore.folding import FoldingIn, Foldings
from ...runs.background import ENDED
from ...runs.registry import Entry
from ...state.labels import Labels
from ...state.snapshot import Snapshot, Topics
from ..frame import server
from ..frame.server import Loaded
from ..frame.session import Shown
from ..frame.words import plain
from ..seam.ticking import ticking
from .run_choice import run_field

LOG = logging.getLogger(__name__)
FOLDINGS = Foldings()
REFRESH = "explore-refresh"
AHEAD = 2.0
"""Seconds in which a page is drawn; work on all cores at the same time made that 0.4 s longer."""
SHORT = 0.3
"""Seconds that a page waits for a thread before it shows how far that is."""


@dataclass
class Held:
    """What a tab holds of a run that it explores."""

    snapshot: Snapshot
    folding: FoldingIn | None = None
    """So that none of another tab's takes its place while it is read, or looked at."""


def _held(shown: Shown) -> Held | None:
    """None before the run's first step."""
    held: dict[str, Held] = st.session_state.setdefault("explored", {})
    for run_id in held.keys() - st.session_state["own"].keys():
        del held[run_id]  # it has left the page
    run_id, latest = shown.entry.run_id, shown.entry.background.latest
    if run_id not in held and latest is not None:
        held[run_id] = Held(latest)
    return held.get(run_id)


def snapshot_of(shown: Shown) -> Snapshot | None:
    """The moment of a run that this tab explores: it stays until `hold` takes a later one.

    None before the run's first step.
    """
    held = _held(shown)
    return None if held is None else held.snapshot


def hold(shown: Shown) -> Snapshot | None:
    """From now on explore where the run stands now."""
    st.session_state.setdefault("explored", {}).pop(shown.entry.run_id, None)
    return snapshot_of(shown)


def proportions(shown: Shown) -> F32 | None:
    """Topic proportions of the run's whole corpus at the explored moment: float32 (D, K).

    None while a thread still reads the documents: draw `reading` instead. Read once for each (run,
    step) of this server; read-only. D are the documents of `shown.entry.source.corpus`, held-out
    ones included. Raises ValueError before the first step.
    """
    return _folding(shown).wait(SHORT)


def at_rest(shown: Shown) -> bool:
    """Whether all tabs look at the same moment of the run; of one that learns each has its own."""
    return shown.entry.background.status in (*ENDED, "paused")


def ahead(shown: Shown, work: Callable[[], object]) -> None:
    """Do what a later page will ask for of a run at rest, by a thread, when this page is drawn.

    Two seconds after it: begun at once, the work made the page at hand 0.4 s slower.
    Nobody waits for it: what goes wrong is logged in a line, and shown by the page that asks again.
    A server that stops takes the cores away from what is under way.
    """

    def begin() -> None:
        try:
            work()
        except Exception as problem:
            LOG.info("Not done ahead: %s", problem)

    if at_rest(shown):
        timer = threading.Timer(AHEAD, begin)
        timer.daemon = True
        timer.start()


def folding_of(entry: Entry, snapshot: Snapshot) -> FoldingIn:
    """The documents of a run's corpus as they are read, or were, with the topics of a moment."""
    if not isinstance(entry.source, Loaded):
        raise ValueError("The documents of this run are not at hand.")
    model, corpus = entry.background.run.method.model, entry.source.corpus
    return FOLDINGS.get(
        (entry.run_id, snapshot.step), lambda: FoldingIn(model, snapshot.topics, corpus)
    )


def reading(shown: Shown, height: int) -> None:
    """In place of what needs `proportions`: how far they are; draws the page anew with them."""
    folding = _folding(shown)
    with st.container(height=height, border=False):
        if folding.ended and folding.found is None:
            st.error(
                f"The documents could not be read with these topics: {plain(folding.error)}",
                icon=":material/error:",
            )
            return

        @ticking(0.5)
        def progress() -> None:
            if folding.ended:
                st.rerun()
            st.progress(
                folding.n_read / folding.n_docs,
                f"Reading every document with these topics: {folding.n_read:,} of "
                f"{folding.n_docs:,}",
            )

        progress()


def _folding(shown: Shown) -> FoldingIn:
    held = _held(shown)
    if held is None:
        raise ValueError("This run has no topics yet.")
    held.folding = folding_of(shown.entry, held.snapshot)  # the same as long as it is held here
    return held.folding


@dataclass(frozen=True, eq=False)
class Explored:
    """One run at the moment that is explored, with what its owner says about its topics."""

    shown: Shown
    snapshot: Snapshot
    loaded: Loaded

    @property
    def run_id(self) -> str:
        return self.shown.entry.run_id

    @property
    def at(self) -> tuple[str, int]:
        """What everything that is computed from this moment is kept by."""
        return self.run_id, self.snapshot.step

    @property
    def topics(self) -> Topics:
        return self.snapshot.topics

    @property
    def labels(self) -> Labels:
        return self.shown.entry.labels

    @property
    def vocab(self) -> tuple[str, ...]:
        return self.loaded.corpus.vocab

    @property
    def unit(self) -> str:
        """What topics share: words, or documents of a mixture."""
        return str(self.shown.entry.background.run.method.model.unit)

    @cached_property
    def row(self) -> dict[int, int]:
        """Where each topic, by identity, stands in `topics`."""
        return {int(topic): k for k, topic in enumerate(self.topics.topic_ids)}

    @cached_property
    def share(self) -> F64:
        """The share of each topic in all topics' size: float64 (K,)."""
        return np.asarray(self.topics.size / (float(self.topics.size.sum()) or 1.0))

    def name(self, topic: int) -> str:
        return self.labels.name(topic)

    def ordered(self, hidden: bool = False) -> list[int]:
        """Topics in use: pinned ones first, then the largest; hidden ones only if asked for."""
        used = np.flatnonzero(self.topics.size >= 1.0 - 1e-9)
        used = used[np.argsort(-self.topics.size[used], kind="stable")]
        ids: list[int] = self.topics.topic_ids[used].tolist()
        seen = [i for i in ids if hidden or i not in self.labels.hidden]
        return sorted(seen, key=lambda i: i not in self.labels.pinned)


def choose_run(runs: Sequence[Shown]) -> Shown:
    """The run to explore; asks where there are several."""
    return runs[run_field("Run", runs, "explore-run")]


def explored(shown: Shown) -> Explored | None:
    """Where the run stood when the page was opened, or refreshed; None before its first topic."""
    snapshot = snapshot_of(shown) if REFRESH in st.session_state else hold(shown)
    source = shown.entry.source
    if snapshot is None or not len(snapshot.topics) or not isinstance(source, Loaded):
        return None
    return Explored(shown, snapshot, source)


def refresh_button(shown: Shown) -> None:
    """A button that takes the run's latest moment; it says how far the run has gone on."""
    latest, held = shown.entry.background.latest, snapshot_of(shown)
    newer = latest is not None and (held is None or latest.step > held.step)

    def refresh() -> None:
        hold(shown)

    words = f"Refresh: now at {latest.docs_seen:,}" if latest is not None and newer else "Refresh"
    st.button(
        words,
        icon=":material/refresh:",
        key=REFRESH,
        on_click=refresh,
        disabled=not newer,
        help="This page keeps the moment it was opened at, so that nothing moves while you read.",
    )


def relabel(explored: Explored, change: Callable[[Labels], Labels]) -> None:
    """Change what is said about topics, and keep it with the saved run; the owner only.

    A run that is not saved (its disk is full) keeps its names as long as this server runs.
    """
    entry = explored.shown.entry
    if not explored.shown.owned:
        return
    entry.labels = change(entry.labels)
    with contextlib.suppress(StoreError):  # Live says of a run that it is not saved, and why
        server.library().label(entry.run_id, entry.labels)
