"""A thread makes a run with fewer topics (`runs/about.py`), and pages show it.

Which are shown is kept with the names of topics, so that all pages, all files and everybody who
watches have the same.
"""

import logging
import threading

from ...core.store import StoreError
from ...explore.working import Working
from ...runs.about import Granularity, Pricing
from ...runs.keeping import ENDED
from ...runs.registry import Entry
from ...runs.run import Run
from ...state.moment import Moment
from ...state.snapshot import Snapshot
from . import server

LOG = logging.getLogger(__name__)
FEWER = "fewer topics"
"""The kind of derived value by which a snapshot keeps its `Fewer`."""


class Fewer(Working[tuple[Granularity, ...]]):
    """A run at rest with fewer topics: read from the disk, or worked out and kept there."""

    title = FEWER
    _ONE_AT_A_TIME = threading.Lock()

    def __init__(self, entry: Entry, snapshot: Snapshot) -> None:
        run: Run = entry.background.run
        self._of = entry.run_id, run, snapshot
        self._pricing = Pricing(run)
        self.n, self.n_done = len(self._pricing.counts), 0
        super().__init__()

    def _work(self) -> None:
        with self._ONE_AT_A_TIME:  # who waited finds on the disk what another tab has asked for
            found = kept_of(*self._of)
            if found is None:
                found = self._pricing.work(self._tell)
                self._keep(found)
            self.found = found
        del self._pricing, self._of

    def _keep(self, found: tuple[Granularity, ...]) -> None:
        run_id, _, snapshot = self._of
        try:
            server.library().keep_fewer(run_id, snapshot, found)
        except StoreError as problem:
            LOG.warning("Fewer topics are not kept: %s", problem)

    def _tell(self, n_done: int) -> None:
        self.n_done = n_done


def kept_of(run_id: str, run: Run, snapshot: Snapshot) -> tuple[Granularity, ...] | None:
    """Read fewer topics of this moment from the disk, or return None."""
    try:
        return server.library().fewer(run_id, run, snapshot)
    except StoreError as problem:
        LOG.warning("%s; fewer topics are worked out anew.", problem)
        return None


def found_of(entry: Entry, whole: Moment) -> tuple[Granularity, ...]:
    """Return fewer topics of this moment, if the run rests and they are ready."""
    background, snapshot = entry.background, whole.snapshot
    fewer: Fewer | None = snapshot.derived_values.at_hand(FEWER)
    if fewer is not None and fewer.found is not None:
        return fewer.found
    if whole.mixture or background.status not in (*ENDED, "paused"):
        return ()
    return snapshot.derived(
        f"{FEWER} on the disk", lambda: kept_of(entry.run_id, background.run, snapshot) or ()
    )


def shown_of(entry: Entry, whole: Moment) -> Moment:
    """Return the moment with the number of topics that the owner chose."""
    about = whole.labels.about
    for one in found_of(entry, whole) if about else ():
        if one.n_topics == about:
            return whole.about(one)
    return whole
